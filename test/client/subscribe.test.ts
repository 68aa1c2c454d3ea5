import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import {
  type ConnectionState,
  Corrente,
  CorrenteError,
  type SubscribeOptions,
} from "../../client/src/index.ts"

const encoder = new TextEncoder()

/** What one connection does: a refusal of fetch, an answer, or the frames of a stream and how it ends. */
type Connection = Error | Response | { readonly frames: string; readonly end: "close" | "reset" | "stay" }

const ready = (lastEventId: string | null): string =>
  `retry: 3000\n\nevent: ready\ndata: ${JSON.stringify({ mode: "test", last_event_id: lastEventId })}\n\n`
const event = (seq: number): string =>
  `id: evt_${seq}\nevent: transaction.paid\ndata: ${JSON.stringify({ id: `evt_${seq}`, type: "transaction.paid", seq })}\n\n`
const gap = (requested: string): string =>
  `event: replay_gap\ndata: ${JSON.stringify({ requested, oldest_event_id: "evt_5" })}\n\n`
/** The oldest event that is kept, as its own route answers it. */
const kept = (seq: number) => Response.json({ id: "evt_5", type: "transaction.paid", seq })
const refusal = (status: number, code: string, headers: Record<string, string> = {}) =>
  Response.json({ error: { code, message: "No.", request_id: "req_1" } }, { status, headers })

const streamOf = ({ frames, end }: Exclude<Connection, Error | Response>): Response => {
  const body = new ReadableStream<Uint8Array>({
    start: (stream) => {
      stream.enqueue(encoder.encode(frames))
      if (end === "close") stream.close()
    },
    // Only what was enqueued before has been read by then.
    pull: (stream) => {
      if (end === "reset") stream.error(new TypeError("terminated"))
    },
  })
  return new Response(body, { headers: { "content-type": "text/event-stream" } })
}

/** A client whose connections go by a script; the last one stays open. */
const feedOf = (...script: ReadonlyArray<Connection>) => {
  const asked: Array<{
    readonly path: string
    readonly lastEventId: string | null
    readonly atMillis: number
  }> = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { pathname, search } = new URL(String(input))
    const lastEventId = new Headers(init?.headers).get("last-event-id")
    asked.push({ path: pathname + search, lastEventId, atMillis: Date.now() })
    const connection = script[asked.length - 1] ?? { frames: ready("evt_99"), end: "stay" }
    if (connection instanceof Error) throw connection
    return connection instanceof Response ? connection : streamOf(connection)
  }
  const corrente = new Corrente({ apiKey: "sk_test_1", baseUrl: "https://pay.example", fetch, maxRetries: 2 })
  return { corrente, asked, lastEventIds: () => asked.map(({ lastEventId }) => lastEventId) }
}

/** Follows until there are `count` items or the subscription ends. */
const take = async (
  { corrente }: ReturnType<typeof feedOf>,
  count: number,
  options: SubscribeOptions = {},
): Promise<ReadonlyArray<unknown>> => {
  const items: Array<unknown> = []
  const following = (async () => {
    for await (const item of corrente.events.subscribe(options)) {
      items.push(item)
      if (items.length === count) return
    }
  })()
  await Promise.all([following, vi.advanceTimersByTimeAsync(300_000)])
  return items
}

const seqs = (items: ReadonlyArray<unknown>) => items.map((item) => (item as { seq?: number }).seq)

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const broken = new TypeError("fetch failed")

