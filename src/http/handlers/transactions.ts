import { Effect } from "effect"
import { ChargeRenderer } from "../../../actors/ports/chargeRenderer.ts"
import { CustomerStore } from "../../../actors/ports/customerStore.ts"
import { DestinationCheck } from "../../../actors/ports/destinationCheck.ts"
import { Identifiers } from "../../../actors/ports/identifiers.ts"
import { SecretOpener } from "../../../actors/ports/secretOpener.ts"
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
import { makeChargePages } from "./chargePages.ts"
import { Cursors } from "./cursors.ts"
import { createReply, idempotencyScope } from "./idempotent.ts"
import { keyRevoked, orFail, pageReply, pageSize } from "./page.ts"

export type TransactionHandlers = Pick<
  Handlers<typeof api, never>,
  "createTransaction" | "getTransaction" | "listTransactions" | "summarizeTransactions"
>

/** Routes of charges. */
export const makeTransactionHandlers = Effect.gen(function* () {
  const sellers = yield* SellerActors
  const store = yield* TransactionStore
  const charges = yield* ChargeRenderer
  const identifiers = yield* Identifiers
  const cursors = yield* Cursors
  const destinations = yield* DestinationCheck
  const pages = makeChargePages(store, yield* CustomerStore, yield* SecretOpener)

  /** Checks what the schema cannot. */
  const check = (
    body: CreateTransaction,
    principal: Principal,
  ): Effect.Effect<void, ApiError<"invalid_url" | "validation_failed">> => {
    if (principal.mode === "live" && !isTaxDocument(stripDocument(body.customer.document))) {
      return Effect.fail(
        validationFailed(
          "customer.document",
          "customer.document is not a valid CPF or CNPJ: its check digits are wrong.",
        ),
      )
    }
    const at = (param: string) =>
      Effect.mapError(({ code, message }: ApiError<"invalid_url">) => new ApiError({ code, message, param }))
    const { postback_url: postback, return_url: returning } = body
    return Effect.andThen(
      returning ? destinations.checkForm(returning).pipe(at("return_url")) : Effect.void,
      postback ? destinations.check(postback).pipe(at("postback_url")) : Effect.void,
    )
  }

  /** Replays the answer of an accepted body even if its destination no longer resolves. */
  const answerOrRefuse = <E extends ApiError>(
    principal: Principal,
    idempotency: IdempotencyScope,
    refusal: E,
  ) =>
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
      return yield* createReply(answer, charges.render)
    }),

    getTransaction: Effect.fnUntraced(function* ({ params, principal }) {
      if (!isId("txn_", params.id)) return yield* resourceNotFound("transaction", params.id)
      const found = yield* store.get(principal, params.id)
      if (found === undefined) return yield* resourceNotFound("transaction", params.id)
      if ("kind" in found) return yield* keyRevoked()
      return { status: 200, body: charges.render(found.document) }
    }),

    listTransactions: Effect.fnUntraced(function* ({ query, principal }) {
      const { limit, cursor, view, ...filters } = query
      const render = view === "summary" ? charges.renderSummary : charges.render
      const scope = { list: "transactions", principal, filters }
      const beforeId = yield* orFail(cursors.decode(scope, cursor))
      const { found, next } = yield* pages.page(principal, filters, beforeId, pageSize(limit))
      return pageReply(
        found.map(({ document }) => render(document)),
        next === undefined ? undefined : cursors.encode(scope, next),
      )
    }),

    summarizeTransactions: Effect.fnUntraced(function* ({ query, principal }) {
      return { status: 200, body: JSON.stringify(yield* pages.totals(principal, query)) }
    }),
  }
  return handlers
})
