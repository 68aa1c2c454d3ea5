import { type CatalogEntry, endpointDisabledEventType, partiallyRefundedEventType } from "./events.ts"
import { exampleEndpoint } from "./resources/endpoint.ts"
import { exampleException } from "./resources/exception.ts"
import { examplePaymentLink } from "./resources/paymentLink.ts"
import { exampleRefund } from "./resources/refund.ts"
import { exampleSellerProfile } from "./resources/seller.ts"
import { exampleTransaction } from "./resources/transaction.ts"
import { exampleWithdrawal } from "./resources/withdrawal.ts"

const statusOf = (type: string): string => {
  const name = type.slice(type.indexOf(".") + 1)
  return name === "created" ? "pending" : name
}

/** A refund of the example: of a part of it, or of the rest. */
const refundOf = (count: number, amount: number) => ({
  id: `rfd_01KA000000070000000000000${count}`,
  kind: "refund",
  amount,
  return_id: `D0000000020261121120${count}ABCDEFGHIJK`,
  created_at: "2026-11-21T12:04:00.000Z",
})

/** What the payment of the example leaves on it. */
const paid = {
  status: "paid",
  end_to_end_id: "E00000000202611211203ABCDEFGHIJK",
  paid_at: "2026-11-21T12:03:00.000Z",
}
const later = "2026-11-21T12:04:00.000Z"

/** What each event of a charge finds on the example. */
const transactionFacts: Readonly<Record<string, object>> = {
  "transaction.paid": paid,
  "transaction.expired": { expired_at: exampleTransaction.expires_at },
  "transaction.failed": { failure_reason: "refused_by_payer_bank", failed_at: later },
  [partiallyRefundedEventType]: { ...paid, refunded_amount: 500, refunds: [refundOf(0, 500)] },
  "transaction.refunded": {
    ...{ ...paid, status: "refunded", refunded_amount: 12990 },
    refunds: [refundOf(0, 500), refundOf(1, 12490)],
    refunded_at: later,
  },
  "transaction.chargeback": {
    ...{ ...paid, status: "chargeback", refunded_amount: 12990 },
    refunds: [{ ...refundOf(0, 12990), kind: "chargeback" }],
    chargeback_at: later,
  },
  "transaction.exception": {
    ...paid,
    exceptions: [
      {
        kind: "double_payment",
        end_to_end_id: "E00000000202611211204ABCDEFGHIJK",
        amount: 12990,
        created_at: later,
      },
    ],
  },
}

/** What each state adds to the example. */
const approved = { approved_at: "2026-11-21T12:01:00.000Z" }
const processing = { ...approved, processing_at: "2026-11-21T12:02:00.000Z" }
const completed = { completed_at: "2026-11-21T12:03:00.000Z", updated_at: "2026-11-21T12:03:00.000Z" }
const withdrawalFacts: Readonly<Record<string, object>> = {
  approved: { ...approved, updated_at: approved.approved_at },
  processing: { ...processing, updated_at: processing.processing_at },
  rejected: { ...completed, failure_reason: "The account's holder is another one" },
  successful: { ...processing, ...completed, end_to_end_id: "E00000000202611211202ABCDEFGHIJK" },
  failed: { ...processing, ...completed, failure_reason: "AC03" },
  cancelled: completed,
}

const succeeded = { status: "successful", ...withdrawalFacts.successful }

/** What happens to the example after its end. */
const laterFacts: Readonly<Record<string, object>> = {
  "withdrawal.returned": {
    ...succeeded,
    updated_at: "2026-11-21T12:09:00.000Z",
    returned_at: "2026-11-21T12:09:00.000Z",
    returned_amount: 10000,
  },
  "withdrawal.debited": {
    ...{ status: "failed", ...withdrawalFacts.failed },
    updated_at: "2026-11-21T12:09:00.000Z",
    end_to_end_id: "E00000000202611211202ABCDEFGHIJK",
    debited_amount: 10000,
  },
}

/** What each end adds to the example. */
const refundFacts: Readonly<Record<string, object>> = {
  succeeded: { ...completed, return_id: "D00000000202611211200ABCDEFGHIJK" },
  failed: { ...completed, failure_code: "AM09", failure_reason: "The bank refused the refund." },
}

/** The endpoint that a disabling names. */
const disabledEndpoint = { id: exampleEndpoint.id, mode: "test", host: "example.com" }

const exampleObject = ({ type, resourceType }: CatalogEntry): Readonly<Record<string, unknown>> => {
  const status = statusOf(type)
  switch (resourceType) {
    case "transaction":
      return { ...exampleTransaction, status, ...transactionFacts[type] }
    case "refund":
      return { ...exampleRefund, status, ...refundFacts[status] }
    case "withdrawal":
      return { ...exampleWithdrawal, status, ...withdrawalFacts[status], ...laterFacts[type] }
    case "exception":
      return exampleException
    case "payment_link":
      return { ...examplePaymentLink, transaction_id: exampleTransaction.id }
    case "seller":
      return type === endpointDisabledEventType
        ? { ...exampleSellerProfile, webhook_endpoint: disabledEndpoint }
        : exampleSellerProfile
    case "ping":
      return { ...exampleEndpoint, object: "webhook_endpoint" }
  }
}

/** An example of an event as deliveries carry it, which is without `internal`; members are in wire order. */
export const exampleDelivery = (event: CatalogEntry) => {
  const object = exampleObject(event)
  return {
    id: "evt_01KA0000000700000000000000",
    object: "event",
    type: event.type,
    mode: "test",
    created_at: "2026-11-21T12:04:00.000Z",
    seq: 2,
    ...("trace_id" in object ? { trace_id: String(object.trace_id) } : {}),
    data: { object },
  }
}

/** The same event as the list, the single event and the stream show it. */
export const exampleInFeed = (event: CatalogEntry) => {
  const { data, ...head } = exampleDelivery(event)
  return { ...head, internal: event.internal, data }
}
