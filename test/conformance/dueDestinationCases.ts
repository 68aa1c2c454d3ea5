import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { destinationIdOfPostback } from "../../actors/delivery/destinationId.ts"
import { DeliveryQueue } from "../../actors/ports/deliveryQueue.ts"
import { limits } from "../../schema/limits.ts"
import { claimAll, claimOne, failedToRetry, record, succeeded } from "./attempts.ts"
import { openEndpoint, openPaidCharge, openShop } from "./fixtures.ts"
import { elapse, type StoreCase, storeCase, timedCase } from "./stage.ts"

const destinationsMax = 500

const due = (partition: number, skip = 0) =>
  Effect.flatMap(DeliveryQueue, (queue) => queue.dueDestinations(partition, skip))

const naming: StoreCase = storeCase(
  "a partition's due destinations are listed until their deliveries are claimed",
  Effect.gen(function* () {
    const { live, partition } = yield* openShop()
    const nothing = { destinationIds: [], nextInMillis: undefined }
    assert.deepStrictEqual(yield* due(partition), nothing)
    const endpoint = yield* openEndpoint(live)
    assert.deepStrictEqual(yield* due(partition), nothing)
    const url = "https://shop.example/postback"
    yield* openPaidCharge(live, { postback: { url } })
    const both = [endpoint.id, destinationIdOfPostback(live.sellerId, "live", url)]
    const { destinationIds } = yield* due(partition)
    assert.sameMembers([...destinationIds], both)
    assert.deepStrictEqual(yield* due(partition === 0 ? 1 : 0), nothing, "another partition")
    const deliveries = yield* Effect.forEach(both, (id) => claimOne(id))
    const { destinationIds: none, nextInMillis = -1 } = yield* due(partition)
    assert.deepStrictEqual(none, [])
    assert.isAbove(nextInMillis, 0)
    assert.isAtMost(nextInMillis, limits.deliveryLeaseMillis)
    for (const delivery of deliveries) yield* record(delivery, succeeded)
    assert.deepStrictEqual(yield* due(partition), nothing)
  }),
)

const retries: StoreCase = storeCase(
  "a destination is due again when its next attempt is",
  Effect.gen(function* () {
    const { live, partition } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    yield* openPaidCharge(live)
    yield* record(yield* claimOne(endpoint.id), failedToRetry)
    assert.deepStrictEqual((yield* due(partition)).destinationIds, [endpoint.id])
    yield* record(yield* claimOne(endpoint.id), { status: "failed", retryInMillis: 3_600_000 })
    yield* claimAll(endpoint.id)
    const { destinationIds, nextInMillis = -1 } = yield* due(partition)
    assert.deepStrictEqual(destinationIds, [])
    assert.isAbove(nextInMillis, 1_800_000)
    assert.isAtMost(nextInMillis, 3_600_000)
    const other = yield* openEndpoint(live)
    yield* openPaidCharge(live)
    yield* claimAll(endpoint.id)
    const mixed = yield* due(partition)
    assert.deepStrictEqual(mixed.destinationIds, [other.id])
    assert.isAbove(mixed.nextInMillis ?? -1, 0, "nextInMillis is not about what is due now")
  }),
)

const pages: StoreCase = storeCase(
  `due destinations come in pages of ${destinationsMax}, and skipping a page gives the next`,
  Effect.gen(function* () {
    const { live, partition } = yield* openShop()
    const open = (index: number) =>
      openPaidCharge(live, { postback: { url: `https://shop.example/postbacks/${index}` } })
    const first = Array.from({ length: destinationsMax }, (_, index) => index)
    yield* Effect.forEach(first, open, { concurrency: 20 })
    assert.strictEqual((yield* due(partition)).destinationIds.length, destinationsMax)
    assert.deepStrictEqual((yield* due(partition, destinationsMax)).destinationIds, [])
    yield* open(destinationsMax)
    const head = (yield* due(partition)).destinationIds
    const tail = (yield* due(partition, destinationsMax)).destinationIds
    assert.deepStrictEqual([head.length, tail.length], [destinationsMax, 1])
    assert.strictEqual(new Set([...head, ...tail]).size, destinationsMax + 1)
    assert.deepStrictEqual((yield* due(partition, destinationsMax - 1)).destinationIds, [
      ...head.slice(-1),
      ...tail,
    ])
  }),
)

const partialClaim: StoreCase = storeCase(
  "what a partial claim leaves is not due to others, and its claimer gets it by claiming again",
  Effect.gen(function* () {
    const { live, partition } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    yield* openPaidCharge(live)
    yield* openPaidCharge(live)
    const first = yield* claimAll(endpoint.id, 1)
    assert.strictEqual(first.length, 1)
    assert.deepStrictEqual((yield* due(partition)).destinationIds, [])
    const second = yield* claimAll(endpoint.id, 1)
    assert.strictEqual(second.length, 1)
    assert.notStrictEqual(second[0]?.entry.entryId, first[0]?.entry.entryId)
  }),
)

/** Destinations that are due, as the scheduler asks for them (`docs/architecture.md#rule-3`). */
export const dueDestinationCases: ReadonlyArray<StoreCase> = [
  naming,
  retries,
  pages,
  partialClaim,
  storeCase(
    "after a partial claim, a destination is due again when something new is owed to it",
    Effect.gen(function* () {
      const { live, partition } = yield* openShop()
      const endpoint = yield* openEndpoint(live)
      yield* openPaidCharge(live)
      yield* openPaidCharge(live)
      yield* claimAll(endpoint.id, 1)
      yield* openPaidCharge(live)
      assert.deepStrictEqual((yield* due(partition)).destinationIds, [endpoint.id])
      assert.strictEqual((yield* claimAll(endpoint.id)).length, 2)
    }),
  ),
  timedCase(
    "due destinations come soonest first, and again once a lease or a partial claim has run out",
    Effect.gen(function* () {
      const { live, partition } = yield* openShop()
      const [late, soon] = [yield* openEndpoint(live, ["transaction.expired"]), yield* openEndpoint(live)]
      yield* openPaidCharge(live)
      yield* openPaidCharge(live)
      yield* elapse(1)
      const charge = yield* openPaidCharge(live, { eventType: "transaction.expired" })
      assert.strictEqual(charge.status, "paid")
      assert.deepStrictEqual((yield* due(partition)).destinationIds, [soon.id, late.id])
      yield* claimAll(soon.id, 1)
      yield* claimOne(late.id)
      assert.deepStrictEqual(yield* due(partition), {
        destinationIds: [],
        nextInMillis: limits.deliveryLeaseMillis,
      })
      yield* elapse(limits.deliveryLeaseMillis)
      assert.sameMembers([...(yield* due(partition)).destinationIds], [soon.id, late.id])
      assert.strictEqual((yield* claimAll(soon.id)).length, 3)
    }),
  ),
]
