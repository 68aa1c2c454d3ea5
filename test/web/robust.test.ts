import { setTimeout as sleep } from "node:timers/promises"
import type { Page, Route } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { makeCharge } from "../e2e/support/charges.ts"
import { clientsOf } from "../e2e/support/stage.ts"
import { type Cockpit, describePages, openCockpit, ready } from "./support/cockpit.ts"
import { live } from "./support/feedPages.ts"

let cockpit: Cockpit
beforeAll(async () => {
  cockpit = await openCockpit()
})
afterAll(() => cockpit?.close())
afterEach(() => expect(cockpit.complaints()).toEqual([]))

/** Chromium says so of every answer that is no success; these tests provoke some. */
const allows = [/Failed to load resource.* (404|429) /, /dynamically imported module/]

const pagesMax = 3

/** Answers a list with pages of one entry each, the first time each with 429; counts what is asked for at a time. */
const slowList = (charge: Transaction) => {
  const seen = { atOnceMax: 0, asked: 0, early: 0 }
  const refusedAt = new Map<string, number>()
  let running = 0
  const answer = async (route: Route): Promise<void> => {
    const cursor = new URL(route.request().url()).searchParams.get("cursor") ?? "0"
    running += 1
    seen.atOnceMax = Math.max(seen.atOnceMax, running)
    seen.asked += 1
    const refused = refusedAt.get(cursor)
    if (refused === undefined) {
      refusedAt.set(cursor, performance.now())
      const error = { type: "rate_limit_error", code: "rate_limited", message: "Slow down." }
      await route.fulfill({ status: 429, headers: { "Retry-After": "1" }, json: { error } })
    } else {
      if (performance.now() - refused < 1_000) seen.early += 1
      const next = Number(cursor) + 1
      // Newest first, as ids are.
      const entry = { ...charge, id: `${charge.id.slice(0, -1)}${9 - Number(cursor)}` }
      await route.fulfill({ json: { data: [entry], next_cursor: next < pagesMax ? String(next) : null } })
    }
    running -= 1
  }
  return { seen, answer, forget: () => refusedAt.clear() }
}

/** What routes wait at until it is opened. */
const makeGate = () => {
  let open = () => {}
  const opened = new Promise<void>((done) => {
    open = done
  })
  return { opened, open: () => open() }
}

const rows = (page: Page) => page.locator("tbody tr")

