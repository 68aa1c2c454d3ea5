import { type Bucket, buckets, type LedgerResourceType } from "../../schema/resources/ledger.ts"
import { type Amounts, noAmounts, plusAmounts } from "./closing.ts"

/** The sums of the entries that were deleted from a ledger's old end, from the first on (docs/decisions/0073-test-data-ends.md). */
export interface LedgerBase {
  /** The last of them; "" where none was deleted. */
  readonly entryId: string
  readonly amounts: Amounts
  readonly entries: number
  /** Entries that raised `available`; `debits` lowered it. */
  readonly credits: number
  readonly debits: number
  readonly reserveEntries: number
  readonly withdrawalEntries: number
}

/** The base of a ledger that still has all its entries. */
export const noBase: LedgerBase = {
  entryId: "",
  amounts: noAmounts,
  entries: 0,
  credits: 0,
  debits: 0,
  reserveEntries: 0,
  withdrawalEntries: 0,
}

/** What a base takes from an entry: of its balance the buckets that the entry shows. */
interface Entry {
  readonly entryId: string
  readonly seq: number
  readonly resourceType: LedgerResourceType
  readonly postings: ReadonlyArray<{ readonly bucket: Bucket; readonly amount: number }>
  readonly balance: {
    readonly available: number
    readonly reserve: number
    readonly pendingWithdraw: number
    readonly pendingRefund: number
  }
}

/**
 * The base after one more entry. Undefined for an entry that does not follow: another `seq`, postings that are no whole numbers
 * or do not sum to zero, or another balance than they make.
 */
export const baseAfter = (base: LedgerBase, entry: Entry): LedgerBase | undefined => {
  const gains = { ...noAmounts }
  for (const { bucket, amount } of entry.postings) gains[bucket] += amount
  const amounts = plusAmounts(base.amounts, gains)
  const sum = buckets.reduce((total, bucket) => total + gains[bucket], 0)
  const { available, reserve, pendingWithdraw, pendingRefund } = entry.balance
  const follows =
    entry.seq === base.entries + 1 &&
    sum === 0 &&
    buckets.every((bucket) => Number.isSafeInteger(amounts[bucket])) &&
    amounts.available === available &&
    amounts.reserve === reserve &&
    amounts.pending_withdraw === pendingWithdraw &&
    amounts.pending_refund === pendingRefund
  if (!follows) return undefined
  return {
    entryId: entry.entryId,
    amounts,
    entries: entry.seq,
    credits: base.credits + (gains.available > 0 ? 1 : 0),
    debits: base.debits + (gains.available < 0 ? 1 : 0),
    reserveEntries: base.reserveEntries + (gains.reserve === 0 ? 0 : 1),
    withdrawalEntries: base.withdrawalEntries + (entry.resourceType === "withdrawal" ? 1 : 0),
  }
}
