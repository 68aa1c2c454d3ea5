import { assert } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { DeliveryQueue } from "../../actors/ports/deliveryQueue.ts"
import { Partitions, type Wake } from "../../actors/ports/partitions.ts"
import { limits } from "../../schema/limits.ts"
import { claimOne, dead, record, succeeded } from "./attempts.ts"
import { freshIdBeside, move, openCharge, openEndpoint, openPaidCharge, openShop } from "./fixtures.ts"
import { nowMillis, Stage, type StoreCase, storeCase } from "./stage.ts"

/** Collects the wakes of all partitions: this process holds them all. */
const listen = Effect.gen(function* () {
  const partitions = yield* Partitions
  const heard = yield* Queue.unbounded<Wake>()
  yield* partitions.listen((wake) => Queue.offerUnsafe(heard, wake))
  yield* partitions.rebalance
  return heard
})

/** When something of partitions is due, by partition. */
const due = Effect.fnUntraced(function* (...partitions: ReadonlyArray<number>) {
  const reads = (yield* Partitions).nextDue(partitions)
  const found = (yield* Effect.all(reads, { concurrency: "unbounded" })).flat()
  return new Map(found.map(({ partition, ...waits }) => [partition, waits]))
})

/** Partitions: who holds them, and what wakes them (`docs/architecture.md#rule-3`). One process is alone with the store. */
export const partitionCases: ReadonlyArray<StoreCase> = [
  storeCase(
    "a lone process holds all partitions, on every rebalance and after releasing them",
    Effect.gen(function* () {
      const partitions = yield* Partitions
      const { settings } = yield* Stage
      const all = new Set(Array.from({ length: settings.partitions }, (_, partition) => partition))
      assert.deepStrictEqual(yield* partitions.rebalance, all)
      assert.deepStrictEqual(yield* partitions.rebalance, all)
      yield* partitions.releaseAll
      assert.deepStrictEqual(yield* partitions.rebalance, all)
    }),
    { settings: { partitions: 20 } },
  ),
  storeCase(
    "what is due next in partitions is what their first timers and their first deliveries are due for",
    Effect.gen(function* () {
      const { live, partition } = yield* openShop()
      const other = partition === 0 ? 1 : 0
      const nothing = { timersInMillis: undefined, deliveriesInMillis: undefined }
      const none = new Map([
        [other, nothing],
        [partition, nothing],
      ])
      assert.deepStrictEqual(yield* due(other, partition), none)
      assert.deepStrictEqual(yield* due(), new Map())

      const now = yield* nowMillis
      yield* openCharge(live, [
        { name: "ask", dueMillis: now + 3_600_000 },
        { name: "expire", dueMillis: now + 60_000 },
      ])
      const { timersInMillis = -1, deliveriesInMillis } = (yield* due(partition)).get(partition) ?? nothing
      assert.isAbove(timersInMillis, 0)
      assert.isAtMost(timersInMillis, 60_000)
      assert.isUndefined(deliveriesInMillis)
      yield* openCharge(live, [{ name: "expire", dueMillis: 3_000 }])
      assert.strictEqual((yield* due(partition)).get(partition)?.timersInMillis, 0)

      const endpoint = yield* openEndpoint(live)
      yield* openPaidCharge(live)
      assert.strictEqual((yield* due(partition)).get(partition)?.deliveriesInMillis, 0)
      const claimed = yield* claimOne(endpoint.id)
      const leased = (yield* due(partition)).get(partition)?.deliveriesInMillis ?? -1
      assert.isAbove(leased, 0)
      assert.isAtMost(leased, limits.deliveryLeaseMillis)
      yield* record(claimed, succeeded)
      assert.isUndefined((yield* due(partition)).get(partition)?.deliveriesInMillis)
      assert.deepStrictEqual((yield* due(other, partition)).get(other), nothing)
    }),
  ),
  storeCase(
    "a delivery wakes its partition, whether an event or a manual retry owes it",
    Effect.gen(function* () {
      const { live, partition } = yield* openShop()
      const endpoint = yield* openEndpoint(live)
      const heard = yield* listen
      const wake = { kind: "delivery", partition, destinationId: endpoint.id } as const
      yield* openPaidCharge(live)
      assert.deepStrictEqual(yield* Queue.take(heard), wake)
      const id = yield* record(yield* claimOne(endpoint.id), dead)
      const newId = yield* freshIdBeside("whd_", live.sellerId)
      yield* (yield* DeliveryQueue).retry(live, id, newId)
      assert.deepStrictEqual(yield* Queue.take(heard), wake)
    }),
  ),
  storeCase(
    "a creation or a transition wakes its partition for the soonest timer that it sets",
    Effect.gen(function* () {
      const { live, partition } = yield* openShop()
      const heard = yield* listen
      const charge = yield* openCharge(live, [
        { name: "expire", dueMillis: 3_000 },
        { name: "simulate", dueMillis: 2_000 },
      ])
      assert.deepStrictEqual(yield* Queue.take(heard), { kind: "timer", partition, dueMillis: 2_000 })
      yield* openCharge(live)
      yield* move(charge, "paid", { timers: [{ name: "simulate", resourceId: charge.id, dueMillis: 1_000 }] })
      const second = yield* Queue.take(heard)
      assert.deepStrictEqual(second, { kind: "timer", partition, dueMillis: 1_000 })
    }),
  ),
]
