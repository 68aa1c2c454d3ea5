import { Schema } from "effect"
import { modes } from "../ids.ts"
import { limits } from "../limits.ts"
import { isLine, isLineCheck, lineOf, linesOf } from "../text.ts"

/** spec 3: the states of a transaction. */
export const transactionStatuses = ["pending", "paid", "expired", "failed", "refunded", "chargeback"] as const
export type TransactionStatus = (typeof transactionStatuses)[number]

const integer = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/**
 * One `@`, no spaces, nothing that is not shown, and a domain of at least two labels of 1 to 63 characters, as names have them (RFC 1035): what a
 * mailbox needs; the rest only a delivery can tell.
 */
export const emailPattern = /^[^\s@\p{C}]+@(?:[^\s@.\p{C}]{1,63}\.)+[^\s@.\p{C}]{1,63}$/u

export const Email = Schema.String.check(
  Schema.isMaxLength(limits.customerEmailLengthMax, {
    expected: `an e-mail address of at most ${limits.customerEmailLengthMax} characters`,
  }),
  Schema.isPattern(emailPattern, { expected: "an e-mail address" }),
)

/** decisions 2: CPF or CNPJ (alphanumeric since July 2026), punctuation allowed here and stripped by the seller actor. */
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

/** A CPF or CNPJ without its punctuation, upper case. */
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
      ) || `keys of 1 to ${limits.metadataKeyLengthMax} characters that are no control characters`,
  ),
)

export const Item = Schema.Struct({
  name: lineOf(1, limits.itemNameLengthMax),
  quantity: integer(1, limits.itemQuantityMax),
  unit_amount: integer(0, limits.amountMax),
})

export const Customer = Schema.Struct({
  name: lineOf(limits.customerNameLengthMin, limits.customerNameLengthMax),
  email: Email,
  document: TaxDocument,
  phone: Schema.optionalKey(Schema.NullOr(lineOf(1, limits.customerPhoneLengthMax))),
})

/** Body of POST /v1/transactions (spec 4.1; bounds of decisions 2). */
export const CreateTransaction = Schema.Struct({
  amount: integer(limits.amountMin, limits.amountMax),
  payment_method: Schema.Literal("pix"),
  customer: Customer,
  items: Schema.Array(Item).check(Schema.isBetweenLength(1, limits.itemsMax)),
  pix: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        expires_in_seconds: Schema.optionalKey(
          Schema.NullOr(integer(limits.expirySecondsMin, limits.expirySecondsMax)),
        ),
      }),
    ),
  ),
  postback_url: Schema.optionalKey(Schema.NullOr(Schema.String.check(Schema.isMinLength(1), isLineCheck))),
  metadata: Schema.optionalKey(Schema.NullOr(Metadata)),
}).annotate({ identifier: "CreateTransaction" })
export type CreateTransaction = typeof CreateTransaction.Type

/** What went back to the payer, as the partner told of it; `chargeback` was taken back by the payer's bank. */
export const refundKinds = ["refund", "chargeback"] as const

/** What a charge's partner told that its states do not show: money that did not come as it was asked for. */
export const chargeExceptionKinds = ["late_payment", "double_payment", "amount_mismatch"] as const

const timestamp = Schema.String.annotate({ format: "date-time" })
const timestampOrNull = Schema.NullOr(timestamp)

/** A PIX charge (spec 2, decisions 2). Field order is the wire order; `customer` stands before all free text but its own. */
export const Transaction = Schema.Struct({
  id: Schema.String,
  object: Schema.Literal("transaction"),
  mode: Schema.Literals(modes),
  status: Schema.Literals(transactionStatuses),
  amount: Schema.Int,
  fee: Schema.Int,
  net_amount: Schema.Int,
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
    payload: Schema.String,
    qr_base64: Schema.String,
    expires_at: timestamp,
  }),
  end_to_end_id: Schema.NullOr(Schema.String),
  failure_reason: Schema.NullOr(Schema.String),
  /** The part of the net amount that is kept in `reserve` for a while (decisions 3); null where nothing is. */
  reserve: Schema.NullOr(
    Schema.Struct({ amount: Schema.Int, release_at: timestamp, released_at: timestampOrNull }),
  ),
  refunded_amount: Schema.Int,
  refunds: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      kind: Schema.Literals(refundKinds),
      amount: Schema.Int,
      created_at: timestamp,
    }),
  ),
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
