import type { LedgerKind } from "../../schema/resources/ledger.ts"
import type { Fault } from "./difference.ts"
import type { ChargeDocument } from "./documents.ts"
import { type LedgerRecord, noAmounts } from "./ledgerEntry.ts"
import { gainsFault, kindsOf, textOf } from "./moneyText.ts"

const returnKinds: Readonly<Record<"refund" | "chargeback", readonly [whole: LedgerKind, part: LedgerKind]>> =
  {
    refund: ["charge_refunded", "charge_partially_refunded"],
    chargeback: ["charge_chargeback", "charge_partial_chargeback"],
  }

/**
 * The fault of a payment's entry: the amount comes from outside, the fee stays with the service, the net amount goes to
 * the seller (docs/contract/transactions.md#fees-and-reserve).
 */
const paidFault = (charge: ChargeDocument, paid: LedgerRecord): Fault | undefined => {
  const { available, reserve } = paid.gains
  const net = BigInt(charge.net_amount)
  const isSplit = available + reserve === net && reserve >= 0n && reserve <= net
  return gainsFault(paid, {
    ...noAmounts,
    external: -BigInt(charge.amount),
    fees: BigInt(charge.fee),
    available: isSplit ? available : net,
    reserve: isSplit ? reserve : 0n,
  })
}

/** The fault of one refund's or chargeback's entry: kind and amount; the charge's reserve is used first. */
const returnFault = (
  refund: ChargeDocument["refunds"][number],
  isWhole: boolean,
  held: bigint,
  entry: LedgerRecord,
): Fault | undefined => {
  const [whole, part] = returnKinds[refund.kind]
  const kind = isWhole ? whole : part
  if (entry.kind !== kind) {
    return { expected: `a movement ${kind}`, found: `${entry.kind} in entry ${entry.entryId}` }
  }
  const amount = BigInt(refund.amount)
  const fromReserve = held < amount ? held : amount
  return gainsFault(entry, {
    ...noAmounts,
    external: amount,
    reserve: -fromReserve,
    available: fromReserve - amount,
  })
}

const releasedFault = (held: bigint, isReleased: boolean, entry: LedgerRecord): Fault | undefined =>
  held > 0n && !isReleased
    ? gainsFault(entry, { ...noAmounts, reserve: -held, available: held })
    : { expected: "no release, since no reserve is held", found: textOf(entry) }

/** Where the document and the ledger differ about the reserve after all movements; `held` is what is left in it. */
const reserveFault = (charge: ChargeDocument, held: bigint, isReleased: boolean): Fault | undefined => {
  const { reserve } = charge
  const waiting = reserve === null || reserve.released_at !== null ? 0n : BigInt(reserve.amount)
  if (waiting !== held) {
    return { expected: `${waiting} in reserve, as its document says`, found: `${held} in the ledger` }
  }
  const mustBeReleased = reserve !== null && reserve.released_at !== null && reserve.amount > 0
  if (mustBeReleased === isReleased) return undefined
  return {
    expected: mustBeReleased ? "an entry reserve_released" : "no entry reserve_released",
    found: isReleased ? "one" : "none",
  }
}

/** The fault of a paid charge's entries, one by one, in the order of its refunds. */
const movementsFault = (charge: ChargeDocument, entries: ReadonlyArray<LedgerRecord>): Fault | undefined => {
  let held = 0n
  let isReleased = false
  let refunded = 0
  let refundedAmount = 0
  for (const [i, entry] of entries.entries()) {
    const isFirst = i === 0
    if (isFirst !== (entry.kind === "charge_paid")) {
      return { expected: "one entry charge_paid, before all others", found: kindsOf(entries) }
    }
    let fault: Fault | undefined
    if (isFirst) {
      fault = paidFault(charge, entry)
      held = entry.gains.reserve
    } else if (entry.kind === "reserve_released") {
      fault = releasedFault(held, isReleased, entry)
      isReleased = true
      held = 0n
    } else {
      const refund = charge.refunds[refunded]
      if (refund === undefined) {
        return { expected: `entries of ${charge.refunds.length} refunds`, found: kindsOf(entries) }
      }
      refundedAmount += refund.amount
      fault = returnFault(refund, refundedAmount === charge.amount, held, entry)
      held += entry.gains.reserve
      refunded += 1
    }
    if (fault !== undefined) return fault
  }
  if (refunded !== charge.refunds.length) {
    return { expected: `entries of ${charge.refunds.length} refunds`, found: kindsOf(entries) }
  }
  return reserveFault(charge, held, isReleased)
}

/** The first difference between a charge's document and all its ledger entries, in order; undefined: none. */
export const chargeMoneyFault = (
  charge: ChargeDocument,
  entries: ReadonlyArray<LedgerRecord>,
): Fault | undefined => {
  if (charge.paid_at === null) {
    if (entries.length === 0) return undefined
    return { expected: "no ledger entries, since the charge was never paid", found: kindsOf(entries) }
  }
  if (entries.length === 0) return { expected: "a ledger entry charge_paid", found: "none" }
  return movementsFault(charge, entries)
}
