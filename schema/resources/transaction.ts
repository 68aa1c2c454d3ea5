import { Schema } from "effect"
import { modes } from "../ids.ts"
import { limits } from "../limits.ts"
import { isLine, isLineCheck, lineOf, linesOf } from "../text.ts"

/** States of a transaction (`docs/contract/transactions.md#states`). */
export const transactionStatuses = ["pending", "paid", "expired", "failed", "refunded", "chargeback"] as const
export type TransactionStatus = (typeof transactionStatuses)[number]

const integer = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/**
 * One `@`, no spaces or invisible characters, and a domain of at least two labels of 1 to 63 characters (RFC 1035).
 * Only a delivery can tell the rest.
 */
export const emailPattern = /^[^\s@\p{C}]+@(?:[^\s@.\p{C}]{1,63}\.)+[^\s@.\p{C}]{1,63}$/u

export const Email = Schema.String.check(
  Schema.isMaxLength(limits.customerEmailLengthMax, {
    expected: `an e-mail address of at most ${limits.customerEmailLengthMax} characters`,
  }),
  Schema.isPattern(emailPattern, { expected: "an e-mail address" }),
)

/**
 * A CPF or CNPJ (alphanumeric since July 2026). Punctuation is allowed here and removed by the seller actor
 * (`docs/contract/transactions.md#customer-document`).
 */
export const TaxDocument = Schema.String.check(
  Schema.makeFilter((text: string) => {
    const bare = stripDocument(text)
    return (
      /^\d{11}$/.test(bare) ||
      /^[0-9A-Z]{12}\d{2}$/.test(bare) ||
      "a CPF (11 digits) or a CNPJ (14 characters, the last two digits)"
    )
  }),
)

/** A CPF or CNPJ without punctuation, in upper case. */
export const stripDocument = (text: string): string =>
  text.replace(/[.\-/\s]/g, "").replace(/[a-z]/g, (letter) => letter.toUpperCase())

export const MetadataValue = Schema.Union([
  linesOf(limits.metadataValueLengthMax),
  Schema.Finite,
  Schema.Boolean,
])

export const Metadata = Schema.Record(Schema.String, MetadataValue).check(
  Schema.isMaxProperties(limits.metadataKeysMax, { expected: `at most ${limits.metadataKeysMax} keys` }),
  Schema.makeFilter(
    (record: Readonly<Record<string, unknown>>) =>
      Object.keys(record).every(
        (key) => key.length >= 1 && [...key].length <= limits.metadataKeyLengthMax && isLine(key),
      ) || `keys of 1 to ${limits.metadataKeyLengthMax} characters, without control characters`,
  ),
)

export const Item = Schema.Struct({
  name: lineOf(1, limits.itemNameLengthMax),
  quantity: integer(1, limits.itemQuantityMax),
  unit_amount: integer(0, limits.amountMax).annotateKey({
    description: "In centavos. The items need not add up to the amount.",
  }),
})

export const Customer = Schema.Struct({
  name: lineOf(limits.customerNameLengthMin, limits.customerNameLengthMax),
  email: Email,
  document: TaxDocument.annotateKey({ description: "CPF or CNPJ, with or without punctuation." }),
  phone: Schema.optionalKey(Schema.NullOr(lineOf(1, limits.customerPhoneLengthMax))),
})

/** Body of POST /v1/transactions (`docs/contract/transactions.md#create`). */
export const CreateTransaction = Schema.Struct({
  amount: integer(limits.amountMin, limits.amountMax).annotateKey({ description: "In centavos." }),
  payment_method: Schema.Literal("pix"),
  customer: Customer,
  items: Schema.Array(Item).check(Schema.isBetweenLength(1, limits.itemsMax)),
  pix: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        expires_in_seconds: Schema.optionalKey(
          Schema.NullOr(integer(limits.expirySecondsMin, limits.expirySecondsMax)),
        ).annotateKey({
          description: `Seconds until the charge expires; ${limits.expirySecondsDefault} by default.`,
        }),
      }),
    ),
  ),
  postback_url: Schema.optionalKey(
    Schema.NullOr(Schema.String.check(Schema.isMinLength(1), isLineCheck)),
  ).annotateKey({ description: "Receives the events of this charge only, signed with the postback secret." }),
  metadata: Schema.optionalKey(Schema.NullOr(Metadata)).annotateKey({
    description: `Your own data: at most ${limits.metadataKeysMax} keys of 1 to ${limits.metadataKeyLengthMax} characters.`,
  }),
}).annotate({
  identifier: "CreateTransaction",
  examples: [
    {
      amount: 1990,
      payment_method: "pix",
      customer: { name: "Ana Souza", email: "ana@example.com", document: "529.982.247-25" },
      items: [{ name: "Camiseta", quantity: 1, unit_amount: 1990 }],
      metadata: { order: "1042" },
    },
  ],
})
export type CreateTransaction = typeof CreateTransaction.Type

