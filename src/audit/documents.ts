import { Option, Schema } from "effect"
import { Exception } from "../../schema/resources/exception.ts"
import { Refund } from "../../schema/resources/refund.ts"
import { Transaction } from "../../schema/resources/transaction.ts"
import { Withdrawal } from "../../schema/resources/withdrawal.ts"

const charge = Transaction.fields

/** The fields of a charge's document that audits read; nothing about its customer. */
const ChargeDocument = Schema.Struct({
  id: charge.id,
  mode: charge.mode,
  status: charge.status,
  amount: charge.amount,
  fee: charge.fee,
  net_amount: charge.net_amount,
  end_to_end_id: charge.end_to_end_id,
  reserve: charge.reserve,
  refunded_amount: charge.refunded_amount,
  refunds: charge.refunds,
  expires_at: charge.expires_at,
  paid_at: charge.paid_at,
  expired_at: charge.expired_at,
  failed_at: charge.failed_at,
  refunded_at: charge.refunded_at,
  chargeback_at: charge.chargeback_at,
})
export type ChargeDocument = typeof ChargeDocument.Type

const withdrawal = Withdrawal.fields

/** The fields of a withdrawal's document that audits read. */
const WithdrawalDocument = Schema.Struct({
  id: withdrawal.id,
  mode: withdrawal.mode,
  status: withdrawal.status,
  amount: withdrawal.amount,
  fee: withdrawal.fee,
  total: withdrawal.total,
  end_to_end_id: withdrawal.end_to_end_id,
  approved_at: withdrawal.approved_at,
  processing_at: withdrawal.processing_at,
  returned_at: withdrawal.returned_at,
  returned_amount: withdrawal.returned_amount,
  debited_amount: withdrawal.debited_amount,
})
export type WithdrawalDocument = typeof WithdrawalDocument.Type

const refund = Refund.fields

/** The fields of a refund's document that audits read. */
const RefundDocument = Schema.Struct({
  id: refund.id,
  transaction_id: refund.transaction_id,
  mode: refund.mode,
  status: refund.status,
  origin: refund.origin,
  amount: refund.amount,
  return_id: refund.return_id,
  completed_at: refund.completed_at,
})
export type RefundDocument = typeof RefundDocument.Type

const exception = Exception.fields

/** The fields of an exception's document that audits read. */
const ExceptionDocument = Schema.Struct({
  id: exception.id,
  kind: exception.kind,
  state: exception.state,
  mode: exception.mode,
  resource_type: exception.resource_type,
  resource_id: exception.resource_id,
  seller_id: exception.seller_id,
  amount: exception.amount,
  resolved_at: exception.resolved_at,
  act: exception.act,
  details: exception.details,
})
export type ExceptionDocument = typeof ExceptionDocument.Type

/** The document of an exception; undefined if the text is invalid. */
export const readExceptionDocument = (text: string | undefined): ExceptionDocument | undefined =>
  Option.getOrUndefined(decodeException(text))
const decodeException = Schema.decodeUnknownOption(Schema.fromJsonString(ExceptionDocument))

/** The document of a charge; undefined if the text is invalid. */
export const readChargeDocument = (text: string | undefined): ChargeDocument | undefined =>
  Option.getOrUndefined(decodeCharge(text))
const decodeCharge = Schema.decodeUnknownOption(Schema.fromJsonString(ChargeDocument))

/** The document of a withdrawal; undefined if the text is invalid. */
export const readWithdrawalDocument = (text: string | undefined): WithdrawalDocument | undefined =>
  Option.getOrUndefined(decodeWithdrawal(text))
const decodeWithdrawal = Schema.decodeUnknownOption(Schema.fromJsonString(WithdrawalDocument))

/** The document of a refund; undefined if the text is invalid. */
export const readRefundDocument = (text: string | undefined): RefundDocument | undefined =>
  Option.getOrUndefined(decodeRefund(text))
const decodeRefund = Schema.decodeUnknownOption(Schema.fromJsonString(RefundDocument))
