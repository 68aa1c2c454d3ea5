import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { StreamSlots } from "../../actors/ports/streamSlots.ts"
import { type Principal, sessionPrincipal } from "../../actors/values/principal.ts"
import { limits } from "../../schema/limits.ts"
import { eventsOf, openCharge, openShop, takeSlot } from "./fixtures.ts"
import { type StoreCase, storeCase } from "./stage.ts"

const connections = Array.from({ length: limits.streamsPerSellerMax }, (_, index) => `connection-${index}`)

const kindOf = (principal: Principal, connectionId: string) =>
  Effect.map(takeSlot(principal, connectionId), ({ kind }) => kind)

/** The bound of a seller's open streams (`docs/contract/events.md#stream-limits`). All processes are alive here, so no answer is `uncertain`. */
export const streamSlotCases: ReadonlyArray<StoreCase> = [
  storeCase(
    `a seller gets ${limits.streamsPerSellerMax} stream slots, and not one more`,
    Effect.gen(function* () {
      const { live } = yield* openShop()
      const other = yield* openShop()
      for (const id of connections) assert.strictEqual(yield* kindOf(live, id), "taken")
      assert.strictEqual(yield* kindOf(live, "one-more"), "full")
      assert.strictEqual(yield* kindOf(other.live, "one-more"), "taken")
    }),
  ),
  storeCase(
    "a connection that asks for its stream slot again keeps it, also at the limit",
    Effect.gen(function* () {
      const { live } = yield* openShop()
      for (const id of connections) {
        assert.strictEqual(yield* kindOf(live, id), "taken")
        assert.strictEqual(yield* kindOf(live, id), "taken")
      }
      assert.strictEqual(yield* kindOf(live, "one-more"), "full")
      assert.strictEqual(yield* kindOf(live, connections[0] ?? ""), "taken")
    }),
  ),
  storeCase(
    "releasing a stream slot frees it once, and releasing one that was never taken does nothing",
    Effect.gen(function* () {
      const slots = yield* StreamSlots
      const { sellerId, live } = yield* openShop()
      yield* slots.release(sellerId, "never-taken")
      for (const id of connections) yield* kindOf(live, id)
      yield* slots.release(sellerId, "never-taken")
      assert.strictEqual(yield* kindOf(live, "one-more"), "full")
      yield* slots.release(sellerId, connections[3] ?? "")
      yield* slots.release(sellerId, connections[3] ?? "")
      assert.strictEqual(yield* kindOf(live, "one-more"), "taken")
      assert.strictEqual(yield* kindOf(live, "yet-another"), "full")
    }),
  ),
  storeCase(
    "both modes of a seller share its stream slots",
    Effect.gen(function* () {
      const { live, test } = yield* openShop()
      for (const id of connections) assert.strictEqual(yield* kindOf(live, id), "taken")
      assert.strictEqual(yield* kindOf(test, "one-more"), "full")
    }),
  ),
  storeCase(
    "a slot comes with the newest and the oldest entry of its feed, and whether the requested one is kept",
    Effect.gen(function* () {
      const { live, test } = yield* openShop()
      const empty = { newest: "0-0", oldest: undefined, hasRequested: false }
      assert.deepStrictEqual(yield* takeSlot(live, "a"), { kind: "taken", bounds: empty })
      yield* Effect.forEach([1, 2, 3], () => openCharge(live))
      const ids = (yield* eventsOf(live)).map(({ entryId }) => entryId)
      const [oldest = "", middle = "", newest = ""] = ids
      assert.strictEqual(ids.length, 3)
      const bounds = { newest, oldest, hasRequested: false }
      assert.deepStrictEqual(yield* takeSlot(live, "b"), { kind: "taken", bounds })
      for (const kept of [oldest, middle, newest]) {
        assert.deepStrictEqual(yield* takeSlot(live, "c", kept), {
          kind: "taken",
          bounds: { ...bounds, hasRequested: true },
        })
      }
      assert.deepStrictEqual(yield* takeSlot(live, "d", "1-0"), { kind: "taken", bounds })
      assert.deepStrictEqual(yield* takeSlot(test, "e", middle), { kind: "taken", bounds: empty })
    }),
  ),
  storeCase(
    "a key that was revoked, or is another seller's, gets no slot; a session needs none to be valid",
    Effect.gen(function* () {
      const { sellerId, live } = yield* openShop()
      const other = yield* openShop()
      for (const keyHash of ["unknown", other.live.keyHash]) {
        assert.strictEqual(yield* kindOf({ ...live, keyHash }, "a"), "keyInvalid")
      }
      for (const id of connections)
        assert.strictEqual(yield* kindOf(sessionPrincipal(sellerId, "live", "usr_1"), id), "taken")
      assert.strictEqual(yield* kindOf({ ...live, keyHash: "unknown" }, "one-more"), "keyInvalid")
    }),
  ),
]
