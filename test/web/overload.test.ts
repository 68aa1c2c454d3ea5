import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import type { Event } from "../../schema/resources/event.ts"
import { allEvents, makeCharge } from "../e2e/support/charges.ts"
import { clientsOf } from "../e2e/support/stage.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"
import { type Cockpit, describePages, openCockpit } from "./support/cockpit.ts"
import { live } from "./support/feedPages.ts"
import { makeOverload, type Overload } from "./support/overload.ts"

let redis: TestRedis
let cockpit: Cockpit
let overload: Overload
beforeAll(async () => {
  redis = await startTestRedis()
  // So short a waiting time that a small crowd is too much; and nothing is paid by itself.
  const settings = { ADMISSION_TARGET_MS: "100", SIMULATOR_DELAY_MS: "600000" }
  cockpit = await openCockpit(settings, { redisUrl: redis.url })
  overload = await makeOverload(cockpit, redis)
})
afterAll(async () => {
  await overload?.end()
  await cockpit?.close()
  await redis?.stop()
})
afterEach(async () => {
  await overload.end()
  expect(cockpit.complaints()).toEqual([])
})

/** Opens a page of a new seller, live; what it loads anew is counted. */
const openLive = async (path: string) => {
  const seller = await cockpit.seller()
  const { test } = clientsOf(cockpit.stage.service.url, seller)
  await makeCharge(test)
  const page = await cockpit.open(path, { as: seller })
  await live(page)
  let loads = 0
  page.on("request", (request) => {
    if (request.isNavigationRequest()) loads += 1
  })
  return { page, test, loads: () => loads }
}

const typesOf = (events: ReadonlyArray<Event>) => events.map(({ type }) => type)

/** What says that the page, or the form that somebody sent, is tried again. */
const busy = (page: Page) => page.locator('.retrying-bar [data-reason="busy"]')
const busyForm = (page: Page) => page.locator('form [data-reason="busy"]')

const fillCharge = async (page: Page) => {
  await page.getByTestId("amount-input").fill("129,01")
  await page.getByTestId("submit").click()
}

describePages("pages of a service that refuses requests because it is overloaded", () => {
  it("a page that cannot be read says that it is tried again, then why not, and shows its data once it is over", async () => {
    const { page, loads } = await openLive("/app/charges")
    await overload.begin()
    await page.locator('#menu a[href$="/app/balance"]').click()
    await busy(page).waitFor()
    expect(await busy(page).textContent()).toContain("tentando de novo")
    const refusal = page.locator(".read-error").first()
    await refusal.waitFor()
    expect(await refusal.textContent()).toContain("O serviço está indisponível no momento.")
    await overload.end()
    await page.getByText("Disponível", { exact: true }).first().waitFor()
    await expect.poll(() => page.locator(".read-error").count()).toBe(0)
    await busy(page).waitFor({ state: "hidden" })
    await live(page)
    expect(loads()).toBe(0)
    await page.context().close()
  })

  it("a form that is sent meanwhile is carried out once, by itself, when it is over", async () => {
    const { page, test, loads } = await openLive("/app/charges?create=1")
    await overload.begin()
    await fillCharge(page)
    await busyForm(page).waitFor()
    expect(await page.getByTestId("submit").isDisabled()).toBe(true)
    await overload.end()
    await page.getByTestId("amount-input").waitFor({ state: "detached" })
    expect(typesOf(await allEvents(test))).toEqual(["transaction.created", "transaction.created"])
    expect(loads()).toBe(0)
    await page.context().close()
  })

  it("a form that is given up keeps what was entered, says why, and makes one charge when it is sent again", async () => {
    const { page, test, loads } = await openLive("/app/charges?create=1")
    await overload.begin()
    await fillCharge(page)
    const refusal = page.getByTestId("form-error")
    await refusal.waitFor()
    expect(await refusal.textContent()).toContain("O serviço está indisponível no momento.")
    expect(await page.getByTestId("amount-input").inputValue()).toBe("129,01")
    await overload.end()
    await page.getByTestId("submit").click()
    await page.getByTestId("amount-input").waitFor({ state: "detached" })
    expect(typesOf(await allEvents(test))).toEqual(["transaction.created", "transaction.created"])
    await page.getByTestId("charge-qr").waitFor()
    expect(loads()).toBe(0)
    await page.context().close()
  })

  it("a page that is opened meanwhile is shown once it is over", async () => {
    const { page } = await openLive("/app/charges")
    await overload.begin()
    const second = await page.context().newPage()
    await second.goto(page.url())
    await busy(second).waitFor()
    await second.locator(".read-error").waitFor()
    await overload.end()
    await second.getByTestId("charge-row").waitFor()
    await page.context().close()
  })
})
