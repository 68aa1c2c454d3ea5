import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { signInWith2fa } from "../e2e/support/accountPeople.ts"
import { clientsOf, findKey } from "../e2e/support/stage.ts"
import { parseExposition, valueOf } from "../support/exposition.ts"
import { type Cockpit, describePages, openCockpit, ready } from "./support/cockpit.ts"
import { allSeqsOf, live, makeEvents, seqsOf } from "./support/feedPages.ts"

const numbers = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, at) => from - at)

/** What a page whose service is away, or whose session has ended, is refused is on the console. */
const allows = [/Failed to load resource/, /net::ERR/]

describePages("the live stream of the pages", () => {
  let cockpit: Cockpit
  beforeAll(async () => {
    cockpit = await openCockpit({ SIMULATOR_DELAY_MS: "600000" })
  })
  afterAll(() => cockpit?.close())
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  /** The streams that the service has open. */
  const streams = async () => {
    const answer = await fetch(`${cockpit.stage.service.url}/metrics`, { headers: { connection: "close" } })
    return valueOf(parseExposition(await answer.text()), "corrente_streams_open")
  }
  const top = async (page: Page) => (await seqsOf(page))[0]
  const statusOf = (page: Page) => page.getByTestId("live-status")
  const offline = (page: Page) => page.locator('[data-testid="live-status"][data-state="offline"]').waitFor()
  const newTabs = async (count: number, path = "/app/events") => {
    const seller = await cockpit.seller()
    const first = await cockpit.open(path, { as: seller, allows })
    await live(first)
    const tabs = [first]
    while (tabs.length < count) tabs.push(await cockpit.open(path, { beside: first, allows }))
    for (const tab of tabs) await live(tab)
    return { seller, tabs, first }
  }

  it("all tabs of a browser share one stream, and each shows every event", async () => {
    await expect.poll(() => streams()).toBe(0)
    const { seller, tabs, first } = await newTabs(4)
    await expect.poll(() => streams()).toBe(1)
    await makeEvents(cockpit.stage, seller, 30)
    for (const tab of tabs) {
      await expect.poll(() => top(tab)).toBe(30)
      await expect.poll(() => allSeqsOf(tab, 30)).toEqual(numbers(30, 1))
    }
    await expect.poll(() => streams()).toBe(1)
    await first.context().close()
    await expect.poll(streams).toBe(0)
  })

  it("when the tab with the stream is closed amid a burst, the others go on without a loss or a repetition", async () => {
    const { seller, tabs, first } = await newTabs(3)
    const made = makeEvents(cockpit.stage, seller, 300)
    await expect.poll(async () => (await top(first)) ?? 0).toBeGreaterThan(20)
    await first.close()
    await made
    await makeEvents(cockpit.stage, seller, 20)
    for (const tab of tabs.slice(1)) {
      await expect.poll(() => top(tab)).toBe(320)
      await expect.poll(() => allSeqsOf(tab, 320)).toEqual(numbers(320, 1))
    }
    await expect.poll(streams).toBe(1)
    await tabs[1]?.context().close()
  })

  it("a tab that no longer runs loses the stream to one that is shown", async () => {
    const { seller, tabs, first } = await newTabs(2)
    const other = tabs[1] ?? first
    await makeEvents(cockpit.stage, seller, 1)
    await expect.poll(() => top(other)).toBe(1)
    // As a browser does that freezes a tab: it stays open, and nothing in it runs.
    const session = await first.context().newCDPSession(first)
    await session.send("Debugger.enable")
    await session.send("Debugger.pause")
    await makeEvents(cockpit.stage, seller, 3)
    await expect.poll(() => top(other)).toBe(1)
    await expect.poll(() => seqsOf(other)).toEqual([4, 3, 2, 1])
    await session.send("Debugger.disable")
    await expect.poll(() => seqsOf(first)).toEqual([4, 3, 2, 1])
    await makeEvents(cockpit.stage, seller, 1)
    await expect.poll(() => seqsOf(first)).toEqual([5, 4, 3, 2, 1])
    await expect.poll(streams).toBe(1)
    await first.context().close()
  })

  it("another mode is another stream: its events are shown, and the first mode's no longer", async () => {
    const { seller, first } = await newTabs(1)
    await makeEvents(cockpit.stage, seller, 2)
    await expect.poll(() => seqsOf(first)).toEqual([2, 1])
    await first.getByTestId("mode-live").click()
    await first.getByText("Nenhum evento ainda").waitFor()
    await live(first)
    await makeEvents(cockpit.stage, seller, 1)
    const { live: client } = clientsOf(cockpit.stage.service.url, seller)
    await client.post("/v1/transactions", {
      body: {
        amount: 1_001,
        payment_method: "pix",
        customer: { name: "Ana", email: "ana@example.com", document: "529.982.247-25" },
        items: [{ name: "x", quantity: 1, unit_amount: 1_001 }],
      },
      headers: { "Idempotency-Key": "live-1" },
    })
    await expect.poll(() => seqsOf(first)).toEqual([1])
    await expect.poll(streams).toBe(1)
    await first.getByTestId("mode-test").click()
    await expect.poll(() => seqsOf(first)).toEqual([3, 2, 1])
    await first.context().close()
  })

  it("without locks, as on plain http, every tab has a stream of its own", async () => {
    const { seller, first } = await newTabs(1, "/app/charges")
    const context = first.context()
    await context.addInitScript("Object.defineProperty(navigator, 'locks', { value: undefined })")
    await first.goto(`${cockpit.stage.service.url}/app/events`)
    await live(first)
    const second = await cockpit.open("/app/events", { beside: first })
    await live(second)
    await expect.poll(streams).toBe(2)
    await makeEvents(cockpit.stage, seller, 3)
    for (const tab of [first, second]) await expect.poll(() => seqsOf(tab)).toEqual([3, 2, 1])
    await context.close()
  })

  it("a seller who has ten streams is told so, and the page is live once one of them ends", async () => {
    const seller = await cockpit.seller()
    const controllers = Array.from({ length: 10 }, () => new AbortController())
    const open = (signal: AbortSignal) =>
      fetch(`${cockpit.stage.service.url}/events`, {
        headers: { Authorization: `Bearer ${seller.keys.test}` },
        signal,
      })
    for (const { signal } of controllers) expect((await open(signal)).status).toBe(200)
    const page = await cockpit.open("/app/events", { as: seller, allows })
    await offline(page)
    await expect.poll(() => statusOf(page).textContent()).toContain("conexões ao vivo demais")
    for (const controller of controllers.slice(0, 2)) controller.abort()
    await live(page)
    for (const controller of controllers) controller.abort()
    await page.context().close()
  })

  it("a session that ends in one tab ends in all, and they come to the sign-in", async () => {
    const { tabs, first } = await newTabs(3)
    await tabs[2]?.getByTestId("sign-out").click()
    for (const tab of tabs) await tab.waitForURL(/\/app\/sign-in/)
    await expect.poll(streams).toBe(0)
    await first.context().close()
  })

  it("a session that is ended elsewhere leads to the sign-in by itself", async () => {
    const { seller, first } = await newTabs(1)
    const elsewhere = await signInWith2fa(cockpit.stage, seller)
    await elsewhere.must("POST", "/v1/me/auth/revoke-other-sessions", { body: {} })
    await first.waitForURL(/\/app\/sign-in/)
    await first.context().close()
  })

  it("a stream that ends while another cookie is on its way does not sign the tab out", async () => {
    const { first } = await newTabs(1)
    const error = {
      type: "authentication_error",
      code: "session_required",
      message: "Sign in.",
      request_id: "req_1",
    }
    const answers = { refused: 0, none: 0 }
    await first.route("**/events?**", async (route) => {
      if (answers.refused > 0) return route.continue()
      answers.refused += 1
      await route.fulfill({ status: 401, json: { error } })
    })
    await first.route("**/get-session", async (route) => {
      if (answers.none > 0) return route.continue()
      answers.none += 1
      await route.fulfill({ status: 200, json: null })
    })
    await cockpit.stage.service.restart()
    await expect.poll(() => answers).toEqual({ refused: 1, none: 1 })
    await live(first)
    expect(new URL(first.url()).pathname).toBe("/app/events")
    await first.context().close()
  })

  it("events that the service no longer keeps are no reason to read all: the page reads again what there is", async () => {
    const { seller, first } = await newTabs(1)
    await makeEvents(cockpit.stage, seller, 5)
    await expect.poll(() => top(first)).toBe(5)
    await first.route("**/events?**", (route) => route.abort())
    await cockpit.stage.service.restart()
    await offline(first)
    await makeEvents(cockpit.stage, seller, 10)
    const feed = await findKey(cockpit.stage, `events:*${seller.sellerId}:test`)
    await cockpit.stage.redis("XTRIM", feed, "MAXLEN", 4)
    await first.unroute("**/events?**")
    await expect.poll(() => seqsOf(first)).toEqual([15, 14, 13, 12, 5, 4, 3, 2, 1])
    await makeEvents(cockpit.stage, seller, 1)
    await expect.poll(() => top(first)).toBe(16)
    await live(first)
    await first.context().close()
  })

  it("while Redis is away the page says so in words, and it heals by itself", async () => {
    const { seller, first } = await newTabs(1)
    await cockpit.stage.redis("CLIENT", "PAUSE", 20_000, "ALL")
    await offline(first)
    await expect.poll(() => statusOf(first).textContent()).toMatch(/indisponível|Sem conexão/)
    await live(first)
    await makeEvents(cockpit.stage, seller, 2)
    await expect.poll(() => seqsOf(first)).toEqual([2, 1])
    await first.context().close()
  })

  it("a restarted service is found again by all tabs, which have missed nothing", async () => {
    const { seller, tabs, first } = await newTabs(2)
    await makeEvents(cockpit.stage, seller, 2)
    for (const tab of tabs) await expect.poll(() => top(tab)).toBe(2)
    await cockpit.stage.service.restart()
    await makeEvents(cockpit.stage, seller, 5)
    for (const tab of tabs) {
      await expect.poll(() => seqsOf(tab)).toEqual(numbers(7, 1))
      await live(tab)
    }
    await ready(first)
    await expect.poll(streams).toBe(1)
    await first.context().close()
  })
})
