import type { LedgerKind } from "../../schema/resources/ledger.ts"
import { isWithdrawalOver } from "../../schema/resources/withdrawal.ts"
import type { Fault } from "./difference.ts"
import type { WithdrawalDocument } from "./documents.ts"
import { type Amounts, type LedgerRecord, noAmounts } from "./ledgerEntry.ts"
import { gainsFault, kindsOf } from "./moneyText.ts"

/** The movements that a withdrawal in its status must have (docs/contract/withdrawals.md#money). */
const movementsOf = (withdrawal: WithdrawalDocument): ReadonlyArray<readonly [LedgerKind, Amounts]> => {
  const total = BigInt(withdrawal.total)
  const held = ["withdrawal_held", { ...noAmounts, available: -total, pending_withdraw: total }] as const
  if (!isWithdrawalOver(withdrawal.status)) return [held]
  if (withdrawal.status === "successful") {
    const [external, fees] = [BigInt(withdrawal.amount), BigInt(withdrawal.fee)]
    return [held, ["withdrawal_settled", { ...noAmounts, pending_withdraw: -total, external, fees }]]
  }
  return [held, ["withdrawal_returned", { ...noAmounts, pending_withdraw: -total, available: total }]]
}

/** Kinds of movements that follow a withdrawal's end (docs/contract/exceptions.md#acts). */
const laterKinds: ReadonlySet<string> = new Set(["payout_debited", "payout_returned"])

/** Whether money may have moved after a withdrawal's end: it came back, or was debited. */
export const hasLaterMoney = ({ status, returned_at, debited_amount }: WithdrawalDocument): boolean =>
  isWithdrawalOver(status) &&
  (debited_amount !== undefined || (returned_at ?? null) !== null || status === "successful")

/** The fault of an entry that follows a withdrawal's end: where the money comes from and goes to. */
const laterFault = (entry: LedgerRecord): Fault | undefined => {
  const { external, fees } = entry.gains
  if (entry.kind === "payout_returned") {
    return gainsFault(entry, { ...noAmounts, external, available: external < 0n ? -external : 0n })
  }
  const isDebit = external > 0n && fees >= 0n
  return gainsFault(entry, { ...noAmounts, external, fees, available: isDebit ? -(external + fees) : 0n })
}

/** The centavos that came in from the outside by entries of a kind. */
const inflowOf = (entries: ReadonlyArray<LedgerRecord>, kind: LedgerKind): bigint =>
  entries.filter((entry) => entry.kind === kind).reduce((sum, { gains }) => sum - gains.external, 0n)

/**
 * The fault of what moved after a withdrawal's end. Each return adds to `returned_amount`; a debit adds to `debited_amount` or takes
 * from `returned_amount`, so the difference of both is what the entries moved.
 */
const laterEntriesFault = (
  withdrawal: WithdrawalDocument,
  entries: ReadonlyArray<LedgerRecord>,
): Fault | undefined => {
  if (entries.length > 0 && !hasLaterMoney(withdrawal)) {
    return { expected: "no ledger entries after its end", found: kindsOf(entries) }
  }
  for (const entry of entries) {
    const fault = laterFault(entry)
    if (fault !== undefined) return fault
  }
  const [returned, debited] = [inflowOf(entries, "payout_returned"), -inflowOf(entries, "payout_debited")]
  const [back, more] = [BigInt(withdrawal.returned_amount ?? 0), BigInt(withdrawal.debited_amount ?? 0)]
  // No more is back than was returned, and a debit takes back no more than that.
  const isPossible = back >= 0n && back <= returned && more >= 0n
  if (back - more === returned - debited && isPossible) return undefined
  return {
    expected: `returned_amount less debited_amount ${returned - debited}, of which ${returned} was returned`,
    found: `returned_amount ${back}, debited_amount ${more}`,
  }
}

/** The first difference between a withdrawal's document and all its ledger entries, in order; undefined: none. */
export const withdrawalMoneyFault = (
  withdrawal: WithdrawalDocument,
  entries: ReadonlyArray<LedgerRecord>,
): Fault | undefined => {
  const movements = movementsOf(withdrawal)
  const kinds = movements.map(([kind]) => kind).join(", ")
  const own = entries.slice(0, movements.length)
  const later = entries.slice(movements.length)
  if (own.map(({ kind }) => kind).join(", ") !== kinds || !later.every(({ kind }) => laterKinds.has(kind))) {
    return {
      expected: `the ledger entries ${kinds}, since it is ${withdrawal.status}`,
      found: kindsOf(entries),
    }
  }
  for (const [i, [, gains]] of movements.entries()) {
    const entry = entries[i]
    const fault = entry === undefined ? undefined : gainsFault(entry, gains)
    if (fault !== undefined) return fault
  }
  return laterEntriesFault(withdrawal, later)
}
