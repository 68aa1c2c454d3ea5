import { type Bucket, buckets } from "../../schema/resources/ledger.ts"
import { type Fault, shown } from "./difference.ts"
import { type Amounts, balanceText, earlierBalanceText, type LedgerRecord, noAmounts } from "./ledgerEntry.ts"

/** The totals of a ledger's entries, from the first on. */
export interface LedgerFold {
  readonly amounts: Amounts
  readonly entries: number
  /** Entries that raise `available`; `debits` lower it. */
  readonly credits: number
  readonly debits: number
  readonly reserveEntries: number
  readonly withdrawalEntries: number
}

/** A ledger without entries. */
export const emptyFold: LedgerFold = {
  amounts: noAmounts,
  entries: 0,
  credits: 0,
  debits: 0,
  reserveEntries: 0,
  withdrawalEntries: 0,
}

const plus = (amounts: Amounts, gains: Amounts): Amounts => ({
  available: amounts.available + gains.available,
  reserve: amounts.reserve + gains.reserve,
  pending_withdraw: amounts.pending_withdraw + gains.pending_withdraw,
  pending_refund: amounts.pending_refund + gains.pending_refund,
  external: amounts.external + gains.external,
  fees: amounts.fees + gains.fees,
})

/** Adds an entry to a fold. */
export const foldEntry = (fold: LedgerFold, { gains, resourceType }: LedgerRecord): LedgerFold => ({
  amounts: plus(fold.amounts, gains),
  entries: fold.entries + 1,
  credits: fold.credits + (gains.available > 0n ? 1 : 0),
  debits: fold.debits + (gains.available < 0n ? 1 : 0),
  reserveEntries: fold.reserveEntries + (gains.reserve === 0n ? 0 : 1),
  withdrawalEntries: fold.withdrawalEntries + (resourceType === "withdrawal" ? 1 : 0),
})

/** Where an entry differs from the fold up to and including it. */
export const entryFault = (fold: LedgerFold, entry: LedgerRecord): Fault | undefined => {
  if (entry.seq !== fold.entries) {
    return { expected: `seq ${fold.entries} in entry ${entry.entryId}`, found: String(entry.seq) }
  }
  const left = balanceText(fold.amounts)
  const isEarlier = fold.amounts.pending_refund === 0n && entry.balance === earlierBalanceText(fold.amounts)
  if (entry.balance !== left && !isEarlier) {
    return { expected: `${left} after entry ${entry.entryId}`, found: shown(entry.balance) }
  }
  return undefined
}

const counters: ReadonlyArray<readonly [field: string, of: (fold: LedgerFold) => number]> = [
  ["entries", (fold) => fold.entries],
  ["credits", (fold) => fold.credits],
  ["debits", (fold) => fold.debits],
  ["reserve_entries", (fold) => fold.reserveEntries],
  ["withdrawal_entries", (fold) => fold.withdrawalEntries],
]

/** The first field of a balance's hash that differs from the whole ledger; an absent field is 0. */
export const balanceFault = (fold: LedgerFold, hash: Readonly<Record<string, string>>): Fault | undefined => {
  const expected: ReadonlyArray<readonly [string, bigint | number]> = [
    ...buckets.map((bucket: Bucket) => [bucket, fold.amounts[bucket]] as const),
    ...counters.map(([field, of]) => [field, of(fold)] as const),
  ]
  for (const [field, value] of expected) {
    if ((hash[field] ?? "0") !== String(value)) {
      return { expected: `${field} ${value}`, found: shown(hash[field]) }
    }
  }
  return undefined
}
