import type { Bucket, LedgerKind } from "../../../schema/resources/ledger.ts"
import type { Transaction } from "../../../schema/resources/transaction.ts"
import type { LedgerMovement, Posting } from "../../ports/ledger.ts"
import { dayOf } from "../../values/saoPauloDays.ts"

/** Why a movement was refused that would take a bucket beyond exact integers. */
export const balanceFull = "a bucket of the balance would pass 2^53 - 1 centavos"

/** The gains of buckets as postings; a bucket that gains nothing has none. */
const postings = (gains: Readonly<Partial<Record<Bucket, number>>>): ReadonlyArray<Posting> =>
  (Object.entries(gains) as ReadonlyArray<readonly [Bucket, number]>)
    .filter(([, amount]) => amount !== 0)
    .map(([bucket, amount]) => ({ bucket, amount }))

/**
 * The part of a charge's net amount that goes to the reserve: basis points, half up
 * (docs/contract/transactions.md#fees-and-reserve).
 */
export const reserveOf = (netAmount: number, reserveBps: number): number =>
  Number((BigInt(netAmount) * BigInt(reserveBps) * 2n + 10_000n) / 20_000n)

/** What the reserve still holds of a charge. */
export const heldReserve = (charge: Pick<Transaction, "reserve">): number =>
  charge.reserve === null || charge.reserve.released_at !== null ? 0 : charge.reserve.amount

/** How a movement changes the release calendar where the reserve of a charge held `held` and gains `gain`; empty without a gain. */
const releaseOf = (
  reserve: Transaction["reserve"],
  held: number,
  gain: number,
): Pick<LedgerMovement, "release"> =>
  reserve === null || gain === 0
    ? {}
    : {
        release: {
          day: dayOf(Date.parse(reserve.release_at)),
          charges: Math.sign(held + gain) - Math.sign(held),
        },
      }

/**
 * A charge is paid: its amount comes from outside, the fee stays with the service, the rest is the seller's, some of it in the
 * charge's new `reserve`.
 */
export const chargePaid = (
  charge: Pick<Transaction, "id" | "amount" | "fee" | "net_amount">,
  reserve: Transaction["reserve"],
): LedgerMovement => {
  const reserved = heldReserve({ reserve })
  return {
    kind: "charge_paid",
    resourceType: "transaction",
    resourceId: charge.id,
    postings: postings({
      external: -charge.amount,
      fees: charge.fee,
      available: charge.net_amount - reserved,
      reserve: reserved,
    }),
    ...releaseOf(reserve, 0, reserved),
  }
}

const refundKinds: Readonly<Record<"refund" | "chargeback", readonly [whole: LedgerKind, part: LedgerKind]>> =
  {
    refund: ["charge_refunded", "charge_partially_refunded"],
    chargeback: ["charge_chargeback", "charge_partial_chargeback"],
  }

/**
 * Money of a charge goes back to its payer. The fee stays, so the seller bears the whole amount: first what the reserve holds of
 * the charge, then `available`, which only this may take below zero (docs/contract/balance-and-ledger.md#kinds).
 */
export const chargeReturned = (
  charge: Pick<Transaction, "id" | "reserve">,
  refund: { readonly kind: "refund" | "chargeback"; readonly amount: number; readonly isWhole: boolean },
): LedgerMovement => {
  const held = heldReserve(charge)
  const fromReserve = Math.min(held, refund.amount)
  const [whole, part] = refundKinds[refund.kind]
  return {
    kind: refund.isWhole ? whole : part,
    resourceType: "transaction",
    resourceId: charge.id,
    postings: postings({
      reserve: -fromReserve,
      available: fromReserve - refund.amount,
      external: refund.amount,
    }),
    ...releaseOf(charge.reserve, held, -fromReserve),
  }
}

/** The reserve of a charge is released. */
export const reserveReleased = (charge: Pick<Transaction, "id" | "reserve">): LedgerMovement => ({
  kind: "reserve_released",
  resourceType: "transaction",
  resourceId: charge.id,
  postings: postings({ reserve: -heldReserve(charge), available: heldReserve(charge) }),
  ...releaseOf(charge.reserve, heldReserve(charge), -heldReserve(charge)),
})

/** The amounts of a withdrawal, in centavos. */
export interface WithdrawalAmounts {
  readonly id: string
  readonly amount: number
  readonly fee: number
  readonly total: number
}

