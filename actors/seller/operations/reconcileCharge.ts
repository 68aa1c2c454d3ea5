import { Effect } from "effect"
import { type StoredTransaction, TransactionStore } from "../../ports/transactionStore.ts"
import { answerToNotice, type NoticedTransfer } from "../decisions/noticeAnswer.ts"
import { operation, operationProgram } from "../operation.ts"
import { makeReconcileCharge } from "../programs/chargeReconciliation.ts"
import { orTriedAgain } from "../programs/orTriedAgain.ts"

/** A notice about a charge. */
export interface ReconcileChargeRequest {
  readonly transactionId: string
  readonly noticed: NoticedTransfer
}

interface Message {
  readonly transaction: StoredTransaction
  readonly noticed: NoticedTransfer
}

/** Asks the acquirer about a charge because of a notice, and commits what the acquirer says. */
export const reconcileCharge = operation(
  "reconcileCharge",
  Effect.gen(function* () {
    const store = yield* TransactionStore
    const reconcile = yield* makeReconcileCharge
    return operationProgram({
      sellerOf: ({ transaction }: Message) => transaction.sellerId,
      about: ({ transaction }) => transaction,
      lane: () => ({ name: "noticing", whenFull: "refuse" }),
      run: ({ transaction, noticed }, seller) =>
        Effect.flatMap(seller.freshTimeOf(transaction.mode), (time) =>
          Effect.map(reconcile(transaction, noticed.endToEndId, seller.settings, time), (reconciled) =>
            answerToNotice(reconciled, noticed),
          ),
        ),
      call: ({ transactionId, noticed }: ReconcileChargeRequest, { ask }) =>
        orTriedAgain(
          Effect.flatMap(store.load(transactionId), (transaction) =>
            transaction === undefined
              ? Effect.succeed({ kind: "missing" } as const)
              : ask({ transaction, noticed }),
          ),
        ),
    })
  }),
)
