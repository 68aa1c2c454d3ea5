import { Effect } from "effect"
import { Acquirers } from "../../ports/acquirer.ts"
import { ExceptionRules } from "../../ports/exceptionRules.ts"
import { ExceptionStore } from "../../ports/exceptionStore.ts"
import { RefundStore } from "../../ports/refundStore.ts"
import { acquirerSlugOf } from "../decisions/acquirerAccount.ts"
import { processingMillisOf } from "../decisions/refundTransitions.ts"
import type { SellerTime } from "../decisions/sellerTime.ts"
import { isRefundStuck, stuckRefundException } from "../decisions/stuckRefunds.ts"
import type { RefundWithCharge } from "./applyRefund.ts"

/**
 * Makes the program that counts a live refund which the acquirer has not ended for as long as a payout may take, and records its
 * `refund_stuck` (docs/operations.md#stuck-refunds).
 */
export const makeNoteStuck = Effect.gen(function* () {
  const store = yield* RefundStore
  const exceptions = yield* ExceptionStore
  const acquirers = yield* Acquirers
  const { payoutStuckMillis } = yield* ExceptionRules

  return Effect.fnUntraced(function* ({ refund, transaction }: RefundWithCharge, time: SellerTime) {
    if (!isRefundStuck(refund, payoutStuckMillis, time.nowMillis)) return
    if ((yield* store.noteStuck(refund, processingMillisOf(refund))) === "ended") return
    const slug = acquirerSlugOf(refund, acquirers)
    const exception = stuckRefundException(refund, transaction, slug, time)
    const { kind, id } = yield* exceptions.open(exception)
    if (kind === "opened") yield* Effect.logError(`exception ${id}: ${exception.fact}`)
  })
})
