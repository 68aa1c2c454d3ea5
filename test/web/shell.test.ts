import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import type { SellerPerson } from "../e2e/support/accountPeople.ts"
import { makeCharge } from "../e2e/support/charges.ts"
import { clientsOf } from "../e2e/support/stage.ts"
import { whyNoChromium } from "../support/chromium.ts"
import { axe, type Cockpit, describePages, openCockpit, schemes } from "./support/cockpit.ts"

let cockpit: Cockpit
let seller: SellerPerson
/** Its browser is signed in for all tests: a second factor's code is good once, and the next one half a minute away. */
let first: Page
beforeAll(async () => {
  cockpit = await openCockpit()
  seller = await cockpit.seller()
  if (whyNoChromium === undefined) first = await cockpit.open("/app", { as: seller })
})
afterAll(() => cockpit?.close())
afterEach(() => expect(cockpit.complaints()).toEqual([]))

const phone = { width: 390, height: 844 }
const headerHeightMax = 56

const openAt = async (path: string, viewport = { width: 1280, height: 800 }): Promise<Page> => {
  const page = await cockpit.open(path, { beside: first })
  await page.setViewportSize(viewport)
  return page
}

/** The parts of the page that are outside of every landmark, which axe-core counts as moderate. */
const outsideOfLandmarks = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(async () => {
    const { axe: audit } = globalThis as unknown as {
      readonly axe: {
        readonly run: (options: unknown) => Promise<{
          readonly violations: ReadonlyArray<{ readonly nodes: ReadonlyArray<{ readonly html: string }> }>
        }>
      }
    }
    const { violations } = await audit.run({ runOnly: ["region", "landmark-unique"] })
    return violations.flatMap(({ nodes }) => nodes.map(({ html }) => html))
  })

describePages("what surrounds the pages", () => {
  it("the header is at most 56 px high at every width, and stays as high when the page becomes live", async () => {
    const page = await openAt("/app/charges")
    const height = () => page.locator("header.top").evaluate((top) => top.getBoundingClientRect().height)
    await page.locator('[data-testid="live-status"][data-state="live"]').waitFor()
    for (const width of [1280, 900, 390, 320]) {
      await page.setViewportSize({ width, height: 800 })
      expect(await height(), `at ${width}`).toBeLessThanOrEqual(headerHeightMax)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    }
    await page.context().setOffline(true)
    await page.context().setOffline(false)
    expect(await height()).toBeLessThanOrEqual(headerHeightMax)
    await page.close()
  })

  it("everything is in a landmark, and test mode is told in the header", async () => {
    const page = await openAt("/app/charges")
    expect(await axe(page)).toEqual([])
    expect(await outsideOfLandmarks(page)).toEqual([])
    await page.locator("header.top").getByText("Nada aqui movimenta dinheiro de verdade").waitFor()
    await page.getByTestId("mode-live").click()
    await expect.poll(() => page.getByText("Nada aqui movimenta dinheiro de verdade").count()).toBe(0)
    await page.getByTestId("mode-test").click()
    await page.close()
  })

  it("every drawing is hidden from those who hear the page, and every button that is one has a name", async () => {
    const page = await openAt("/app/events")
    const icons = page.locator("svg.icon, svg.mark")
    expect(await icons.count()).toBeGreaterThan(10)
    expect(await page.locator("svg.icon:not([aria-hidden=true])").count()).toBe(0)
    const unnamed = await page
      .locator("button, a")
      .evaluateAll((all) =>
        all
          .filter((one) => (one.getAttribute("aria-label") ?? one.textContent ?? "").trim() === "")
          .map((one) => one.outerHTML),
      )
    expect(unnamed).toEqual([])
    await page.close()
  })

  it("a phone has tabs at the bottom, and the whole menu behind the last of them", async () => {
    const page = await openAt("/app", phone)
    const tabs = page.getByRole("navigation", { name: "Atalhos" })
    expect((await tabs.getByRole("link").allTextContents()).map((text) => text.trim())).toEqual([
      ...["Início", "Cobranças", "Cobrar", "Saldo"],
    ])
    await tabs.getByRole("link", { name: "Saldo" }).click()
    await page.getByTestId("balance-available").waitFor()
    expect(await tabs.locator('[aria-current="page"]').textContent()).toContain("Saldo")
    const menu = page.locator("#menu")
    expect(await menu.isVisible()).toBe(false)
    await tabs.getByRole("button", { name: "Mais" }).click()
    expect(await tabs.getByRole("button").getAttribute("aria-expanded")).toBe("true")
    await menu.getByRole("link", { name: "Webhooks" }).click()
    await page.getByTestId("endpoint-create").waitFor()
    expect(await menu.isVisible()).toBe(false)
    await tabs.getByRole("link", { name: "Cobrar" }).click()
    await page.getByTestId("dialog").getByTestId("amount-input").waitFor()
    await page.close()
  })

  it("the search of a phone is a button as large as its drawing, which opens a field across the page", async () => {
    const page = await openAt("/app", phone)
    const open = page.getByTestId("search-open")
    expect((await open.boundingBox())?.width).toBeLessThanOrEqual(44)
    await open.click()
    const input = page.getByTestId("search-input")
    expect((await input.boundingBox())?.width).toBeGreaterThan(280)
    await input.fill("txn_nowhere")
    await page.getByText("Nada encontrado").waitFor()
    await page.close()
  })
})

