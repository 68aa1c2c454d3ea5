import { assert } from "@effect/vitest"
import { Effect } from "effect"
import {
  type AnsweredRequest,
  type LoggedEntry,
  RequestLogStore,
  type RequestsWanted,
} from "../../actors/ports/requestLogStore.ts"
import type { Feed } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { openShop } from "./fixtures.ts"
import { nowMillis, type StoreCase, storeCase } from "./stage.ts"

const key = "key_01KA0000000700000000000000"
const otherKey = "key_01KA0000000700000000000001"
const refusal = { code: "validation_failed", param: "amount", message: "amount must be an integer.\nçé" }

const answeredAt = (atMillis: number, requestId: string, more: Partial<AnsweredRequest> = {}) => ({
  atMillis,
  requestId,
  method: "POST",
  route: "/v1/transactions/:id/refunds",
  status: 201,
  millis: 12,
  apiKeyId: key,
  ipAddress: "203.0.113.7",
  idempotencyKey: "order 1; çé",
  error: undefined,
  ...more,
})
const refusedAt = (atMillis: number, requestId: string, more: Partial<AnsweredRequest> = {}) =>
  answeredAt(atMillis, requestId, { status: 400, error: refusal, ...more })

const someAt = (
  atMillis: number,
  count: number,
  make: (atMillis: number, requestId: string, more?: Partial<AnsweredRequest>) => AnsweredRequest,
  more: Partial<AnsweredRequest> = {},
) => Array.from({ length: count }, (_, i) => make(atMillis + i, `${make.name} ${i}`, more))

/** A minute that has ended, with its first moment. */
const aMinute = Effect.map(nowMillis, (now) => (Math.floor(now / 60_000) - 2) * 60_000)

const list = (feed: Feed, wanted: Partial<RequestsWanted> = {}) =>
  Effect.flatMap(RequestLogStore, (store) =>
    store.list(feed, { outcome: "all", beforeId: undefined, limit: 1_000, ...wanted }),
  )
const idsOf = ({ entries }: { readonly entries: ReadonlyArray<LoggedEntry> }) =>
  entries.map(({ requestId }) => requestId)
const listed = (feed: Feed, wanted: Partial<RequestsWanted> = {}) => Effect.map(list(feed, wanted), idsOf)

const whole: StoreCase = storeCase(
  "requests are listed newest first and whole, by their own seller and mode alone",
  Effect.gen(function* () {
    const store = yield* RequestLogStore
    const { live, test } = yield* openShop()
    const { live: stranger } = yield* openShop()
    const now = yield* aMinute
    const bare = refusedAt(now + 3, "bare", {
      ...{ apiKeyId: undefined, ipAddress: undefined, idempotencyKey: undefined },
      error: { code: "resource_not_found", param: undefined, message: "" },
    })
    const noted = [answeredAt(now, "one"), refusedAt(now + 1, "two"), answeredAt(now + 2, "three"), bare]
    assert.strictEqual(yield* store.note(live, noted), 4)
    assert.strictEqual(yield* store.note(test, [refusedAt(now, "of test")]), 1)
    const { entries, nextBeforeId } = yield* list(live)
    assert.deepStrictEqual(
      entries.map(({ id: _, ...entry }) => entry),
      noted.toReversed(),
    )
    assert.strictEqual(new Set(entries.map(({ id }) => id)).size, 4)
    assert.isUndefined(nextBeforeId)
    assert.deepStrictEqual(yield* listed(test), ["of test"])
    assert.deepStrictEqual(yield* listed(stranger), [])
  }),
)

const pages: StoreCase = storeCase(
  "pages of refused and other requests follow each other without a gap, also within one millisecond",
  Effect.gen(function* () {
    const store = yield* RequestLogStore
    const { test } = yield* openShop()
    const now = yield* aMinute
    const names = Array.from({ length: 17 }, (_, i) => `request ${i}`)
    yield* store.note(
      test,
      names.map((name, i) => (i % 5 < 2 ? refusedAt : answeredAt)(now + Math.floor(i / 7), name)),
    )
    const found: Array<string> = []
    let beforeId: string | undefined
    do {
      const page = yield* list(test, { limit: 3, beforeId })
      found.push(...idsOf(page))
      beforeId = page.nextBeforeId
    } while (beforeId !== undefined)
    assert.deepStrictEqual(found, names.toReversed())
    const isRefused = (_: string, i: number) => i % 5 < 2
    const ofOutcome = yield* Effect.all([
      listed(test, { outcome: "refused" }),
      listed(test, { outcome: "answered" }),
      listed(test, { matches: ({ requestId }) => requestId === "request 7" }),
    ])
    assert.deepStrictEqual(ofOutcome, [
      names.filter(isRefused).toReversed(),
      names.filter((name, i) => !isRefused(name, i)).toReversed(),
      ["request 7"],
    ])
    const window = { fromMillis: now + 1, toMillis: now + 1 }
    assert.deepStrictEqual(yield* listed(test, window), names.slice(7, 14).toReversed())
  }),
)

