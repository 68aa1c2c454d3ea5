import { Effect } from "effect"
import { resourceNotFound } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import { RefundStore, type StoredRefund } from "../../ports/refundStore.ts"
import { changedByOthers } from "../../runtime/decideAndCommit.ts"
import {
  decideRefundAct,
  decideRefundProcessing,
  type RefundAct,
  refundActNotAllowed,
} from "../decisions/refundTransitions.ts"
import type { SellerTime } from "../decisions/sellerTime.ts"
import { operation, operationProgram, orUnavailable } from "../operation.ts"
import { makeApplyRefund, makeWithCharge } from "../programs/applyRefund.ts"

/** A route of the test control plane about a refund. Whether the caller may is the caller's to check. */
export interface SimulateRefundRequest {
  readonly refundId: string
  readonly act: RefundAct
}

interface Message {
  readonly refund: StoredRefund
  readonly act: RefundAct
}

const makeSimulate = Effect.gen(function* () {
  const apply = yield* makeApplyRefund
  const withCharge = yield* makeWithCharge

  return Effect.fnUntraced(function* ({ refund, act }: Message, time: SellerTime) {
    const known = yield* withCharge(refund)
    if (known === undefined) return yield* resourceNotFound("refund", refund.id)
    // The simulated bank may be quicker than the refund worker; a refund the bank decides on is with the bank.
    const pollMillis = time.nowMillis + limits.payoutPollMillisMax
    const handed = yield* apply(known, (found) => decideRefundProcessing(found.refund, pollMillis, time))
    if (handed === undefined) return yield* resourceNotFound("refund", refund.id)
    if (handed.isContended) return yield* changedByOthers("refund")
    const now = yield* apply({ ...known, refund: handed.refund }, (found) =>
      decideRefundAct(found.refund, found.transaction, act, time),
    )
    if (now === undefined) return yield* resourceNotFound("refund", refund.id)
    if (now.isContended) return yield* changedByOthers("refund")
    return now.isApplied ? now.refund : yield* refundActNotAllowed(now.refund, act)
  })
})

/**
 * Ends a refund as the test control plane asks, and answers it as it is then: 409 `invalid_state` where it has ended or its charge
 * has nothing left to give back, 404 where there is no such refund.
 */
export const simulateRefund = operation(
  "simulateRefund",
  Effect.gen(function* () {
    const store = yield* RefundStore
    const simulate = yield* makeSimulate
    return operationProgram({
      sellerOf: ({ refund }: Message) => refund.sellerId,
      about: ({ refund }) => refund,
      lane: () => undefined,
      run: (message, seller) =>
        Effect.flatMap(seller.freshTimeOf(message.refund.mode), (time) => simulate(message, time)),
      call: ({ refundId, act }: SimulateRefundRequest, { ask }) =>
        Effect.flatMap(store.load(refundId), (refund) =>
          refund === undefined
            ? Effect.fail(resourceNotFound("refund", refundId))
            : orUnavailable(ask({ refund, act })),
        ),
    })
  }),
)
