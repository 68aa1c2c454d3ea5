import { transactionIdOfTxid, withdrawalIdOfPayout } from "../../schema/ids.ts"
import { isWithdrawalOver } from "../../schema/resources/withdrawal.ts"
import type { ReceivedPix, SentPayout } from "../ports/acquirer.ts"
import type { StoredTransaction } from "../ports/transactionStore.ts"
import type { StoredWithdrawal } from "../ports/withdrawalStore.ts"
import type { FoundException } from "../seller/decisions/exceptionDocument.ts"
import { isRecorded } from "../seller/decisions/noticeAnswer.ts"
import { bookedPayout } from "../seller/decisions/payoutBooks.ts"
import { readCharge } from "../seller/decisions/transactionTransitions.ts"
import { readWithdrawal } from "../seller/decisions/withdrawalTransitions.ts"
import type { ListedItem, ListedPayout } from "../values/listedItem.ts"

/** Where the acquirer's books differ from ours, and what is to be done about it. */
export type Difference =
  /** `pix`: the Pix that it is about, where something went back of one that the charge does not record. */
  | { readonly kind: "listed"; readonly item: ListedItem; readonly pix?: ReceivedPix }
  /** It is of a charge or withdrawal of another acquirer account, about which this one is not asked. */
  | { readonly kind: "otherAccount"; readonly resourceId: string }
  /** It names none of our charges. */
  | { readonly kind: "unknownPix"; readonly pix: ReceivedPix }
  /** It is none of our payouts. */
  | { readonly kind: "unknownPayout"; readonly found: Omit<FoundException, "acquirer"> }

/** The charge that a Pix names by its form; it need not exist. */
export const chargeIdOf = ({ txid }: ReceivedPix): string | undefined =>
  txid === undefined ? undefined : transactionIdOfTxid(txid)

/** The withdrawal that a payout names by its form; it need not exist. */
export const withdrawalIdOf = ({ payoutId }: SentPayout): string | undefined =>
  payoutId === undefined ? undefined : withdrawalIdOfPayout(payoutId)

/**
 * Whether a payout may be that of the withdrawal which claims it: one that does not name it is not where the withdrawal has ended by
 * another, as where an operator corrected a wrong end-to-end id.
 */
export const isPaidBy = (payout: SentPayout, stored: StoredWithdrawal): boolean =>
  withdrawalIdOf(payout) === stored.id ||
  !isWithdrawalOver(stored.status) ||
  readWithdrawal(stored).end_to_end_id === payout.endToEndId

/** Whether it was made with another acquirer account than the one whose books these are: then nothing is asked about it. */
const isOfOther = (stored: StoredTransaction | StoredWithdrawal, account: string): boolean =>
  stored.account !== undefined && stored.account !== account

/**
 * The done returns that the charge does not record of its own Pix, or those of a Pix of its exceptions that is, or may be, credited:
 * whether these are recorded, the exceptions know. `isExcepted`: an exception that is open or credited has the Pix. The charge's own
 * exception of it may have been dismissed beside that one.
 */
const unrecordedReturns = (
  stored: StoredTransaction,
  { endToEndId, refunds }: ReceivedPix,
  isExcepted: boolean,
) => {
  const charge = readCharge(stored)
  const done = refunds.filter(({ status }) => status === "done")
  if (charge.end_to_end_id === endToEndId) return done.filter(({ id }) => !isRecorded(charge, id))
  const listed = charge.exceptions.find(({ end_to_end_id }) => end_to_end_id === endToEndId)
  const isCreditable =
    listed !== undefined && (isExcepted || listed.act === undefined || listed.act === "credit")
  return isCreditable ? done : []
}

/** Whether a charge records a Pix: as what paid it, or as an exception of its own. */
const hasTransfer = (stored: StoredTransaction, endToEndId: string): boolean => {
  const { end_to_end_id, exceptions } = readCharge(stored)
  return end_to_end_id === endToEndId || exceptions.some((one) => one.end_to_end_id === endToEndId)
}

/**
 * How a Pix that the acquirer of `account` received differs from our books; `stored` is the live charge it names, if that exists. None
 * where the charge has it, with everything that went back of it; each return is a difference of its own, since the query may confirm
 * one and not another.
 */
