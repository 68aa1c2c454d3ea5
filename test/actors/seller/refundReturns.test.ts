import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ChargeReport, RefundReport } from "../../../actors/ports/acquirer.ts"
import { acquirerRefundIdOf } from "../../../schema/ids.ts"
import { paidBy } from "../support/acquirer.ts"
import { startProcess } from "../support/process.ts"
import { balanceNow, movementsOf } from "../support/purse.ts"
import {
  done,
  failed,
  makeRefundBank,
  openRefund,
  paidCharge,
  refund,
  refundNow,
  refundsOf,
  refused,
} from "../support/refunds.ts"
import { pass } from "../support/settle.ts"
import { chargeNow, openShop } from "../support/shop.ts"
import { onStore } from "../support/store.ts"

const balanceOf = (available: number) => ({ available, reserve: 0, pendingWithdraw: 0, pendingRefund: 0 })
const statusNow = (id: string) => Effect.map(refundNow(id), ({ status }) => status)
const isBack = balanceOf(1_000)
const isGone = balanceOf(600)

describe("a refund of ours in a charge's report", () => {
  /** A report of the charge's transfer with these returns. */
  const reporting =
    (...returns: ReadonlyArray<Partial<RefundReport>>) =>
    (endToEndId: string): ChargeReport =>
      paidBy(
        endToEndId,
        1_000,
        returns.map((one) => ({ id: "r", amount: 400, kind: "refund", status: "done", ...one })),
      )

  it.effect("a return in a charge's report that is a refund of ours ends it, and is booked once", () =>
    onStore(
      Effect.gen(function* () {
        const returns: Array<Partial<RefundReport>> = []
        const { shop, process, transactionId, id, acquirerId } = yield* openRefund({
          report: (endToEndId) => reporting(...returns)(endToEndId),
          query: () => Effect.succeed(done),
        })
        const endToEndId = (yield* chargeNow(transactionId)).end_to_end_id ?? undefined
        const notice = process.commands.reconcileCharge(transactionId, { endToEndId, refundId: acquirerId })
        assert.deepInclude(yield* notice, { kind: "pending" })
        returns.push({ id: acquirerId, returnId: "D1" }, { id: "of the bank", amount: 100 })

        assert.deepStrictEqual(yield* notice, { kind: "settled", note: undefined })
        assert.deepStrictEqual(yield* notice, { kind: "settled", note: undefined })
        yield* pass(10 * 60_000)
        assert.deepInclude(yield* refundNow(id), { status: "succeeded", return_id: "D1" })
        assert.deepInclude(yield* chargeNow(transactionId), { status: "paid", refunded_amount: 500 })
        assert.deepStrictEqual(yield* movementsOf(shop.live, id), ["refund_held", "refund_settled"])
        const all = yield* refundsOf(shop.live, transactionId)
        assert.deepStrictEqual(
          all.map(({ origin, amount }) => [origin, amount]),
          [
            ["seller", 400],
            ["partner", 100],
          ],
        )
        assert.deepStrictEqual(yield* balanceNow(shop.live), balanceOf(500))
      }),
    ),
  )

  it.effect("a failed return in a charge's report fails our refund", () =>
    onStore(
      Effect.gen(function* () {
        let acquirerId = ""
        const opened = yield* openRefund({
          report: (endToEndId) => reporting({ ...failed, id: acquirerId })(endToEndId),
        })
        acquirerId = opened.acquirerId
        const endToEndId = (yield* chargeNow(opened.transactionId)).end_to_end_id ?? undefined
        yield* opened.process.commands.reconcileCharge(opened.transactionId, {
          ...{ endToEndId, refundId: undefined },
        })

        assert.deepInclude(yield* refundNow(opened.id), { status: "failed", failure_code: "AM09" })
        assert.deepStrictEqual(yield* balanceNow(opened.shop.live), isBack)
      }),
    ),
  )

  it.effect("a refund that failed here and was made all the same is booked as begun at the acquirer", () =>
    onStore(
      Effect.gen(function* () {
        let acquirerId = ""
        const opened = yield* openRefund({
          send: () => Effect.fail(refused),
          report: (endToEndId) => reporting({ id: acquirerId })(endToEndId),
        })
        acquirerId = opened.acquirerId
        const { shop, process, transactionId, id } = opened
        assert.strictEqual(yield* statusNow(id), "failed")
        const endToEndId = (yield* chargeNow(transactionId)).end_to_end_id ?? undefined
        const notice = process.commands.reconcileCharge(transactionId, { endToEndId, refundId: acquirerId })

        assert.deepStrictEqual(yield* notice, { kind: "settled", note: undefined })
        assert.deepStrictEqual(yield* notice, { kind: "settled", note: undefined })
        assert.deepInclude(yield* chargeNow(transactionId), { refunded_amount: 400 })
        assert.deepStrictEqual(yield* balanceNow(shop.live), isGone)
        const origins = (yield* refundsOf(shop.live, transactionId)).map(({ origin }) => origin)
        assert.deepStrictEqual(origins, ["seller", "partner"])
      }),
    ),
  )

  it.effect("what the acquirer says went back is booked whole, beyond the charge and after its end too", () =>
    onStore(
      Effect.gen(function* () {
        const returns: Array<Partial<RefundReport>> = []
        const bank = makeRefundBank({ report: (endToEndId) => reporting(...returns)(endToEndId) })
        const shop = yield* openShop()
        const process = yield* startProcess({ acquirer: bank.acquirer })
        const id = yield* paidCharge(process, shop.live)
        const endToEndId = (yield* chargeNow(id)).end_to_end_id ?? undefined
        const hear = (refundId: string, amount: number, kind: RefundReport["kind"] = "refund") => {
          returns.push({ id: refundId, amount, kind })
          return process.commands.reconcileCharge(id, { endToEndId, refundId })
        }
        const settled = { kind: "settled", note: undefined } as const

        assert.deepStrictEqual(yield* hear("d1", 400), settled)
        assert.deepStrictEqual(yield* hear("d2", 700), settled)
        assert.deepInclude(yield* chargeNow(id), { status: "refunded", refunded_amount: 1_100 })
        // It has ended, and what comes then neither ends it again nor is dropped.
        assert.deepStrictEqual(yield* hear("d3", 1_000, "chargeback"), settled)
        assert.deepStrictEqual(yield* hear("d3", 1_000, "chargeback"), settled)
        assert.deepInclude(yield* chargeNow(id), { status: "refunded", refunded_amount: 2_100 })
        assert.deepStrictEqual(yield* balanceNow(shop.live), balanceOf(-1_100))
        assert.deepStrictEqual(yield* movementsOf(shop.live, id), [
          ...["charge_paid", "charge_partially_refunded", "charge_refunded", "charge_partial_chargeback"],
        ])
      }),
    ),
  )

  it.effect("a return with an id of our form that is no refund of the charge began at the acquirer", () =>
    onStore(
      Effect.gen(function* () {
        let acquirerId = ""
        const bank = makeRefundBank({ report: (endToEndId) => reporting({ id: acquirerId })(endToEndId) })
        const shop = yield* openShop()
        const process = yield* startProcess({ acquirer: bank.acquirer })
        const [one, other] = [yield* paidCharge(process, shop.live), yield* paidCharge(process, shop.live)]
        acquirerId = acquirerRefundIdOf((yield* refund(process, shop.live, other)).id)
        const endToEndId = (yield* chargeNow(one)).end_to_end_id ?? undefined
        yield* process.commands.reconcileCharge(one, { endToEndId, refundId: acquirerId })

        assert.deepInclude(yield* chargeNow(one), { refunded_amount: 400 })
        assert.deepInclude(yield* chargeNow(other), { refunded_amount: 0 })
      }),
    ),
  )
})
