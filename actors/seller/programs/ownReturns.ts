import { Effect } from "effect"
import { refundIdOfAcquirer } from "../../../schema/ids.ts"
import type { ChargeReport, RefundReport } from "../../ports/acquirer.ts"
import { RefundStore } from "../../ports/refundStore.ts"
import type { StoredTransaction } from "../../ports/transactionStore.ts"
import type { StoreUnavailable } from "../../values/storeUnavailable.ts"
import { returnsOf } from "../decisions/chargeReport.ts"
import { decideRefundReport } from "../decisions/refundTransitions.ts"
import type { SellerTime } from "../decisions/sellerTime.ts"
import { makeApplyRefund } from "./applyRefund.ts"

/** The returns in a charge's report that are refunds of ours. */
export interface OwnReturns {
  /** The acquirer's ids of our refunds that hold money, or held it: never booked as begun at the acquirer. */
  readonly returns: ReadonlySet<string>
  /** Whether one was ended just now, which changed the charge. */
  readonly isAnySettled: boolean
}

/** Says that the acquirer has ended a refund which we have not sent, as far as we know. */
export const warnOfUnsent = (refundId: string): Effect.Effect<void> =>
  Effect.logError(
    `refund ${refundId} is pending here, but the acquirer has ended it: was a backup restored? So it ends here`,
  )

/**
 * Makes the program that ends the refunds of ours that a charge's report tells of. One that we had ended as failed and that was made
 * all the same held nothing any more: its money left as if it had begun at the acquirer, and is booked so.
 */
export const makeSettleOwnReturns = Effect.gen(function* () {
  const refunds = yield* RefundStore
  const apply = yield* makeApplyRefund

  /** `none`: not ours. */
  const settleOne = Effect.fnUntraced(function* (
    stored: StoredTransaction,
    report: RefundReport,
    time: SellerTime,
  ) {
    const id = refundIdOfAcquirer(report.id)
    const refund = id === undefined ? undefined : yield* refunds.load(id)
    if (refund?.transactionId !== stored.id) return "none"
    if (refund.status === "failed" && report.status === "done") {
      yield* Effect.logError(`refund ${refund.id} has failed here, but the acquirer says that it is done`)
      return "none"
    }
    if (refund.status === "succeeded" || refund.status === "failed") return "known"
    if (refund.status === "pending" && report.status !== "processing") yield* warnOfUnsent(refund.id)
    const now = yield* apply({ refund, transaction: stored }, (found) =>
      decideRefundReport(found.refund, found.transaction, report, time),
    )
    return now?.isApplied === true ? "settled" : "known"
  })

  return (
    stored: StoredTransaction,
    report: ChargeReport,
    time: SellerTime,
  ): Effect.Effect<OwnReturns, StoreUnavailable> =>
    Effect.gen(function* () {
      const returns = new Set<string>()
      let isAnySettled = false
      for (const one of returnsOf(stored, report)) {
        const outcome = yield* settleOne(stored, one, time)
        if (outcome !== "none") returns.add(one.id)
        isAnySettled ||= outcome === "settled"
      }
      return { returns, isAnySettled }
    })
})
