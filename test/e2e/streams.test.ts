import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { until } from "../support/until.ts"
import { allEvents, chargeWhen, makeCharge } from "./support/charges.ts"
import { type Client, type ErrorBody, makeClient } from "./support/client.ts"
import { envelopeOf, openStream, type RawStream, readyStream } from "./support/sse.ts"
import { findKey, openStage, type Seller, type Stage } from "./support/stage.ts"

let stage: Stage
beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: "20", SSE_HEARTBEAT_SECONDS: "1" })
})
afterAll(() => stage?.close())

const open: Array<RawStream> = []
afterEach(() => {
  for (const stream of open.splice(0)) stream.close()
})
const follow = async (client: Client, path?: string, headers?: Readonly<Record<string, string>>) => {
  const stream = await readyStream(client, path, headers)
  open.push(stream)
  return stream
}

const idsOf = (items: ReadonlyArray<{ readonly id: string }>) => items.map(({ id }) => id)

/** A seller whose test feed has `eventCount` events: creations and payments in turn. */
const sellerWith = async (eventCount: number): Promise<Seller> => {
  const seller = await stage.newSeller()
  for (let i = 0; i < eventCount / 2; i++) {
    const { id } = await makeCharge(seller.test)
    await chargeWhen(seller.test, id, "paid")
  }
  return seller
}

