import { Effect } from "effect"
import { DestinationCheck } from "../../../actors/ports/destinationCheck.ts"
import { DocumentCipher } from "../../../actors/ports/documentCipher.ts"
import { Identifiers } from "../../../actors/ports/identifiers.ts"
import { TransactionStore } from "../../../actors/ports/transactionStore.ts"
import { isTaxDocument } from "../../../actors/seller/decisions/taxDocument.ts"
import { createTransaction } from "../../../actors/seller/operations/createTransaction.ts"
import { SellerActors } from "../../../actors/seller/sellerActor.ts"
import type { IdempotencyScope } from "../../../actors/values/idempotency.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import type { api } from "../../../schema/api/index.ts"
import { ApiError, resourceNotFound, validationFailed } from "../../../schema/errors.ts"
import { isId } from "../../../schema/ids.ts"
import { type CreateTransaction, stripDocument } from "../../../schema/resources/transaction.ts"
import { traceIdOfHeader } from "../../../schema/trace.ts"
import type { Handlers } from "../server/request.ts"
import { Cursors } from "./cursors.ts"
import { createReply, idempotencyScope } from "./idempotent.ts"
import { keyRevoked, orFail, pageOf, pageSize, windowOf } from "./page.ts"

export type TransactionHandlers = Pick<
  Handlers<typeof api, never>,
  "createTransaction" | "getTransaction" | "listTransactions"
>

/** Routes of charges. */
export const makeTransactionHandlers = Effect.gen(function* () {
  const sellers = yield* SellerActors
  const store = yield* TransactionStore
  const cipher = yield* DocumentCipher
  const identifiers = yield* Identifiers
  const cursors = yield* Cursors
  const destinations = yield* DestinationCheck

  /** Checks what the schema cannot. */
  const check = (body: CreateTransaction, principal: Principal): Effect.Effect<void, ApiError> => {
    if (principal.mode === "live" && !isTaxDocument(stripDocument(body.customer.document))) {
      return Effect.fail(
        validationFailed(
          "customer.document",
          "customer.document is not a valid CPF or CNPJ: its check digits are wrong.",
        ),
      )
    }
    if (!body.postback_url) return Effect.void
    return destinations
      .check(body.postback_url)
      .pipe(Effect.mapError(({ code, message }) => new ApiError({ code, message, param: "postback_url" })))
  }

  /** Replays the answer of an accepted body even if its destination no longer resolves. */
  const answerOrRefuse = (principal: Principal, idempotency: IdempotencyScope, refusal: ApiError) =>
    Effect.flatMap(store.peek(principal, idempotency), (answer) =>
      answer.kind === "none" ? Effect.fail(refusal) : Effect.succeed(answer),
    )

  const handlers: TransactionHandlers = {
    createTransaction: Effect.fnUntraced(function* (request) {
      const { principal, payload: body, requestId } = request
      const idempotency = idempotencyScope(identifiers, "transactions", request)
      const traceId = traceIdOfHeader(request.header("traceparent"))
      const answer = yield* check(body, principal).pipe(
        Effect.matchEffect({
          onSuccess: () =>
            sellers.ask(createTransaction, { principal, body, idempotency, requestId, traceId }),
          onFailure: (refusal) => answerOrRefuse(principal, idempotency, refusal),
        }),
      )
      return yield* createReply(answer, cipher.restore)
    }),

    getTransaction: Effect.fnUntraced(function* ({ params, principal }) {
      if (!isId("txn_", params.id)) return yield* resourceNotFound("transaction", params.id)
      const found = yield* store.get(principal, params.id)
      if (found === undefined) return yield* resourceNotFound("transaction", params.id)
      if ("kind" in found) return yield* keyRevoked()
      return { status: 200, body: cipher.restore(found.document) }
    }),

    listTransactions: Effect.fnUntraced(function* ({ query, principal }) {
      const { limit, cursor, ...filters } = query
      const scope = { list: "transactions", principal, filters }
      const beforeId = yield* orFail(cursors.decode(scope, cursor))
      const size = pageSize(limit)
      const page = { status: query.status, ...windowOf(query), beforeId, limit: size + 1 }
      const found = yield* store.list(principal, page)
      if ("kind" in found) return yield* keyRevoked()
      return pageOf(
        found,
        size,
        ({ document }) => cipher.restore(document),
        (last) => cursors.encode(scope, last.id),
      )
    }),
  }
  return handlers
})