const bound: StoreCase = storeCase(
  "a minute keeps as many requests of a key as the limit and no more, and as many of another key and of sessions",
  Effect.gen(function* () {
    const store = yield* RequestLogStore
    const { test } = yield* openShop()
    const minute = yield* aMinute
    const most = limits.requestLogPerMinuteMax
    assert.strictEqual(yield* store.note(test, someAt(minute, most - 1, answeredAt)), most - 1)
    assert.strictEqual(yield* store.note(test, [answeredAt(minute + 200, "at it")]), 1)
    assert.strictEqual(yield* store.note(test, [answeredAt(minute + 300, "beyond")]), 0)
    const others = [
      answeredAt(minute + 400, "of another key", { apiKeyId: otherKey }),
      refusedAt(minute + 500, "of a session", { apiKeyId: undefined }),
      answeredAt(minute + 59_999, "also beyond"),
      answeredAt(minute + 60_000, "of the next minute"),
    ]
    assert.strictEqual(yield* store.note(test, others), 3)
    const newest = (yield* listed(test)).slice(0, 4)
    assert.deepStrictEqual(newest, ["of the next minute", "of a session", "of another key", "at it"])
  }),
)

const displacing: StoreCase = storeCase(
  "a refused request takes the place of the newest other one of its minute, until all of the minute are refused",
  Effect.gen(function* () {
    const store = yield* RequestLogStore
    const { test } = yield* openShop()
    const minute = yield* aMinute
    const most = limits.requestLogPerMinuteMax
    yield* store.note(test, [answeredAt(minute - 1, "before"), ...someAt(minute, most, answeredAt)])
    yield* store.note(test, [answeredAt(minute + 500, "of another key", { apiKeyId: otherKey })])
    assert.strictEqual(yield* store.note(test, [refusedAt(minute + 1_000, "refused")]), 1)
    const kept = [
      "refused",
      "of another key",
      ...someAt(minute, most - 1, answeredAt)
        .map(({ requestId }) => requestId)
        .toReversed(),
      "before",
    ]
    assert.deepStrictEqual(yield* listed(test), kept)
    assert.strictEqual(yield* store.note(test, [answeredAt(minute + 1_500, "no room")]), 0)
    assert.strictEqual(yield* store.note(test, someAt(minute + 2_000, most, refusedAt)), most - 1)
    assert.deepStrictEqual(yield* listed(test, { outcome: "answered" }), ["of another key", "before"])
    const refused = yield* listed(test, { outcome: "refused" })
    assert.deepStrictEqual([refused.length, refused.at(-1)], [most, "refused"])
  }),
)

const order: StoreCase = storeCase(
  "what another process notes late, or by a clock that is ahead, is dated so that the order holds",
  Effect.gen(function* () {
    const store = yield* RequestLogStore
    const { test } = yield* openShop()
    const now = yield* nowMillis
    yield* store.note(test, [answeredAt(now - 1_000, "first")])
    yield* store.note(test, [refusedAt(now - 2_000, "late")])
    yield* store.note(test, [answeredAt(now + 3_600_000, "ahead")])
    yield* store.note(test, [answeredAt(now, "after it")])
    const { entries } = yield* list(test)
    assert.deepStrictEqual(idsOf({ entries }), ["after it", "ahead", "late", "first"])
    assert.strictEqual(entries[2]?.atMillis, now - 1_000)
    assert.isBelow(entries[0]?.atMillis ?? Infinity, now + 3_600_000)
  }),
)

const age: StoreCase = storeCase(
  "a request is no longer listed once it is too old, though newer ones are",
  Effect.gen(function* () {
    const store = yield* RequestLogStore
    const { test } = yield* openShop()
    const oldest = (yield* nowMillis) - limits.requestLogKeptMillis
    yield* store.note(test, [
      refusedAt(oldest - 1, "old"),
      answeredAt(oldest - 1, "old too"),
      refusedAt(oldest + 60_000, "young"),
      answeredAt(oldest + 60_001, "young too"),
    ])
    assert.deepStrictEqual(yield* listed(test), ["young too", "young"])
    assert.deepStrictEqual(yield* listed(test, { fromMillis: 0, outcome: "refused" }), ["young"])
  }),
)

const most: StoreCase = storeCase(
  "as many refused requests as the limit are kept, the newest, and as many others",
  Effect.gen(function* () {
    const store = yield* RequestLogStore
    const { test } = yield* openShop()
    const now = yield* nowMillis
    const { requestLogEntriesMax, requestLogPerMinuteMax } = limits
    // Each minute of one key holds 100: as many minutes as that takes, in which the session refuses and the key does not.
    const minutes = Math.ceil(requestLogEntriesMax / requestLogPerMinuteMax) + 1
    const start = (Math.floor(now / 60_000) - minutes - 1) * 60_000
    const total = requestLogEntriesMax + 1
    for (let minute = 0; minute < minutes; minute++) {
      const first = minute * requestLogPerMinuteMax
      const count = Math.min(requestLogPerMinuteMax, total - first)
      const at = start + minute * 60_000
      const noted = Array.from({ length: count }, (_, i) => [
        answeredAt(at + i, `answered ${first + i}`),
        refusedAt(at + i, `refused ${first + i}`, { apiKeyId: undefined }),
      ]).flat()
      yield* store.note(test, noted)
    }
    const oldest = { fromMillis: start, toMillis: start + 1 }
    assert.deepStrictEqual(yield* listed(test, oldest), ["refused 1", "answered 1"])
    const newest = yield* listed(test, { limit: 2 })
    assert.deepStrictEqual(newest, [`refused ${total - 1}`, `answered ${total - 1}`])
  }),
)

/** What the request log keeps. */
export const requestLogCases: ReadonlyArray<StoreCase> = [whole, pages, bound, displacing, order, age, most]
