import { Schema } from "effect"
import { foldAllOfDeep } from "../../../schema/api/jsonSchema.ts"
import { eventCatalog, isSubscribable, partiallyRefundedEventType } from "../../../schema/events.ts"
import { Refund } from "../../../schema/resources/refund.ts"
import { exampleSellerProfile, SellerProfile } from "../../../schema/resources/seller.ts"
import { Transaction } from "../../../schema/resources/transaction.ts"
import { Withdrawal } from "../../../schema/resources/withdrawal.ts"

const jsonSchemaOf = (resource: Schema.Top): object => {
  const { schema, definitions } = Schema.toJsonSchemaDocument(resource)
  return foldAllOfDeep({ ...schema, definitions }) as object
}

const resourceSchemas: Readonly<Record<string, object>> = {
  seller: jsonSchemaOf(SellerProfile),
  transaction: jsonSchemaOf(Transaction),
  withdrawal: jsonSchemaOf(Withdrawal),
  refund: jsonSchemaOf(Refund),
}

const exampleTransaction = {
  id: "txn_01KA0000000700000000000000",
  object: "transaction",
  mode: "test",
  status: "paid",
  amount: 12990,
  fee: 0,
  net_amount: 12990,
  currency: "BRL",
  payment_method: "pix",
  customer: { name: "Ana Souza", email: "ana@example.com", document: "52998224725", phone: null },
  items: [{ name: "Assinatura", quantity: 1, unit_amount: 12990 }],
  metadata: { order_id: "A-1001" },
  postback_url: null,
  pix: {
    txid: "01KA0000000700000000000000ABCDEF",
    payload: "00020101021226...",
    qr_base64: "iVBORw0KGgo...",
    expires_at: "2026-11-22T12:00:00.000Z",
  },
  end_to_end_id: "E00000000202611211203ABCDEFGHIJK",
  failure_reason: null,
  reserve: null,
  refunded_amount: 0,
  refunds: [],
  exceptions: [],
  created_at: "2026-11-21T12:00:00.000Z",
  expires_at: "2026-11-22T12:00:00.000Z",
  paid_at: "2026-11-21T12:03:00.000Z",
  expired_at: null,
  failed_at: null,
  refunded_at: null,
  chargeback_at: null,
}

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
  created_at: "2026-11-21T12:03:00.000Z",
})

/** What the events of a charge's refunds add to the example. */
const transactionFacts: Readonly<Record<string, object>> = {
  [partiallyRefundedEventType]: { status: "paid", refunded_amount: 500, refunds: [refundOf(0, 500)] },
  "transaction.refunded": {
    refunded_amount: 12990,
    refunds: [refundOf(0, 500), refundOf(1, 12490)],
    refunded_at: "2026-11-21T12:03:00.000Z",
  },
}

/** The example while it awaits approval. */
const exampleWithdrawal = {
  id: "wd_01KA0000000700000000000000",
  object: "withdrawal",
  mode: "test",
  status: "awaiting",
  amount: 10000,
  fee: 100,
  total: 10100,
  currency: "BRL",
  description: "November",
  pix_key_id: "pk_01KA0000000700000000000000",
  pix_key: { type: "cpf", value: "***.982.247-**" },
  end_to_end_id: null,
  failure_reason: null,
  created_at: "2026-11-21T12:00:00.000Z",
  updated_at: "2026-11-21T12:00:00.000Z",
  approved_at: null,
  processing_at: null,
  completed_at: null,
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

/** The example while it waits to be sent. */
const exampleRefund = {
  id: "rfd_01KA0000000700000000000000",
  object: "refund",
  transaction_id: exampleTransaction.id,
  mode: "test",
  amount: 500,
  currency: "BRL",
  status: "pending",
  reason: "One of two shirts came back",
  origin: "seller",
  failure_code: null,
  failure_reason: null,
  return_id: null,
  created_at: "2026-11-21T12:00:00.000Z",
  updated_at: "2026-11-21T12:00:00.000Z",
  completed_at: null,
}

/** What each end adds to the example. */
const refundFacts: Readonly<Record<string, object>> = {
  succeeded: { ...completed, return_id: "D00000000202611211200ABCDEFGHIJK" },
  failed: { ...completed, failure_code: "AM09", failure_reason: "The bank refused the refund." },
}

/** The resource of a ping. */
const exampleEndpoint = {
  id: "we_01KA0000000700000000000000",
  url: "https://example.com/hook",
  events: ["transaction.paid"],
  enabled: true,
  secret_prefix: "whsec_",
  description: null,
  created_at: "2026-11-01T12:00:00.000Z",
  disabled_reason: null,
  auto_disabled_at: null,
  object: "webhook_endpoint",
}

const objectSchema = (resourceType: string): object =>
  resourceSchemas[resourceType] ?? {
    type: "object",
    required: ["id"],
    properties: { id: { type: "string" } },
  }

const exampleObject = (type: string, resourceType: string): Readonly<Record<string, unknown>> => {
  if (resourceType === "transaction") {
    return { ...exampleTransaction, status: statusOf(type), ...transactionFacts[type] }
  }
  if (resourceType === "refund") {
    const status = statusOf(type)
    return { ...exampleRefund, status, ...refundFacts[status] }
  }
  if (resourceType === "withdrawal") {
    const status = statusOf(type)
    return { ...exampleWithdrawal, status, ...withdrawalFacts[status] }
  }
  return resourceType === "seller" ? exampleSellerProfile : exampleEndpoint
}

/** An event as deliveries carry it; the feed adds `internal`. */
const exampleDelivery = (type: string, resourceType: string) => ({
  id: "evt_01KA0000000700000000000000",
  object: "event",
  type,
  mode: "test",
  created_at: "2026-11-21T12:03:00.000Z",
  seq: 2,
  data: { object: exampleObject(type, resourceType) },
})

/** The event as the list, the single event and the stream show it, with members in wire order. */
const exampleInFeed = (type: string, resourceType: string, internal: boolean) => {
  const { data, ...head } = exampleDelivery(type, resourceType)
  return { ...head, internal, data }
}

/**
 * The answer of GET /v1/event-types: each type with a JSON Schema of both forms, an example as deliveries carry it,
 * and one as the feed shows it.
 */
export const eventTypesBody = JSON.stringify({
  data: eventCatalog.map(({ type, resourceType, internal, description }) => ({
    type,
    resource_type: resourceType,
    internal,
    subscribable: isSubscribable(type),
    description,
    schema: {
      type: "object",
      required: ["id", "object", "type", "mode", "created_at", "seq", "data"],
      properties: {
        id: { type: "string" },
        object: { const: "event" },
        type: { const: type },
        mode: { enum: ["live", "test"] },
        created_at: { type: "string", format: "date-time" },
        seq: { type: "integer", minimum: 1 },
        internal: { const: internal, description: "In the feed (list, single event, stream) only." },
        data: { type: "object", required: ["object"], properties: { object: objectSchema(resourceType) } },
      },
    },
    example: exampleDelivery(type, resourceType),
    feed_example: exampleInFeed(type, resourceType, internal),
  })),
})
