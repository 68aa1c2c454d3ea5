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

/** What the acquirer answers to a query of one charge or payout, as operators see it; `silent`: it did not answer. */
export type QueryStatus = "paid" | "not_paid" | "processing" | "unknown" | "other_amount" | "silent"

/** The answer to a notice, after the acquirer was asked about its charge or payout. */
export type ReconcileAnswer =
  /**
   * Ours is as the acquirer says; `note` tells what was unusual (a late or double payment, a wrong amount). `queryStatus` is there
   * where nothing had to be booked or recorded: whoever says otherwise, as a list may, contradicts the query.
   */
  | { readonly kind: "settled"; readonly note: string | undefined; readonly queryStatus?: QueryStatus }
  /** The acquirer does not confirm it yet, or not all of it: ask again later. `reason`: what it says instead, if it does. */
  | { readonly kind: "pending"; readonly reason?: string; readonly queryStatus?: QueryStatus }
  /** No such charge or withdrawal. */
  | { readonly kind: "missing" }
  /** The store did not answer, or nobody may ask: nothing is known. */
  | { readonly kind: "unavailable"; readonly reason: string }

/** A charge after the acquirer was asked about it. */
export type ReconciledCharge =
  /** It is as the acquirer says; `askAfterMillis`: when there may be more. */
  | {
      readonly kind: "reconciled"
      readonly stored: StoredTransaction
      readonly askAfterMillis: number | undefined
      /** The acquirer says that it was paid, and names no payment. */
      readonly isConcluded: boolean
      /** Whether money of it is on its way back. */
      readonly isReturning: boolean
      /** The acquirer's ids of what went back of Pix that did not pay it. */
      readonly otherReturns?: ReadonlySet<string>
      /** Names of the timers that the report has ended. */
      readonly endedTimers: ReadonlyArray<string>
      /** Facts of exceptions that are recorded beside those that the charge lists. */
      readonly recorded?: ReadonlySet<string>
    }
  /** Nothing is known of it; `isAsked`: the acquirer was asked, and did not answer. */
  | { readonly kind: "silent"; readonly reason: string; readonly isAsked?: true }
  | { readonly kind: "missing" }

/** Whether a charge records a return under the acquirer's id of it: as our own refund, or as one that began at the acquirer. */
export const isRecorded = (charge: Transaction, acquirerId: string): boolean =>
  charge.refunds.some(({ id }) => id === refundIdOfAcquirer(acquirerId)) ||
  recordedReturn(charge, acquirerId) !== undefined

/** Answers a notice: it is settled once the charge shows what the notice says. */
export const answerToNotice = (reconciled: ReconciledCharge, noticed: NoticedTransfer): ReconcileAnswer => {
  if (reconciled.kind === "silent") {
    const { reason, isAsked } = reconciled
    return isAsked === true
      ? { kind: "pending", reason, queryStatus: "silent" }
      : { kind: "unavailable", reason }
  }
  if (reconciled.kind === "missing") return { kind: "missing" }
  const { stored, askAfterMillis, isReturning, otherReturns } = reconciled
  const charge = readCharge(stored)
  const isOwn = charge.end_to_end_id !== null && charge.end_to_end_id === noticed.endToEndId
  const isReturned =
    noticed.refundId === undefined ||
    (isOwn ? isRecorded(charge, noticed.refundId) : otherReturns?.has(noticed.refundId) === true)
  // A refund in progress is asked about again.
  const isWhole = isReturned && !isReturning && askAfterMillis === undefined
  const unusual = charge.exceptions.find(({ end_to_end_id }) => end_to_end_id === noticed.endToEndId)
  // The charge does not record returns of a transfer that did not pay it: exceptions do.
  if (unusual !== undefined && (isOwn ? isWhole : isReturned)) {
    return { kind: "settled", note: `${unusual.kind} of ${unusual.amount} centavos by ${noticed.endToEndId}` }
  }
  const unlisted = ["double_payment", "amount_mismatch"].find((kind) =>
    reconciled.recorded?.has(`${kind}:${noticed.endToEndId}`),
  )
  if (unlisted !== undefined && !isOwn && isReturned)
    return { kind: "settled", note: `${unlisted} by ${noticed.endToEndId}` }
  const isKnown = isOwn || (noticed.endToEndId === undefined && charge.end_to_end_id !== null)
  return isKnown && isWhole
    ? { kind: "settled", note: undefined }
    : { kind: "pending", queryStatus: "unknown" }
}
