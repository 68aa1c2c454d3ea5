import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ExceptionAct } from "../../../schema/resources/exception.ts"
import { paidBy } from "../support/acquirer.ts"
import { exceptionsNow, first, kindsNow, onlyException, resolve, second } from "../support/exceptions.ts"
import { type ProcessOptions, startProcess } from "../support/process.ts"
import { balanceNow, movementsOf } from "../support/purse.ts"
import {
  away,
  done,
  failed,
  makeRefundBank,
  openRefund,
  paidCharge,
  processing,
  type RefundScript,
  refund,
  refundNow,
  refused,
  unknown,
} from "../support/refunds.ts"
import { pass } from "../support/settle.ts"
import { chargeNow, eventTypesOf, openShop, timersOf } from "../support/shop.ts"
import { onStore } from "../support/store.ts"

const stuckMillis = 10_000
const rules = { payoutStuckMillis: stuckMillis, operatorApprovals: 1 }
/** By then a refund is asked about that is processing for longer than allowed. */
const stuckWithinMillis = 14_000

type Word = Effect.Success<ReturnType<NonNullable<RefundScript["query"]>>>

/** A refund of 400 of 1,000 centavos that is stuck; `says` changes what the bank answers from then on. */
const openStuck = (said: Word = processing, options: Omit<ProcessOptions, "acquirer"> = {}) =>
  Effect.gen(function* () {
    let word: Effect.Effect<Word, typeof away> = Effect.succeed(said)
    const opened = yield* openRefund({ query: () => Effect.suspend(() => word) }, {}, { rules, ...options })
    yield* pass(stuckWithinMillis)
    const exception = yield* onlyException
    return {
      ...opened,
      exceptionId: exception.id,
      says: (next: Word) => {
        word = Effect.succeed(next)
      },
      fallsSilent: () => {
        word = Effect.fail(away)
      },
    }
  })

const noTransfer = { endToEndId: undefined, refundId: undefined }

/**
 * A refund of a whole charge of 200.00 whose first sending is lost and each later one refused, and of which the bank never hears.
 * Once `isTaken`, the payer's bank has the whole Pix back.
 */
const openTaken = (isTaken: () => boolean) =>
  Effect.gen(function* () {
    const shop = yield* openShop()
    const med = { id: "m1", amount: 20_000, kind: "chargeback", status: "done" } as const
    const bank = makeRefundBank({
      send: (call) => Effect.fail(call === 0 ? away : refused),
      query: () => Effect.succeed(unknown),
      report: (endToEndId) => paidBy(endToEndId, 20_000, isTaken() ? [med] : []),
    })
    const process = yield* startProcess({ acquirer: bank.acquirer, rules })
    const transactionId = yield* paidCharge(process, shop.live, { amount: 20_000 })
    const { id } = yield* refund(process, shop.live, transactionId)
    return { bank, shop, process, transactionId, id }
  })

const ends = [
  ["settle", done, "succeeded", "refund_settled", 600],
  ["fail", unknown, "failed", "refund_returned", 1_000],
  ["fail", failed, "failed", "refund_returned", 1_000],
  ["settle", processing, "succeeded", "refund_settled", 600],
  ["fail", processing, "failed", "refund_returned", 1_000],
] as const

