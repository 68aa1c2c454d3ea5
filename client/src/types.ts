import type { components, operations } from "./openapi.ts"

type Schemas = components["schemas"]

export type Transaction = Schemas["Transaction"]
/** A charge as lists with `view: "summary"` have it. */
export type TransactionSummary = Schemas["TransactionSummary"]
export type CreateTransaction = Schemas["CreateTransaction"]
export type Refund = Schemas["Refund"]
export type CreateRefund = Schemas["CreateRefund"]
export type PaymentLink = Schemas["PaymentLink"]
export type CreatePaymentLink = Schemas["CreatePaymentLink"]
export type ChangePaymentLink = Schemas["ChangePaymentLink"]
export type Customer = Schemas["Customer"]
export type Withdrawal = Schemas["Withdrawal"]
export type CreateWithdrawal = Schemas["CreateWithdrawal"]
export type SendReceipt = Schemas["SendReceipt"]
export type Balance = Schemas["Balance"]
export type BalanceReleases = Schemas["BalanceReleases"]
export type LedgerEntry = Schemas["LedgerEntry"]
export type PixKey = Schemas["PixKey"]
export type WebhookDelivery = Schemas["Delivery"]
export type WebhookDeliveryDetail = Schemas["DeliveryDetail"]
export type ClockAdvance = Schemas["ClockAdvance"]
export type TestClock = Schemas["TestClock"]
export type TestTime = Schemas["TestTime"]

type AnyEvent = Schemas["Event"]

/** The names of the event types that this version knows; the service may add others at any time. */
export type EventType = AnyEvent["type"]

/** The shapes of events by their type, as far as the API's document tells them apart. */
type EventsByType = { readonly [Shape in AnyEvent as Shape["type"]]: Shape }

/** An event of the feed: `Event<"transaction.paid">`, or of any type, told apart by `type`. */
export type Event<Type extends EventType = EventType> = EventsByType[Type]

/** What deliveries leave out of an event. */
type Delivered<Shape> = Shape extends unknown ? Omit<Shape, "internal"> : never

/** An event as deliveries carry it. */
export type WebhookEvent<Type extends EventType = EventType> = Delivered<Event<Type>>

/** Events between the last one seen and the next are no longer kept; the subscription goes on from the oldest one kept. */
export interface ReplayGap {
  readonly type: "replay_gap"
  /** The id that was asked for, truncated. */
  readonly requested: string
  readonly oldest_event_id: string | null
}

type QueryOf<Operation extends keyof operations> = NonNullable<operations[Operation]["parameters"]["query"]>

export type TransactionsQuery = QueryOf<"listTransactions">
export type RefundsQuery = QueryOf<"listRefunds">
export type PaymentLinksQuery = QueryOf<"listPaymentLinks">
export type CustomersQuery = QueryOf<"listCustomers">
export type WithdrawalsQuery = QueryOf<"listWithdrawals">
export type BalanceReleasesQuery = QueryOf<"getBalanceReleases">
export type LedgerQuery = QueryOf<"listLedger">
export type WebhookDeliveriesQuery = QueryOf<"listDeliveries">
export type ReceiptQuery = QueryOf<"getRefundReceipt">
/** `types` may be a list: exact types, or families such as `transaction.*`. */
export type EventsQuery = Omit<QueryOf<"listEvents">, "types"> & {
  readonly types?: string | ReadonlyArray<string> | undefined
}

export type TransactionsExportQuery = QueryOf<"exportTransactions">
export type RefundsExportQuery = QueryOf<"exportRefunds">
export type WithdrawalsExportQuery = QueryOf<"exportWithdrawals">
export type StatementExportQuery = QueryOf<"exportStatement">

/** A line of a file of charges as `ndjson` (`docs/contract/exports.md#charges`); amounts in centavos. */
export interface TransactionRow extends Pick<Transaction, "id" | "status" | "created_at" | "paid_at"> {
  readonly payer: string
  readonly document: string
  readonly email: string
  readonly reference: string | null
  readonly txid: string
  readonly end_to_end_id: string | null
  readonly amount: number
  readonly gross: number
  readonly fee: number
  readonly refunded: number
  readonly net: number
}

/** A line of a file of refunds as `ndjson` (`docs/contract/exports.md#refunds`). */
export interface RefundRow
  extends Pick<
    Refund,
    | "id"
    | "status"
    | "created_at"
    | "completed_at"
    | "amount"
    | "reason"
    | "origin"
    | "transaction_id"
    | "return_id"
    | "failure_code"
    | "failure_reason"
  > {
  readonly payer: string | null
  readonly document: string | null
  readonly reference: string | null
  readonly end_to_end_id: string | null
}

/** A line of a file of withdrawals as `ndjson` (`docs/contract/exports.md#withdrawals`). */
export interface WithdrawalRow
  extends Pick<
    Withdrawal,
    | "id"
    | "status"
    | "created_at"
    | "completed_at"
    | "amount"
    | "fee"
    | "total"
    | "pix_key_id"
    | "description"
    | "end_to_end_id"
    | "failure_reason"
  > {
  readonly pix_key_type: PixKey["type"]
  readonly pix_key: string
  readonly returned_amount: number
  readonly debited_amount: number
}

/** A line of a statement as `ndjson` (`docs/contract/statement.md#export`). */
export interface StatementRow extends Pick<LedgerEntry, "kind" | "resource_id"> {
  /** Of clocks in São Paulo. */
  readonly date: string
  readonly time: string
  readonly entry_id: string
  readonly description: string
  readonly payer: string | null
  readonly document: string | null
  readonly reference: string | null
  readonly txid: string | null
  readonly end_to_end_id: string | null
  readonly gross: number | null
  readonly fee: number | null
  readonly net: number | null
  readonly credit: number
  readonly debit: number
  readonly balance: number
}
