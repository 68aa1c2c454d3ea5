import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { BulkStore, type StoredBulk } from "../../actors/ports/bulkStore.ts"
import { DeliveryQueue } from "../../actors/ports/deliveryQueue.ts"
import { TimerQueue } from "../../actors/ports/timerQueue.ts"
import { bulkTimerName } from "../../actors/values/bulkTimer.ts"
import type { IdempotencyScope } from "../../actors/values/idempotency.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { limits } from "../../schema/limits.ts"
import { claimOne, failedForGood, record } from "./attempts.ts"
import { freshIdBeside, openEndpoint, openPaidCharge, openShop, unique } from "./fixtures.ts"
import { elapse, type StoreCase, storeCase, timedCase } from "./stage.ts"

const rowIds = ["txn_01KA0000000700000000000000", "txn_01KA0000000700000000000001", "any text"]

const bulkOf = ({ sellerId, mode }: Principal, more: Partial<StoredBulk> = {}) =>
  Effect.map(
    freshIdBeside("blk_", sellerId),
    (id): StoredBulk => ({
      ...{ id, sellerId, mode, userId: "5f0c7a52-6f5e-4c11-9a39-9f1c5fd2a1b4", act: "refund", ids: rowIds },
      by: { actor: { type: "user", id: "u", name: null }, ipAddress: "203.0.113.7", keptMillis: 1_000 },
      ...{ reason: "Çé, cancelled", done: 0, failed: [], createdAt: "2026-11-21T12:00:00.000Z" },
      ...more,
    }),
  )

const newScope = (): IdempotencyScope => ({
  route: "bulk",
  key: unique("key"),
  fingerprint: "f",
  executionId: unique("execution"),
})

const answerOf = ({ id }: StoredBulk): string => JSON.stringify({ id })

/** Makes a bulk act under a fresh key. */
const make = (owner: Principal, bulk: StoredBulk, scope = newScope()) =>
  Effect.flatMap(BulkStore, (store) => store.create(owner, scope, bulk, answerOf(bulk)))

const isDue = (partition: number, id: string) =>
  Effect.gen(function* () {
    const { due } = yield* (yield* TimerQueue).claim(partition, 9)
    return due.some(({ name, resourceId }) => name === bulkTimerName && resourceId === id)
  })

const creation: StoreCase = storeCase(
  "a bulk act is kept whole with its timer, and its request replays the first answer",
  Effect.gen(function* () {
    const store = yield* BulkStore
    const { live, partition } = yield* openShop()
    const bulk = yield* bulkOf(live)
    const scope = newScope()
    assert.deepStrictEqual(yield* make(live, bulk, scope), { kind: "created" })
    assert.deepStrictEqual(yield* make(live, bulk, scope), { kind: "created" }, "its reply was lost")
    assert.deepStrictEqual(yield* store.load(bulk.id), bulk)
    assert.isTrue(yield* isDue(partition, bulk.id))
    const again = { ...scope, executionId: unique("execution") }
    const answer = yield* make(live, yield* bulkOf(live), again)
    assert.deepStrictEqual(answer, { kind: "replay", status: 202, body: answerOf(bulk) })
    const other = yield* make(live, yield* bulkOf(live), { ...again, fingerprint: "g" })
    assert.deepStrictEqual(other, { kind: "mismatch" })
    assert.isUndefined(yield* store.load(yield* freshIdBeside("blk_", live.sellerId)))
  }),
)

const bare: StoreCase = storeCase(
  "a bulk act without reason or address is kept as it is",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const by = { actor: { type: "user", id: null, name: null }, ipAddress: undefined, keptMillis: 1 } as const
    const bulk = yield* bulkOf(live, { reason: undefined, by, act: "resend" })
    yield* make(live, bulk)
    assert.deepStrictEqual(yield* (yield* BulkStore).load(bulk.id), bulk)
  }),
)