describePages("rows of lists", () => {
  beforeAll(async () => {
    const { test } = clientsOf(cockpit.stage.service.url, seller)
    const amount = 129_990
    const name = "Conceição Aparecida dos Santos Figueiredo"
    for (let count = 0; count < 10; count++)
      await makeCharge(test, { amount, customer: { name, email: "a@example.com", document: "52998224725" } })
  })

  it("a phone shows 8 charges of 64 px at once, each with its date, and opens one by a touch anywhere", async () => {
    const page = await openAt("/app/charges", phone)
    const rows = page.getByTestId("charge-row")
    await expect.poll(() => rows.count()).toBe(10)
    const boxes = await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect()))
    expect(new Set(boxes.map(({ height }) => Math.round(height)))).toEqual(new Set([64]))
    const tabsTop = await page.locator(".tabs").evaluate((tabs) => tabs.getBoundingClientRect().top)
    expect(boxes.filter(({ bottom }) => bottom <= tabsTop).length).toBeGreaterThanOrEqual(8)
    expect(await rows.first().locator("time > [aria-hidden]").textContent()).toMatch(/^hoje \d\d:\d\d$/)
    for (const scheme of schemes) {
      await page.emulateMedia({ colorScheme: scheme })
      expect([scheme, await axe(page)]).toEqual([scheme, []])
    }
    const id = await rows.first().getAttribute("data-id")
    await rows.first().locator(".when").click()
    await page.getByTestId("charge-status").waitFor()
    expect(page.url()).toContain(`/app/charges/${id}`)
    await page.close()
  })

  it("the full moment is seen by whoever points at the short one, or is in its row by keyboard", async () => {
    const page = await openAt("/app/charges")
    const row = page.getByTestId("charge-row").first()
    const full = row.locator(".moment-full")
    const opacity = () => full.evaluate((element) => getComputedStyle(element).opacity)
    expect(await opacity()).toBe("0")
    expect(await full.textContent()).toMatch(/^\d{1,2} \w{3} \d{4}, \d\d:\d\d:\d\d$/)
    await row.locator("time").hover()
    expect(await opacity()).toBe("1")
    await page.mouse.move(0, 0)
    expect(await opacity()).toBe("0")
    await page.getByRole("button", { name: "Nova cobrança" }).focus()
    await expect
      .poll(async () => {
        await page.keyboard.press("Tab")
        return row.getByRole("link").evaluate((link) => link === document.activeElement)
      })
      .toBe(true)
    expect(await opacity()).toBe("1")
    await page.close()
  })

  it("amounts stand at the right with aligned digits, under a heading at the right", async () => {
    const page = await openAt("/app/charges")
    const styles = await page.locator(".table .right").evaluateAll((all) =>
      all.map((one) => {
        const { textAlign, fontVariantNumeric } = getComputedStyle(one)
        return `${one.tagName} ${textAlign} ${fontVariantNumeric}`
      }),
    )
    expect(new Set(styles)).toEqual(new Set(["TH right tabular-nums", "TD right tabular-nums"]))
    await page.close()
  })
})
