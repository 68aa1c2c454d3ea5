import { Schema } from "effect"
import { exampleTraceId, textOrNull, timestamp, timestampOrNull, traceId } from "../fields.ts"
import { modes } from "../ids.ts"
import { limits } from "../limits.ts"
import { transactionStatuses } from "../names.ts"
import { isLine, isLineCheck, lineOf, linesOf } from "../text.ts"

export { type TransactionStatus, transactionStatuses } from "../names.ts"

const integer = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/**
 * One `@`, no spaces or invisible characters, and a domain of at least two labels of 1 to 63 characters (RFC 1035).
 * Only a delivery can tell the rest.
 */
const emailPattern = /^[^\s@\p{C}]+@(?:[^\s@.\p{C}]{1,63}\.)+[^\s@.\p{C}]{1,63}$/u

export const Email = Schema.String.check(
  Schema.isMaxLength(limits.customerEmailLengthMax, {
    expected: `an e-mail address of at most ${limits.customerEmailLengthMax} characters`,
  }),
  // Not as a pattern: in the OpenAPI document, programs would read it without the flag that its classes need.
  Schema.makeFilter((text: string) => emailPattern.test(text) || "an e-mail address"),
).annotate({ format: "email" })

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
  /^[0-9A-Z]*$/.test(text)
    ? text
    : text.replace(/[.\-/\s]/g, "").replace(/[a-z]/g, (letter) => letter.toUpperCase())

/** A value of a charge's `metadata`. */
const MetadataValue = Schema.Union([linesOf(limits.metadataValueLengthMax), Schema.Finite, Schema.Boolean])

const exactNumberExpected = `a number from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}, because larger ones lose digits. Send it as text`

/**
 * A number that comes back as it was sent: JSON's parsers keep the digits of integers up to here (RFC 8259 6), and have lost them before a
 * schema sees the value.
 */
const exactNumber = Schema.Number.check(
  Schema.isFinite({ expected: exactNumberExpected }),
  Schema.isBetween(
    { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    { expected: exactNumberExpected },
  ),
)

/** `metadata` as it is sent (`docs/contract/transactions.md#create`). */
const Metadata = Schema.Record(
  Schema.String,
  Schema.Union([linesOf(limits.metadataValueLengthMax), exactNumber, Schema.Boolean]),
).check(
  Schema.isMaxProperties(limits.metadataKeysMax, { expected: `at most ${limits.metadataKeysMax} keys` }),
  Schema.makeFilter(
    (record: Readonly<Record<string, unknown>>) =>
      Object.keys(record).every(
        (key) => key.length >= 1 && [...key].length <= limits.metadataKeyLengthMax && isLine(key),
      ) || `keys of 1 to ${limits.metadataKeyLengthMax} characters, without control characters`,
  ),
)

const Item = Schema.Struct({
  name: lineOf(1, limits.itemNameLengthMax).annotateKey({ description: "What is sold." }),
  quantity: integer(1, limits.itemQuantityMax).annotateKey({ description: "How many of it." }),
  unit_amount: integer(0, limits.amountMax).annotateKey({
    description: "In centavos. The items need not add up to the amount.",
  }),
})

const Customer = Schema.Struct({
  name: lineOf(limits.customerNameLengthMin, limits.customerNameLengthMax).annotateKey({
    description: "The payer's name.",
  }),
  email: Email.annotateKey({ description: "The payer's e-mail address." }),
  document: TaxDocument.annotateKey({ description: "CPF or CNPJ, with or without punctuation." }),
  phone: Schema.optionalKey(Schema.NullOr(lineOf(1, limits.customerPhoneLengthMax))).annotateKey({
    description: "The payer's telephone number, in any form.",
  }),
})

/** Body of POST /v1/transactions (`docs/contract/transactions.md#create`). */
export const CreateTransaction = Schema.Struct({
  amount: integer(limits.amountMin, limits.amountMax).annotateKey({ description: "In centavos." }),
  payment_method: Schema.Literal("pix").annotateKey({ description: "How it is paid." }),
  customer: Customer.annotateKey({ description: "Who pays." }),
  items: Schema.Array(Item)
    .check(Schema.isBetweenLength(1, limits.itemsMax))
    .annotateKey({ description: "What is paid for." }),
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
  ).annotateKey({ description: "How long the charge can be paid." }),
  reference: Schema.optionalKey(Schema.NullOr(lineOf(1, limits.chargeReferenceLengthMax))).annotateKey({
    description: "Your own number or name of the order, by which the charge is found.",
  }),
  description: Schema.optionalKey(Schema.NullOr(lineOf(1, limits.chargeDescriptionLengthMax))).annotateKey({
    description: "What is paid for, in a line.",
  }),
  return_url: Schema.optionalKey(
    Schema.NullOr(Schema.String.check(Schema.isMinLength(1), isLineCheck)),
  ).annotateKey({ description: "Where the payment page leads once the charge is paid: https." }),
  show_on_page: Schema.optionalKey(Schema.NullOr(Schema.Boolean)).annotateKey({
    description: "Whether the payment page shows `reference` and `description`; false by default.",
  }),
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
      reference: "1042",
    },
  ],
})
export type CreateTransaction = typeof CreateTransaction.Type

