import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { destinationIdOfPostback } from "../../actors/delivery/destinationId.ts"
import { type AttemptPage, DeliveryQueue } from "../../actors/ports/deliveryQueue.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { eventIdOf, makeId, partitionOfId } from "../../schema/ids.ts"
import type { Delivery } from "../../schema/resources/delivery.ts"
import {
  allAttempts,
  attemptPage,
  claimAll,
  claimOne,
  dead,
  everyAttempt,
  failedForGood,
  failedToRetry,
  type Outcome,
  record,
  recordOf,
  succeeded,
} from "./attempts.ts"
import { hashOf, openEndpoint, openPaidCharge, openShop } from "./fixtures.ts"
import { elapse, type StoreCase, storeCase, timedCase } from "./stage.ts"

const url = "https://shop.example/postback"

/** Rows of every status, to two endpoints and a postback, of two event types. */
const mixedRows = (owner: Principal) =>
  Effect.gen(function* () {
    const endpoints = [yield* openEndpoint(owner), yield* openEndpoint(owner)]
    const postbackId = destinationIdOfPostback(owner.sellerId, owner.mode, url)
    const outcomes: ReadonlyArray<Outcome> = [failedToRetry, succeeded, failedForGood, dead]
    let turn = 0
    for (const status of ["paid", "expired"] as const) {
      yield* openPaidCharge(owner, { eventType: `transaction.${status}`, postback: { url } })
      for (const id of [...endpoints.map((endpoint) => endpoint.id), postbackId]) {
        yield* record(yield* claimOne(id), outcomes[turn++ % outcomes.length] ?? succeeded)
        const [next] = yield* claimAll(id)
        if (next !== undefined) yield* record(next, outcomes[turn++ % outcomes.length] ?? succeeded)
      }
    }
    return endpoints.map((endpoint) => endpoint.id)
  })

const filters: StoreCase = storeCase(
  "the attempt list filters by endpoint, event, event type and status, alone and combined",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const [one = "", two = ""] = yield* mixedRows(live)
    const all = yield* allAttempts(live)
    assert.isAtLeast(all.length, 8)
    const ids = all.map((row) => row.id)
    assert.deepStrictEqual(ids, [...new Set(ids)].sort().toReversed(), "newest first, each once")
    const events = [...new Set(all.map((row) => row.event_id))]
    const endpointIds = [undefined, one, two, "we_nothing-like-an-id"]
    for (const endpointId of endpointIds) {
      for (const eventId of [undefined, ...events]) {
        for (const eventType of [undefined, "transaction.paid", "ping"]) {
          for (const status of [undefined, "success", "failed", "dead"] as const) {
            const fits = (row: Delivery) =>
              (endpointId === undefined || row.endpoint_id === endpointId) &&
              (eventId === undefined || row.event_id === eventId) &&
              (eventType === undefined || row.event_type === eventType) &&
              (status === undefined || row.status === status)
            const found = yield* allAttempts(live, { endpointId, eventId, eventType, status, limit: 2 })
            assert.deepStrictEqual(found, all.filter(fits))
          }
        }
      }
    }
  }),
)

/** Rows whose ids have chosen times, 1,000 ms apart, oldest first. */
const rowsAt = (owner: Principal, firstMillis: number, count: number) =>
  Effect.gen(function* () {
    const queue = yield* DeliveryQueue
    const endpoint = yield* openEndpoint(owner)
    yield* openPaidCharge(owner)
    return yield* Effect.forEach(Array.from({ length: count }), (_, index) =>
      Effect.gen(function* () {
        const attempt = yield* recordOf(yield* claimOne(endpoint.id), failedToRetry)
        const partition = partitionOfId(owner.sellerId) ?? 0
        const id = makeId("whd_", firstMillis + index * 1_000, partition, new Uint8Array(14).fill(index))
        const row = JSON.stringify({ ...JSON.parse(attempt.row), id })
        assert.deepStrictEqual(yield* queue.record({ ...attempt, deliveryId: id, row }), { kind: "recorded" })
        return id
      }),
    )
  })

const paging: StoreCase = storeCase(
  "the attempt list pages by id within a window that includes both ends",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const first = 1_795_000_000_000
    const [a, b, c, d] = yield* rowsAt(live, first, 4)
    const found = (page: Partial<AttemptPage>) =>
      Effect.map(allAttempts(live, page), (rows) => rows.map((row) => row.id as string | undefined))
    assert.deepStrictEqual(yield* found({}), [d, c, b, a])
    assert.deepStrictEqual(yield* found({ limit: 1 }), [d, c, b, a])
    assert.deepStrictEqual(yield* found({ limit: 3 }), [d, c, b, a])
    assert.deepStrictEqual(yield* found({ beforeId: c }), [b, a])
    assert.deepStrictEqual(yield* found({ beforeId: a }), [])
    assert.deepStrictEqual(yield* found({ fromMillis: first + 1_000, toMillis: first + 2_000 }), [c, b])
    assert.deepStrictEqual(yield* found({ fromMillis: first + 1_001, toMillis: first + 1_999 }), [])
    assert.deepStrictEqual(yield* found({ beforeId: d, fromMillis: first + 1_000, limit: 1 }), [c, b])
    const page = yield* attemptPage(live, { limit: 4 })
    assert.strictEqual(page.rows.length, 4)
  }),
)

/** The list of attempts (`docs/contract/deliveries.md#list`). */
export const attemptListCases: ReadonlyArray<StoreCase> = [
  storeCase(
    "reading an attempt returns its row and detail byte for byte, with its event's id",
    Effect.gen(function* () {
      const queue = yield* DeliveryQueue
      const { test } = yield* openShop()
      const endpoint = yield* openEndpoint(test)
      yield* openPaidCharge(test)
      const attempt = yield* recordOf(yield* claimOne(endpoint.id), succeeded)
      yield* queue.record(attempt)
      const { row, detail, entry, deliveryId } = attempt
      const eventId = eventIdOf(test, entry.entryId)
      assert.deepStrictEqual(yield* queue.get(test, deliveryId), { row, detail, eventId })
    }),
  ),
  filters,
  paging,
  storeCase(
    "listing attempts with an unknown API key answers keyInvalid",
    Effect.gen(function* () {
      const { live } = yield* openShop()
      yield* mixedRows(live)
      const stranger = { ...live, keyHash: hashOf("no such key") }
      const answer = yield* (yield* DeliveryQueue).list(stranger, everyAttempt)
      assert.deepStrictEqual(answer, { kind: "keyInvalid" })
    }),
  ),
  timedCase(
    "recording an attempt drops the rows that are past retention",
    Effect.gen(function* () {
      const queue = yield* DeliveryQueue
      const { live } = yield* openShop()
      const endpoint = yield* openEndpoint(live)
      yield* openPaidCharge(live)
      const old = yield* record(yield* claimOne(endpoint.id), succeeded)
      yield* elapse(1_000)
      yield* openPaidCharge(live)
      const kept = yield* record(yield* claimOne(endpoint.id), succeeded)
      assert.deepStrictEqual(
        (yield* allAttempts(live)).map((row) => row.id),
        [kept, old],
      )
      yield* elapse(1)
      yield* openPaidCharge(live)
      const newest = yield* record(yield* claimOne(endpoint.id), succeeded)
      assert.deepStrictEqual(
        (yield* allAttempts(live)).map((row) => row.id),
        [newest, kept],
      )
      assert.isUndefined(yield* queue.get(live, old))
    }),
    { eventRetentionMillis: 1_000 },
  ),
]
