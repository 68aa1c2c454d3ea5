// The states, kinds and acts of resources, by their names on the wire. Pages load these lists, so this file imports nothing.

/** States of a transaction (`docs/contract/transactions.md#states`). */
export const transactionStatuses = ["pending", "paid", "expired", "failed", "refunded", "chargeback"] as const
export type TransactionStatus = (typeof transactionStatuses)[number]

/** States of a refund (`docs/contract/refunds.md#states`). */
export const refundStatuses = ["pending", "processing", "succeeded", "failed"] as const
export type RefundStatus = (typeof refundStatuses)[number]

/** Who began a refund. `partner`: it began at the acquirer (`docs/contract/refunds.md#origins`). */
export const refundOrigins = ["seller", "operator", "partner"] as const
export type RefundOrigin = (typeof refundOrigins)[number]

/** States of a withdrawal (`docs/contract/withdrawals.md#states`). */
export const withdrawalStatuses = [
  "awaiting",
  "approved",
  "rejected",
  "processing",
  "successful",
  "failed",
  "cancelled",
] as const
export type WithdrawalStatus = (typeof withdrawalStatuses)[number]

/** How an attempt ended. */
export const attemptStatuses = ["success", "failed", "dead"] as const
export type AttemptStatus = (typeof attemptStatuses)[number]

/** Kinds of destinations. */
export const deliveryTargets = ["endpoint", "postback", "tracker"] as const
export type DeliveryTarget = (typeof deliveryTargets)[number]

/** What a seller may want to hear of (`docs/contract/notifications.md#kinds`). */
export const alertWhens = [
  "endpoint_failing",
  "endpoint_disabled",
  "payout_failed",
  "payout_stuck",
  "chargeback",
  "refund_failed",
  "large_charge",
  "balance_below",
  "new_sign_in",
] as const
export type AlertWhen = (typeof alertWhens)[number]

/** Those that need an amount. */
export const alertsWithAmount: ReadonlyArray<AlertWhen> = ["large_charge", "balance_below"]

/** How an alert goes out. */
export const alertChannels = ["mail", "url"] as const
export type AlertChannel = (typeof alertChannels)[number]

/** What a report by mail has (`docs/contract/reports.md#fields`). */
export const reportKinds = ["transactions", "refunds", "withdrawals", "statement"] as const
export type ReportKind = (typeof reportKinds)[number]

/** How often a report is mailed, each time of the last such period. */
export const reportPeriods = ["day", "week", "month"] as const
export type ReportPeriod = (typeof reportPeriods)[number]

/** What the acquirer's books say differently from ours (`docs/contract/exceptions.md#kinds`). */
export const exceptionKinds = [
  "payment_unknown",
  "double_payment",
  "amount_mismatch",
  "payment_unconfirmed",
  "payment_returned",
  "payout_unknown",
  "payout_contradicted",
  "payout_returned",
  "payout_stuck",
  "refund_stuck",
  "partner_changed",
] as const
export type ExceptionKind = (typeof exceptionKinds)[number]

/** What an operator may do about an exception (`docs/contract/exceptions.md#acts`). */
export const exceptionActs = ["credit", "refund", "debit", "return", "settle", "fail", "dismiss"] as const
export type ExceptionAct = (typeof exceptionActs)[number]

/** The acts of each kind; another is 409 `invalid_state`. */
export const actsOfKind: Readonly<Record<ExceptionKind, ReadonlyArray<ExceptionAct>>> = {
  payment_unknown: ["credit", "refund", "dismiss"],
  double_payment: ["credit", "refund", "dismiss"],
  amount_mismatch: ["credit", "refund", "dismiss"],
  payment_unconfirmed: ["credit", "refund", "dismiss"],
  payment_returned: ["debit", "dismiss"],
  payout_unknown: ["dismiss"],
  payout_contradicted: ["debit", "dismiss"],
  payout_returned: ["return", "dismiss"],
  payout_stuck: ["settle", "fail"],
  refund_stuck: ["settle", "fail"],
  partner_changed: ["settle", "fail", "dismiss"],
}

/** Kinds that freeze payouts and refunds of live while one is open (`docs/contract/exceptions.md#freeze`). */
export const freezingKinds: ReadonlyArray<ExceptionKind> = ["payout_unknown", "payout_contradicted"]