/** Money returned to the payer: refunded by us, or taken back by the payer's bank (`chargeback`). */
const refundKinds = ["refund", "chargeback"] as const

/**
 * Payments that do not match the charge, as the acquirer reported them (`docs/contract/transactions.md#exceptions`).
 */
const chargeExceptionKinds = ["late_payment", "double_payment", "amount_mismatch"] as const

const examplePaymentUrl = "https://pay.example.com/pay/xzwIXVnJ0XTnHm1nlPWbmbyzYyfDZ3cVsPv6D5WYNsk"

/** A charge that awaits its payment: what its creation answers. */
export const exampleTransaction = {
  id: "txn_01KA0000000700000000000000",
  object: "transaction",
  trace_id: exampleTraceId,
  mode: "test",
  status: "pending",
  amount: 12990,
  fee: 0,
  net_amount: 12990,
  currency: "BRL",
  payment_method: "pix",
  payment_url: examplePaymentUrl,
  customer: { name: "Ana Souza", email: "ana@example.com", document: "52998224725", phone: null },
  reference: "A-1001",
  description: "Assinatura de novembro",
  return_url: "https://shop.example/orders/A-1001",
  show_on_page: true,
  items: [{ name: "Assinatura", quantity: 1, unit_amount: 12990 }],
  metadata: { order_id: "A-1001" },
  postback_url: null,
  pix: {
    txid: "01KA0000000700000000000000ABCDEF",
    payload: "00020101021226...",
    qr_base64: "iVBORw0KGgo...",
    expires_at: "2026-11-22T12:00:00.000Z",
  },
  end_to_end_id: null,
  failure_reason: null,
  reserve: null,
  refunded_amount: 0,
  refunds: [],
  exceptions: [],
  created_at: "2026-11-21T12:00:00.000Z",
  expires_at: "2026-11-22T12:00:00.000Z",
  paid_at: null,
  expired_at: null,
  failed_at: null,
  refunded_at: null,
  chargeback_at: null,
} as const

/** Who pays a charge. */
export const TransactionCustomer = Schema.Struct({
  name: Schema.String.annotateKey({ description: "The payer's name." }),
  email: Schema.String.annotateKey({ description: "The payer's e-mail address." }),
  document: Schema.String.annotateKey({ description: "The payer's CPF or CNPJ, without punctuation." }),
  phone: textOrNull.annotateKey({ description: "The payer's telephone number, as given." }),
})

const TransactionPix = Schema.Struct({
  txid: Schema.String.annotateKey({ description: "The charge's id at the acquirer and the banks." }),
  payload: Schema.String.annotateKey({ description: "The copy-and-paste code (BR Code)." }),
  qr_base64: Schema.String.annotateKey({ description: "A PNG image of the code, in base64." }),
  expires_at: timestamp.annotateKey({ description: "Until when the code can be paid." }),
})

const TransactionReserve = Schema.Struct({
  amount: Schema.Int.annotateKey({ description: "Centavos that are held back." }),
  release_at: timestamp.annotateKey({ description: "When they become available." }),
  released_at: timestampOrNull.annotateKey({ description: "When they became available; null before." }),
})

const TransactionRefund = Schema.Struct({
  id: Schema.String.annotateKey({ description: "The refund's id; that of GET /v1/refunds." }),
  kind: Schema.Literals(refundKinds).annotateKey({
    description: "`chargeback`: the payer's bank took the money back.",
  }),
  amount: Schema.Int.annotateKey({ description: "Centavos that went back." }),
  return_id: textOrNull.annotateKey({ description: "The bank's id of the return." }),
  created_at: timestamp.annotateKey({ description: "When the money had gone back." }),
})

const TransactionException = Schema.Struct({
  kind: Schema.Literals(chargeExceptionKinds).annotateKey({
    description: "How the payment differs from what was asked for.",
  }),
  end_to_end_id: Schema.String.annotateKey({ description: "The bank's id of the payment." }),
  amount: Schema.Int.annotateKey({ description: "Centavos that were paid." }),
  created_at: timestamp.annotateKey({ description: "When it was recorded." }),
  resolved_at: Schema.optionalKey(timestamp).annotateKey({
    description: "When an operator resolved it; absent before.",
  }),
  act: Schema.optionalKey(Schema.Literals(["credit", "refund", "dismiss"])).annotateKey({
    description: "What the operator did; absent before.",
  }),
})

