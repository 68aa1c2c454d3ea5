import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import type { SellerPerson } from "../e2e/support/accountPeople.ts"
import { makeCharge } from "../e2e/support/charges.ts"
import { clientsOf } from "../e2e/support/stage.ts"
import { whyNoChromium } from "../support/chromium.ts"
import { type Cockpit, describePages, expectLooksRight, openCockpit } from "./support/cockpit.ts"

let cockpit: Cockpit
let seller: SellerPerson
/** Its browser is signed in for all tests: a second factor's code is good once, and the next one half a minute away. */
let first: Page
beforeAll(async () => {
  cockpit = await openCockpit({ SIMULATOR_DELAY_MS: "600000" })
  seller = await cockpit.seller()
  if (whyNoChromium === undefined) first = await cockpit.open("/app", { as: seller })
})
afterAll(() => cockpit?.close())
afterEach(() => expect(cockpit.complaints()).toEqual([]))

const openAt = (path: string): Promise<Page> => cockpit.open(path, { beside: first })
const clientOf = () => clientsOf(cockpit.stage.service.url, seller).test

const palette = (page: Page) => page.getByTestId("palette")
const input = (page: Page) => page.getByTestId("search-input")
const commands = (page: Page): Promise<ReadonlyArray<string>> =>
  page.getByTestId("palette-command").evaluateAll((all) => all.map((one) => one.dataset.id ?? ""))

/** The text of what Enter would choose, as the field names it to screen readers. */
const active = (page: Page): Promise<string> =>
  input(page).evaluate(
    (field) => document.getElementById(field.getAttribute("aria-activedescendant") ?? "")?.textContent ?? "",
  )

