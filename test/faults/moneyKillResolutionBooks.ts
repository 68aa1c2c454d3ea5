import { amount, fee } from "./moneyKillPartnerDifferences.ts"
import { paidEvents } from "./moneyKillPath.ts"
import { type Books, funds } from "./moneyKillWorld.ts"

/** The books of a seller before anything. */
export const nothing: Books = {
  events: [],
  ledger: [],
  balance: [0, 0, 0],
  charges: [],
  withdrawals: [],
  payouts: { sent: 0, paid: 0 },
  refunds: [],
  returns: { sent: 0, made: 0 },
  exceptions: [],
}
export const fundedEntry = ["charge_paid", funds, 0, 0] as const
/** Those of a seller with a paid charge. */
export const paid: Books = {
  ...nothing,
  events: paidEvents,
  ledger: [fundedEntry],
  balance: [funds, 0, 0],
  charges: ["paid"],
}
export const sent = { sent: 1, made: 1 }

/** The books of a charge after an odd payment, which its seller is told of, as of the act. */
export const odd = (exception: string): Books => ({
  ...paid,
  events: [...paidEvents, "transaction.exception", "transaction.exception"],
  exceptions: [exception],
})
/** Those of an odd payment that is the seller's. */
export const credited = (kind: string, gained: number): Books => ({
  ...odd(`${kind} resolved credit`),
  ledger: [fundedEntry, ["payment_credited", funds + gained, 0, 0]],
  balance: [funds + gained, 0, 0],
})
/** Those of one that went back. */
export const givenBack = (kind: string): Books => ({ ...odd(`${kind} resolved refund`), returns: sent })

export const rest = funds - amount - fee
const steps = (...names: ReadonlyArray<string>) => [
  ...paidEvents,
  ...names.map((name) => `withdrawal.${name}`),
]
/** The books of a withdrawal: its events, and the ledger's entries after it was held. */
export const withdrawn = (
  status: string,
  events: ReadonlyArray<string>,
  entries: Books["ledger"],
  exception: string,
): Books => ({
  ...paid,
  events: steps("awaiting", ...events),
  ledger: [fundedEntry, ["withdrawal_held", rest, 0, amount + fee], ...entries],
  balance: (entries.at(-1) ?? []).slice(1) as ReadonlyArray<number>,
  withdrawals: [status],
  payouts: status === "cancelled" ? { sent: 0, paid: 0 } : { sent: 1, paid: 1 },
  exceptions: [exception],
})
export const sentOut = ["approved", "processing"]
export const settledEntry = ["withdrawal_settled", rest, 0, 0] as const
export const returnedEntry = ["withdrawal_returned", funds, 0, 0] as const
/** Those of a withdrawal that an operator has ended. */
export const ended = (kind: string, act: "settle" | "fail"): Books =>
  act === "settle"
    ? withdrawn("successful", [...sentOut, "successful"], [settledEntry], `${kind} resolved settle`)
    : withdrawn("failed", [...sentOut, "failed"], [returnedEntry], `${kind} resolved fail`)

const refundEvents = [...paidEvents, "refund.created"]
/** Those of a refund that an operator has ended. */
export const endedRefund = (kind: string, act: "settle" | "fail"): Books => {
  const after = act === "settle" ? funds - amount : funds
  const entry = act === "settle" ? "refund_settled" : "refund_returned"
  return {
    ...paid,
    events: [
      ...refundEvents,
      ...(act === "settle" ? ["refund.succeeded", "transaction.partially_refunded"] : ["refund.failed"]),
    ],
    ledger: [fundedEntry, ["refund_held", funds - amount, 0, amount], [entry, after, 0, 0]],
    balance: [after, 0, 0],
    refunds: [act === "settle" ? "seller succeeded" : "seller failed"],
    // The PSP has it, and has not made it.
    returns: { sent: 1, made: 0 },
    exceptions: [`${kind} resolved ${act}`],
  }
}
