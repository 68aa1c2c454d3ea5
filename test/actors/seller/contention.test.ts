import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ApiError } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import { startProcess } from "../support/process.ts"
import { withdraw, withdrawalNow } from "../support/purse.ts"
import { pass } from "../support/settle.ts"
import { chargeNow, createCharge, openShop, timersOf } from "../support/shop.ts"
import { onStore, StoreFaults } from "../support/store.ts"

const delayMillis = 3_000

const start = Effect.gen(function* () {
  const shop = yield* openShop()
  const process = yield* startProcess({ simulator: { delayMillis } })
  return { shop, process, faults: yield* StoreFaults }
})

const isUnavailable = (error: unknown) => {
  if (!(error instanceof ApiError)) return assert.fail(String(error))
  assert.deepInclude(error, { code: "service_unavailable", status: 503, retryAfterSeconds: 1 })
}

describe("a resource that others keep changing", () => {
  it.effect("forcing a charge that others keep changing is 503, after the maximum of decisions", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process, faults } = yield* start
        const { id } = yield* createCharge(process, shop.test, { body: { amount: 1_001 } })
        faults.stale.add("transition")
        isUnavailable(yield* Effect.flip(process.commands.simulateOutcome(id, "paid")))
        assert.strictEqual(faults.calls.get("transition"), limits.decisionsMax)
        faults.stale.clear()
        assert.strictEqual((yield* process.commands.simulateOutcome(id, "paid")).status, "paid")
      }),
    ),
  )

  it.effect("approving a withdrawal that others keep changing is 503, after the maximum of decisions", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process, faults } = yield* start
        const { id } = yield* withdraw(process, shop.test)
        faults.stale.add("transitionWithdrawal")
        isUnavailable(yield* Effect.flip(process.commands.decideWithdrawal(id, "approve", undefined)))
        assert.strictEqual(faults.calls.get("transitionWithdrawal"), limits.decisionsMax)
        faults.stale.clear()
        const approved = yield* process.commands.decideWithdrawal(id, "approve", undefined)
        assert.strictEqual(approved.status, "approved")
      }),
    ),
  )

  it.effect("the timer of a charge that others keep changing stays and fires again after its lease", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process, faults } = yield* start
        const body = { amount: 1_001, pix: { expires_in_seconds: 10 } }
        const { id } = yield* createCharge(process, shop.test, { body })
        faults.stale.add("transition")
        yield* pass(10_000)
        assert.strictEqual(faults.calls.get("transition"), limits.decisionsMax)
        assert.deepStrictEqual(yield* timersOf(id), ["expire"])
        faults.stale.clear()
        yield* pass(limits.timerLeaseMillis)
        assert.strictEqual((yield* chargeNow(id)).status, "expired")
      }),
    ),
  )

  it.effect("the simulated operator decides later on a withdrawal that others kept changing", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process, faults } = yield* start
        const { id } = yield* withdraw(process, shop.test)
        faults.stale.add("transitionWithdrawal")
        yield* pass(delayMillis)
        assert.deepStrictEqual(yield* timersOf(id), ["decide"])
        faults.stale.clear()
        yield* pass(limits.timerLeaseMillis)
        assert.notStrictEqual((yield* withdrawalNow(id)).status, "awaiting")
      }),
    ),
  )
})
