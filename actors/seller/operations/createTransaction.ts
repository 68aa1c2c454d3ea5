import { Effect } from "effect"
import { ApiError, renderError } from "../../../schema/errors.ts"
import { transactionEventType } from "../../../schema/events.ts"
import { partitionOfId, txidOf } from "../../../schema/ids.ts"
import { type CreateTransaction, stripDocument } from "../../../schema/resources/transaction.ts"
import { madeTraceId } from "../../../schema/trace.ts"
import {
  type AcquirerRefused,
  Acquirers,
  type AcquirerUnavailable,
  type ChargeAccepted,
} from "../../ports/acquirer.ts"
import { CustomerDigests } from "../../ports/customerDigests.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { PixCode } from "../../ports/pixCode.ts"
import { DocumentSealer } from "../../ports/secretOpener.ts"
import { TransactionStore } from "../../ports/transactionStore.ts"
import type { StoreUnavailable } from "../../values/storeUnavailable.ts"
import type { Timer } from "../../values/timer.ts"
import { creationId, tellSpan } from "../../values/traceSpan.ts"
import { type CreateAnswer, type CreateRequest, makeSaveError } from "../createAnswer.ts"
import { accountFor } from "../decisions/acquirerAccount.ts"
import { linkClosed } from "../decisions/paymentLinkDecisions.ts"
import { type SellerTime, timerAt } from "../decisions/sellerTime.ts"
import { expirySeconds, newTransaction } from "../decisions/transactionDocument.ts"
import { timerNames } from "../decisions/transactionTransitions.ts"
import { operation, operationProgram, orUnavailable } from "../operation.ts"
import { boundedCall } from "../programs/acquirerCalls.ts"
import type { SellerView } from "../sellerMemory.ts"

/** POST /v1/transactions (docs/contract/transactions.md#create). */
export interface CreateTransactionRequest extends CreateRequest<CreateTransaction> {
  /** The payment link that it is made through (docs/contract/payment-links.md#charges). */
  readonly paymentLinkId?: string | undefined
}

const refusalOf = (failed: AcquirerRefused | AcquirerUnavailable): ApiError<"acquirer_error"> => {
  const what =
    failed._tag === "AcquirerRefused"
      ? `The acquirer refused the charge: ${failed.reason}.`
      : "The acquirer did not create the charge in time."
  return new ApiError({
    code: "acquirer_error",
    message: `${what} To try again, send it with a new Idempotency-Key.`,
  })
}

const timersOf = (
  id: string,
  time: SellerTime,
  expiresInSeconds: number,
  accepted: ChargeAccepted,
): ReadonlyArray<Timer> => {
  const after = (name: string, millis: number) => timerAt(time, name, id, time.nowMillis + millis)
  const expire = after(timerNames.expire, expiresInSeconds * 1_000)
  if (accepted.askAfterMillis === undefined) return [expire]
  return [expire, after(timerNames.ask, accepted.askAfterMillis)]
}

/**
 * Makes the program: ask the acquirer, decide, commit in one step. A remote acquirer is asked only after the
 * Idempotency-Key was claimed, and under the id that a crashed execution has used before
 * (docs/contract/README.md#idempotency). A local one answers at once, so its charge takes a single round trip.
 */
const makeCreate = Effect.gen(function* () {
  const store = yield* TransactionStore
  const acquirers = yield* Acquirers
  const identifiers = yield* Identifiers
  const pixCode = yield* PixCode
  const sealer = yield* DocumentSealer
  const customers = yield* CustomerDigests
  const saveError = yield* makeSaveError

  const commit = Effect.fnUntraced(function* (
    { principal, body, idempotency, traceId, paymentLinkId, requestId }: CreateTransactionRequest,
    seller: Pick<SellerView, "settings" | "approvedName">,
    id: string,
    accepted: ChargeAccepted,
    time: SellerTime,
  ) {
    const transaction = newTransaction(body, {
      id,
      mode: principal.mode,
      txid: txidOf(id),
      payload: accepted.brCode ?? pixCode.encode(accepted.location, seller.approvedName),
      settings: seller.settings,
      traceId,
      paymentLinkId,
      nowMillis: time.nowMillis,
      seal: sealer.seal,
    })
    const document = JSON.stringify(transaction)
    const answer = yield* store.create({
      principal,
      idempotency,
      transaction: {
        id,
        sellerId: principal.sellerId,
        mode: principal.mode,
        status: "pending",
        version: 1,
        document,
        customer: customers.of(principal, stripDocument(body.customer.document)),
        ...accountFor(principal.mode, acquirers),
      },
      eventType: transactionEventType("pending"),
      timers: timersOf(id, time, expirySeconds(body), accepted),
      paymentLinkId,
    })
    if (answer.kind === "linkFull" || answer.kind === "linkInactive") {
      const closed = linkClosed(answer.kind === "linkFull" ? "full" : "inactive")
      return { kind: "answered", status: closed.status, body: renderError(closed, requestId) } as const
    }
    return answer.kind === "created" ? ({ kind: "answered", status: 201, body: document } as const) : answer
  })

  const refuse = Effect.fnUntraced(function* (
    request: CreateTransactionRequest,
    failed: AcquirerRefused | AcquirerUnavailable,
  ) {
    if (failed._tag === "AcquirerUnavailable") {
      yield* Effect.logWarning(`acquirer, ${failed.operation}: ${failed.reason}`)
    }
    return yield* saveError(request, refusalOf(failed))
  })

  return (
    request: CreateTransactionRequest,
    seller: Pick<SellerView, "settings" | "approvedName">,
    time: SellerTime,
  ): Effect.Effect<CreateAnswer, StoreUnavailable> =>
    Effect.gen(function* () {
      const { principal, body, idempotency } = request
      const acquirer = acquirers[principal.mode]
      const newId = identifiers.id("txn_", partitionOfId(principal.sellerId) ?? 0, time.nowMillis)
      let id = yield* creationId(newId)
      if (!acquirer.isLocal) {
        const claim = yield* store.claim(principal, idempotency, id)
        if (claim.kind !== "claimed") return claim
        id = claim.transactionId
        yield* tellSpan((span) => span.creates(claim.transactionId))
      }
      const created = acquirer.createCharge({
        txid: txidOf(id),
        amount: body.amount,
        expiresInSeconds: expirySeconds(body),
        customer: { name: body.customer.name, document: stripDocument(body.customer.document) },
      })
      const asked = acquirer.isLocal
        ? created
        : boundedCall("create charge", created, request.traceId ?? madeTraceId(id))
      return yield* asked.pipe(
        Effect.matchEffect({
          onSuccess: (accepted) => commit(request, seller, id, accepted, time),
          onFailure: (failed) => refuse(request, failed),
        }),
      )
    })
})

/** Creates a charge. Charges of a seller do not wait for each other (docs/decisions/0043-optimistic-decisions.md). */
export const createTransaction = operation(
  "createTransaction",
  Effect.gen(function* () {
    const acquirers = yield* Acquirers
    const create = yield* makeCreate
    return operationProgram({
      sellerOf: ({ principal }: CreateTransactionRequest) => principal.sellerId,
      lane: ({ principal }) =>
        acquirers[principal.mode].isLocal
          ? { name: "creating", whenFull: "wait" }
          : { name: "charging", whenFull: "refuse" },
      run: (request, seller) =>
        Effect.flatMap(seller.timeOf(request.principal.mode), (time) => create(request, seller, time)),
      call: (request: CreateTransactionRequest, { ask }) =>
        orUnavailable(ask(request), "Send it again with the same Idempotency-Key."),
    })
  }),
)
