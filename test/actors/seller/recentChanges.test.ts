import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { type SellerHint, SellerHints } from "../../../actors/ports/sellerHints.ts"
import { listenToChanges } from "../../../actors/seller/recentChanges.ts"
import { limits } from "../../../schema/limits.ts"

const never = Number.NEGATIVE_INFINITY

/** Recent changes at 1,000 ms, and how to tell of more. */
const open = Effect.gen(function* () {
  yield* TestClock.setTime(1_000)
  let tell: (hint: SellerHint) => void = () => {}
  const hints = SellerHints.of({
    listen: (listener) =>
      Effect.sync(() => {
        tell = listener
      }),
  })
  const changes = yield* Effect.provideService(listenToChanges, SellerHints, hints)
  return { changes, tell: (hint: SellerHint) => tell(hint) }
})
const changed = (sellerId: string): SellerHint => ({ kind: "changed", sellerId })

describe("recent changes of sellers", () => {
  it.effect("are of the seller that was told of, at the last time", () =>
    Effect.gen(function* () {
      const { changes, tell } = yield* open
      tell(changed("a"))
      yield* TestClock.adjust(7)
      tell(changed("a"))
      tell(changed("b"))
      assert.deepStrictEqual(["a", "b", "c"].map(changes.lastMillisOf), [1_007, 1_007, never])
    }),
  )

  it.effect("are of all sellers where hints may have been lost", () =>
    Effect.gen(function* () {
      for (const kind of ["dropped", "restored"] as const) {
        const { changes, tell } = yield* open
        tell({ kind })
        assert.strictEqual(changes.lastMillisOf("c"), 1_000)
      }
    }),
  )

  it.effect("are remembered for as many sellers as may be; with one more they are of all", () =>
    Effect.gen(function* () {
      const { changes, tell } = yield* open
      for (let i = 0; i < limits.changedSellersMax; i++) tell(changed(`s${i}`))
      assert.strictEqual(changes.lastMillisOf("another"), never)
      tell(changed("one more"))
      assert.deepStrictEqual(["another", "s0", "one more"].map(changes.lastMillisOf), [1_000, 1_000, 1_000])
    }),
  )

  it.effect("make room when they are older than anything that is remembered of a seller", () =>
    Effect.gen(function* () {
      const { changes, tell } = yield* open
      for (let i = 0; i < limits.changedSellersMax; i++) tell(changed(`s${i}`))
      yield* TestClock.adjust(limits.sellerSettingsMaxAgeMillis + 1)
      tell(changed("one more"))
      assert.deepStrictEqual(["another", "s0"].map(changes.lastMillisOf), [never, never])
    }),
  )
})
