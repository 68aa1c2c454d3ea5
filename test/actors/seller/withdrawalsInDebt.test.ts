import { assert, describe, it } from "@effect/vitest"
import { Effect, type Fiber } from "effect"
import { limits } from "../../../schema/limits.ts"
import { away, type BankScript, makeBank, unknown } from "../support/bank.ts"
import { automatic } from "../support/payout.ts"
import { type ProcessOptions, startProcess } from "../support/process.ts"
import { balanceNow, earn, requestWithdrawal, withdrawalNow } from "../support/purse.ts"
import { pass, settle } from "../support/settle.ts"
import { createCharge, openShop, type ShopOptions, timersOf } from "../support/shop.ts"
import { onStore, StoreFaults } from "../support/store.ts"

interface Options extends Omit<ProcessOptions, "acquirer"> {
  readonly shop?: ShopOptions
  readonly mode?: "live" | "test"
  readonly script?: BankScript
}

/** A seller that has asked for all its money, 1,100 centavos of one charge. */
const start = ({ shop: shopOptions = {}, mode = "live", script = {}, ...options }: Options = {}) =>
  Effect.gen(function* () {
    const bank = makeBank(script)
    const process = yield* startProcess({ ...options, acquirer: bank.acquirer })
    const owner = (yield* openShop(shopOptions))[mode]
    const charge = yield* createCharge(process, owner, { body: { amount: 1_100 } })
    yield* process.commands.simulateOutcome(charge.id, "paid")
    const answer = yield* requestWithdrawal(process, owner)
    if (answer.kind !== "answered" || answer.status !== 201) return yield* Effect.die(answer)
    const { id } = JSON.parse(answer.body) as { readonly id: string }
    yield* settle
    return {
      bank,
      process,
      owner,
      id,
      /** The payer's bank takes the charge back, as another process hears. */
      takeBack: Effect.flatMap(startProcess({ ...options, acquirer: bank.acquirer }), (other) =>
        other.commands.simulateOutcome(charge.id, "chargeback"),
      ),
      earn: (amount: number) => earn(process, owner, amount),
      approve: process.commands.decideWithdrawal(id, "approve", undefined),
    }
  })

/** What a fiber failed with by now. */
const failureOf = <E>(fiber: Fiber.Fiber<E, unknown>): E => {
  const exit = fiber.pollUnsafe()
  return exit?._tag === "Success" ? exit.value : assert.fail("it was not refused")
}

const inDebt = (available: number) =>
  ({ code: "invalid_state", status: 409, details: { reason: "balance_negative", available } }) as const

describe("the approval of a seller's withdrawal in debt", () => {
  it.effect("a withdrawal is not approved while available is a centavo below zero, and is at zero", () =>
    onStore(
      Effect.gen(function* () {
        const { owner, id, takeBack, earn, approve } = yield* start()
        yield* takeBack
        yield* earn(1_099)
        assert.strictEqual((yield* balanceNow(owner)).available, -1)
        assert.deepInclude(yield* Effect.flip(approve), inDebt(-1))
        assert.strictEqual((yield* withdrawalNow(id)).status, "awaiting")
        yield* earn(1)
        assert.strictEqual((yield* approve).status, "approved")
      }),
    ),
  )

  it.effect("a withdrawal of a seller in debt can be rejected, which pays the debt", () =>
    onStore(
      Effect.gen(function* () {
        const { process, owner, id, takeBack } = yield* start()
        yield* takeBack
        const rejected = yield* process.commands.decideWithdrawal(id, "reject", undefined)
        assert.strictEqual(rejected.status, "rejected")
        assert.strictEqual((yield* balanceNow(owner)).available, 0)
      }),
    ),
  )

  it.effect("a withdrawal is not approved when its seller falls into debt between check and commit", () =>
    onStore(
      Effect.gen(function* () {
        const { id, takeBack, approve } = yield* start()
        const faults = yield* StoreFaults
        faults.delaysMillis.set("transitionWithdrawal", 100)
        const deciding = yield* Effect.forkChild(Effect.flip(approve))
        yield* pass(50)
        yield* takeBack
        yield* pass(100)
        assert.deepInclude(failureOf(deciding), inDebt(-1_100))
        assert.strictEqual((yield* withdrawalNow(id)).status, "awaiting")
      }),
    ),
  )

  it.effect("the simulated operator tries again until the balance is back", () =>
    onStore(
      Effect.gen(function* () {
        const { id, takeBack, earn } = yield* start({ mode: "test", simulator: { delayMillis: 3_000 } })
        yield* takeBack
        yield* pass(3_000)
        assert.strictEqual((yield* withdrawalNow(id)).status, "awaiting")
        assert.deepStrictEqual(yield* timersOf(id), ["decide"])
        yield* earn(1_100)
        yield* pass(limits.payoutPollMillisMax)
        assert.notStrictEqual((yield* withdrawalNow(id)).status, "awaiting")
      }),
    ),
  )
})

