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

/** What a charge's entries add up to, up to one of them. */
interface Walk {
  /** What the reserve holds of the charge. */
  readonly held: bigint
  readonly isReleased: boolean
  /** How many of its document's refunds have had their entry, and their sum. */
  readonly refunds: number
  readonly refunded: number
}

/** Why the reserve cannot give what a refund takes from it. */
const heldFault = (held: bigint, entry: LedgerRecord): Fault | undefined =>
  held + entry.gains.reserve >= 0n
    ? undefined
    : { expected: `at most ${held} from the charge's reserve`, found: textOf(entry) }

/** The fault of an entry by which money goes back: the document's next refund, and no other. */
const nextReturnFault = (charge: ChargeDocument, walk: Walk, entry: LedgerRecord): Fault | undefined => {
  const refund = charge.refunds[walk.refunds]
  if (refund === undefined) {
    return { expected: `entries of ${charge.refunds.length} refunds`, found: `another: ${textOf(entry)}` }
  }
  if (entry.kind !== "refund_settled") {
    // The one that ends the charge; the acquirer may give back more later.
    const isWhole = walk.refunded < charge.amount && walk.refunded + refund.amount >= charge.amount
    return returnFault(refund, isWhole, walk.held, entry)
  }
  if (entry.resourceId === refund.id && entry.gains.external === BigInt(refund.amount)) return undefined
  return {
    expected: `${refund.id} as the next refund, of ${refund.amount}`,
    found: `${entry.resourceId}, ${textOf(entry)}`,
  }
}

/** The charge's entries after one more, or its fault. */
const stepOver = (charge: ChargeDocument, walk: Walk, entry: LedgerRecord): Walk | Fault => {
  const held = walk.held + entry.gains.reserve
  switch (entry.kind) {
    case "reserve_released":
      return releasedFault(walk.held, walk.isReleased, entry) ?? { ...walk, isReleased: true, held: 0n }
    case "refund_held":
    case "refund_returned":
      return heldFault(walk.held, entry) ?? { ...walk, held }
    default: {
      const fault = nextReturnFault(charge, walk, entry)
      const amount = charge.refunds[walk.refunds]?.amount ?? 0
      return fault ?? { ...walk, held, refunds: walk.refunds + 1, refunded: walk.refunded + amount }
    }
  }
}

/** The fault of a paid charge's entries, its refunds' own among them, one by one, in the order of its refunds. */
const movementsFault = (charge: ChargeDocument, entries: ReadonlyArray<LedgerRecord>): Fault | undefined => {
  const [paid, ...others] = entries
  if (paid?.kind !== "charge_paid" || others.some(({ kind }) => kind === "charge_paid")) {
    return { expected: "one entry charge_paid, before all others", found: kindsOf(entries) }
  }
  const unpaid = paidFault(charge, paid)
  if (unpaid !== undefined) return unpaid
  let walk: Walk = { held: paid.gains.reserve, isReleased: false, refunds: 0, refunded: 0 }
  for (const entry of others) {
    const next = stepOver(charge, walk, entry)
    if ("expected" in next) return next
    walk = next
  }
  if (walk.refunds !== charge.refunds.length) {
    return { expected: `entries of ${charge.refunds.length} refunds`, found: kindsOf(entries) }
  }
  return reserveFault(charge, walk.held, walk.isReleased)
}

/**
 * The first difference between a charge's document and all its ledger entries, those of its refunds included, in order;
 * undefined: none.
 */
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