/** Money returned to the payer: refunded by us, or taken back by the payer's bank (`chargeback`). */
export const refundKinds = ["refund", "chargeback"] as const

/**
 * Payments that do not match the charge, as the acquirer reported them (`docs/contract/transactions.md#exceptions`).
 */
export const chargeExceptionKinds = ["late_payment", "double_payment", "amount_mismatch"] as const

const timestamp = Schema.String.annotate({ format: "date-time" })
const timestampOrNull = Schema.NullOr(timestamp)

/**
 * A PIX charge (`docs/contract/transactions.md#fields`). Field order is the wire order; no free text but its own
 * stands before `customer`.
 */
export const Transaction = Schema.Struct({
  id: Schema.String,
  object: Schema.Literal("transaction"),
  mode: Schema.Literals(modes),
  status: Schema.Literals(transactionStatuses),
  amount: Schema.Int.annotateKey({ description: "In centavos." }),
  fee: Schema.Int.annotateKey({ description: "What we keep when the charge is paid, in centavos." }),
  net_amount: Schema.Int.annotateKey({ description: "`amount` minus `fee`, in centavos." }),
  currency: Schema.Literal("BRL"),
  payment_method: Schema.Literal("pix"),
  customer: Schema.Struct({
    name: Schema.String,
    email: Schema.String,
    document: Schema.String,
    phone: Schema.NullOr(Schema.String),
  }),
  items: Schema.Array(Item),
  metadata: Schema.Record(Schema.String, MetadataValue),
  postback_url: Schema.NullOr(Schema.String),
  pix: Schema.Struct({
    txid: Schema.String,
    payload: Schema.String.annotateKey({ description: "The copy-and-paste code (BR Code)." }),
    qr_base64: Schema.String.annotateKey({ description: "A PNG image of the code, in base64." }),
    expires_at: timestamp,
  }),
  end_to_end_id: Schema.NullOr(Schema.String).annotateKey({
    description: "The bank's id of the payment; set once the charge is paid.",
  }),
  failure_reason: Schema.NullOr(Schema.String),
  /**
   * The part of the net amount kept in reserve for a while; null if there is none
   * (`docs/contract/transactions.md#fees-and-reserve`).
   */
  reserve: Schema.NullOr(
    Schema.Struct({ amount: Schema.Int, release_at: timestamp, released_at: timestampOrNull }),
  ),
  refunded_amount: Schema.Int,
  refunds: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      kind: Schema.Literals(refundKinds),
      amount: Schema.Int,
      /** Absent in what was recorded before refunds were resources of their own. */
      return_id: Schema.optionalKey(Schema.NullOr(Schema.String)).annotateKey({
        description: "The bank's id of the return.",
      }),
      created_at: timestamp.annotateKey({ description: "When the money had gone back." }),
    }),
  ).annotateKey({
    description: "What went back to the payer, in order; a refund's `id` is that of GET /v1/refunds.",
  }),
  exceptions: Schema.Array(
    Schema.Struct({
      kind: Schema.Literals(chargeExceptionKinds),
      end_to_end_id: Schema.String,
      amount: Schema.Int,
      created_at: timestamp,
    }),
  ),
  created_at: timestamp,
  expires_at: timestamp,
  paid_at: timestampOrNull,
  expired_at: timestampOrNull,
  failed_at: timestampOrNull,
  refunded_at: timestampOrNull,
  chargeback_at: timestampOrNull,
}).annotate({ identifier: "Transaction" })
export type Transaction = typeof Transaction.Type