describe("the hand-over of a seller's withdrawal in debt", () => {
  /** A gate that holds payouts until the test opens it. */
  const makeGate = () => {
    let reason: string | undefined = "no sweep is complete"
    const open = Effect.sync(() => {
      reason = undefined
    })
    return { frozen: () => Effect.sync(() => reason), open }
  }

  it.effect("an approved withdrawal is not sent while available is below zero, and is once it is back", () =>
    onStore(
      Effect.gen(function* () {
        const gate = makeGate()
        const { bank, owner, id, takeBack, earn, approve } = yield* start({ gate })
        yield* approve
        yield* takeBack
        yield* gate.open
        yield* pass(limits.frozenWaitMillis)
        yield* earn(1_099)
        yield* pass(3 * limits.payoutPollMillisMax)
        assert.deepStrictEqual(bank.sent, [])
        assert.strictEqual((yield* withdrawalNow(id)).status, "approved")
        assert.deepStrictEqual(yield* timersOf(id), ["pay"])
        assert.strictEqual((yield* balanceNow(owner)).pendingWithdraw, 1_100)
        yield* earn(1)
        yield* pass(limits.payoutPollMillisMax)
        assert.lengthOf(bank.sent, 1)
        assert.strictEqual((yield* withdrawalNow(id)).status, "processing")
      }),
    ),
  )

  it.effect("a withdrawal that is approved by itself is not sent while available is below zero", () =>
    onStore(
      Effect.gen(function* () {
        const gate = makeGate()
        const { bank, id, takeBack } = yield* start({ gate, shop: automatic })
        assert.strictEqual((yield* withdrawalNow(id)).status, "approved")
        yield* takeBack
        yield* gate.open
        yield* pass(limits.frozenWaitMillis + limits.payoutPollMillisMax)
        assert.deepStrictEqual(bank.sent, [])
        assert.strictEqual((yield* withdrawalNow(id)).status, "approved")
      }),
    ),
  )

  it.effect("a withdrawal is not sent when its seller falls into debt between check and commit", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, id, takeBack, earn, approve } = yield* start()
        yield* approve
        const faults = yield* StoreFaults
        faults.delaysMillis.set("transitionWithdrawal", 100)
        yield* pass(50)
        yield* takeBack
        yield* pass(100)
        assert.deepStrictEqual(bank.sent, [])
        assert.strictEqual((yield* withdrawalNow(id)).status, "approved")
        faults.delaysMillis.clear()
        yield* earn(1_100)
        yield* pass(limits.payoutPollMillisMax)
        assert.lengthOf(bank.sent, 1)
      }),
    ),
  )

  it.effect("a payout that the bank never heard of is not sent again while available is below zero", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, id, takeBack, earn, approve } = yield* start({
          script: { send: () => Effect.fail(away), query: () => Effect.succeed(unknown) },
        })
        yield* approve
        yield* settle
        assert.lengthOf(bank.sent, 1)
        yield* takeBack
        yield* pass(5 * limits.payoutPollMillisMax)
        assert.lengthOf(bank.sent, 1)
        assert.strictEqual((yield* withdrawalNow(id)).status, "processing")
        yield* earn(1_100)
        yield* pass(limits.payoutPollMillisMax)
        assert.lengthOf(bank.sent, 2)
      }),
    ),
  )

  it.effect("the bank of test mode decides on no withdrawal that a debt holds", () =>
    onStore(
      Effect.gen(function* () {
        const gate = makeGate()
        const { process, id, takeBack, approve } = yield* start({ gate })
        yield* approve
        yield* takeBack
        const refused = yield* Effect.flip(process.commands.decideWithdrawal(id, "succeed", undefined))
        assert.deepInclude(refused, inDebt(-1_100))
        assert.strictEqual((yield* withdrawalNow(id)).status, "approved")
      }),
    ),
  )
})
