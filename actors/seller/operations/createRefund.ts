import { createHash } from "node:crypto"
import { Effect } from "effect"
import { ApiError, resourceNotFound } from "../../../schema/errors.ts"
import { partitionOfId } from "../../../schema/ids.ts"
import type { CreateRefund } from "../../../schema/resources/refund.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { RefundStore } from "../../ports/refundStore.ts"
import { TransactionStore } from "../../ports/transactionStore.ts"
import { changedByOthers, decideAndCommit, stale } from "../../runtime/decideAndCommit.ts"
import type { IdempotencyScope } from "../../values/idempotency.ts"
import { asAct } from "../../values/sellerAct.ts"
import type { StoreUnavailable } from "../../values/storeUnavailable.ts"
import { creationId } from "../../values/traceSpan.ts"
import { type CreateAnswer, type CreateRequest, makeSaveError } from "../createAnswer.ts"
import { decideRefund, refundCreation } from "../decisions/refundDecisions.ts"
import type { SellerTime } from "../decisions/sellerTime.ts"
import { operation, operationProgram, orUnavailable } from "../operation.ts"

/** POST /v1/transactions/{id}/refunds, for a seller or an operator (docs/contract/refunds.md#create). */
export interface CreateRefundRequest extends CreateRequest<CreateRefund> {
  /** The charge; need not exist. */
  readonly transactionId: string
  readonly origin: "seller" | "operator"
}

/** The path is part of the request: the same body under the same key is another request for another charge. */
const scopeOf = ({ idempotency, transactionId }: CreateRefundRequest): IdempotencyScope => ({
  ...idempotency,
  fingerprint: createHash("sha256").update(`${transactionId}:${idempotency.fingerprint}`).digest("base64url"),
})

/** Makes the program: read the preconditions, decide, and commit where they still hold. */
const makeCreate = Effect.gen(function* () {
  const store = yield* RefundStore
  const transactions = yield* TransactionStore
  const identifiers = yield* Identifiers
  const saveError = yield* makeSaveError

  return Effect.fnUntraced(function* (
    request: CreateRefundRequest,
    time: SellerTime,
  ): Effect.fn.Return<
    CreateAnswer,
    | ApiError<"permission_denied" | "resource_not_found" | "service_unavailable" | "validation_failed">
    | StoreUnavailable
  > {
    const { principal, body, transactionId, idempotency } = request
    const newId = identifiers.id("rfd_", partitionOfId(principal.sellerId) ?? 0, time.nowMillis)
    const id = yield* creationId(newId)
    return yield* decideAndCommit({
      read: store.readPreconditions(principal, idempotency, transactionId),
      attempt: Effect.fnUntraced(function* (found) {
        if (found.kind === "missing") return yield* resourceNotFound("transaction", transactionId)
        if (found.kind !== "open") return found
        const decision = decideRefund(body, found, time.nowMillis, principal.refundMax)
        if (decision instanceof ApiError) {
          if (decision.code !== "validation_failed" && decision.code !== "permission_denied") {
            return yield* saveError(request, decision)
          }
          // A 400 is the request's own fault, a 403 that of whoever makes it: mended, it may come again under its key. Unless the first request under it has
          // taken what is missing now, since the key was read.
          const held = yield* transactions.peek(principal, idempotency)
          return held.kind === "none" ? yield* decision : held
        }
        const commit = refundCreation(id, request, found, decision, time)
        const answer = yield* store.create(commit)
        if (answer.kind === "created") {
          return { kind: "answered", status: 201, body: commit.refund.document } as const
        }
        return answer.kind === "stale" ? stale : answer
      }),
      giveUp: () => changedByOthers("charge"),
    })
  })
})

/** Requests a refund of a charge: 404 where the principal has no such charge, 400 where the amount is above what is left, 403 where it is above what the principal may refund. */
export const createRefund = operation(
  "createRefund",
  Effect.gen(function* () {
    const create = yield* makeCreate
    return operationProgram({
      sellerOf: ({ principal }: CreateRefundRequest) => principal.sellerId,
      lane: () => undefined,
      run: (request, seller) =>
        Effect.flatMap(seller.freshTimeOf(request.principal.mode), (time) =>
          asAct(request.act, create(request, time)),
        ),
      call: (request: CreateRefundRequest, { ask }) =>
        orUnavailable(
          ask({ ...request, idempotency: scopeOf(request) }),
          "Send it again with the same Idempotency-Key.",
        ),
    })
  }),
)
