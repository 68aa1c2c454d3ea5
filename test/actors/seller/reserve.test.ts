import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { initialSettings } from "../../../actors/seller/decisions/newSeller.ts"
import { startProcess } from "../support/process.ts"
import { balanceNow, movementsOf } from "../support/purse.ts"
import { pass } from "../support/settle.ts"
import { chargeNow, createCharge, eventTypesOf, openShop, timersOf } from "../support/shop.ts"
import { onStore, StoreFaults, startMillis } from "../support/store.ts"

const dayMillis = 24 * 60 * 60 * 1_000
const reserving = { settings: { ...initialSettings, chargeFeeBps: 100, reserveBps: 1_000, reserveDays: 1 } }

/** A charge of 1,000 centavos that is paid when the test starts: 990 net, 99 of them reserved for a day. */
const paidCharge = Effect.gen(function* () {
  const shop = yield* openShop(reserving)
  const process = yield* startProcess()
  const { id } = yield* createCharge(process, shop.live)
  yield* process.commands.simulateOutcome(id, "paid")
  return { shop, process, id }
})

/** Lets most of a day pass without a process, which would look every half second; starts one for its end. */
const passDay = (beforeItsEndMillis: number) =>
  Effect.gen(function* () {
    const { shop, process, id } = yield* paidCharge
    yield* process.kill
    yield* pass(dayMillis - beforeItsEndMillis)
    return { shop, process: yield* startProcess(), id }
  })

describe("the reserve of a charge", () => {
  it.effect("a reserve is released when its days are over, not a millisecond before, without an event", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, id } = yield* passDay(5_000)
        assert.deepStrictEqual(yield* timersOf(id), ["release"])
        yield* pass(4_999)
        assert.deepStrictEqual(yield* balanceNow(shop.live), {
          available: 891,
          reserve: 99,
          pendingWithdraw: 0,
          pendingRefund: 0,
        })
        yield* pass(1)

        assert.deepStrictEqual(yield* balanceNow(shop.live), {
          available: 990,
          reserve: 0,
          pendingWithdraw: 0,
          pendingRefund: 0,
        })
        assert.deepStrictEqual((yield* chargeNow(id)).reserve, {
          amount: 99,
          release_at: new Date(startMillis + dayMillis).toISOString(),
          released_at: new Date(startMillis + dayMillis).toISOString(),
        })
        assert.deepStrictEqual(yield* movementsOf(shop.live, id), ["charge_paid", "reserve_released"])
        assert.deepStrictEqual(yield* eventTypesOf(shop.live, id), [
          "transaction.created",
          "transaction.paid",
        ])
        assert.deepStrictEqual(yield* timersOf(id), [])
      }),
    ),
  )

  it.effect("a reserve is released once although the store does not confirm the release", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, id } = yield* passDay(1_000)
        const faults = yield* StoreFaults
        faults.answersLost.add("transition")
        yield* pass(1_000)
        faults.answersLost.clear()
        yield* pass(60_000)

        assert.deepStrictEqual(yield* movementsOf(shop.live, id), ["charge_paid", "reserve_released"])
        assert.strictEqual((yield* balanceNow(shop.live)).available, 990)
      }),
    ),
  )

  it.effect("a refund takes the reserve first, and then nothing is left to release", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process, id } = yield* passDay(1_000)
        yield* process.commands.simulateOutcome(id, "refunded")
        // The fee stays with the service: the seller owes it.
        const owed = { available: -10, reserve: 0, pendingWithdraw: 0, pendingRefund: 0 }
        assert.deepStrictEqual(yield* balanceNow(shop.live), owed)
        assert.deepStrictEqual(yield* timersOf(id), [])
        yield* pass(60_000)

        assert.deepStrictEqual(yield* balanceNow(shop.live), owed)
        assert.deepStrictEqual(yield* movementsOf(shop.live, id), ["charge_paid", "charge_refunded"])
      }),
    ),
  )
})
