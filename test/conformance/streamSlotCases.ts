import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { StreamSlots } from "../../actors/ports/streamSlots.ts"
import { limits } from "../../schema/limits.ts"
import { openShop } from "./fixtures.ts"
import { type StoreCase, storeCase } from "./stage.ts"

const connections = Array.from({ length: limits.streamsPerSellerMax }, (_, index) => `connection-${index}`)

/** The bound of a seller's open streams (`docs/contract/events.md#stream-limits`). All processes are alive here, so no answer is `uncertain`. */
export const streamSlotCases: ReadonlyArray<StoreCase> = [
  storeCase(
    `a seller gets ${limits.streamsPerSellerMax} stream slots, and not one more`,
    Effect.gen(function* () {
      const slots = yield* StreamSlots
      const { sellerId } = yield* openShop()
      const other = yield* openShop()
      for (const id of connections) assert.strictEqual(yield* slots.take(sellerId, id), "taken")
      assert.strictEqual(yield* slots.take(sellerId, "one-more"), "full")
      assert.strictEqual(yield* slots.take(other.sellerId, "one-more"), "taken")
    }),
  ),
  storeCase(
    "a connection that asks for its stream slot again keeps it, also at the limit",
    Effect.gen(function* () {
      const slots = yield* StreamSlots
      const { sellerId } = yield* openShop()
      for (const id of connections) {
        assert.strictEqual(yield* slots.take(sellerId, id), "taken")
        assert.strictEqual(yield* slots.take(sellerId, id), "taken")
      }
      assert.strictEqual(yield* slots.take(sellerId, "one-more"), "full")
      assert.strictEqual(yield* slots.take(sellerId, connections[0] ?? ""), "taken")
    }),
  ),
  storeCase(
    "releasing a stream slot frees it once, and releasing one that was never taken does nothing",
    Effect.gen(function* () {
      const slots = yield* StreamSlots
      const { sellerId } = yield* openShop()
      yield* slots.release(sellerId, "never-taken")
      for (const id of connections) yield* slots.take(sellerId, id)
      yield* slots.release(sellerId, "never-taken")
      assert.strictEqual(yield* slots.take(sellerId, "one-more"), "full")
      yield* slots.release(sellerId, connections[3] ?? "")
      yield* slots.release(sellerId, connections[3] ?? "")
      assert.strictEqual(yield* slots.take(sellerId, "one-more"), "taken")
      assert.strictEqual(yield* slots.take(sellerId, "yet-another"), "full")
    }),
  ),
]