/**
 * A Pix charge (`docs/contract/transactions.md#fields`). Field order is the wire order; no free text but its own
 * stands before `customer`, and none before `trace_id`.
 */
export const Transaction = Schema.Struct({
  id: Schema.String.annotateKey({ description: "The charge's id." }),
  object: Schema.Literal("transaction").annotateKey({ description: "The kind of resource." }),
  trace_id: traceId,
  mode: Schema.Literals(modes).annotateKey({ description: "In `test` no money moves." }),
  status: Schema.Literals(transactionStatuses).annotateKey({
    description: "`refunded` and `chargeback`: the whole amount went back to the payer.",
  }),
  amount: Schema.Int.annotateKey({ description: "In centavos." }),
  fee: Schema.Int.annotateKey({ description: "What we keep when the charge is paid, in centavos." }),
  net_amount: Schema.Int.annotateKey({ description: "`amount` minus `fee`, in centavos." }),
  currency: Schema.Literal("BRL").annotateKey({ description: "The currency (ISO 4217)." }),
  payment_method: Schema.Literal("pix").annotateKey({ description: "How it is paid." }),
  /** `docs/contract/payment-page.md#the-link` */
  payment_url: Schema.String.annotate({ format: "uri" }).annotateKey({
    description:
      "The page on which the payer pays: send it, or redirect to it. Whoever has it sees the charge.",
    examples: [examplePaymentUrl],
  }),
  customer: TransactionCustomer.annotateKey({ description: "Who pays." }),
  reference: textOrNull.annotateKey({
    description: "Your own number or name of the order; null without one.",
  }),
  description: textOrNull.annotateKey({ description: "What is paid for, in a line; null without one." }),
  return_url: textOrNull.annotateKey({
    description: "Where the payment page leads once the charge is paid; null without one.",
  }),
  show_on_page: Schema.Boolean.annotateKey({
    description: "Whether the payment page shows `reference` and `description`.",
  }),
  /** `docs/contract/payment-links.md#charges` */
  payment_link_id: Schema.optionalKey(Schema.String).annotateKey({
    description: "The payment link that it was made through; absent without one.",
    examples: ["plk_01KA0000000700000000000000"],
  }),
  items: Schema.Array(Item).annotateKey({ description: "What is paid for." }),
  metadata: Schema.Record(Schema.String, MetadataValue).annotateKey({ description: "Your own data." }),
  postback_url: textOrNull.annotateKey({ description: "Receives the events of this charge only." }),
  pix: TransactionPix.annotateKey({ description: "How the payer pays: the code and its picture." }),
  end_to_end_id: textOrNull.annotateKey({
    description: "The bank's id of the payment; set once the charge is paid.",
  }),
  failure_reason: textOrNull.annotateKey({ description: "Why it failed." }),
  /** `docs/contract/transactions.md#fees-and-reserve` */
  reserve: Schema.NullOr(TransactionReserve).annotateKey({
    description: "The part of the net amount kept in reserve for a while; null if there is none.",
  }),
  refunded_amount: Schema.Int.annotateKey({
    description: "Centavos that went back to the payer so far; may exceed `amount`.",
  }),
  refunds: Schema.Array(TransactionRefund).annotateKey({
    description: "What went back to the payer, in order; a refund's `id` is that of GET /v1/refunds.",
  }),
  exceptions: Schema.Array(TransactionException).annotateKey({
    description: "Payments that do not fit the charge, in order.",
  }),
  created_at: timestamp.annotateKey({ description: "When it was created." }),
  expires_at: timestamp.annotateKey({ description: "Until when it can be paid." }),
  paid_at: timestampOrNull.annotateKey({ description: "When it was paid; null before." }),
  expired_at: timestampOrNull.annotateKey({ description: "When it expired; null if it has not." }),
  failed_at: timestampOrNull.annotateKey({ description: "When it failed; null if it has not." }),
  refunded_at: timestampOrNull.annotateKey({
    description: "When the last of the amount was refunded; null before.",
  }),
  chargeback_at: timestampOrNull.annotateKey({
    description: "When the last of the amount was gone by a chargeback; null before.",
  }),
}).annotate({ identifier: "Transaction", examples: [exampleTransaction] })
export type Transaction = typeof Transaction.Type

const { items: _items, ...summaryFields } = Transaction.fields
const { payload: _payload, qr_base64: _qr, ...summaryPixFields } = TransactionPix.fields

/** A charge as lists show it with `view=summary`: without its code, its picture and its items. */
export const TransactionSummary = Schema.Struct({
  ...summaryFields,
  pix: Schema.Struct(summaryPixFields).annotateKey({ description: "Its id at the banks, without the code." }),
}).annotate({ identifier: "TransactionSummary" })
export type TransactionSummary = typeof TransactionSummary.Type
