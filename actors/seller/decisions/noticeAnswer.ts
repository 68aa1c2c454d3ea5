import { refundIdOfAcquirer } from "../../../schema/ids.ts"
import type { Transaction } from "../../../schema/resources/transaction.ts"
import type { StoredTransaction } from "../../ports/transactionStore.ts"
import { recordedReturn } from "./chargeReturns.ts"
import { readCharge } from "./transactionTransitions.ts"

/** What an acquirer's notice says about a charge: a transfer, and a refund of it that is done. */
export interface NoticedTransfer {
  readonly endToEndId: string | undefined
  readonly refundId: string | undefined
}

/** The answer to a notice, after the acquirer was asked about its charge or payout. */
export type ReconcileAnswer =
  /** Ours is as the acquirer says; `note` tells what was unusual (a late or double payment, a wrong amount). */
  | { readonly kind: "settled"; readonly note: string | undefined }
  /** The acquirer does not confirm it yet, or not all of it: ask again later. `reason`: what it says instead, if it does. */
  | { readonly kind: "pending"; readonly reason?: string }
  /** No such charge or withdrawal. */
  | { readonly kind: "missing" }
  /** The acquirer or the store did not answer. */
  | { readonly kind: "unavailable"; readonly reason: string }

/** A charge after the acquirer was asked about it. */
export type ReconciledCharge =
  /** It is as the acquirer says; `askAfterMillis`: when there may be more. */
  | {
      readonly kind: "reconciled"
      readonly stored: StoredTransaction
      readonly askAfterMillis: number | undefined
      /** Whether money of it is on its way back. */
      readonly isReturning: boolean
      /** Names of the timers that the report has ended. */
      readonly endedTimers: ReadonlyArray<string>
      /** Facts of exceptions that are recorded beside those that the charge lists. */
      readonly recorded?: ReadonlySet<string>
    }
  | { readonly kind: "silent"; readonly reason: string }
  | { readonly kind: "missing" }

/** Whether a charge records a return under the acquirer's id of it: as our own refund, or as one that began at the acquirer. */
export const isRecorded = (charge: Transaction, acquirerId: string): boolean =>
  charge.refunds.some(({ id }) => id === refundIdOfAcquirer(acquirerId)) ||
  recordedReturn(charge, acquirerId) !== undefined

/** Answers a notice: it is settled once the charge shows what the notice says. */
export const answerToNotice = (reconciled: ReconciledCharge, noticed: NoticedTransfer): ReconcileAnswer => {
  if (reconciled.kind === "silent") return { kind: "unavailable", reason: reconciled.reason }
  if (reconciled.kind === "missing") return { kind: "missing" }
  const { stored, askAfterMillis, isReturning } = reconciled
  const charge = readCharge(stored)
  const isOwn = charge.end_to_end_id !== null && charge.end_to_end_id === noticed.endToEndId
  const isReturned = noticed.refundId === undefined || isRecorded(charge, noticed.refundId)
  // A refund in progress is asked about again.
  const isWhole = isReturned && !isReturning && askAfterMillis === undefined
  const unusual = charge.exceptions.find(({ end_to_end_id }) => end_to_end_id === noticed.endToEndId)
  // The charge does not record returns of a transfer that did not pay it.
  if (unusual !== undefined && (!isOwn || isWhole)) {
    return { kind: "settled", note: `${unusual.kind} of ${unusual.amount} centavos by ${noticed.endToEndId}` }
  }
  const unlisted = ["double_payment", "amount_mismatch"].find((kind) =>
    reconciled.recorded?.has(`${kind}:${noticed.endToEndId}`),
  )
  if (unlisted !== undefined && !isOwn)
    return { kind: "settled", note: `${unlisted} by ${noticed.endToEndId}` }
  const isKnown = isOwn || (noticed.endToEndId === undefined && charge.end_to_end_id !== null)
  return isKnown && isWhole ? { kind: "settled", note: undefined } : { kind: "pending" }
}
