import { limits } from "../../schema/limits.ts"

const text = (minLength: number, maxLength: number) => ({ type: "string", minLength, maxLength })
const integer = (minimum: number, maximum: number) => ({ type: "integer", minimum, maximum })

/** CPF or CNPJ, with or without its usual punctuation. */
const documentPattern =
  "^(?:\\d{3}\\.?\\d{3}\\.?\\d{3}-?\\d{2}|[0-9A-Za-z]{2}\\.?[0-9A-Za-z]{3}\\.?[0-9A-Za-z]{3}/?[0-9A-Za-z]{4}-?\\d{2})$"

/**
 * A charge's body with the service's bounds (docs/contract/transactions.md#limits), in Ajv's terms. Drops unknown
 * fields.
 */
export const createBodySchema = {
  type: "object",
  additionalProperties: false,
  required: ["amount", "payment_method", "customer", "items"],
  properties: {
    amount: integer(limits.amountMin, limits.amountMax),
    payment_method: { const: "pix" },
    customer: {
      type: "object",
      additionalProperties: false,
      required: ["name", "email", "document"],
      properties: {
        name: text(limits.customerNameLengthMin, limits.customerNameLengthMax),
        email: {
          ...text(3, limits.customerEmailLengthMax),
          pattern: "^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$",
        },
        document: { type: "string", pattern: documentPattern },
        phone: { ...text(1, limits.customerPhoneLengthMax), nullable: true },
      },
    },
    items: {
      type: "array",
      minItems: 1,
      maxItems: limits.itemsMax,
      items: {
        type: "object",
        additionalProperties: false,
        required: ["name", "quantity", "unit_amount"],
        properties: {
          name: text(1, limits.itemNameLengthMax),
          quantity: integer(1, limits.itemQuantityMax),
          unit_amount: integer(0, limits.amountMax),
        },
      },
    },
    metadata: {
      type: "object",
      maxProperties: limits.metadataKeysMax,
      propertyNames: text(1, limits.metadataKeyLengthMax),
      additionalProperties: {
        anyOf: [
          { type: "string", maxLength: limits.metadataValueLengthMax },
          { type: "number" },
          { type: "boolean" },
        ],
      },
    },
    postback_url: { ...text(1, limits.destinationUrlLengthMax), nullable: true },
  },
} as const

const authorization = { type: "string" } as const

/** Headers of a write. */
export const createHeadersSchema = {
  type: "object",
  required: ["authorization", "idempotency-key"],
  properties: { authorization, "idempotency-key": text(1, limits.idempotencyKeyLengthMax) },
} as const

/** Headers of a read. */
export const readHeadersSchema = {
  type: "object",
  required: ["authorization"],
  properties: { authorization },
} as const

/** Path parameters of a charge. */
export const idParamsSchema = {
  type: "object",
  required: ["id"],
  properties: { id: { type: "string", pattern: "^txn_[0-9A-HJKMNP-TV-Z]{26}$" } },
} as const

/** Query of a list; numbers arrive as text. */
export const listQuerySchema = {
  type: "object",
  properties: { limit: { type: "string", pattern: "^(?:[1-9][0-9]?|100)$", default: "50" } },
} as const

const anyText = { type: "string" } as const
const anyTextOrNull = { type: "string", nullable: true } as const
const anyInteger = { type: "integer" } as const

/** A stored and returned charge for Fastify's compiled serialiser: fields in the order of the wire. */
export const chargeSchema = {
  type: "object",
  properties: {
    id: anyText,
    object: anyText,
    trace_id: anyText,
    mode: anyText,
    status: anyText,
    amount: anyInteger,
    fee: anyInteger,
    net_amount: anyInteger,
    currency: anyText,
    payment_method: anyText,
    payment_url: anyText,
    customer: {
      type: "object",
      properties: { name: anyText, email: anyText, document: anyText, phone: anyTextOrNull },
    },
    items: {
      type: "array",
      items: {
        type: "object",
        properties: { name: anyText, quantity: anyInteger, unit_amount: anyInteger },
      },
    },
    metadata: { type: "object", additionalProperties: true },
    postback_url: anyTextOrNull,
    pix: {
      type: "object",
      properties: { txid: anyText, payload: anyText, qr_base64: anyText, expires_at: anyText },
    },
    end_to_end_id: anyTextOrNull,
    failure_reason: anyTextOrNull,
    reserve: { type: "object", nullable: true, additionalProperties: true },
    refunded_amount: anyInteger,
    refunds: { type: "array", items: {} },
    exceptions: { type: "array", items: {} },
    created_at: anyText,
    expires_at: anyText,
    paid_at: anyTextOrNull,
    expired_at: anyTextOrNull,
    failed_at: anyTextOrNull,
    refunded_at: anyTextOrNull,
    chargeback_at: anyTextOrNull,
  },
} as const