const ofWithdrawal = (
  kind: LedgerKind,
  withdrawal: WithdrawalAmounts,
  gains: Readonly<Partial<Record<Bucket, number>>>,
): LedgerMovement => ({
  kind,
  resourceType: "withdrawal",
  resourceId: withdrawal.id,
  postings: postings(gains),
})

/** A withdrawal is requested: amount and fee wait in `pending_withdraw`. */
export const withdrawalHeld = (withdrawal: WithdrawalAmounts): LedgerMovement =>
  ofWithdrawal("withdrawal_held", withdrawal, {
    available: -withdrawal.total,
    pending_withdraw: withdrawal.total,
  })

/** A withdrawal has succeeded: the amount leaves, the fee is the service's. */
export const withdrawalSettled = (withdrawal: WithdrawalAmounts): LedgerMovement =>
  ofWithdrawal("withdrawal_settled", withdrawal, {
    pending_withdraw: -withdrawal.total,
    external: withdrawal.amount,
    fees: withdrawal.fee,
  })

/** A withdrawal will not be paid: all of it comes back. */
export const withdrawalReturned = (withdrawal: WithdrawalAmounts): LedgerMovement =>
  ofWithdrawal("withdrawal_returned", withdrawal, {
    pending_withdraw: -withdrawal.total,
    available: withdrawal.total,
  })

/**
 * The bank executed a withdrawal that had ended without money, or executed more than was settled: `amount` leaves `available`, which
 * this may take below zero, and so does the fee.
 */
export const payoutDebited = (withdrawal: WithdrawalAmounts, amount: number, fee: number): LedgerMovement =>
  ofWithdrawal("payout_debited", withdrawal, { available: -(amount + fee), external: amount, fees: fee })

/** The bank gave back an amount of a withdrawal that had succeeded; the fee stays. */
export const payoutReturned = (withdrawal: WithdrawalAmounts, amount: number): LedgerMovement =>
  ofWithdrawal("payout_returned", withdrawal, { external: -amount, available: amount })

/** A payment that paid no charge is the seller's: all of it, without a fee. */
export const paymentCredited = (exceptionId: string, amount: number): LedgerMovement => ({
  kind: "payment_credited",
  resourceType: "exception",
  resourceId: exceptionId,
  postings: postings({ external: -amount, available: amount }),
})

/** The bank took back a payment that was credited: all that it took leaves `available`, below zero too. */
export const paymentDebited = (exceptionId: string, amount: number): LedgerMovement => ({
  kind: "payment_debited",
  resourceType: "exception",
  resourceId: exceptionId,
  postings: postings({ available: -amount, external: amount }),
})

/** A refund, in centavos. */
export interface RefundAmount {
  readonly id: string
  readonly amount: number
}

const ofRefund = (
  kind: LedgerKind,
  { id }: RefundAmount,
  gains: Readonly<Partial<Record<Bucket, number>>>,
): LedgerMovement => ({ kind, resourceType: "refund", resourceId: id, postings: postings(gains) })

/** A refund of a charge is requested: its amount waits in `pending_refund`, `fromReserve` of it taken from the charge's reserve. */
export const refundHeld = (
  refund: RefundAmount,
  fromReserve: number,
  charge: Pick<Transaction, "reserve">,
): LedgerMovement => ({
  ...ofRefund("refund_held", refund, {
    reserve: -fromReserve,
    available: fromReserve - refund.amount,
    pending_refund: refund.amount,
  }),
  ...releaseOf(charge.reserve, heldReserve(charge), -fromReserve),
})

/** A refund has succeeded: its amount leaves. */
export const refundSettled = (refund: RefundAmount): LedgerMovement =>
  ofRefund("refund_settled", refund, { pending_refund: -refund.amount, external: refund.amount })

/** A refund of a charge has failed: all of it comes back, `toReserve` of it to the charge's reserve. */
export const refundReturned = (
  refund: RefundAmount,
  toReserve: number,
  charge: Pick<Transaction, "reserve">,
): LedgerMovement => ({
  ...ofRefund("refund_returned", refund, {
    pending_refund: -refund.amount,
    reserve: toReserve,
    available: refund.amount - toReserve,
  }),
  ...releaseOf(charge.reserve, heldReserve(charge), toReserve),
})