describePages("the palette", () => {
  it("opens by / and Ctrl-K and the button, and closes by Escape with the focus where it was", async () => {
    const page = await openAt("/app/charges")
    await page.getByTestId("charge-create").focus()
    for (const key of ["/", "Control+k"]) {
      await page.keyboard.press(key)
      await input(page).waitFor()
      expect(await input(page).evaluate((field) => field === document.activeElement)).toBe(true)
      expect(await input(page).inputValue()).toBe("")
      await page.keyboard.press("Escape")
      await expect.poll(() => palette(page).count()).toBe(0)
      expect(await page.evaluate(() => document.activeElement?.getAttribute("data-testid"))).toBe(
        "charge-create",
      )
    }
    await page.getByTestId("search-open").click()
    await input(page).waitFor()
    await expectLooksRight(page, "palette")
    await page.close()
  })

  it("stays when it is opened as soon as it was closed", async () => {
    const page = await openAt("/app/charges")
    await page.keyboard.press("/")
    await input(page).waitFor()
    // Before the browser tells that the first one was closed.
    await page.evaluate(async () => {
      document.querySelector<HTMLElement>("[data-testid=palette] .palette-head button")?.click()
      while (document.querySelector("dialog[open]") !== null) await Promise.resolve()
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "/", bubbles: true }))
      await new Promise((resolve) => setTimeout(resolve))
    })
    await input(page).fill("saldo")
    expect(await commands(page)).toEqual(["/balance"])
    await page.close()
  })

  it("what is typed while it is being loaded is in its field", async () => {
    const page = await openAt("/app/charges")
    let load = () => {}
    const loading = new Promise<void>((resolve) => {
      load = resolve
    })
    await page.route(/\/assets\/palette-.*\.js/, async (route) => {
      await loading
      await route.continue()
    })
    await page.keyboard.press("/")
    await page.keyboard.type("saldo")
    load()
    await expect.poll(() => input(page).inputValue()).toBe("saldo")
    expect(await commands(page)).toEqual(["/balance"])
    await page.close()
  })

  it("is a combobox whose arrow keys walk through a listbox, whatever the accents", async () => {
    const page = await openAt("/app/charges")
    await page.keyboard.press("/")
    await input(page).fill("acoes")
    await page.getByText("Nada encontrado").waitFor()
    await input(page).fill("cobranca")
    const box = page.getByRole("combobox", { name: "Buscar ou agir" })
    expect(await box.getAttribute("aria-expanded")).toBe("true")
    expect(await page.getByRole("listbox").getByRole("option").count()).toBe(2)
    expect(await active(page)).toBe("Nova cobrança")
    const searched = page.waitForResponse(/\/v1\/me\/search\?q=cobranca$/)
    await input(page).fill("cobranc")
    await input(page).fill("cobranca")
    await page.keyboard.press("ArrowDown")
    expect(await active(page)).toBe("Cobranças")
    // What the search brings later moves nobody.
    await searched
    await page.getByText("2 resultados").waitFor({ state: "attached" })
    expect(await active(page)).toBe("Cobranças")
    await page.keyboard.press("ArrowDown")
    expect(await active(page)).toBe("Nova cobrança")
    await page.keyboard.press("Enter")
    await page.getByTestId("dialog").getByTestId("amount-input").waitFor()
    expect(page.url()).toContain("/app/charges?create=1")
    await page.close()
  })

  it("leads to pages and acts: an endpoint, the colours and the language", async () => {
    const page = await openAt("/app/charges")
    const choose = async (text: string) => {
      await page.keyboard.press("/")
      await input(page).fill(text)
      await page.keyboard.press("Enter")
      await expect.poll(() => palette(page).count()).toBe(0)
    }
    await choose("escur")
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe("dark")
    await choose("idioma")
    await page.getByRole("heading", { name: "Charges" }).waitFor()
    await choose("portug")
    await page.getByRole("heading", { name: "Cobranças" }).waitFor()
    await choose("cores do disp")
    await choose("saldo")
    await page.getByTestId("balance-available").waitFor()
    await choose("novo link")
    await page.getByTestId("dialog").getByLabel("O que está sendo pago").waitFor()
    await page.keyboard.press("Escape")
    await page.getByTestId("dialog").waitFor({ state: "detached" })
    await choose("novo end")
    await page.getByTestId("dialog").getByTestId("endpoint-url").waitFor()
    await page.close()
  })

  it("finds the pages of the settings by what people call them", async () => {
    const page = await openAt("/app/charges")
    await page.keyboard.press("/")
    for (const [text, to] of [
      ...["auditoria", "historico", "atividade", "registro", "log"].map((word) => [
        word,
        "/settings/activity",
      ]),
      ["equipe", "/settings/team"],
      ["relatorio", "/settings/reports"],
      ["alerta", "/settings/alerts"],
      ["passkey", "security"],
      ["seguranca", "security"],
      ["escuro", "theme dark"],
    ]) {
      await input(page).fill(text ?? "")
      await expect.poll(() => commands(page), { message: text ?? "" }).toContain(to)
    }
    await input(page).fill("auditoria")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Atividade da conta" }).waitFor()
    await page.close()
  })

  it("finds a charge by txid, e-mail address, id and the beginnings of its payer's names, and opens it", async () => {
    const customer = { name: "Bia Lima", email: "bia@example.com", document: "529.982.247-25" }
    const charge = await makeCharge(clientOf(), { customer })
    await makeCharge(clientOf())
    const page = await openAt("/app/charges")
    await page.keyboard.press("/")
    const hits = page.getByTestId("search-result")
    for (const text of [charge.pix.txid, "bia@example.com", charge.id]) {
      await input(page).fill(text)
      await expect
        .poll(() => hits.evaluateAll((all) => all.map((hit) => hit.dataset.id)))
        .toEqual([charge.id])
      await expect.poll(() => hits.first().textContent()).toMatch(/Cobrança.*129,90.*Pendente/)
      await input(page).fill("")
      await expect.poll(() => hits.count()).toBe(0)
    }
    await input(page).fill("bi lim")
    await expect.poll(() => hits.evaluateAll((all) => all.map((hit) => hit.dataset.id))).toEqual([charge.id])
    await expect.poll(() => hits.first().textContent()).toMatch(/Cobrança.*129,90.*Pendente.*Bia Lima/)
    await input(page).fill("ninguem@example.com")
    await page.getByText("Nada encontrado").waitFor()
    await input(page).fill(charge.id)
    await hits.waitFor()
    await expectLooksRight(page, "palette-found")
    await page.keyboard.press("Enter")
    await page.getByTestId("charge-qr").waitFor()
    expect(page.url()).toContain(charge.id)
    await page.close()
  })

  it("leads operators to their pages, and to any seller and charge", async () => {
    const { id } = await makeCharge(clientOf())
    const page = await cockpit.open("/app/admin", { as: await cockpit.operator() })
    const hits = page.getByTestId("search-result")
    const found = () => hits.evaluateAll((all) => all.map((hit) => hit.dataset.id))
    await page.keyboard.press("/")
    for (const [text, hit] of [
      [id, id],
      [seller.email, seller.sellerId],
    ] as const) {
      await input(page).fill(text)
      await expect.poll(found).toEqual([hit])
    }
    await page.keyboard.press("Enter")
    await expect.poll(() => page.url()).toContain(`/app/admin/sellers/${seller.sellerId}`)
    await expect.poll(() => palette(page).count()).toBe(0)
    await page.keyboard.press("Control+k")
    await input(page).fill("vendedores")
    expect(await commands(page)).toEqual(["/admin/sellers"])
    await expectLooksRight(page, "palette-operator")
    await page.keyboard.press("Enter")
    await expect.poll(() => page.url()).toContain("/app/admin/sellers")
    await page.context().close()
  })
})

