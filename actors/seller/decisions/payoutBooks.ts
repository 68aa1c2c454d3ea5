import type { Withdrawal } from "../../../schema/resources/withdrawal.ts"

/** Centavos of a withdrawal's payout, as our books or the acquirer's have them. */
export interface PayoutMoney {
  /** All that left. */
  readonly out: number
  /** How much of it is back. */
  readonly back: number
}

/** Centavos that left and are not back. */
export const goneOf = ({ out, back }: PayoutMoney): number => out - back

/** Centavos that a withdrawal's own end moved out: its amount where it succeeded. */
export const settledAmount = ({ status, amount }: Pick<Withdrawal, "status" | "amount">): number =>
  status === "successful" ? amount : 0

/** What our books have of a withdrawal's payout. Nothing is out of one that ended without money, until it is debited. */
export const bookedPayout = (
  withdrawal: Pick<Withdrawal, "status" | "amount" | "debited_amount" | "returned_amount">,
): PayoutMoney => ({
  out: settledAmount(withdrawal) + (withdrawal.debited_amount ?? 0),
  back: withdrawal.returned_amount ?? 0,
})
