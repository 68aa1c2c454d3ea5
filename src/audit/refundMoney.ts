import type { LedgerKind } from "../../schema/resources/ledger.ts"
import type { Fault } from "./difference.ts"
import type { RefundDocument } from "./documents.ts"
import { type Amounts, type LedgerRecord, noAmounts } from "./ledgerEntry.ts"
import { gainsFault, kindsOf } from "./moneyText.ts"

/** The movements that a refund in its status must have; `toReserve` is what its failure gave back to the reserve. */
const movementsOf = (
  refund: RefundDocument,
  fromReserve: bigint,
  toReserve: bigint,
): ReadonlyArray<readonly [LedgerKind, Amounts]> => {
  // The money of a refund that began at the acquirer moves with its charge.
  if (refund.origin === "partner") return []
  const amount = BigInt(refund.amount)
  const taken = { reserve: -fromReserve, available: fromReserve - amount, pending_refund: amount }
  const held = ["refund_held", { ...noAmounts, ...taken }] as const
  if (refund.status === "succeeded") {
    return [held, ["refund_settled", { ...noAmounts, pending_refund: -amount, external: amount }]]
  }
  if (refund.status !== "failed") return [held]
  const back = { pending_refund: -amount, reserve: toReserve, available: amount - toReserve }
  return [held, ["refund_returned", { ...noAmounts, ...back }]]
}

/**
 * The first difference between a refund's document and all its ledger entries, in order; undefined: none. What a failed one
 * took from the reserve went back there, or to \`available\`, as the charge then was.
 */
export const refundMoneyFault = (
  refund: RefundDocument,
  fromReserve: bigint,
  entries: ReadonlyArray<LedgerRecord>,
): Fault | undefined => {
  const isToReserve = fromReserve > 0n && entries[1]?.gains.reserve === fromReserve
  const movements = movementsOf(refund, fromReserve, isToReserve ? fromReserve : 0n)
  const kinds = movements.map(([kind]) => kind).join(", ") || "none"
  if (kindsOf(entries) !== kinds) {
    const why = refund.origin === "partner" ? "it began at the acquirer" : `it is ${refund.status}`
    return { expected: `the ledger entries ${kinds}, since ${why}`, found: kindsOf(entries) }
  }
  for (const [i, [, gains]] of movements.entries()) {
    const entry = entries[i]
    const fault = entry === undefined ? undefined : gainsFault(entry, gains)
    if (fault !== undefined) return fault
  }
  return undefined
}
