import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Mode } from "../../schema/ids.ts"
import { signInAsOperator, signInAsSeller } from "../support/dashboard.ts"
import { startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { chargeBody, freshKey, makeCharge } from "./support/charges.ts"
import { type Client, type ErrorBody, eventually, type Page, readAll } from "./support/client.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { openStream, type RawStream } from "./support/sse.ts"
import { openStage, receiverSettings, type Seller, type Stage } from "./support/stage.ts"

type Item = { readonly id: string }
type Clock = { readonly advanced_seconds: number; readonly now: string }

let stage: Stage
let receiver: TlsReceiver
let seller: Seller
let other: Seller
let cookie: string
let otherCookie: string

beforeAll(async () => {
  receiver = await startTlsReceiver({ behaviour: { kind: "respond", status: 500 } })
  stage = await openStage({
    ...receiverSettings(receiver),
    SIMULATOR_DELAY_MS: "50",
    RETRY_SCHEDULE_SECONDS: "0.01,0.01,0.01,0.01,0.01",
  })
  const endpoints = [
    { url: receiver.url, events: ["*"], mode: "test" },
    { url: receiver.url, events: ["*"], mode: "live" },
  ] as const
  seller = await stage.newSeller({ endpoints })
  other = await stage.newSeller({ endpoints })
  cookie = (await signInAsSeller(stage.service, seller.id, { isSteppedUp: false })).cookie
  otherCookie = (await signInAsSeller(stage.service, other.id)).cookie
  for (const { test, live } of [seller, other]) {
    for (const client of [test, test, live]) {
      const { id } = await makeCharge(client)
      // Once it is paid and every delivery attempt has failed, nothing changes any more.
      await eventually(`the last attempt for ${id}`, async () => {
        const events = await client.get<Page<Item>>(`/v1/events?resource_id=${id}&types=transaction.paid`)
        const paid = events.body.data[0]
        if (paid === undefined) return undefined
        const dead = await client.get<Page<Item>>(`/v1/webhook-deliveries?event_id=${paid.id}&status=dead`)
        return dead.body.data[0]
      })
    }
  }
})
afterAll(async () => {
  await stage?.close()
  await receiver?.close()
})

const session = (mode?: Mode, of: string = cookie): DashboardClient =>
  dashboardClient(stage.service.url, { cookie: of }, mode)

const lists = ["events", "webhook-deliveries", "transactions"] as const
const codeOf = ({ status, body }: { readonly status: number; readonly body: ErrorBody }) => [
  status,
  body.error.code,
]

describe("a session's reads", () => {
  for (const list of lists) {
    it(`a session reads the ${list} that its mode's API key reads, page by page and one by one`, async () => {
      for (const mode of ["test", "live"] as const) {
        const byKey: Client = seller[mode]
        const bySession = session(mode)
        const items = await readAll<Item>(byKey, `/v1/${list}`, "limit=1")
        expect(items.length).toBeGreaterThan(0)
        expect(await readAll(bySession, `/v1/me/${list}`, "limit=1")).toEqual(items)
        for (const { id } of items.slice(0, 2)) {
          const one = await byKey.get(`/v1/${list}/${id}`)
          const same = await bySession.get(`/v1/me/${list}/${id}`)
          expect([same.status, same.text]).toEqual([200, one.text])
        }
      }
    })

    it(`a session that names no mode reads the ${list} of live`, async () => {
      const live = await seller.live.get(`/v1/${list}`)
      const unnamed = await session().get(`/v1/me/${list}`)
      expect([unnamed.status, unnamed.text]).toEqual([200, live.text])
    })

    it(`a session reads no ${list} of another seller or mode, and an operator's session none`, async () => {
      const theirs = (await other.test.get<Page<Item>>(`/v1/${list}`)).body.data
      const ours = (await seller.test.get<Page<Item>>(`/v1/${list}`)).body.data
      const { id } = theirs[0] ?? { id: "" }
      const own = ours[0]?.id ?? ""
      const wanted = [404, "resource_not_found"]
      expect(codeOf(await session("test").get(`/v1/me/${list}/${id}`))).toEqual(wanted)
      expect(codeOf(await session("live").get(`/v1/me/${list}/${own}`))).toEqual(wanted)
      const seen = await readAll<Item>(session("test", otherCookie), `/v1/me/${list}`, "limit=100")
      expect(seen.map((item) => item.id)).toContain(id)
      expect(seen.map((item) => item.id)).not.toContain(own)
      const operator = (await signInAsOperator(stage.service)).cookie
      expect(codeOf(await session("test", operator).get(`/v1/me/${list}`))).toEqual([
        403,
        "permission_denied",
      ])
    })

    it(`a session's list of ${list} is filtered and checked, and refuses another seller's cursor`, async () => {
      const bad = await session("test").get<ErrorBody>(`/v1/me/${list}?limit=0`)
      expect([...codeOf(bad), bad.body.error.param]).toEqual([400, "validation_failed", "limit"])
      const query = list === "events" ? "resource_type=withdrawal" : "from=2999-01-01"
      expect((await session("test").get<Page<Item>>(`/v1/me/${list}?${query}`)).body.data).toEqual([])
      const page = await other.test.get<Page<Item>>(`/v1/${list}?limit=1`)
      const foreign = await session("test").get<ErrorBody>(
        `/v1/me/${list}?limit=1&cursor=${page.body.next_cursor}`,
      )
      expect(codeOf(foreign)).toEqual([400, "invalid_cursor"])
    })
  }
})

describe("a session's charges", () => {
  it("a session creates a charge in its mode, once for an Idempotency-Key, without a step-up", async () => {
    for (const mode of ["test", "live"] as const) {
      const create = { headers: { "Idempotency-Key": freshKey() }, body: chargeBody({ amount: 101 }) }
      const created = await session(mode).post<Item>("/v1/me/transactions", create)
      expect([created.status, created.body]).toMatchObject([201, { mode, amount: 101, status: "pending" }])
      const replay = await session(mode).post("/v1/me/transactions", create)
      expect([replay.status, replay.text]).toEqual([201, created.text])
      expect(replay.headers.get("idempotent-replayed")).toBe("true")
      expect((await seller[mode].get<Item>(`/v1/transactions/${created.body.id}`)).body.id).toBe(
        created.body.id,
      )
    }
  })

  it("a session's charge needs an Idempotency-Key, and its mistakes are named as a key's are", async () => {
    const path = "/v1/me/transactions"
    const keyless = await session("test").post<ErrorBody>(path, { body: chargeBody({ amount: 101 }) })
    expect(codeOf(keyless)).toEqual([400, "missing_idempotency_key"])
    const headers = { "Idempotency-Key": freshKey() }
    const bad = await session("test").post<ErrorBody>(path, { headers, body: chargeBody({ amount: 0 }) })
    expect([...codeOf(bad), bad.body.error.param]).toEqual([400, "validation_failed", "amount"])
  })

  it("a session pays, refunds and advances in test mode, and reads the clock that it advanced", async () => {
    const { id } = await makeCharge(seller.test, { amount: 101 })
    const act = async (path: string, body?: object) =>
      session("test").send<{ readonly status: string }>("POST", `/v1/me/test/${path}`, body)
    expect((await act(`transactions/${id}/pay`)).body.status).toBe("paid")
    expect((await act(`transactions/${id}/refund`)).body.status).toBe("refunded")
    const before = (await session("test").get<Clock>("/v1/me/test/clock")).body
    const advanced = await act("clock/advance", { seconds: 3600 })
    expect([advanced.status, advanced.body]).toMatchObject([200, { advanced_seconds: 3600 }])
    const after = (await seller.test.get<Clock>("/v1/test/clock")).body
    expect(after.advanced_seconds - before.advanced_seconds).toBe(3600)
    expect(Date.parse(after.now) - Date.parse(before.now)).toBeGreaterThanOrEqual(3_600_000)
  })

  it("a session in live, or without a mode, has no test controls", async () => {
    for (const mode of ["live", undefined] as const) {
      const read = await session(mode).get<ErrorBody>("/v1/me/test/clock")
      expect(codeOf(read)).toEqual([403, "permission_denied"])
      const body = { seconds: 3600 }
      const step = await session(mode).send<ErrorBody>("POST", "/v1/me/test/clock/advance", body)
      expect(codeOf(step)).toEqual([403, "permission_denied"])
    }
  })
})

describe("a session's retry of a delivery", () => {
  it("a session retries a delivery without a step-up, but none of another mode or seller", async () => {
    const deliveries = await seller.test.get<Page<Item>>("/v1/webhook-deliveries?status=dead")
    const id = deliveries.body.data[0]?.id ?? ""
    const path = `/v1/me/webhook-deliveries/${id}/retry`
    expect(codeOf(await session("live").send("POST", path))).toEqual([404, "resource_not_found"])
    expect(codeOf(await session("test", otherCookie).send("POST", path))).toEqual([404, "resource_not_found"])
    const retried = await session("test").send<{ delivery_id: string }>("POST", path)
    expect([retried.status, retried.body]).toEqual([202, { delivery_id: expect.stringMatching(/^whd_/) }])
  })
})

describe("dead deliveries", () => {
  it("operators list the dead deliveries of all sellers and modes, page by page and newest first", async () => {
    type Row = Item & {
      readonly seller_id: string
      readonly seller_name: string | null
      readonly mode: Mode
      readonly status: string
    }
    const operator = dashboardClient(stage.service.url, await signInAsOperator(stage.service))
    const idsOf = (rows: ReadonlyArray<Item>) => rows.map(({ id }) => id)
    const read = async () => {
      const all = await readAll<Row>(operator, "/v1/admin/deliveries", "limit=2")
      const ofTest = await readAll<Row>(operator, "/v1/admin/deliveries", "mode=test&status=dead")
      const own: Array<readonly [Seller, Mode, ReadonlyArray<string>]> = []
      for (const one of [seller, other]) {
        for (const mode of ["test", "live"] as const) {
          const rows = await readAll<Item>(one[mode], "/v1/webhook-deliveries", "status=dead&limit=100")
          own.push([one, mode, idsOf(rows)])
        }
      }
      return { all, ofTest, own }
    }
    // Attempts of the tests before may still be under way.
    const { all, ofTest, own } = await eventually("two equal readings", async () => {
      const first = await read()
      return JSON.stringify(first) === JSON.stringify(await read()) ? first : undefined
    })
    expect(idsOf(all)).toEqual(idsOf(all).toSorted().toReversed())
    for (const [{ id }, mode, ids] of own) {
      expect(ids.length).toBeGreaterThan(0)
      expect(idsOf(all.filter((row) => row.seller_id === id && row.mode === mode))).toEqual(ids)
    }
    expect(ofTest).toEqual(all.filter(({ mode }) => mode === "test"))
    expect(new Set(all.map(({ seller_name }) => seller_name))).toEqual(new Set(["Loja de teste"]))
    const refused = await operator.get<ErrorBody>("/v1/admin/deliveries?status=failed")
    expect([...codeOf(refused), refused.body.error.param]).toEqual([400, "validation_failed", "status"])
  })
})

describe("a session's stream", () => {
  it("a session's stream has the events of its mode, and counts towards the seller's ten streams", async () => {
    const own = await openStream(session(), "/events?mode=test", { Cookie: cookie })
    expect(own.status).toBe(200)
    const streams: Array<RawStream> = [own]
    for (let count = 1; count < 10; count++) streams.push(await openStream(seller.live, "/events"))
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200))
    expect(codeOf(await session().get<ErrorBody>("/events?mode=live"))).toEqual([429, "rate_limited"])
    expect((await openStream(seller.live, "/events")).status).toBe(429)

    const { id } = await makeCharge(seller.test)
    await own.waitForEvents(1)
    const event = JSON.parse(own.events()[0]?.data ?? "") as { readonly data: { readonly object: Item } }
    expect(event.data.object.id).toBe(id)
    expect(streams.slice(1).flatMap((stream) => stream.events())).toEqual([])
    for (const stream of streams) stream.close()
  })
})

describe("a session's lists", () => {
  it("JSON of a kilobyte or more is compressed for a session that takes it, and for no API key", async () => {
    const ask = (headers: Readonly<Record<string, string>>, path: string) =>
      fetch(`${stage.service.url}${path}`, { headers: { "accept-encoding": "br", ...headers } })
    const bySession = await ask({ cookie, "x-mode": "test" }, "/v1/me/transactions")
    expect(bySession.headers.get("content-encoding")).toBe("br")
    expect(bySession.headers.get("vary")).toContain("Accept-Encoding")
    expect(bySession.headers.get("cache-control")).toBe("no-store")
    const idsOf = ({ data }: Page<Item>) => data.map(({ id }) => id)
    const listed = await session("test").get<Page<Item>>("/v1/me/transactions")
    expect(idsOf((await bySession.json()) as Page<Item>)).toEqual(idsOf(listed.body))
    const byKey = await ask({ authorization: `Bearer ${seller.keys.test}` }, "/v1/transactions")
    expect(byKey.headers.get("content-encoding")).toBeNull()
  })
})