describe("GET /events", () => {
  it("a stream begins with retry and ready, without ids, and forbids caching and buffering", async () => {
    const seller = await stage.newSeller()
    const stream = await follow(seller.test)
    expect(stream.headers).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "private, no-cache, no-store, no-transform",
      "x-accel-buffering": "no",
      "x-request-id": expect.stringMatching(/^req_/),
    })
    expect(stream.frames[0]).toEqual({ retry: "3000" })
    expect(stream.frames[1]).toEqual({ event: "ready", data: expect.any(String) })
    expect(JSON.parse(stream.frames[1]?.data ?? "")).toEqual({ mode: "test", last_event_id: null })
  })

  it("a stream sends each event as it happens, byte for byte as its retrieval answers it", async () => {
    const seller = await stage.newSeller()
    const stream = await follow(seller.test)
    await makeCharge(seller.test, {
      amount: 2_004,
      metadata: { note: "linha 1\nlinha 2\n\nid: evt_1" },
    })
    await stream.waitForEvents(4)
    const events = await allEvents(seller.test)
    expect(idsOf(stream.events())).toEqual(idsOf(events))
    expect(stream.events().map(({ event }) => event)).toEqual([
      "transaction.created",
      "transaction.paid",
      "refund.succeeded",
      "transaction.refunded",
    ])
    for (const frame of stream.events()) {
      expect(Object.keys(frame)).toEqual(["id", "event", "data"])
      expect(frame.data).toBe((await seller.test.get(`/v1/events/${frame.id}`)).text)
    }
  })

  it("a stream has the events of its API key's seller and mode alone", async () => {
    const seller = await stage.newSeller()
    const other = await stage.newSeller({ partition: seller.partition })
    const [test, live, others] = [
      await follow(seller.test),
      await follow(seller.live),
      await follow(other.test),
    ]
    await makeCharge(seller.live)
    await makeCharge(seller.test)
    await makeCharge(other.test)
    for (const [stream, mode] of [
      [test, "test"],
      [live, "live"],
      [others, "test"],
    ] as const) {
      await stream.waitForEvents(2)
      expect(stream.events().map((frame) => envelopeOf(frame).mode)).toEqual([mode, mode])
      expect(stream.events().map((frame) => envelopeOf(frame).seq)).toEqual([1, 2])
    }
    expect(new Set([test, live, others].flatMap((stream) => idsOf(stream.events()))).size).toBe(6)
  })

  it("an idle stream sends ping comments", async () => {
    const stream = await follow((await stage.newSeller()).test)
    await until("two pings", () => stream.frames.filter(({ comment }) => comment === "ping").length >= 2)
    expect(stream.frames.filter(({ comment }) => comment !== undefined)[0]).toEqual({ comment: "ping" })
    expect(stream.isOpen()).toBe(true)
  })

  it("a stream resumes after Last-Event-ID with missed events, then new ones, each once", async () => {
    const seller = await sellerWith(10)
    const before = await allEvents(seller.test)
    for (const seen of [0, 4, 9]) {
      const stream = await follow(seller.test, "/events", { "Last-Event-ID": before[seen]?.id ?? "" })
      await stream.waitForEvents(9 - seen)
      expect(idsOf(stream.events())).toEqual(idsOf(before.slice(seen + 1)))
      expect(stream.controls().map(({ event }) => event)).toEqual(["ready"])
    }
    const live = [...open]
    await makeCharge(seller.test)
    const after = await eventuallyAll(seller, 12)
    for (const [index, stream] of live.entries()) {
      const seen = [0, 4, 9][index] ?? 0
      await stream.waitForEvents(11 - seen)
      expect(idsOf(stream.events())).toEqual(idsOf(after.slice(seen + 1)))
    }
  })

  it("a stream that begins during many writes misses and repeats no event", async () => {
    const seller = await stage.newSeller()
    const first = await follow(seller.test)
    const writing = Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let i = 0; i < 15; i++) await makeCharge(seller.test)
      }),
    )
    await first.waitForEvents(20)
    const late: Array<{ readonly stream: RawStream; readonly after: number }> = []
    for (const seen of [0, 7, 19]) {
      const frame = first.events()[seen]
      const headers = { "Last-Event-ID": frame?.id ?? "" }
      late.push({ stream: await follow(seller.test, "/events", headers), after: seen })
    }
    await writing
    const all = await eventuallyAll(seller, 240)
    await first.waitForEvents(240)
    expect(idsOf(first.events())).toEqual(idsOf(all))
    for (const { stream, after } of late) {
      await stream.waitForEvents(240 - after - 1)
      expect(idsOf(stream.events())).toEqual(idsOf(all.slice(after + 1)))
    }
  })

  it("the Last-Event-ID header beats last_event_id, which counts where the header is absent or empty", async () => {
    const seller = await sellerWith(6)
    const ids = idsOf(await allEvents(seller.test))
    const cases = [
      [`/events?last_event_id=${ids[3]}`, {}, ids.slice(4)],
      [`/events?last_event_id=${ids[3]}`, { "Last-Event-ID": "" }, ids.slice(4)],
      [`/events?last_event_id=${ids[0]}`, { "Last-Event-ID": ids[4] ?? "" }, ids.slice(5)],
      ["/events?last_event_id=junk", { "Last-Event-ID": ids[4] ?? "" }, ids.slice(5)],
    ] as const
    for (const [path, headers, wanted] of cases) {
      const stream = await follow(seller.test, path, headers)
      await stream.waitForEvents(wanted.length)
      expect(idsOf(stream.events())).toEqual(wanted)
      expect(stream.controls().map(({ event }) => event)).toEqual(["ready"])
    }
  })

  it("a stream resumed after an id not of its feed gets replay_gap, then all events", async () => {
    const seller = await sellerWith(4)
    const ids = idsOf(await allEvents(seller.test))
    const other = await stage.newSeller({ partition: seller.partition })
    await makeCharge(other.test)
    await makeCharge(seller.live)
    const [foreign] = await allEvents(other.test)
    const [ofLive] = await allEvents(seller.live)
    const last = ids[3] ?? ""
    const future = `evt_7${last.slice(5)}`
    for (const requested of [foreign?.id ?? "", ofLive?.id ?? "", future, "junk", "evt_", "0-0", "💸"]) {
      const stream = await follow(seller.test, `/events?last_event_id=${encodeURIComponent(requested)}`)
      await stream.waitForEvents(4)
      expect(stream.controls().map(({ event }) => event)).toEqual(["ready", "replay_gap"])
      const gap = stream.controls()[1]
      expect(JSON.parse(gap?.data ?? "")).toEqual({ requested, oldest_event_id: ids[0] })
      expect(idsOf(stream.events())).toEqual(ids)
      stream.close()
    }
  })

  it("a stream resumed after an id no longer kept, or in an empty feed, gets replay_gap", async () => {
    const seller = await sellerWith(6)
    const ids = idsOf(await allEvents(seller.test))
    await stage.redis("XTRIM", await findKey(stage, `events:*:${seller.id}:test`), "MAXLEN", "=", 2)
    const stream = await follow(seller.test, "/events", { "Last-Event-ID": ids[1] ?? "" })
    await stream.waitForEvents(2)
    const [, gap] = stream.controls()
    expect(gap?.event).toBe("replay_gap")
    expect(JSON.parse(gap?.data ?? "")).toEqual({ requested: ids[1], oldest_event_id: ids[4] })
    expect(idsOf(stream.events())).toEqual(ids.slice(4))
    // The oldest event kept is no gap.
    const kept = await follow(seller.test, "/events", { "Last-Event-ID": ids[4] ?? "" })
    await kept.waitForEvents(1)
    expect(kept.controls().map(({ event }) => event)).toEqual(["ready"])

    const empty = await stage.newSeller()
    const fromNowhere = await follow(empty.test, "/events", { "Last-Event-ID": ids[1] ?? "" })
    await until("the gap", () => fromNowhere.controls().length === 2)
    expect(JSON.parse(fromNowhere.controls()[1]?.data ?? "")).toMatchObject({ oldest_event_id: null })
    await makeCharge(empty.test)
    await fromNowhere.waitForEvents(1)
  })

  it("a stream sends only the event types asked for, replayed and live", async () => {
    const seller = await sellerWith(6)
    const filtered = {
      "transaction.paid": ["transaction.paid"],
      "transaction.created,transaction.failed": ["transaction.created", "transaction.failed"],
      "transaction.*": ["transaction.created", "transaction.paid", "transaction.failed"],
      "withdrawal.*,seller.updated": [],
    }
    const before = await allEvents(seller.test)
    const streams = await Promise.all(
      Object.keys(filtered).map((types) =>
        follow(seller.test, `/events?types=${types}`, { "Last-Event-ID": before[0]?.id ?? "" }),
      ),
    )
    const { id } = await makeCharge(seller.test, { amount: 2_002 })
    await chargeWhen(seller.test, id, "failed")
    const after = (await allEvents(seller.test)).slice(1)
    for (const [index, types] of Object.values<ReadonlyArray<string>>(filtered).entries()) {
      const wanted = after.filter(({ type }) => types.includes(type))
      await streams[index]?.waitForEvents(wanted.length)
      expect(idsOf(streams[index]?.events() ?? [])).toEqual(idsOf(wanted))
    }
  })

  it("a seller's eleventh stream over both modes is refused with 429 until another ends", async () => {
    const seller = await stage.newSeller()
    for (let i = 0; i < 10; i++) await follow(i % 2 === 0 ? seller.test : seller.live)
    for (const client of [seller.test, seller.live]) {
      const refused = await openStream(client, "/events")
      await refused.waitForEnd()
      expect(refused.status).toBe(429)
      expect(refused.headers["content-type"]).toBe("application/json")
      expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0)
      const { error } = JSON.parse(refused.text()) as ErrorBody
      expect(error).toMatchObject({ type: "rate_limit_error", code: "rate_limited" })
      expect(error.request_id).toBe(refused.headers["x-request-id"])
    }
    // Other sellers have their own ten.
    await follow((await stage.newSeller()).test)
    open.shift()?.close()
    const again = async () => {
      const stream = await openStream(seller.test, "/events")
      open.push(stream)
      return stream.status === 200
    }
    await until("a place for another stream", again)
  })

  it.each([
    ["no key", {}],
    ["an unknown key", { authorization: "Bearer sk_test_none" }],
    ["Basic authorization", { authorization: "Basic c2tfdGVzdDo=" }],
  ])(
    "a stream with %s is refused with 401, even with a valid key as token in the query",
    async (_, headers) => {
      const seller = await stage.newSeller()
      const stranger = makeClient(stage.service.url)
      for (const path of ["/events", `/events?token=${seller.keys.test}`]) {
        const refused = await openStream(stranger, path, headers)
        await refused.waitForEnd()
        expect(refused.status).toBe(401)
        const { error } = JSON.parse(refused.text()) as ErrorBody
        expect(error).toMatchObject({ type: "authentication_error", code: "invalid_api_key" })
        expect(error.message).toContain("API key")
      }
    },
  )

  it("a stream's mode parameter must be the mode of its API key", async () => {
    const seller = await stage.newSeller()
    await follow(seller.test, "/events?mode=test")
    await follow(seller.live, "/events?mode=live")
    for (const path of ["/events?mode=live", "/events?mode=prod", "/events?mode="]) {
      const refused = await openStream(seller.test, path)
      await refused.waitForEnd()
      const { error } = JSON.parse(refused.text()) as ErrorBody
      expect([refused.status, error.code, error.param]).toEqual([400, "validation_failed", "mode"])
    }
  })

  it("a stream's types parameter must be a list of event types", async () => {
    const seller = await stage.newSeller()
    for (const types of ["", "a,,b", "DROP TABLE"]) {
      const refused = await openStream(seller.test, `/events?types=${encodeURIComponent(types)}`)
      await refused.waitForEnd()
      const { error } = JSON.parse(refused.text()) as ErrorBody
      expect([refused.status, error.code, error.param]).toEqual([400, "validation_failed", "types"])
    }
  })
})

/** The whole test feed, once it has `count` events. */
const eventuallyAll = async (seller: Seller, count: number) => {
  await until(`${count} events`, async () => (await allEvents(seller.test)).length >= count)
  return allEvents(seller.test)
}
