import { Effect } from "effect"
import { ApiError, renderError } from "../../../schema/errors.ts"
import { transactionEventType } from "../../../schema/events.ts"
import { partitionOfId, txidOf } from "../../../schema/ids.ts"
import { stripDocument } from "../../../schema/resources/transaction.ts"
import {
  type AcquirerRefused,
  Acquirers,
  type AcquirerUnavailable,
  type ChargeAccepted,
} from "../../ports/acquirer.ts"
import { DocumentSealer } from "../../ports/documentSealer.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { PixCode } from "../../ports/pixCode.ts"
import type { SellerSettings } from "../../ports/sellerStore.ts"
import type { StoreUnavailable } from "../../ports/store.ts"
import type { Timer } from "../../ports/timer.ts"
import { TransactionStore } from "../../ports/transactionStore.ts"
import { accountFor } from "../decisions/partnerAccount.ts"
import { type SellerTime, timerAt } from "../decisions/sellerTime.ts"
import { expirySeconds, newTransaction } from "../decisions/transactionDocument.ts"
import { timerNames } from "../decisions/transactionTransitions.ts"
import { boundedCall } from "../programs/boundedCall.ts"
import type { CreateAnswer, CreateTransactionMessage } from "../sellerMessages.ts"

/**
 * Makes the program that creates charges: ask the acquirer, decide, commit in one step.
 * A remote acquirer is asked only after the Idempotency-Key was claimed, and under an id that a crashed execution
 * would have used too (decisions 1); a local one answers at once, so its charge and commit are one round trip.
 */
export const makeCreateTransaction = Effect.gen(function* () {
  const store = yield* TransactionStore
  const acquirers = yield* Acquirers
  const identifiers = yield* Identifiers
  const pixCode = yield* PixCode
  const sealer = yield* DocumentSealer

  const commit = Effect.fnUntraced(function* (
    message: CreateTransactionMessage,
    settings: SellerSettings,
    id: string,
    accepted: ChargeAccepted,
    time: SellerTime,
  ) {
    const { principal, body, idempotency } = message
    const transaction = newTransaction(body, {
      id,
      mode: principal.mode,
      txid: txidOf(id),
      ...pixCode.encode(accepted.location),
      settings,
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
        ...accountFor(principal.mode, acquirers),
      },
      eventType: transactionEventType("pending"),
      timers: timersOf(id, time, expirySeconds(body), accepted),
    })
    return answer.kind === "created" ? ({ kind: "answered", status: 201, body: document } as const) : answer
  })

  const saveRefusal = Effect.fnUntraced(function* (
    message: CreateTransactionMessage,
    failed: AcquirerRefused | AcquirerUnavailable,
  ) {
    const what =
      failed._tag === "AcquirerRefused"
        ? `The charge was refused by the payment partner: ${failed.reason}.`
        : "The payment partner did not make the charge in time."
    if (failed._tag === "AcquirerUnavailable") {
      yield* Effect.logWarning(`acquirer, ${failed.operation}: ${failed.reason}`)
    }
    const error = new ApiError({
      code: "acquirer_error",
      message: `${what} To try again, send it with a new Idempotency-Key.`,
    })
    const body = renderError(error, message.requestId)
    const answer = yield* store.saveAnswer(message.principal, message.idempotency, error.status, body)
    return answer.kind === "saved" ? ({ kind: "answered", status: error.status, body } as const) : answer
  })

  return (
    message: CreateTransactionMessage,
    settings: SellerSettings,
    time: SellerTime,
  ): Effect.Effect<CreateAnswer, StoreUnavailable> =>
    Effect.gen(function* () {
      const { principal, body, idempotency } = message
      const acquirer = acquirers[principal.mode]
      let id = identifiers.id("txn_", partitionOfId(principal.sellerId) ?? 0, time.nowMillis)
      if (!acquirer.isLocal) {
        const claim = yield* store.claim(principal, idempotency, id)
        if (claim.kind !== "claimed") return claim
        id = claim.transactionId
      }
      const request = {
        txid: txidOf(id),
        amount: body.amount,
        expiresInSeconds: expirySeconds(body),
        customer: { name: body.customer.name, document: stripDocument(body.customer.document) },
      }
      const created = acquirer.createCharge(request)
      return yield* (acquirer.isLocal ? created : boundedCall("create charge", created)).pipe(
        Effect.matchEffect({
          onSuccess: (accepted) => commit(message, settings, id, accepted, time),
          onFailure: (failed) => saveRefusal(message, failed),
        }),
      )
    })
})

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
