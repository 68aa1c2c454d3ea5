import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import type { SellerPerson } from "../e2e/support/accountPeople.ts"
import { chargeWhen, makeCharge } from "../e2e/support/charges.ts"
import { clientsOf } from "../e2e/support/stage.ts"
import { axe, type Cockpit, describePages, expectLooksRight, openCockpit, ready } from "./support/cockpit.ts"
import { endStepUp } from "./support/stepUp.ts"

/** Chromium itself reports every refusal. */
const refusals = [/Failed to load resource.* (400|401|403|409) /]

const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement } = document
    return activeElement?.getAttribute("data-testid") ?? activeElement?.textContent?.trim() ?? ""
  })

/** The roles and names of what can be read in a dialog, in order. */
const readingOrder = async (page: Page): Promise<ReadonlyArray<string>> => {
  const lines = (await page.getByTestId("dialog").ariaSnapshot()).split("\n")
  return lines.flatMap(
    (line) =>
      /- (dialog|heading|group|button|textbox|combobox|form) (".*?")/.exec(line)?.slice(1, 3).join(" ") ?? [],
  )
}

describePages("the page of a charge", () => {
  let cockpit: Cockpit
  let seller: SellerPerson
  beforeAll(async () => {
    cockpit = await openCockpit({ SIMULATOR_DELAY_MS: "600000" })
    seller = await cockpit.seller()
  })
  afterAll(() => cockpit?.close())
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  const client = () => clientsOf(cockpit.stage.service.url, seller).test
  const customer = { name: "Fátima Al-Rashid", email: "fatima@example.com", document: "529.982.247-25" }

  const makePaid = async (amount: number) => {
    const { id } = await makeCharge(client(), { amount, customer, metadata: { order: "pedido-1152" } })
    await client().post(`/v1/test/transactions/${id}/pay`)
    return chargeWhen(client(), id, "paid")
  }

  it("has a paid charge's amount and payer at the top of a phone, and no code that nobody can pay", async () => {
    const charge = await makePaid(104_700)
    const page = await cockpit.open(`/app/charges/${charge.id}`, { as: seller, width: 390 })
    for (const part of ["charge-amount", "charge-lead"]) {
      const box = await page.getByTestId(part).boundingBox()
      expect((box?.y ?? 800) + (box?.height ?? 0), part).toBeLessThanOrEqual(300)
    }
    const lead = (await page.getByTestId("charge-lead").textContent()) ?? ""
    expect(lead).toMatch(
      /^Fátima Al-Rashid · pedido-1152 · paga hoje .*, (\d+ (s|min) depois de|assim que foi) criada$/,
    )
    expect(await page.getByTestId("charge-qr").count()).toBe(0)
    expect(await page.getByTestId("share").count()).toBe(0)
    expect(await page.getByTestId("charge-sum").locator("dt").allTextContents()).toEqual([
      ...["Bruto", "Tarifa", "Líquido"],
    ])
    // The document is masked until it is asked for.
    await page.getByText("***.982.247-**").waitFor()
    await page.getByRole("button", { name: "Mostrar" }).click()
    await page.getByText("529.982.247-25").waitFor()
    await expectLooksRight(page, "charge-paid")
    await page.context().close()
  })

  it("is refunded by keyboard alone, with the code in the same dialog, and the focus returns", async () => {
    const charge = await makePaid(20_000)
    const page = await cockpit.open(`/app/charges/${charge.id}`, { as: seller, allows: refusals })
    await endStepUp(cockpit.stage, page)
    const opener = page.getByRole("button", { name: "Devolver", exact: true })
    await opener.focus()
    await page.keyboard.press("Enter")
    await expect.poll(() => focused(page)).toBe("amount-input")
    await page.getByText("pagou R$\u00a0200,00 hoje").waitFor()
    await expect.poll(() => page.getByTestId("balance-after").count()).toBe(1)
    expect(await readingOrder(page)).toEqual([
      'dialog "Devolver ao pagador"',
      'heading "Devolver ao pagador"',
      'button "Fechar"',
      'group "Quanto devolver"',
      'button "Tudo"',
      'button "Metade"',
      'button "Outro valor"',
      'textbox "Valor a devolver em reais"',
      'combobox "Motivo"',
      'button "Cancelar"',
      'button "Devolver R$ 200,00"',
    ])
    // Half, by the chip before the field.
    await page.keyboard.press("Shift+Tab")
    await page.keyboard.press("Shift+Tab")
    await page.keyboard.press("Space")
    const amount = page.getByTestId("amount-input")
    await expect.poll(() => amount.inputValue()).toBe("100,00")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await expect.poll(() => focused(page)).toBe("code-input")
    expect(await page.locator("dialog[open]").count()).toBe(1)
    expect(await axe(page)).toEqual([])
    await page.keyboard.type("000000")
    await page.getByTestId("step-up").getByTestId("form-error").waitFor()
    await expect.poll(() => focused(page)).toBe("code-input")
    await page.keyboard.type(await seller.authenticator.next())
    await expect.poll(() => page.getByTestId("dialog").count()).toBe(0)
    await page.getByTestId("refund-row").waitFor()
    await expect.poll(() => focused(page)).toBe("Devolver")

    // The rest: the button goes, and the focus is at the top of the page.
    await page.keyboard.press("Enter")
    await expect.poll(() => amount.inputValue()).toBe("100,00")
    // Until the dialog has opened, the focus is on the button that opens it.
    await expect.poll(() => focused(page)).toBe("amount-input")
    await page.keyboard.press("Enter")
    await expect.poll(() => page.getByTestId("dialog").count()).toBe(0)
    await expect.poll(() => opener.count()).toBe(0)
    await expect.poll(() => focused(page)).toContain("Cobrança de")
    await page.context().close()
  })

  it("an order says what each line costs, and of several what one costs, to sellers and operators", async () => {
    const items = [
      { name: "Café especial torrado em grãos, pacote de 250 g", quantity: 2, unit_amount: 1_000 },
      { name: "Frete", quantity: 1, unit_amount: 1_500 },
      { name: "Adesivo", quantity: 1_200, unit_amount: 5 },
    ]
    const { id } = await makeCharge(client(), { amount: 9_500, items, metadata: { order: "pedido-1152" } })
    const linesOf = async (page: Page) => {
      const items = await page.getByTestId("order-item").allInnerTexts()
      return items.map((item) => item.replaceAll("\u00a0", " ").trim().split(/\n+/))
    }
    const [{ name: coffee } = { name: "" }] = items
    const page = await cockpit.open(`/app/charges/${id}`, { as: seller })
    const inPortuguese = [
      [coffee, "2 × R$ 10,00", "R$ 20,00"],
      ["Frete", "R$ 15,00"],
      ["Adesivo", "1.200 × R$ 0,05", "R$ 60,00"],
    ]
    await expect.poll(() => linesOf(page)).toEqual(inPortuguese)
    await expectLooksRight(page, "charge-order")
    await page.context().close()
    const inEnglish = await cockpit.open(`/app/charges/${id}`, { as: seller, locale: "en-US" })
    await expect
      .poll(() => linesOf(inEnglish))
      .toEqual([
        [coffee, "2 × R$10.00", "R$20.00"],
        ["Frete", "R$15.00"],
        ["Adesivo", "1,200 × R$0.05", "R$60.00"],
      ])
    await inEnglish.context().close()
    const desk = await cockpit.open(`/app/admin/charges/${id}`, { as: await cockpit.operator() })
    await expect.poll(() => linesOf(desk)).toEqual(inPortuguese)
    await desk.context().close()
  })

  it("a dialog is shown and has the focus while parts of the page are still being read", async () => {
    const charge = await makePaid(20_000)
    const page = await cockpit.open(`/app/charges/${charge.id}`, { as: seller })
    let release = () => {}
    const released = new Promise<void>((done) => {
      release = done
    })
    await page.route(/\/notes(\?|$)/, async (route) => {
      await released
      await route.continue()
    })
    await page.reload()
    await ready(page)
    await page.getByRole("button", { name: "Devolver", exact: true }).focus()
    await page.keyboard.press("Enter")
    await page.getByTestId("amount-input").waitFor()
    expect(await page.locator("main .first-read").count()).toBeGreaterThan(0)
    expect(await focused(page)).toBe("amount-input")
    release()
    await page.unrouteAll({ behavior: "wait" })
    await page.context().close()
  })

  it("closing a dialog that asks for a code gives up, and asks again next time", async () => {
    const charge = await makePaid(5_000)
    const page = await cockpit.open(`/app/charges/${charge.id}`, { as: seller, allows: refusals })
    await endStepUp(cockpit.stage, page)
    const opener = page.getByRole("button", { name: "Devolver", exact: true })
    for (const closing of ["Escape", "Cancelar"]) {
      await opener.click()
      await page.getByTestId("submit").click()
      await page.getByTestId("step-up").waitFor()
      if (closing === "Escape") await page.keyboard.press("Escape")
      else {
        await page.getByTestId("step-up").getByRole("button", { name: closing }).click()
        await expect.poll(() => focused(page)).toBe("submit")
        await page.keyboard.press("Escape")
      }
      await expect.poll(() => page.locator("dialog[open]").count()).toBe(0)
    }
    const { body } = await client().get<{ readonly refunded_amount: number }>(`/v1/transactions/${charge.id}`)
    expect(body.refunded_amount).toBe(0)
    await page.context().close()
  })

  it("has seldom acts in a menu, which the keyboard opens and closes", async () => {
    const charge = await makePaid(5_000)
    const page = await cockpit.open(`/app/charges/${charge.id}`, { as: seller })
    const menu = page.getByTestId("more-acts")
    await menu.focus()
    await page.keyboard.press("Enter")
    await page.getByRole("button", { name: "Copiar link" }).waitFor()
    await expectLooksRight(page, "charge-menu")
    await page.keyboard.press("Escape")
    await expect.poll(() => page.getByRole("button", { name: "Copiar link" }).count()).toBe(0)
    await expect.poll(() => focused(page)).toBe("more-acts")
    await menu.click()
    await page.getByRole("button", { name: "Ver JSON" }).click()
    await page.getByTestId("dialog").getByText(charge.id).waitFor()
    await page.keyboard.press("Escape")
    await expect.poll(() => focused(page)).toBe("more-acts")
    await page.context().close()
  })

  it("an expired charge says when it expired, and offers no code, in English too", async () => {
    const { id } = await makeCharge(client(), { customer, metadata: { order: "pedido-1153" } })
    await client().post(`/v1/test/transactions/${id}/expire`)
    await chargeWhen(client(), id, "expired")
    const page = await cockpit.open(`/app/charges/${id}`, { as: seller, locale: "en-US" })
    await ready(page)
    await page.getByText(/expired today/).waitFor()
    expect(await page.getByTestId("charge-qr").count()).toBe(0)
    await expectLooksRight(page, "charge-expired")
    await page.context().close()
  })
})
