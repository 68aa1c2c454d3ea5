import { Clock, Effect } from "effect"
import { Identifiers } from "../../../actors/ports/identifiers.ts"
import { RefundStore } from "../../../actors/ports/refundStore.ts"
import { SellerClock } from "../../../actors/ports/sellerClock.ts"
import { TransactionStore } from "../../../actors/ports/transactionStore.ts"
import { decideRefund } from "../../../actors/seller/decisions/refundDecisions.ts"
import { createRefund } from "../../../actors/seller/operations/createRefund.ts"
import { SellerActors } from "../../../actors/seller/sellerActor.ts"
import { sessionPrincipal } from "../../../actors/values/principal.ts"
import type { operatorRefundsGroup } from "../../../schema/api/refunds.ts"
import { ApiError, resourceNotFound } from "../../../schema/errors.ts"
import { isId } from "../../../schema/ids.ts"
import { traceIdOfHeader } from "../../../schema/trace.ts"
import { OperatorLog } from "../../accounts/operatorLog.ts"
import { awaitingSecondOperator, makeSecondOperator } from "../../accounts/secondOperator.ts"
import type { GroupHandlers } from "../server/request.ts"
import { createReply, idempotencyScope } from "./idempotent.ts"
import { withoutKey } from "./page.ts"

/** The name of the act in the operators' log. */
const refundRequested = "transaction.refund_requested"

/** Routes of refunds, for operators. */
export const makeOperatorRefundHandlers = Effect.gen(function* () {
  const transactions = yield* TransactionStore
  const refunds = yield* RefundStore
  const actors = yield* SellerActors
  const operatorLog = yield* OperatorLog
  const identifiers = yield* Identifiers
  const clock = yield* SellerClock
  const isAgreed = yield* makeSecondOperator

  const handlers: GroupHandlers<typeof operatorRefundsGroup> = {
    createRefundAsOperator: Effect.fnUntraced(function* (request) {
      const { params, session, payload: body, requestId } = request
      const { id } = params
      const charge = isId("txn_", id) ? yield* transactions.load(id) : undefined
      if (charge === undefined) return yield* resourceNotFound("transaction", id)
      const principal = sessionPrincipal(charge.sellerId, charge.mode, session.userId)
      // A route of its own: an operator's keys are not the seller's.
      const idempotency = idempotencyScope(identifiers, "operatorRefunds", request)
      // Logged before the change, and not at all where no refund is possible or this request was answered before
      // (`docs/contract/admin.md#audit-log`).
      const found = yield* refunds.readPreconditions(principal, idempotency, id)
      // The charge was paid by the seller's clock, so its age is judged by it.
      const offsetMillis = charge.mode === "test" ? yield* clock.offsetMillis(charge.sellerId) : 0
      const nowMillis = (yield* Clock.currentTimeMillis) + offsetMillis
      if (found.kind === "open" && !(decideRefund(body, found, nowMillis) instanceof ApiError)) {
        const about = { resourceType: "transaction", resourceId: id, details: body }
        const agreed = yield* isAgreed({
          ...about,
          mode: charge.mode,
          operatorId: session.userId,
          askedAs: "transaction.refund_asked",
          doneAs: refundRequested,
          isSame: ({ amount }) => (amount ?? null) === (body.amount ?? null),
        })
        // Nothing is saved under its Idempotency-Key: the call may come again.
        if (!agreed) return awaitingSecondOperator
        const { sellerId } = charge
        yield* operatorLog.append({ ...about, operatorId: session.userId, action: refundRequested, sellerId })
      }
      const asked = {
        principal,
        transactionId: id,
        origin: "operator",
        body,
        idempotency,
        requestId,
        traceId: traceIdOfHeader(request.header("traceparent")),
      } as const
      return yield* withoutKey(createReply(yield* actors.ask(createRefund, asked)))
    }),
  }
  return handlers
})