export const differencesOfReceived = (
  pix: ReceivedPix,
  stored: StoredTransaction | undefined,
  account: string,
  isExcepted = false,
): ReadonlyArray<Difference> => {
  const { endToEndId, amount } = pix
  if (stored?.mode !== "live") return [{ kind: "unknownPix", pix }]
  const backs = unrecordedReturns(stored, pix, isExcepted)
  if (backs.length === 0 && hasTransfer(stored, endToEndId)) return []
  if (isOfOther(stored, account)) return [{ kind: "otherAccount", resourceId: stored.id }]
  const about = { kind: "pix", transactionId: stored.id, endToEndId } as const
  if (backs.length === 0) {
    const returned = pix.refunds.length === 0 ? {} : { pix }
    return [{ kind: "listed", item: { ...about, refundId: undefined, amount }, ...returned }]
  }
  return backs.map((back) => ({
    kind: "listed",
    item: { ...about, refundId: back.id, returnKind: back.kind, amount: back.amount },
  }))
}

/** Whether a withdrawal that ended without money is as the acquirer's books have its payout. */
const isAsEnded = (stored: StoredWithdrawal, payout: SentPayout): boolean => {
  const withdrawal = readWithdrawal(stored)
  const { out, back } = bookedPayout(withdrawal)
  // One that was executed all the same and debited since has its transfer; what came back of it then counts as for any other.
  if (out === 0) return payout.status === "notPaid"
  if (payout.status === "notPaid") return back === out
  if (payout.status === "processing") return false
  return withdrawal.end_to_end_id === (payout.endToEndId ?? null) && back === payout.returnedAmount
}

/** Whether a withdrawal is as the acquirer's books have its payout. */
const isAsSent = (stored: StoredWithdrawal, payout: SentPayout): boolean => {
  const withdrawal = readWithdrawal(stored)
  const booked = bookedPayout(withdrawal)
  const amount = booked.out > 0 ? booked.out : withdrawal.amount
  if (payout.status !== "notPaid" && payout.amount !== amount) return false
  switch (stored.status) {
    case "successful":
      // The list lags behind what the acquirer told us before.
      if (payout.status === "processing") return true
      return payout.status !== "notPaid" && booked.back === payout.returnedAmount
    case "processing":
      return payout.status === "processing"
    case "failed":
    case "rejected":
    case "cancelled":
      return isAsEnded(stored, payout)
    default:
      // We have not handed it over, or a restored backup has forgotten that we did.
      return false
  }
}

/** What the list says of the payout of a withdrawal. */
const listedPayout = (
  { endToEndId, amount, status, returnedAmount }: SentPayout,
  withdrawalId: string,
): ListedPayout => ({ kind: "payout", withdrawalId, endToEndId, amount, status, returnedAmount })

/** Whether our books have of a withdrawal what the list says. */
export const isAsListed = (item: ListedPayout, stored: StoredWithdrawal): boolean =>
  isAsSent(stored, {
    ...item,
    endToEndId: item.endToEndId,
    payoutId: undefined,
    reason: undefined,
    sentMillis: undefined,
    status: item.status === "absent" ? "notPaid" : item.status,
  })

/**
 * How a payout in the books of the acquirer of `account` differs from ours; `stored` is the live withdrawal it names, if that
 * exists. Undefined where both say the same, or where it is not ours and moved nothing.
 */
export const differenceOfSent = (
  payout: SentPayout,
  stored: StoredWithdrawal | undefined,
  account: string,
): Difference | undefined => {
  const { payoutId, endToEndId, amount, status } = payout
  if (stored?.mode !== "live") {
    if (status === "notPaid") return undefined
    const about = payoutId ?? endToEndId ?? ""
    const details = { payout_id: payoutId ?? null, end_to_end_id: endToEndId ?? null, status }
    return { kind: "unknownPayout", found: { kind: "payout_unknown", about, amount, details } }
  }
  if (isAsSent(stored, payout)) return undefined
  if (isOfOther(stored, account)) return { kind: "otherAccount", resourceId: stored.id }
  return { kind: "listed", item: listedPayout(payout, stored.id) }
}