describe("a refund that is processing for too long", () => {
  it.effect("it becomes an exception once, only after it is processing for longer than allowed", () =>
    onStore(
      Effect.gen(function* () {
        const { id, transactionId, acquirerId } = yield* openRefund(
          {},
          {},
          { rules: { payoutStuckMillis: 14_000 } },
        )
        // It is asked about 2, 6, 14 and 30 s after it was sent.
        yield* pass(29_999)
        assert.deepStrictEqual(yield* exceptionsNow(), [])
        yield* pass(1)
        const { end_to_end_id } = yield* chargeNow(transactionId)
        assert.deepInclude(yield* onlyException, {
          ...{ kind: "refund_stuck", state: "open", amount: 400 },
          ...{ resource_type: "refund", resource_id: id },
          details: {
            ...{ status: "processing", processing_at: (yield* refundNow(id)).updated_at },
            ...{ transaction_id: transactionId, end_to_end_id, refund_id: acquirerId },
          },
        })
        yield* pass(10 * 60_000)
        assert.deepStrictEqual(yield* kindsNow, ["refund_stuck open"])
      }),
    ),
  )

  for (const [act, says, status, movement, available] of ends) {
    it.effect(`an operator's ${act} ends it as ${status} where the bank says ${says.status}`, () =>
      onStore(
        Effect.gen(function* () {
          const { process, shop, id, exceptionId, ...bank } = yield* openStuck()
          bank.says(says)
          const answer = yield* resolve(process, exceptionId, act)

          assert.strictEqual(answer.kind, "resolved")
          assert.deepInclude(yield* refundNow(id), {
            ...{ status, failure_reason: act === "fail" ? "to fail" : null },
            return_id: says === done ? done.returnId : null,
          })
          assert.strictEqual((yield* movementsOf(shop.live, id)).at(-1), movement)
          assert.deepInclude(yield* balanceNow(shop.live), { available, pendingRefund: 0 })
          assert.strictEqual((yield* eventTypesOf(shop.live, id)).at(-1), `refund.${status}`)
          assert.deepStrictEqual(yield* timersOf(id), [])
          assert.deepInclude(yield* onlyException, { state: "resolved", act, resolved_by: first })
        }),
      ),
    )
  }

  for (const [says, act] of [
    [done, "settle"],
    [failed, "fail"],
  ] as const) {
    it.effect(`the end that the bank tells of (${says.status}) resolves it in the same commit`, () =>
      onStore(
        Effect.gen(function* () {
          const { process, id, exceptionId, ...bank } = yield* openStuck()
          bank.says(says)
          yield* process.commands.reconcileRefund(id)

          assert.deepInclude(yield* onlyException, { state: "resolved", act, resolved_by: null })
          const late = yield* Effect.flip(resolve(process, exceptionId, act))
          assert.deepInclude(late, { code: "invalid_state", details: { state: "resolved" } })
        }),
      ),
    )
  }

  it.effect("one whose account changed ends by the one exception, and the other then by the same act", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, process: before, shop, id, exceptionId } = yield* openStuck()
        yield* before.kill
        const process = yield* startProcess({ acquirer: { ...bank.acquirer, account: "elsewhere:2" }, rules })
        yield* pass(60_000)
        const changed = (yield* exceptionsNow("open")).find(({ kind }) => kind === "partner_changed")
        yield* resolve(process, changed?.id ?? "", "fail")
        const refusal = yield* Effect.flip(resolve(process, exceptionId, "settle"))
        assert.deepInclude(refusal, { details: { reason: "resource_state", status: "failed" } })
        const moved = yield* movementsOf(shop.live, id)
        yield* resolve(process, exceptionId, "fail")

        assert.deepStrictEqual(yield* kindsNow, ["partner_changed resolved", "refund_stuck resolved"])
        assert.deepStrictEqual(yield* movementsOf(shop.live, id), moved)
      }),
    ),
  )

  it.effect("one of an account that is not configured is ended without its bank only", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, process: before, exceptionId } = yield* openStuck()
        yield* before.kill
        const process = yield* startProcess({ acquirer: { ...bank.acquirer, account: "elsewhere:2" }, rules })
        const refusal = yield* Effect.flip(resolve(process, exceptionId, "fail"))
        assert.deepInclude(refusal, { code: "service_unavailable" })
      }),
    ),
  )
})

