import { assert } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { DeliveryQueue } from "../../actors/ports/deliveryQueue.ts"
import { Partitions, type Wake } from "../../actors/ports/partitions.ts"
import { claimOne, dead, record } from "./attempts.ts"
import { freshIdBeside, move, openCharge, openEndpoint, openPaidCharge, openShop } from "./fixtures.ts"
import { Stage, type StoreCase, storeCase } from "./stage.ts"

/** Collects the wakes of all partitions: this process holds them all. */
const listen = Effect.gen(function* () {
  const partitions = yield* Partitions
  const heard = yield* Queue.unbounded<Wake>()
  yield* partitions.listen((wake) => Queue.offerUnsafe(heard, wake))
  yield* partitions.rebalance
  return heard
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