describePages("keys of all pages", () => {
  it("do nothing while somebody types in a field, or while a dialog is open", async () => {
    const page = await openAt("/app/charges")
    await page.getByTestId("charge-create").click()
    const amount = page.getByTestId("dialog").getByTestId("amount-input")
    await amount.waitFor()
    await page.keyboard.press("/")
    await page.keyboard.press("?")
    await page.getByTestId("dialog").getByRole("button", { name: "Cancelar" }).focus()
    for (const key of ["/", "?", "Control+k", "j"]) await page.keyboard.press(key)
    expect(await palette(page).count()).toBe(0)
    expect(await page.getByTestId("key-list").count()).toBe(0)
    await page.keyboard.press("Escape")
    // When it is gone, the focus goes back to what opened it.
    await expect.poll(() => page.getByTestId("dialog").count()).toBe(0)
    await page.getByTestId("charge-search").focus()
    for (const key of ["/", "?", "Control+k"]) await page.keyboard.press(key)
    expect(await palette(page).count()).toBe(0)
    await page.close()
  })

  it("j and k go through the rows of a list, and Enter opens the one that has the focus", async () => {
    for (let count = 0; count < 2; count++) await makeCharge(clientOf())
    const page = await openAt("/app/charges")
    const ids = await page
      .getByTestId("charge-row")
      .evaluateAll((all) => all.map((row) => row.dataset.id ?? ""))
    const focused = () =>
      page.evaluate(() => document.activeElement?.closest<HTMLElement>(".row")?.dataset.id)
    await page.keyboard.press("j")
    expect(await focused()).toBe(ids[0])
    await page.keyboard.press("j")
    expect(await focused()).toBe(ids[1])
    await page.keyboard.press("k")
    expect(await focused()).toBe(ids[0])
    await page.keyboard.press("k")
    expect(await focused()).toBe(ids[0])
    await page.keyboard.press("j")
    await page.keyboard.press("Enter")
    await page.getByTestId("charge-status").waitFor()
    expect(page.url()).toContain(`/app/charges/${ids[1]}`)
    await page.close()
  })

  it("j and k go through the events, and Enter shows the one that is active", async () => {
    await makeCharge(clientOf())
    const page = await openAt("/app/events")
    const first = page.getByTestId("event-row").first()
    await first.waitFor()
    await page.keyboard.press("j")
    await expect.poll(() => first.getAttribute("data-active")).toBe("true")
    await page.keyboard.press("Enter")
    await expect
      .poll(() => new URL(page.url()).searchParams.get("id"))
      .toBe(await first.getAttribute("data-id"))
    await page.close()
  })

  it("? shows them all", async () => {
    const page = await openAt("/app/charges")
    await page.keyboard.press("?")
    await page.getByTestId("key-list").waitFor()
    await expectLooksRight(page, "key-list")
    await page.keyboard.press("Escape")
    await expect.poll(() => page.getByTestId("key-list").count()).toBe(0)
    await page.close()
  })
})