describe("the bank is asked before a stuck refund is ended", () => {
  for (const [act, says, word] of [
    ["fail", done, "done"],
    ["settle", failed, "failed"],
    ["settle", unknown, "unknown"],
  ] as const) {
    for (const isWithoutBank of [false, true]) {
      const how = isWithoutBank ? "even without_bank" : ""
      it.effect(`${act} is refused where the bank says ${word}, ${how} and nothing moves`, () =>
        onStore(
          Effect.gen(function* () {
            const { process, shop, id, exceptionId, ...bank } = yield* openStuck()
            const before = yield* balanceNow(shop.live)
            bank.says(says)
            const refusal = yield* Effect.flip(resolve(process, exceptionId, act, { isWithoutBank }))
            assert.deepInclude(refusal, { code: "invalid_state", details: { bank_says: word } })
            assert.strictEqual((yield* refundNow(id)).status, "processing")
            assert.deepStrictEqual(yield* balanceNow(shop.live), before)
            assert.deepStrictEqual(yield* kindsNow, ["refund_stuck open"])
          }),
        ),
      )
    }
  }

  for (const act of ["settle", "fail"] as const) {
    it.effect(`${act} without an answer of the bank is 503, and without_bank needs two operators`, () =>
      onStore(
        Effect.gen(function* () {
          const { process, id, exceptionId, ...bank } = yield* openStuck()
          bank.fallsSilent()
          const asked = (operatorId: string, isWithoutBank: boolean, what: ExceptionAct = act) =>
            resolve(process, exceptionId, what, { operatorId, isWithoutBank })
          const refusal = yield* Effect.flip(asked(first, false))
          assert.deepInclude(refusal, { code: "service_unavailable" })
          assert.include(refusal.message, "without_bank")
          for (const operatorId of [first, first]) {
            assert.strictEqual((yield* asked(operatorId, true)).kind, "awaitingSecondOperator")
          }
          // What the second operator asks for must be the same, the word about the bank included.
          assert.deepInclude(yield* Effect.flip(asked(second, false)), { code: "service_unavailable" })
          assert.strictEqual((yield* asked(second, true)).kind, "resolved")

          assert.strictEqual((yield* refundNow(id)).status, act === "settle" ? "succeeded" : "failed")
          assert.deepInclude(yield* onlyException, { state: "resolved", resolved_by: `${first},${second}` })
        }),
      ),
    )
  }

  it.effect("a call without without_bank is another call than the one with it", () =>
    onStore(
      Effect.gen(function* () {
        const { process, exceptionId, ...bank } = yield* openStuck(processing, {
          rules: { ...rules, operatorApprovals: 2 },
        })
        bank.says(unknown)
        const asked = (operatorId: string, isWithoutBank: boolean) =>
          Effect.map(resolve(process, exceptionId, "fail", { operatorId, isWithoutBank }), ({ kind }) => kind)
        assert.strictEqual(yield* asked(first, true), "awaitingSecondOperator")
        assert.strictEqual(yield* asked(second, false), "awaitingSecondOperator")
        assert.strictEqual(yield* asked(first, true), "awaitingSecondOperator")
        assert.strictEqual(yield* asked(second, true), "resolved")
      }),
    ),
  )

  it.effect("without_bank is valid for acts that the bank is asked about only", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, process: before } = yield* openStuck()
        yield* before.kill
        const process = yield* startProcess({ acquirer: { ...bank.acquirer, account: "elsewhere:2" }, rules })
        yield* pass(60_000)
        const changed = (yield* exceptionsNow("open")).find(({ kind }) => kind === "partner_changed")
        for (const act of ["fail", "dismiss"] as const) {
          const refusal = yield* Effect.flip(
            resolve(process, changed?.id ?? "", act, { isWithoutBank: true }),
          )
          assert.deepInclude(refusal, { code: "validation_failed", param: "without_bank" })
        }
        assert.strictEqual(
          (yield* resolve(process, changed?.id ?? "", "fail", { isWithoutBank: false })).kind,
          "resolved",
        )
      }),
    ),
  )
})

describe("a refund that the bank refuses, and has never heard of, while the payer's bank takes the whole Pix", () => {
  it.effect("an operator ends it, and the seller stands at what the payer's bank left", () =>
    onStore(
      Effect.gen(function* () {
        let isTaken = false
        const { bank, process, shop, id, transactionId } = yield* openTaken(() => isTaken)
        yield* pass(2_000)
        isTaken = true
        yield* process.commands.reconcileCharge(transactionId, noTransfer)
        assert.deepInclude(yield* balanceNow(shop.live), { available: -20_000, pendingRefund: 20_000 })
        yield* pass(2 * 60 * 60_000)
        const exception = yield* onlyException
        assert.deepInclude(exception, { kind: "refund_stuck", state: "open", resource_id: id })
        const settled = yield* Effect.flip(resolve(process, exception.id, "settle"))
        assert.deepInclude(settled, { details: { bank_says: "unknown" } })
        yield* resolve(process, exception.id, "fail")
        const sentUntilThen = bank.sent.length
        yield* pass(2 * 60 * 60_000)

        assert.strictEqual((yield* refundNow(id)).status, "failed")
        assert.deepInclude(yield* balanceNow(shop.live), { available: 0, pendingRefund: 0 })
        assert.strictEqual(bank.sent.length, sentUntilThen)
      }),
    ),
  )

  it.effect("after the first hour it is sent again every ten minutes at most", () =>
    onStore(
      Effect.gen(function* () {
        const { bank } = yield* openTaken(() => false)
        yield* pass(60 * 60_000)
        const within = bank.sent.length
        assert.isAbove(within, 30)
        yield* pass(60 * 60_000)
        const later = bank.sent.slice(within).map(({ atMillis }) => atMillis)
        assert.isAtMost(later.length, 6)
        assert.isAtLeast(later.length, 5)
        later.slice(1).forEach((atMillis, nth) => {
          assert.isAtLeast(atMillis - (later[nth] ?? 0), 10 * 60_000)
        })
      }),
    ),
  )
})
