import type { StoredLedgerEntry } from "../../../actors/ports/ledger.ts"
import { localTimeOf } from "../../../actors/values/saoPauloDays.ts"
import { inReais } from "../../../schema/csv.ts"
import { type Feed, ledgerEntryIdOf } from "../../../schema/ids.ts"
import type { LedgerKind } from "../../../schema/resources/ledger.ts"
import { gainOf, shownMillisOf } from "../../exports/statementTable.ts"

/** How a statement is written (`docs/contract/statement.md#formats`). */
export type StatementLines = "csv" | "jsonLines"

/**
 * What a kind is called in a statement. Spreadsheets run a field that begins with = + - or @, and commas end one: these
 * are letters and spaces only, and nothing that a customer wrote is in a statement.
 */
export const statementDescriptions: Readonly<Record<LedgerKind, string>> = {
  charge_paid: "Charge paid",
  charge_refunded: "Charge refunded",
  charge_partially_refunded: "Charge partially refunded",
  charge_chargeback: "Chargeback",
  charge_partial_chargeback: "Partial chargeback",
  reserve_released: "Reserve released",
  withdrawal_held: "Withdrawal requested",
  withdrawal_settled: "Withdrawal paid",
  withdrawal_returned: "Withdrawal not paid",
  refund_held: "Refund requested",
  refund_settled: "Refund paid",
  refund_returned: "Refund not paid",
  payment_credited: "Payment credited",
  payment_debited: "Returned payment debited",
  payout_debited: "Payout debited",
  payout_returned: "Payout returned",
}

const fields = [
  "date",
  "time",
  "entry_id",
  "kind",
  "resource_id",
  "description",
  "credit",
  "debit",
  "balance",
] as const

const headers: Readonly<Record<StatementLines, string>> = { csv: `${fields.join(",")}\r\n`, jsonLines: "" }

/** The first line of a statement: the fields' names, or nothing. */
export const statementHeader = (format: StatementLines): string => headers[format]

/** The line of an entry; empty for one that does not move `available`. */
export const statementRow = (feed: Feed, entry: StoredLedgerEntry, format: StatementLines): string => {
  const gain = gainOf(entry)
  if (gain === 0) return ""
  const { day, time } = localTimeOf(shownMillisOf(entry))
  const id = ledgerEntryIdOf(feed, entry.entryId)
  const description = statementDescriptions[entry.kind]
  const [credit, debit, balance] = [Math.max(gain, 0), Math.max(-gain, 0), entry.balance.available]
  if (format === "jsonLines") {
    const { kind, resourceId: resource_id } = entry
    const line = { date: day, time, entry_id: id, kind, resource_id, description, credit, debit, balance }
    return `${JSON.stringify(line)}\n`
  }
  const amounts = [credit === 0 ? "" : inReais(credit), debit === 0 ? "" : inReais(debit), inReais(balance)]
  return `${[day, time, id, entry.kind, entry.resourceId, description, ...amounts].join(",")}\r\n`
}
