import { Schema } from "effect"
import { DateTimeText } from "../api/common.ts"
import { textOrNull, timestamp, timestampOrNull } from "../fields.ts"
import { modes } from "../ids.ts"
import { limits } from "../limits.ts"
import { isLineCheck, lineOf } from "../text.ts"

const amount = Schema.Int.check(Schema.isBetween({ minimum: limits.amountMin, maximum: limits.amountMax }))
const amountOrNull = Schema.NullOr(Schema.Int)

/** A field of a body that may be left out, or null. */
const optional = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.optionalKey(Schema.NullOr(schema)).annotateKey({ description })

const title = lineOf(1, limits.paymentLinkTitleLengthMax)
const titleDescription = `What is paid for, as payers read it: 1 to ${limits.paymentLinkTitleLengthMax} characters.`
const activeDescription = "Whether it takes payments."

/** What both bodies may have. Which amounts fit together is the handler's to check. */
const settings = {
  description: optional(
    lineOf(1, limits.chargeDescriptionLengthMax),
    "More about it, in a line. Payers see it.",
  ),
  amount: optional(amount, "In centavos. Without it the payer chooses."),
  amount_min: optional(amount, "The least that a payer may choose, in centavos; only without `amount`."),
  amount_max: optional(amount, "The most that a payer may choose, in centavos; only without `amount`."),
  expires_at: optional(
    DateTimeText,
    "When it stops taking payments: a date-time with its zone, or a date, with whose end in America/Sao_Paulo it stops.",
  ),
  payments_max: optional(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: limits.paymentLinkPaymentsMax })),
    `How many payments it takes: 1 to ${limits.paymentLinkPaymentsMax}; any number without it.`,
  ),
  reference: optional(
    lineOf(1, limits.chargeReferenceLengthMax),
    "Your own name of what is sold; every charge made through it has it.",
  ),
  return_url: optional(
    Schema.String.check(Schema.isMinLength(1), isLineCheck),
    "Where the payment page leads once a charge is paid: https.",
  ),
}

/** Body of POST /v1/payment-links (`docs/contract/payment-links.md#create`). */
export const CreatePaymentLink = Schema.Struct({
  title: title.annotateKey({ description: titleDescription }),
  ...settings,
  active: optional(Schema.Boolean, `${activeDescription} True by default.`),
}).annotate({
  identifier: "CreatePaymentLink",
  examples: [{ title: "Oficina de cerâmica", amount: 12000, payments_max: 20, reference: "oficina-dez" }],
})
export type CreatePaymentLink = typeof CreatePaymentLink.Type

/** Body of PATCH /v1/payment-links/{id} (`docs/contract/payment-links.md#change`). */
export const ChangePaymentLink = Schema.Struct({
  title: Schema.optionalKey(title).annotateKey({ description: titleDescription }),
  ...settings,
  active: Schema.optionalKey(Schema.Boolean).annotateKey({ description: activeDescription }),
}).annotate({ identifier: "ChangePaymentLink", examples: [{ active: false }] })
export type ChangePaymentLink = typeof ChangePaymentLink.Type

const exampleUrl = "https://pay.example.com/l/01KA0000000700000000000000"

/** A link of a fixed amount that eight have paid. */
export const examplePaymentLink = {
  id: "plk_01KA0000000700000000000000",
  object: "payment_link",
  url: exampleUrl,
  mode: "test",
  active: true,
  title: "Oficina de cerâmica",
  description: "Sábado, das 14h às 17h",
  amount: 12000,
  amount_min: null,
  amount_max: null,
  expires_at: "2026-12-05T17:00:00.000Z",
  payments_max: 20,
  reference: "oficina-dez",
  return_url: null,
  created_at: "2026-11-21T12:00:00.000Z",
  payments: 8,
  paid_amount: 96000,
  pending_payments: 1,
} as const

/** What a seller decides of a link, and when it was made: all but its counts. `url` stands before all free text. */
const shown = {
  id: Schema.String.annotateKey({ description: "The link's id." }),
  object: Schema.Literal("payment_link").annotateKey({ description: "The kind of resource." }),
  url: Schema.String.annotate({ format: "uri" }).annotateKey({
    description: "The page on which anybody pays: publish it, print it, send it.",
    examples: [exampleUrl],
  }),
  mode: Schema.Literals(modes).annotateKey({ description: "In `test` no money moves." }),
  active: Schema.Boolean.annotateKey({ description: activeDescription }),
  title: Schema.String.annotateKey({ description: "What is paid for, as payers read it." }),
  description: textOrNull.annotateKey({ description: "More about it; null without one." }),
  amount: amountOrNull.annotateKey({ description: "In centavos; null where the payer chooses." }),
  amount_min: amountOrNull.annotateKey({
    description: "The least that a payer may choose, in centavos; null with an `amount`.",
  }),
  amount_max: amountOrNull.annotateKey({
    description: "The most that a payer may choose, in centavos; null with an `amount`.",
  }),
  expires_at: timestampOrNull.annotateKey({ description: "When it stops taking payments; null: never." }),
  payments_max: Schema.NullOr(Schema.Int).annotateKey({
    description: "How many payments it takes; null: any number.",
  }),
  reference: textOrNull.annotateKey({ description: "Your own name of what is sold; null without one." }),
  return_url: textOrNull.annotateKey({
    description: "Where the payment page leads once a charge is paid; null without one.",
  }),
  created_at: timestamp.annotateKey({ description: "When it was created." }),
}

/** A link as it is stored, without its counts, which many payments raise at once; its `url` is empty. */
export const PaymentLinkSettings = Schema.Struct(shown)
export type PaymentLinkSettings = typeof PaymentLinkSettings.Type

const counted = {
  ...shown,
  payments: Schema.Int.annotateKey({ description: "How many charges were paid through it." }),
  paid_amount: Schema.Int.annotateKey({
    description: "What they add up to, in centavos, before fees and refunds.",
  }),
  pending_payments: Schema.Int.annotateKey({
    description: "How many charges made through it may still be paid.",
  }),
}

/** One address at which many pay (`docs/contract/payment-links.md#fields`). Field order is the wire order. */
export const PaymentLink = Schema.Struct(counted).annotate({
  identifier: "PaymentLink",
  examples: [examplePaymentLink],
})
export type PaymentLink = typeof PaymentLink.Type

/** A link as `payment_link.paid` shows it (`docs/contract/payment-links.md#event`). */
export const PaidPaymentLink = Schema.Struct({
  ...counted,
  transaction_id: Schema.String.annotateKey({ description: "The charge that was paid." }),
}).annotate({ identifier: "PaidPaymentLink" })
