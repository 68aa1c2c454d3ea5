import { type Bucket, buckets } from "../../schema/resources/ledger.ts"
import { type Fault, shown } from "./difference.ts"
import { type Amounts, balanceText, type LedgerRecord, noAmounts } from "./ledgerEntry.ts"

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

/** The sums of a ledger's entries up to one; entry id "" and no sums before the first. */
export interface LedgerPosition {
  readonly entryId: string
  readonly fold: LedgerFold
}

/** What is before the first entry. */
export const ledgerStart: LedgerPosition = { entryId: "", fold: emptyFold }

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
  if (entry.balance !== left) {
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

/** The fields of a balance's hash that follow from the whole ledger, with their values. */
export const foldFields = (fold: LedgerFold): ReadonlyArray<readonly [field: string, value: string]> => [
  ...buckets.map((bucket: Bucket) => [bucket, String(fold.amounts[bucket])] as const),
  ...counters.map(([field, of]) => [field, String(of(fold))] as const),
]

/** The counters of a balance's hash: how many entries there are, of which kinds. */
export const counterFields: ReadonlyArray<string> = counters.map(([field]) => field)

/** Totals read back from the fields that {@link foldFields} lists; undefined if one is not a whole number. */
export const readFold = (hash: Readonly<Record<string, string>>): LedgerFold | undefined => {
  const names = foldFields(emptyFold).map(([field]) => field)
  if (!names.every((name) => /^-?\d{1,19}$/.test(hash[name] ?? ""))) return undefined
  const count = (name: string) => Number(hash[name])
  return {
    amounts: {
      available: BigInt(hash.available ?? 0),
      reserve: BigInt(hash.reserve ?? 0),
      pending_withdraw: BigInt(hash.pending_withdraw ?? 0),
      pending_refund: BigInt(hash.pending_refund ?? 0),
      external: BigInt(hash.external ?? 0),
      fees: BigInt(hash.fees ?? 0),
    },
    entries: count("entries"),
    credits: count("credits"),
    debits: count("debits"),
    reserveEntries: count("reserve_entries"),
    withdrawalEntries: count("withdrawal_entries"),
  }
}

/** The first field of a balance's hash that differs from the whole ledger; an absent field is 0. */
export const balanceFault = (fold: LedgerFold, hash: Readonly<Record<string, string>>): Fault | undefined => {
  for (const [field, value] of foldFields(fold)) {
    if ((hash[field] ?? "0") !== value) return { expected: `${field} ${value}`, found: shown(hash[field]) }
  }
  return undefined
}
