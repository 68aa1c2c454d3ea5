import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { type SellerHint, SellerHints } from "../../../actors/ports/sellerHints.ts"
import { listenToChanges } from "../../../actors/seller/recentChanges.ts"
import { limits } from "../../../schema/limits.ts"

const never = Number.NEGATIVE_INFINITY

/** Recent changes at 1,000 ms, and a function that sends a hint. */
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
  it.effect("a hint marks its seller as changed, at the time of the last one", () =>
    Effect.gen(function* () {
      const { changes, tell } = yield* open
      tell(changed("a"))
      yield* TestClock.adjust(7)
      tell(changed("a"))
      tell(changed("b"))
      assert.deepStrictEqual(["a", "b", "c"].map(changes.lastMillisOf), [1_007, 1_007, never])
    }),
  )

  it.effect("every seller counts as changed when hints may have been lost", () =>
    Effect.gen(function* () {
      for (const kind of ["dropped", "restored"] as const) {
        const { changes, tell } = yield* open
        tell({ kind })
        assert.strictEqual(changes.lastMillisOf("c"), 1_000)
      }
    }),
  )

  it.effect("every seller counts as changed after hints of more sellers than are remembered", () =>
    Effect.gen(function* () {
      const { changes, tell } = yield* open
      for (let i = 0; i < limits.changedSellersMax; i++) tell(changed(`s${i}`))
      assert.strictEqual(changes.lastMillisOf("another"), never)
      tell(changed("one more"))
      assert.deepStrictEqual(["another", "s0", "one more"].map(changes.lastMillisOf), [1_000, 1_000, 1_000])
    }),
  )

  it.effect("changes older than any cached settings make room for new ones", () =>
    Effect.gen(function* () {
      const { changes, tell } = yield* open
      for (let i = 0; i < limits.changedSellersMax; i++) tell(changed(`s${i}`))
      yield* TestClock.adjust(limits.sellerSettingsMaxAgeMillis + 1)
      tell(changed("one more"))
      assert.deepStrictEqual(["another", "s0"].map(changes.lastMillisOf), [never, never])
    }),
  )
})