export const exceptionStates = ["open", "resolved"] as const
export type ExceptionState = (typeof exceptionStates)[number]

/** How far a member is: invited, its invitation run out, or in the team (`docs/contract/members.md#fields`). */
export const memberStatuses = ["invited", "expired", "active", "disabled"] as const

/** States of an invite. */
export const inviteStatuses = ["pending", "used", "revoked", "expired"] as const
export type InviteStatus = (typeof inviteStatuses)[number]

/** Whether a user may sign in. */
export const userStatuses = ["active", "disabled"] as const
export type UserStatus = (typeof userStatuses)[number]

/** Whether a seller may operate (`docs/contract/sellers.md#status`). */
export const sellerStatuses = ["active", "suspended"] as const
export type SellerStatus = (typeof sellerStatuses)[number]

/** The state of a seller's identification (`docs/contract/sellers.md#kyc`). */
export const kycStatuses = ["none", "pending", "approved", "rejected"] as const
export type KycStatus = (typeof kycStatuses)[number]

/** Kinds of Pix keys, as the central bank defines them. */
export const pixKeyTypes = ["cpf", "cnpj", "email", "phone", "evp"] as const
export type PixKeyType = (typeof pixKeyTypes)[number]

/** States of a Pix key (`docs/contract/pix-keys.md#states`). */
export const pixKeyStatuses = ["pending_approval", "verified", "refused", "removed"] as const
export type PixKeyStatus = (typeof pixKeyStatuses)[number]

/**
 * Where money can be. `external` is the outside world (payers and bank accounts), `fees` is what the service has
 * earned; the postings of an entry sum to zero over all six (`docs/contract/balance-and-ledger.md#buckets`).
 */
export const buckets = [
  "available",
  "reserve",
  "pending_withdraw",
  "pending_refund",
  "external",
  "fees",
] as const
export type Bucket = (typeof buckets)[number]

/** Why money moved. */
export const ledgerKinds = [
  "charge_paid",
  "charge_refunded",
  "charge_partially_refunded",
  "charge_chargeback",
  "charge_partial_chargeback",
  "reserve_released",
  "withdrawal_held",
  "withdrawal_settled",
  "withdrawal_returned",
  "refund_held",
  "refund_settled",
  "refund_returned",
  "payment_credited",
  "payment_debited",
  "payout_debited",
  "payout_returned",
] as const
export type LedgerKind = (typeof ledgerKinds)[number]

/** What a search finds. */
export const foundObjects = [
  "transaction",
  "withdrawal",
  "refund",
  "event",
  "webhook_delivery",
  "webhook_endpoint",
  "pix_key",
] as const

/** What is wrong with a response that is not HTTP/1.1, in an attempt's `error` (`docs/contract/deliveries.md#not-http`). */
export const responseFaults = [
  "response_head_too_large",
  "response_bare_line_feed",
  "response_two_lengths",
  "response_switches_protocols",
  "response_not_http",
] as const
export type ResponseFault = (typeof responseFaults)[number]

/** How a Redis Stream refuses an entry, in an attempt's `error` (`docs/contract/redis-streams.md#outcomes`). */
export type RedisFault =
  | "redis_denied"
  | "redis_wrong_type"
  | "redis_out_of_memory"
  | "redis_read_only"
  | "redis_moved"
  | "redis_error"

/** Why an attempt failed, but for statuses (`http_500`), which are named by their number (`docs/contract/deliveries.md#outcomes`). */
export type AttemptFault =
  | "redirect_not_followed"
  | "timeout"
  | "connection_error"
  | ResponseFault
  | RedisFault
  | "redis_not_resp"
  | "endpoint_disabled"
  | "blocked_destination"
  | "missing_secret"
  | "event_expired"

/** What one call does to many rows (`docs/contract/bulk.md`). */
export const bulkActs = ["refund", "resend", "cancel_withdrawal"] as const
export type BulkAct = (typeof bulkActs)[number]

/** `running`: rows are left. */
export const bulkStates = ["running", "done"] as const

/** Days of a saved view, which end on the day on which it is opened (`docs/contract/accounts.md#saved-views`). */
export const viewPeriods = ["today", "7d", "30d"] as const
