import { Schema } from "effect"
import { eventCatalog, isSubscribable } from "../../../schema/events.ts"
import { Transaction } from "../../../schema/resources/transaction.ts"

const transactionSchema = Schema.toJsonSchemaDocument(Transaction)

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

const objectSchema = (resourceType: string) =>
  resourceType === "transaction"
    ? { ...transactionSchema.schema, definitions: transactionSchema.definitions }
    : { type: "object", required: ["id"], properties: { id: { type: "string" } } }

const exampleObject = (type: string, resourceType: string): Readonly<Record<string, unknown>> => {
  if (resourceType === "transaction") return { ...exampleTransaction, status: statusOf(type) }
  if (resourceType === "withdrawal") return { id: "wd_01KA0000000700000000000000", status: statusOf(type) }
  if (resourceType === "seller") return { id: "sel_01KA0000000700000000000000", object: "seller" }
  return { id: "we_01KA0000000700000000000000" }
}

/** The answer of GET /v1/event-types (decisions 5): the catalog, each type with a JSON Schema and an example. */
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
        data: { type: "object", required: ["object"], properties: { object: objectSchema(resourceType) } },
      },
    },
    example: {
      id: "evt_01KA0000000700000000000000",
      object: "event",
      type,
      mode: "test",
      created_at: "2026-11-21T12:03:00.000Z",
      seq: 2,
      data: { object: exampleObject(type, resourceType) },
    },
  })),
})
