import { Context, Effect, Layer } from "effect"
import { ExceptionRules } from "../../../actors/ports/exceptionRules.ts"
import { ExceptionStore } from "../../../actors/ports/exceptionStore.ts"
import {
  decideAgreement,
  type ResolveRequest,
  resolveRefusal,
} from "../../../actors/seller/decisions/exceptionActs.ts"
import { readException } from "../../../actors/seller/decisions/exceptionDocument.ts"
import {
  type ResolveExceptionRequest,
  resolveException,
} from "../../../actors/seller/operations/resolveException.ts"
import { SellerActors } from "../../../actors/seller/sellerActor.ts"
import { resourceNotFound } from "../../../schema/errors.ts"
import { isId } from "../../../schema/ids.ts"
import { OperatorLog } from "../operatorLog.ts"

/** Names of acts in the operators' log. */
const actions = {
  credit: "exception.credited",
  refund: "exception.refunded",
  debit: "exception.debited",
  return: "exception.returned",
  settle: "exception.settled",
  fail: "exception.failed",
  dismiss: "exception.dismissed",
} as const

const detailsOf = ({ act, reason, sellerId, isWithoutBank }: ResolveRequest) => ({
  act,
  reason,
  ...(sellerId === undefined ? {} : { seller_id: sellerId }),
  ...(isWithoutBank === true ? { without_bank: true } : {}),
})

const makeResolveExceptions = Effect.gen(function* () {
  const exceptions = yield* ExceptionStore
  const sellers = yield* SellerActors
  const operatorLog = yield* OperatorLog
  const { operatorApprovals } = yield* ExceptionRules

  /**
   * Resolves an exception as an operator asks; the act is logged before it is made, and not at all where it is refused at once
   * (`docs/contract/admin.md#audit-log`). 404 where there is none, 409 `invalid_state` where its kind lacks the
   * act, it is resolved, an act is under way or the bank contradicts it, 503 `service_unavailable` where the bank is asked first and does
   * not answer, 400 `validation_failed` for `reason`, `seller_id` and `without_bank`.
   */
  const resolve = Effect.fnUntraced(function* (request: ResolveExceptionRequest) {
    const { exceptionId, operatorId } = request
    const stored = isId("exc_", exceptionId) ? yield* exceptions.load(exceptionId) : undefined
    if (stored === undefined) return yield* resourceNotFound("exception", exceptionId)
    const refused = resolveRefusal(stored, request)
    if (refused !== undefined) return yield* refused
    const isAlone = decideAgreement(stored, request, operatorApprovals).kind === "awaiting"
    yield* operatorLog.append({
      operatorId,
      action: isAlone ? "exception.approval_asked" : actions[request.act],
      details: detailsOf(request),
      resourceType: "exception",
      resourceId: exceptionId,
      sellerId: isAlone ? undefined : (request.sellerId ?? stored.sellerId),
    })
    const { kind, exception } = yield* sellers.ask(resolveException, request)
    return { kind, exception: readException(exception) }
  })
  return { resolve }
})

/** What operators do about exceptions (`docs/contract/exceptions.md#resolve`). */
export class ResolveExceptions extends Context.Service<
  ResolveExceptions,
  Effect.Success<typeof makeResolveExceptions>
>()("corrente/accounts/ResolveExceptions") {}

export const ResolveExceptionsLive = Layer.effect(ResolveExceptions, makeResolveExceptions)
