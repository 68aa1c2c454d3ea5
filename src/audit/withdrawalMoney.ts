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

/** The first difference between a withdrawal's document and all its ledger entries, in order; undefined: none. */
export const withdrawalMoneyFault = (
  withdrawal: WithdrawalDocument,
  entries: ReadonlyArray<LedgerRecord>,
): Fault | undefined => {
  const movements = movementsOf(withdrawal)
  const kinds = movements.map(([kind]) => kind).join(", ")
  if (entries.map(({ kind }) => kind).join(", ") !== kinds) {
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
  return undefined
}
