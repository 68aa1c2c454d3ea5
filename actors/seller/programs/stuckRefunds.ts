import { Effect } from "effect"
import { ExceptionRules } from "../../ports/exceptionRules.ts"
import { RefundStore, type StoredRefund } from "../../ports/refundStore.ts"

/**
 * Makes the program that notes a live refund which the acquirer has not ended for as long as a payout may take
 * (docs/operations.md#stuck-refunds). It is no exception: there is no act that could end it.
 */
export const makeNoteStuck = Effect.gen(function* () {
  const store = yield* RefundStore
  const { payoutStuckMillis } = yield* ExceptionRules

  return Effect.fnUntraced(function* (refund: StoredRefund, sinceMillis: number, nowMillis: number) {
    if (refund.mode !== "live" || nowMillis - sinceMillis <= payoutStuckMillis) return
    if ((yield* store.noteStuck(refund, sinceMillis)) !== "noted") return
    yield* Effect.logWarning(
      `refund ${refund.id} of ${refund.transactionId} is processing since ${new Date(sinceMillis).toISOString()}: ask the acquirer about it`,
    )
  })
})