const oneAtATime: StoreCase = storeCase(
  "a seller has one bulk act under way in a mode, until its last row",
  Effect.gen(function* () {
    const store = yield* BulkStore
    const { live, test } = yield* openShop()
    const { live: stranger } = yield* openShop()
    const first = yield* bulkOf(live)
    const scope = newScope()
    const second = yield* bulkOf(live)
    assert.deepStrictEqual(yield* make(live, first), { kind: "created" })
    assert.deepStrictEqual(yield* make(live, second, scope), { kind: "running" })
    assert.isUndefined(yield* store.load(second.id))
    assert.deepStrictEqual(yield* make(test, yield* bulkOf(test)), { kind: "created" })
    assert.deepStrictEqual(yield* make(stranger, yield* bulkOf(stranger)), { kind: "created" })
    assert.deepStrictEqual(yield* store.advance(first, 3, []), { kind: "finished" })
    assert.deepStrictEqual(yield* make(live, second, scope), { kind: "created" }, "a refusal is not saved")
  }),
)

const progress: StoreCase = storeCase(
  "progress is recorded once, by whoever knows the rows before, and the last row ends the timer",
  Effect.gen(function* () {
    const store = yield* BulkStore
    const { live, partition } = yield* openShop()
    const bulk = yield* bulkOf(live)
    yield* make(live, bulk)
    const [failed, late] = [
      { id: rowIds[1] ?? "", code: "invalid_state" },
      { id: rowIds[2] ?? "", code: "resource_not_found" },
    ] as const
    assert.deepStrictEqual(yield* store.advance(bulk, 2, [failed]), { kind: "advanced" })
    assert.deepStrictEqual(yield* store.load(bulk.id), { ...bulk, done: 2, failed: [failed] })
    assert.isFalse(yield* isDue(partition, bulk.id), "it is leased")
    assert.deepStrictEqual(yield* store.advance(bulk, 2, [late]), { kind: "stale" })
    const next = { ...bulk, done: 2 }
    assert.deepStrictEqual(yield* store.advance(next, 3, [late]), { kind: "finished" })
    assert.deepStrictEqual(yield* store.load(bulk.id), { ...bulk, done: 3, failed: [failed, late] })
    assert.deepStrictEqual(yield* store.advance(next, 3, []), { kind: "stale" })
    const unknown = yield* bulkOf(live)
    assert.deepStrictEqual(yield* store.advance(unknown, 1, []), { kind: "stale" })
  }),
)

const takenOver: StoreCase = timedCase(
  "a bulk act with rows left is due again once its lease ends, and one that ended is forgotten in the end",
  Effect.gen(function* () {
    const store = yield* BulkStore
    const { live, partition } = yield* openShop()
    const bulk = yield* bulkOf(live)
    yield* make(live, bulk)
    yield* store.advance(bulk, 1, [])
    yield* elapse(limits.bulkLeaseMillis - 1)
    assert.isFalse(yield* isDue(partition, bulk.id))
    yield* elapse(1)
    assert.isTrue(yield* isDue(partition, bulk.id))
    yield* store.advance({ ...bulk, done: 1 }, 3, [])
    yield* elapse(limits.bulkKeptMillis - 1)
    assert.isDefined(yield* store.load(bulk.id))
    assert.isFalse(yield* isDue(partition, bulk.id))
    yield* elapse(1)
    assert.isUndefined(yield* store.load(bulk.id))
  }),
)

const refused: StoreCase = storeCase(
  "a suspended seller makes no bulk act",
  Effect.gen(function* () {
    const { live } = yield* openShop({ status: "suspended" })
    assert.deepStrictEqual(yield* make(live, yield* bulkOf(live)), { kind: "sellerNotAllowed" })
  }),
)

const sentOnce: StoreCase = storeCase(
  "a delivery that is sent again twice under one id is owed once, even after it was attempted",
  Effect.gen(function* () {
    const queue = yield* DeliveryQueue
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    yield* openPaidCharge(live)
    const ended = yield* record(yield* claimOne(endpoint.id), failedForGood)
    const promised = yield* freshIdBeside("whd_", live.sellerId)
    const retry = Effect.map(queue.retry(live, ended, promised), ({ kind }) => kind)
    assert.strictEqual(yield* retry, "queued")
    assert.strictEqual(yield* retry, "queued")
    assert.strictEqual(yield* record(yield* claimOne(endpoint.id), failedForGood), promised)
    assert.strictEqual(yield* retry, "queued")
    const { claimed } = yield* queue.claim(endpoint.id, 9)
    assert.deepStrictEqual(claimed, [], "nothing is owed by the third call")
  }),
)

/** Bulk acts. */
export const bulkCases: ReadonlyArray<StoreCase> = [
  creation,
  bare,
  oneAtATime,
  progress,
  takenOver,
  refused,
  sentOnce,
]
