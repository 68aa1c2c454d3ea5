import { isRefundOver, type Refund } from "../../../schema/resources/refund.ts"
import type { Transaction } from "../../../schema/resources/transaction.ts"
import { isWithdrawalOver } from "../../../schema/resources/withdrawal.ts"
import type { StoredRefund } from "../../ports/refundStore.ts"
import type { StoredTransaction } from "../../ports/transactionStore.ts"
import type { StoredWithdrawal } from "../../ports/withdrawalStore.ts"

type Charge = Pick<StoredTransaction, "status" | "document">
type ChargeRefund = Pick<StoredRefund, "status" | "document">

/** A document's fields; undefined for text that is damaged, of which nothing can be said. */
const fieldsOf = <A>(document: string): Partial<A> | undefined => {
  try {
    return (JSON.parse(document) as Partial<A> | null) ?? undefined
  } catch {
    return undefined
  }
}

/** Whether a paid charge has money in reserve that is still to be released, or may have. */
const holdsReserve = ({ status, document }: Charge): boolean => {
  const charge = fieldsOf<Pick<Transaction, "reserve">>(document)
  if (charge === undefined) return true
  const { reserve } = charge
  return status === "paid" && reserve?.released_at === null && reserve.amount > 0
}

/**
 * Whether nothing is left to happen by itself to a charge and its refunds: none of them is under way, and no money of it waits in
 * reserve. What a person or a payer may still do to it does not count (docs/decisions/0073-test-data-ends.md).
 */
export const isChargeEnded = (charge: Charge, refunds: ReadonlyArray<ChargeRefund>): boolean =>
  charge.status !== "pending" && refunds.every(({ status }) => isRefundOver(status)) && !holdsReserve(charge)

/** Whether a withdrawal has ended, with or without its money. */
export const isWithdrawalEnded = ({ status }: Pick<StoredWithdrawal, "status">): boolean =>
  isWithdrawalOver(status)

/** Whether the ledger may name a charge: no money has ever moved for one that was never paid. */
export const mayHaveMoved = ({ document }: Pick<Charge, "document">): boolean =>
  fieldsOf<Pick<Transaction, "paid_at">>(document)?.paid_at !== null

/** Whether the ledger may name a refund: of one that began at the acquirer, the entries name its charge. */
export const mayHaveHeld = ({ document }: Pick<ChargeRefund, "document">): boolean =>
  fieldsOf<Pick<Refund, "origin">>(document)?.origin !== "partner"
