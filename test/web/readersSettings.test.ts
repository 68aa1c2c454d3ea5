import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { makeCharge } from "../e2e/support/charges.ts"
import { payNow } from "../e2e/support/refunds.ts"
import { clientsOf } from "../e2e/support/stage.ts"
import { type Cockpit, describePages, openCockpit, picture } from "./support/cockpit.ts"

const paths = [
  ...[
    "/app",
    "/app/charges",
    "/app/links",
    "/app/refunds",
    "/app/balance",
    "/app/withdrawals",
    "/app/webhooks",
  ],
  ...["/app/events", "/app/developers", "/app/test", "/app/settings"],
]

describePages("pages as some people set them", () => {
  let cockpit: Cockpit
  let page: Page
  beforeAll(async () => {
    cockpit = await openCockpit({ SIMULATOR_DELAY_MS: "600000" })
    const seller = await cockpit.seller()
    const { test: client } = clientsOf(cockpit.stage.service.url, seller)
    await payNow(client, 12_990)
    await makeCharge(client, { amount: 5_000 })
    page = await cockpit.open("/app/settings", { as: seller })
  })
  afterAll(() => cockpit?.close())
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  it("at 200 % of 1280 px no page scrolls sideways", async () => {
    for (const path of paths) {
      const zoomed = await cockpit.open(path, { beside: page })
      await zoomed.setViewportSize({ width: 640, height: 450 })
      const overflow = await zoomed.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      expect([path, overflow]).toEqual([path, 0])
      await zoomed.close()
    }
  })

  it("with forced colours the chosen mode, tab and page are marked, and so is whether the page is live", async () => {
    const forced = await cockpit.open("/app/charges", { beside: page })
    await forced.emulateMedia({ forcedColors: "active" })
    await forced.setViewportSize({ width: 1280, height: 900 })
    await forced.goto(`${cockpit.origin}/app/charges`)
    await forced.locator('[data-testid="page"][data-ready="true"]').waitFor()
    await picture(forced, "forced-colours")
    const background = (selector: string, pseudo?: string) =>
      forced
        .locator(selector)
        .first()
        .evaluate((one, of) => getComputedStyle(one, of ?? null).backgroundColor, pseudo)
    const plain = await background("body")
    const marked = [...["[data-testid=mode-test]", ".menu a[aria-current=page]", ".live-status"]]
    for (const selector of marked) expect(await background(selector), selector).not.toBe(plain)
    expect(await background("[data-testid=mode-live]")).not.toBe(await background("[data-testid=mode-test]"))
    const edge = (isChosen: boolean) =>
      forced
        .locator(`.status-tab[aria-pressed=${isChosen}]`)
        .first()
        .evaluate((tab) => getComputedStyle(tab).borderBottomColor)
    expect(await edge(true)).not.toBe(await edge(false))
    await forced.close()
  })
})
