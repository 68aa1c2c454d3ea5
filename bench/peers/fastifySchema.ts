import { limits } from "../../schema/limits.ts"

const text = (minLength: number, maxLength: number) => ({ type: "string", minLength, maxLength })
const integer = (minimum: number, maximum: number) => ({ type: "integer", minimum, maximum })

/** CPF or CNPJ, with or without its usual punctuation. */
const documentPattern =
  "^(?:\\d{3}\\.?\\d{3}\\.?\\d{3}-?\\d{2}|[0-9A-Za-z]{2}\\.?[0-9A-Za-z]{3}\\.?[0-9A-Za-z]{3}/?[0-9A-Za-z]{4}-?\\d{2})$"

/** An object whose fields are these, all of them required but for those named. */
const object = (properties: Readonly<Record<string, object>>, ...optional: ReadonlyArray<string>) => ({
  type: "object",
  additionalProperties: false,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
})

/**
 * A charge's body with the service's bounds (docs/contract/transactions.md#limits), in Ajv's terms. Drops unknown
 * fields.
 */
export const createBodySchema = object(
  {
    amount: integer(limits.amountMin, limits.amountMax),
    payment_method: { const: "pix" },
    customer: object(
      {
        name: text(limits.customerNameLengthMin, limits.customerNameLengthMax),
        email: { ...text(3, limits.customerEmailLengthMax), pattern: "^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$" },
        document: { type: "string", pattern: documentPattern },
        phone: { ...text(1, limits.customerPhoneLengthMax), nullable: true },
      },
      "phone",
    ),
    items: {
      type: "array",
      minItems: 1,
      maxItems: limits.itemsMax,
      items: object({
        name: text(1, limits.itemNameLengthMax),
        quantity: integer(1, limits.itemQuantityMax),
        unit_amount: integer(0, limits.amountMax),
      }),
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
  "metadata",
  "postback_url",
)

const authorization = { type: "string" }

export const createHeadersSchema = {
  type: "object",
  required: ["authorization", "idempotency-key"],
  properties: { authorization, "idempotency-key": text(1, limits.idempotencyKeyLengthMax) },
}

export const readHeadersSchema = {
  type: "object",
  required: ["authorization"],
  properties: { authorization },
}

export const idParamsSchema = object({ id: { type: "string", pattern: "^txn_[0-9A-HJKMNP-TV-Z]{26}$" } })

/** Query of a list; numbers arrive as text. */
export const listQuerySchema = {
  type: "object",
  properties: { limit: { type: "string", pattern: "^(?:[1-9][0-9]?|100)$", default: "50" } },
}

const anyText = { type: "string" }
const anyTextOrNull = { type: "string", nullable: true }
const anyInteger = { type: "integer" }

/** Fields of one type, in the order of the wire. */
const all = <Type extends object>(type: Type, names: string): Readonly<Record<string, Type>> =>
  Object.fromEntries(names.split(" ").map((name) => [name, type]))

/** A stored and returned charge for Fastify's compiled serialiser: fields in the order of the wire. */
export const chargeSchema = {
  type: "object",
  properties: {
    ...all(anyText, "id object trace_id mode status"),
    ...all(anyInteger, "amount fee net_amount"),
    ...all(anyText, "currency payment_method payment_url"),
    customer: {
      type: "object",
      properties: { ...all(anyText, "name email document"), phone: anyTextOrNull },
    },
    ...all(anyTextOrNull, "reference description return_url"),
    show_on_page: { type: "boolean" },
    items: {
      type: "array",
      items: { type: "object", properties: { name: anyText, ...all(anyInteger, "quantity unit_amount") } },
    },
    metadata: { type: "object", additionalProperties: true },
    postback_url: anyTextOrNull,
    pix: { type: "object", properties: all(anyText, "txid payload qr_base64 expires_at") },
    ...all(anyTextOrNull, "end_to_end_id failure_reason"),
    reserve: { type: "object", nullable: true, additionalProperties: true },
    refunded_amount: anyInteger,
    refunds: { type: "array", items: {} },
    exceptions: { type: "array", items: {} },
    ...all(anyText, "created_at expires_at"),
    ...all(anyTextOrNull, "paid_at expired_at failed_at refunded_at chargeback_at"),
  },
}
