import { limits } from "../../../schema/limits.ts"
import type { NewException } from "../../ports/exceptionStore.ts"
import type { UnconfirmedItem } from "../../ports/sweepStore.ts"
import type { StoredTransaction } from "../../ports/transactionStore.ts"
import type { StoredWithdrawal } from "../../ports/withdrawalStore.ts"
import type { ListedItem, ListedPayout, ListedPix } from "../../values/listedItem.ts"
import { exceptionOfResource, type FoundException, factOf } from "./exceptionDocument.ts"
import type { QueryStatus } from "./noticeAnswer.ts"
import { bookedPayout, goneOf, type PayoutMoney } from "./payoutBooks.ts"
import { exceptionOfPayout } from "./payoutDifferences.ts"
import type { SellerTime } from "./sellerTime.ts"
import { readCharge } from "./transactionTransitions.ts"
import { readWithdrawal } from "./withdrawalTransitions.ts"

/** The item after another sweep whose query did not confirm it. */
export const askedAgain = (
  item: ListedItem,
  before: UnconfirmedItem | undefined,
  nowMillis: number,
): UnconfirmedItem => ({
  item,
  sinceMillis: before?.sinceMillis ?? nowMillis,
  sweeps: (before?.sweeps ?? 0) + 1,
})

/** Whether an item is unconfirmed for so long that an operator has to decide (docs/partner.md#unconfirmed-items). */
export const isForOperators = ({ sinceMillis, sweeps }: UnconfirmedItem, nowMillis: number): boolean =>
  sweeps >= limits.unconfirmedSweepsMin && nowMillis - sinceMillis >= limits.unconfirmedMillisMin

/** What tells the exception of an item from others of its kind. Of a payout there may be another, once the bank begins anew. */
const aboutOf = ({ item, sinceMillis }: UnconfirmedItem): string => {
  if (item.kind === "payout") return `${item.withdrawalId}:listed:${sinceMillis}`
  return item.refundId === undefined ? item.endToEndId : `${item.endToEndId}:${item.refundId}`
}

/** The facts by which the exception of an item is recorded. */
export const factsOfUnconfirmed = (entry: UnconfirmedItem): ReadonlyArray<string> => {
  const { item } = entry
  const kinds =
    item.kind === "payout"
      ? (["payout_contradicted", "payout_returned"] as const)
      : ([item.refundId === undefined ? "payment_unconfirmed" : "payment_returned"] as const)
  return kinds.map((kind) => factOf(kind, aboutOf(entry)))
}

const shownStatus = (item: ListedItem): string => {
  if (item.kind === "payout") return item.status === "notPaid" ? "not_paid" : item.status
  return item.refundId === undefined ? "received" : "returned"
}

/** The exception of a Pix, or of a return of one, that only the list has. */
export const unconfirmedPix = (
  entry: UnconfirmedItem & { readonly item: ListedPix },
  stored: StoredTransaction,
  queryStatus: QueryStatus,
  acquirer: string,
  time: SellerTime,
): NewException => {
  const { endToEndId, refundId, returnKind, amount } = entry.item
  const { id, sellerId, mode, account } = stored
  const charge = readCharge(stored)
  const found: FoundException = {
    kind: refundId === undefined ? "payment_unconfirmed" : "payment_returned",
    about: aboutOf(entry),
    acquirer,
    amount,
    details: {
      end_to_end_id: endToEndId,
      ...(refundId === undefined
        ? { txid: charge.pix.txid, charge_amount: charge.amount }
        : { return_id: refundId, return_kind: returnKind ?? "refund" }),
      status: stored.status,
      list_status: shownStatus(entry.item),
      query_status: queryStatus,
    },
  }
  return exceptionOfResource(found, { type: "transaction", id, sellerId, mode, account }, time.nowMillis)
}

/** The list's word on what is gone of a payout. */
const listedMoney = ({ status, amount, returnedAmount }: ListedPayout): PayoutMoney =>
  status === "paid" || status === "returned" ? { out: amount, back: returnedAmount } : { out: 0, back: 0 }

/**
 * The exception of a payout where the list alone differs from our books. If more money left, it is a `payout_contradicted`, which
 * freezes payouts; if money came back, a `payout_returned`. Undefined where both agree.
 */
export const unconfirmedPayout = (
  entry: UnconfirmedItem & { readonly item: ListedPayout },
  stored: StoredWithdrawal,
  queryStatus: QueryStatus,
  acquirer: string,
  time: SellerTime,
): NewException | undefined => {
  const booked = bookedPayout(readWithdrawal(stored))
  const there = listedMoney(entry.item)
  const more = goneOf(there) - goneOf(booked)
  if (more === 0) return undefined
  const details = {
    status: stored.status,
    list_status: shownStatus(entry.item),
    query_status: queryStatus,
    amount_there: there.out,
    returned_amount: more > 0 ? there.back : booked.out - goneOf(there),
    end_to_end_id: entry.item.endToEndId ?? null,
  }
  return exceptionOfPayout(
    stored,
    {
      kind: more > 0 ? "payout_contradicted" : "payout_returned",
      about: aboutOf(entry),
      acquirer,
      amount: Math.abs(more),
      details,
    },
    time,
  )
}
