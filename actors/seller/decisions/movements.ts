import type { Bucket, LedgerKind } from "../../../schema/resources/ledger.ts"
import type { Transaction } from "../../../schema/resources/transaction.ts"
import type { LedgerMovement, Posting } from "../../ports/ledger.ts"

/** Why a movement was not made that would take a bucket beyond whole centavos. */
export const balanceFull = "a bucket of the balance would pass 2^53 - 1 centavos"

/** What buckets gain as postings; a bucket that gains nothing has none. */
const postings = (gains: Readonly<Partial<Record<Bucket, number>>>): ReadonlyArray<Posting> =>
  (Object.entries(gains) as ReadonlyArray<readonly [Bucket, number]>)
    .filter(([, amount]) => amount !== 0)
    .map(([bucket, amount]) => ({ bucket, amount }))

/** The part of a charge's net amount that goes to the reserve (decisions 3): basis points, half up. */
export const reserveOf = (netAmount: number, reserveBps: number): number =>
  Number((BigInt(netAmount) * BigInt(reserveBps) * 2n + 10_000n) / 20_000n)

/** A charge was paid: its amount comes from outside, the fee stays with the service, the rest is the seller's. */
export const chargePaid = (
  charge: Pick<Transaction, "id" | "amount" | "fee" | "net_amount">,
  reserved: number,
): LedgerMovement => ({
  kind: "charge_paid",
  resourceType: "transaction",
  resourceId: charge.id,
  postings: postings({
    external: -charge.amount,
    fees: charge.fee,
    available: charge.net_amount - reserved,
    reserve: reserved,
  }),
})

/** What a charge still has in the reserve. */
export const heldReserve = (charge: Pick<Transaction, "reserve">): number =>
  charge.reserve === null || charge.reserve.released_at !== null ? 0 : charge.reserve.amount

const refundKinds: Readonly<Record<"refund" | "chargeback", readonly [whole: LedgerKind, part: LedgerKind]>> =
  {
    refund: ["charge_refunded", "charge_partially_refunded"],
    chargeback: ["charge_chargeback", "charge_partial_chargeback"],
  }

/**
 * Money of a charge went back to its payer. The fee stays (decisions 3), so the seller bears the whole amount: what the
 * charge has in the reserve goes first, then `available`, which may fall below zero by this alone.
 */
export const chargeReturned = (
  charge: Pick<Transaction, "id" | "reserve">,
  refund: { readonly kind: "refund" | "chargeback"; readonly amount: number; readonly isWhole: boolean },
): LedgerMovement => {
  const fromReserve = Math.min(heldReserve(charge), refund.amount)
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
  }
}

/** The reserve of a charge has waited long enough. */
export const reserveReleased = (charge: Pick<Transaction, "id" | "reserve">): LedgerMovement => ({
  kind: "reserve_released",
  resourceType: "transaction",
  resourceId: charge.id,
  postings: postings({ reserve: -heldReserve(charge), available: heldReserve(charge) }),
})

/** What moves the money of a withdrawal. */
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

/** A withdrawal was requested: amount and fee wait in `pending_withdraw`. */
export const withdrawalHeld = (withdrawal: WithdrawalAmounts): LedgerMovement =>
  ofWithdrawal("withdrawal_held", withdrawal, {
    available: -withdrawal.total,
    pending_withdraw: withdrawal.total,
  })

/** It arrived: the amount left, the fee is the service's. */
export const withdrawalSettled = (withdrawal: WithdrawalAmounts): LedgerMovement =>
  ofWithdrawal("withdrawal_settled", withdrawal, {
    pending_withdraw: -withdrawal.total,
    external: withdrawal.amount,
    fees: withdrawal.fee,
  })

/** It will not be paid: all of it is back. */
export const withdrawalReturned = (withdrawal: WithdrawalAmounts): LedgerMovement =>
  ofWithdrawal("withdrawal_returned", withdrawal, {
    pending_withdraw: -withdrawal.total,
    available: withdrawal.total,
  })
