import { buckets } from "../../schema/resources/ledger.ts"
import type { Fault } from "./difference.ts"
import type { Amounts, LedgerRecord } from "./ledgerEntry.ts"

const amountsText = (amounts: Amounts): string =>
  buckets
    .filter((bucket) => amounts[bucket] !== 0n)
    .map((bucket) => `${bucket} ${amounts[bucket]}`)
    .join(", ")

/** An entry's movement as a fault shows it. */
export const textOf = (entry: LedgerRecord): string =>
  `${entry.kind} ${amountsText(entry.gains)} in entry ${entry.entryId}`

/** The kinds of entries, in order, as a fault shows them. */
export const kindsOf = (entries: ReadonlyArray<LedgerRecord>): string =>
  entries.length === 0 ? "none" : entries.map(({ kind }) => kind).join(", ")

/** The fault of an entry that does not move what it must. */
export const gainsFault = (entry: LedgerRecord, expected: Amounts): Fault | undefined =>
  buckets.every((bucket) => entry.gains[bucket] === expected[bucket])
    ? undefined
    : { expected: `${entry.kind} ${amountsText(expected)}`, found: textOf(entry) }
