import { Option, Schema } from "effect"
import { isRefundOver, Refund } from "../../../schema/resources/refund.ts"
import { Transaction } from "../../../schema/resources/transaction.ts"
import { isWithdrawalOver } from "../../../schema/resources/withdrawal.ts"
import type { StoredRefund } from "../../ports/refundStore.ts"
import type { StoredTransaction } from "../../ports/transactionStore.ts"
import type { StoredWithdrawal } from "../../ports/withdrawalStore.ts"

type Charge = Pick<StoredTransaction, "status" | "document">
type ChargeRefund = Pick<StoredRefund, "status" | "document">

// Nothing can be said of a damaged document: then nothing is deleted, and the audit names it.
const { paid_at, reserve } = Transaction.fields
const readCharge = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ paid_at, reserve })))
const { origin } = Refund.fields
const readRefund = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ origin })))

/** Whether a paid charge has money in reserve that is still to be released, or may have. */
const holdsReserve = ({ status, document }: Charge): boolean =>
  Option.match(readCharge(document), {
    onNone: () => true,
    onSome: ({ reserve }) => status === "paid" && reserve?.released_at === null && reserve.amount > 0,
  })

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
  Option.getOrUndefined(readCharge(document))?.paid_at !== null

/** Whether the ledger may name a refund: of one that began at the acquirer, the entries name its charge. */
export const mayHaveHeld = ({ document }: Pick<ChargeRefund, "document">): boolean =>
  Option.getOrUndefined(readRefund(document))?.origin !== "partner"