describe("subscribe", () => {
  it("subscribe gives events and resumes after the last one, however a connection ends", async () => {
    const feed = feedOf(
      { frames: ready("evt_0") + event(1) + event(2), end: "close" },
      { frames: ready("evt_2"), end: "reset" },
      broken,
      refusal(502, "unexpected"),
      { frames: `${ready("evt_2")}${event(3)}id: evt_4\ndata: {"seq":`, end: "reset" },
      { frames: ready("evt_3") + event(4), end: "stay" },
    )
    expect(seqs(await take(feed, 4))).toEqual([1, 2, 3, 4])
    expect(feed.lastEventIds()).toEqual([null, "evt_2", "evt_2", "evt_2", "evt_2", "evt_3"])
  })

  it("subscribe begins after the event that it is given, with the types that it is given", async () => {
    const feed = feedOf({ frames: ready("evt_7") + event(8), end: "stay" })
    expect(seqs(await take(feed, 1, { after: "evt_7", types: ["transaction.*", "ping"] }))).toEqual([8])
    expect(feed.asked).toMatchObject([{ path: "/events?types=transaction.*%2Cping", lastEventId: "evt_7" }])
  })

  it("subscribe resumes from where it began if no event has come yet, in an empty feed too", async () => {
    const begun = feedOf(
      { frames: ready("evt_4"), end: "reset" },
      { frames: ready("evt_4") + event(5), end: "stay" },
    )
    expect(seqs(await take(begun, 1))).toEqual([5])
    expect(begun.lastEventIds()).toEqual([null, "evt_4"])

    const empty = feedOf(
      { frames: ready(null), end: "reset" },
      { frames: ready(null) + gap("0") + event(1), end: "stay" },
      kept(1),
    )
    expect(seqs(await take(empty, 1))).toEqual([1])
    expect(empty.lastEventIds()).toEqual([null, "0", null])
    expect(empty.asked[2]?.path).toBe("/v1/events/evt_5")
  })

  it("subscribe begins with the first event of a feed that had none, after null", async () => {
    const feed = feedOf({ frames: ready(null) + gap("0") + event(1), end: "stay" }, kept(1))
    expect(seqs(await take(feed, 1, { after: null }))).toEqual([1])
    expect(feed.lastEventIds()).toEqual(["0", null])
  })

  it("subscribe gives the gap of a feed that was empty and has lost its first events since, once", async () => {
    for (const answer of [kept(5), refusal(404, "resource_not_found")]) {
      const feed = feedOf(
        { frames: ready(null), end: "reset" },
        // The answer does not come, and the stream is opened again.
        { frames: ready(null) + gap("0"), end: "stay" },
        ...[broken, broken, broken],
        { frames: ready(null) + gap("0"), end: "reset" },
        answer,
        { frames: ready(null) + gap("0") + event(5), end: "stay" },
      )
      expect(await take(feed, 2)).toEqual([
        { type: "replay_gap", requested: "0", oldest_event_id: "evt_5" },
        expect.objectContaining({ seq: 5 }),
      ])
    }
  })

  it("subscribe gives a gap as a value, once, and goes on", async () => {
    const feed = feedOf(
      { frames: ready(null) + gap("evt_1"), end: "reset" },
      { frames: ready(null) + gap("evt_1") + event(5), end: "reset" },
      { frames: ready(null) + gap("evt_5") + event(9), end: "stay" },
    )
    expect(await take(feed, 4, { after: "evt_1" })).toEqual([
      { type: "replay_gap", requested: "evt_1", oldest_event_id: "evt_5" },
      expect.objectContaining({ seq: 5 }),
      { type: "replay_gap", requested: "evt_5", oldest_event_id: "evt_5" },
      expect.objectContaining({ seq: 9 }),
    ])
    expect(feed.lastEventIds()).toEqual(["evt_1", "evt_1", "evt_5"])
  })

  it("subscribe waits before it reconnects as long as the service says", async () => {
    const feed = feedOf(
      {
        frames: `retry: 7000\n\n${ready("evt_0").slice(13)}event: reconnect\ndata: {"reason":"deploy"}\n\n`,
        end: "close",
      },
      refusal(429, "rate_limited", { "retry-after": "20" }),
      { frames: ready("evt_0") + event(1), end: "stay" },
    )
    await take(feed, 1)
    const [first = 0, second = 0, third = 0] = feed.asked.map(({ atMillis }) => atMillis)
    expect([second - first, third - second]).toEqual([7_000, 20_000])
  })

  it("subscribe leaves a connection that has been silent for 45 s, or for silenceMillisMax", async () => {
    for (const [options, silenceMillis] of [
      [{}, 45_000],
      [{ silenceMillisMax: 10_000 }, 10_000],
    ] as const) {
      const feed = feedOf(
        { frames: ready("evt_0"), end: "stay" },
        { frames: ready("evt_0") + event(1), end: "stay" },
      )
      expect(seqs(await take(feed, 1, options))).toEqual([1])
      const [first = 0, second = 0] = feed.asked.map(({ atMillis }) => atMillis)
      expect(second - first).toBeGreaterThanOrEqual(silenceMillis)
      expect(second - first).toBeLessThanOrEqual(silenceMillis + 500)
    }
  })

  it("subscribe fails of a refusal, before it has opened and after", async () => {
    const opened = { frames: ready("evt_0"), end: "close" } as const
    for (const [status, code] of [
      [400, "validation_failed"],
      [401, "invalid_api_key"],
      [403, "permission_denied"],
    ] as const) {
      for (const before of [[], [opened]]) {
        const feed = feedOf(...before, refusal(status, code))
        await expect(take(feed, 1)).rejects.toMatchObject({ status, code })
        expect(feed.asked).toHaveLength(before.length + 1)
      }
    }
    const page = new Response("<h1>Welcome</h1>", { headers: { "content-type": "text/html" } })
    await expect(take(feedOf(page), 1)).rejects.toMatchObject({ code: "unexpected_answer", status: 200 })
  })

  it("subscribe fails as other calls do where the service cannot be reached at first", async () => {
    const away = feedOf(broken, broken, broken)
    await expect(take(away, 1)).rejects.toBeInstanceOf(CorrenteError)
    expect(away.asked).toHaveLength(3)
    const defect = feedOf(refusal(500, "internal_error"))
    await expect(take(defect, 1)).rejects.toMatchObject({ status: 500 })
  })

  it("subscribe goes on through any number of broken connections once it has opened", async () => {
    const outage = Array.from({ length: 8 }, () => broken)
    const feed = feedOf({ frames: ready("evt_0"), end: "reset" }, ...outage, {
      frames: ready("evt_0") + event(1),
      end: "stay",
    })
    expect(seqs(await take(feed, 1))).toEqual([1])
  })

  it("subscribe tells how its connection is: open and after which event, broken and until when", async () => {
    const feed = feedOf(
      { frames: ready("evt_0") + event(1), end: "close" },
      refusal(429, "rate_limited", { "retry-after": "20" }),
      { frames: ready("evt_1") + event(2), end: "stay" },
    )
    const states: Array<ConnectionState> = []
    await take(feed, 2, { onConnection: (state) => states.push(state) })
    expect(states).toEqual([
      { isOpen: true, lastEventId: "evt_0" },
      { isOpen: false, error: undefined, retryMillis: 3_000 },
      { isOpen: false, error: expect.objectContaining({ code: "rate_limited" }), retryMillis: 20_000 },
      { isOpen: true, lastEventId: "evt_1" },
    ])
  })

  it("subscribe ends when its signal aborts, and leaves no timer behind", async () => {
    const controller = new AbortController()
    const feed = feedOf({ frames: ready("evt_0") + event(1), end: "stay" })
    const items: Array<unknown> = []
    const following = (async () => {
      for await (const item of feed.corrente.events.subscribe({ signal: controller.signal })) items.push(item)
    })()
    await vi.advanceTimersByTimeAsync(1_000)
    controller.abort()
    await following
    expect([seqs(items), vi.getTimerCount()]).toEqual([[1], 0])

    expect(await take(feed, 1, { signal: AbortSignal.abort() })).toEqual([])
    expect(feed.asked).toHaveLength(1)
  })
})
