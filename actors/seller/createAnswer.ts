import { Effect } from "effect"
import { type ApiError, renderError } from "../../schema/errors.ts"
import { TransactionStore } from "../ports/transactionStore.ts"
import type { IdempotencyAnswer, IdempotencyScope } from "../values/idempotency.ts"
import type { AccessRefusal, Principal } from "../values/principal.ts"
import type { SellerAct } from "../values/sellerAct.ts"

/** A request to create a charge or a withdrawal. */
export interface CreateRequest<Body> {
  readonly principal: Principal
  readonly body: Body
  readonly idempotency: IdempotencyScope
  /** Goes into the envelope of an error that is saved (docs/contract/README.md#idempotency). */
  readonly requestId: string
  /** The trace that the caller has begun; undefined: the resource begins one. */
  readonly traceId?: string | undefined
  /** What it is in the seller's audit log; undefined: nothing. */
  readonly act?: SellerAct | undefined
}

/** The answer to a request to create something. */
export type CreateAnswer =
  /** A fresh answer: 201 with the resource's JSON text (document sealed), or an error, now saved under the key. */
  | { readonly kind: "answered"; readonly status: number; readonly body: string }
  | IdempotencyAnswer
  | AccessRefusal

/** Makes the program that saves an error under the request's Idempotency-Key and answers it. */
export const makeSaveError = Effect.map(TransactionStore, (store) =>
  Effect.fnUntraced(function* (
    { principal, idempotency, requestId }: CreateRequest<unknown>,
    error: ApiError,
  ) {
    const body = renderError(error, requestId)
    const answer = yield* store.saveAnswer(principal, idempotency, error.status, body)
    return answer.kind === "saved" ? ({ kind: "answered", status: error.status, body } as const) : answer
  }),
)