describePages("pages whose service is busy, or was updated", () => {
  it("a list of several pages is read one page at a time, each again when Retry-After says", async () => {
    const seller = await cockpit.seller()
    const { test } = clientsOf(cockpit.stage.service.url, seller)
    // Never paid, so that nothing else happens.
    const unpaid = { amount: 12_901 }
    const charge = await makeCharge(test, unpaid)
    const page = await cockpit.open("/app/settings", { as: seller, allows: [...allows, /net::ERR_FAILED/] })
    const streams = /\/events\?/
    await page.route(streams, (route) => route.abort())
    await page.reload()
    await ready(page)
    const { seen, answer, forget } = slowList(charge)
    await page.route(/\/v1\/me\/transactions(\?|$)/, answer)
    await page.locator('#menu a[href$="/app/charges"]').click()
    await expect.poll(() => rows(page).count()).toBe(1)
    for (let shown = 2; shown <= pagesMax; shown++) {
      await page.locator(".more button").click()
      await expect.poll(() => rows(page).count()).toBe(shown)
    }
    expect([seen.atOnceMax, seen.early, seen.asked]).toEqual([1, 0, 2 * pagesMax])
    // What happened before the stream opened is unknown, so all pages that are shown are read again: each is refused once more.
    forget()
    const before = seen.asked
    await page.unroute(streams)
    await page.evaluate("dispatchEvent(new Event('online'))")
    await expect.poll(() => seen.asked - before).toBeGreaterThanOrEqual(2 * pagesMax)
    await expect.poll(() => rows(page).count()).toBe(pagesMax)
    expect(seen.atOnceMax).toBe(1)
  })

  it("a list follows a stream of events that is faster than its readings", async () => {
    const seller = await cockpit.seller()
    const { test } = clientsOf(cockpit.stage.service.url, seller)
    const first = await makeCharge(test, { amount: 12_901 })
    const page = await cockpit.open("/app/charges", { as: seller })
    await live(page)
    await page.route(/\/v1\/me\/transactions\?/, async (route) => {
      await sleep(1_500)
      await route.continue()
    })
    let isOver = false
    const events = (async () => {
      while (!isOver) await Promise.all([makeCharge(test, { amount: 12_901 }), sleep(100)])
    })()
    const newest = () => page.getByTestId("charge-row").first().getAttribute("data-id")
    try {
      await expect.poll(newest, { timeout: 30_000 }).not.toBe(first.id)
    } finally {
      isOver = true
      await events
      await page.unrouteAll({ behavior: "ignoreErrors" })
    }
  })

  it("a charge that is made while more of a list is read stays in it", async () => {
    const seller = await cockpit.seller()
    const { test } = clientsOf(cockpit.stage.service.url, seller)
    const make = () => makeCharge(test, { amount: 12_901 })
    for (let made = 0; made < 30; made++) await make()
    const page = await cockpit.open("/app/charges", { as: seller })
    await live(page)
    const newest = () => page.getByTestId("charge-row").first().getAttribute("data-id")
    const gate = makeGate()
    await page.route(/\/v1\/me\/transactions\?.*cursor=/, async (route) => {
      await gate.opened
      await route.continue()
    })
    const isAsked = page.waitForRequest(/\/v1\/me\/transactions\?.*cursor=/)
    await page.locator(".more button").click()
    await isAsked
    const { id } = await make()
    // The button is far down, where new rows would wait.
    await page.evaluate("scrollTo(0, 0)")
    await expect.poll(newest).toBe(id)
    gate.open()
    await expect.poll(() => rows(page).count(), { timeout: 30_000 }).toBe(31)
    expect(await newest()).toBe(id)
  })

  it("whoever goes back before a page's file has come stays where they went", async () => {
    const seller = await cockpit.seller()
    const page = await cockpit.open("/app/charges", { as: seller })
    const gate = makeGate()
    const file = /\/app\/assets\/events-.*\.js$/
    await page.route(file, async (route) => {
      await gate.opened
      await route.continue()
    })
    const isAsked = page.waitForRequest(file)
    const hasCome = page.waitForResponse(file)
    await page.locator('#menu a[href$="/app/events"]').click()
    await isAsked
    await page.goBack()
    await ready(page)
    gate.open()
    await (await hasCome).finished()
    await page.evaluate("new Promise((done) => setTimeout(done, 200))")
    expect(await page.getByTestId("page").locator("h1").textContent({ timeout: 30_000 })).toBe("Cobranças")
  })

  it("a page that was open during an update loads itself anew, once", async () => {
    const seller = await cockpit.seller()
    const page = await cockpit.open("/app/settings", { as: seller, allows })
    let loads = 0
    page.on("request", (request) => {
      if (request.isNavigationRequest()) loads += 1
    })
    // The files of the build that the page is of are gone; those of the next one are there once it is loaded anew.
    await page.route(/\/app\/assets\/.*\.js$/, (route) =>
      loads === 0 ? route.fulfill({ status: 404 }) : route.continue(),
    )
    await page.locator('#menu a[href$="/app/charges"]').click()
    await expect.poll(() => loads).toBe(1)
    await ready(page)
    expect(new URL(page.url()).pathname).toBe("/app/charges")
    expect(await page.getByTestId("page").locator("h1").textContent()).toBe("Cobranças")

    // A file that stays gone does not have the page loaded again and again.
    await page.unroute(/\/app\/assets\/.*\.js$/)
    await page.route(/\/app\/assets\/.*\.js$/, (route) => route.fulfill({ status: 404 }))
    await page.locator('#menu a[href$="/app/webhooks"]').click()
    await page.locator(".read-error").waitFor()
    expect(loads).toBe(1)
  })
})
