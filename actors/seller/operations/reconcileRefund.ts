import { Effect } from "effect"
import { RefundStore, type StoredRefund } from "../../ports/refundStore.ts"
import { operation, operationProgram } from "../operation.ts"
import { orTriedAgain } from "../programs/orTriedAgain.ts"
import { makeRefund } from "../programs/refund.ts"

/** A notice about a refund of ours; it need not exist. */
export interface ReconcileRefundRequest {
  readonly refundId: string
}

interface Message {
  readonly refund: StoredRefund
}

/** Asks the acquirer about a refund because of a notice, and commits what the acquirer says. */
export const reconcileRefund = operation(
  "reconcileRefund",
  Effect.gen(function* () {
    const store = yield* RefundStore
    const worker = yield* makeRefund
    return operationProgram({
      sellerOf: ({ refund }: Message) => refund.sellerId,
      about: ({ refund }) => refund,
      lane: () => ({ name: "refunding", whenFull: "refuse" }),
      run: ({ refund: { id, mode } }, seller) =>
        Effect.flatMap(seller.freshTimeOf(mode), (time) => worker.reconcile(id, time)),
      call: ({ refundId }: ReconcileRefundRequest, { ask }) =>
        orTriedAgain(
          Effect.flatMap(store.load(refundId), (refund) =>
            refund === undefined ? Effect.succeed({ kind: "missing" } as const) : ask({ refund }),
          ),
        ),
    })
  }),
)
