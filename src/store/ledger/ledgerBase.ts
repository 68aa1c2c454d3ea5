import { type LedgerBase, noBase } from "../../../actors/values/ledgerBase.ts"
import { type Bucket, buckets } from "../../../schema/resources/ledger.ts"

/** The fields of a base's hash besides `entry`, under the names of the balance. */
export const baseFields = (base: LedgerBase): ReadonlyArray<readonly [name: string, value: number]> => [
  ...buckets.map((bucket) => [bucket, base.amounts[bucket]] as const),
  ["entries", base.entries],
  ["credits", base.credits],
  ["debits", base.debits],
  ["reserve_entries", base.reserveEntries],
  ["withdrawal_entries", base.withdrawalEntries],
]

/** Reads the hash of a ledger's base; without `entry` nothing was deleted. */
export const readBase = (hash: Readonly<Record<string, string>>): LedgerBase => {
  const { entry = "" } = hash
  if (entry === "") return noBase
  const count = (name: string) => Number(hash[name] ?? 0)
  return {
    entryId: entry,
    amounts: Object.fromEntries(buckets.map((bucket) => [bucket, count(bucket)])) as Record<Bucket, number>,
    entries: count("entries"),
    credits: count("credits"),
    debits: count("debits"),
    reserveEntries: count("reserve_entries"),
    withdrawalEntries: count("withdrawal_entries"),
  }
}
