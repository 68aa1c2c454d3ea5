import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { EndToEndId } from "../endToEndId.ts"
import { textOrNull, timestamp } from "../fields.ts"
import { limits } from "../limits.ts"
import { pixKeyTypes } from "../resources/pixKey.ts"
import { lineOf } from "../text.ts"

/** A withdrawal that an operator pays in the bank's own application (`docs/contract/admin.md#withdrawals-to-pay`). */
export const WithdrawalToPay = Schema.Struct({
  id: Schema.String.annotateKey({ description: "The withdrawal." }),
  amount: Schema.Int.annotateKey({ description: "Centavos to pay." }),
  seller_id: Schema.String.annotateKey({ description: "Who is paid." }),
  seller_name: textOrNull.annotateKey({ description: "That seller's name." }),
  pix_key: Schema.Struct({
    type: Schema.Literals(pixKeyTypes).annotateKey({ description: "The kind of Pix key." }),
    value: textOrNull.annotateKey({
      description: "The key, whole; null if this `ENCRYPTION_KEY` cannot open it.",
    }),
  }).annotateKey({ description: "Where the money goes." }),
  holder: Schema.Struct({
    name: textOrNull.annotateKey({ description: "The name that the bank should show." }),
    document: textOrNull.annotateKey({ description: "The CPF or CNPJ, masked." }),
  }).annotateKey({ description: "Whose key it must be: the seller as identified." }),
  description: textOrNull.annotateKey({ description: "The seller's." }),
  approved_at: timestamp.annotateKey({ description: "When it was approved." }),
}).annotate({
  identifier: "WithdrawalToPay",
  examples: [
    {
      id: "wd_01KA0000000700000000000000",
      amount: 10_000,
      seller_id: "sel_01KA0000000700000000000000",
      seller_name: "Loja da Ana",
      pix_key: { type: "phone", value: "+5511987654321" },
      holder: { name: "Ana Souza", document: "***.982.247-**" },
      description: "November",
      approved_at: "2026-11-21T12:00:00.000Z",
    },
  ],
})
export type WithdrawalToPay = typeof WithdrawalToPay.Type

/** The same page as CSV. */
export const WithdrawalsToPayCsv = Schema.String.annotate({
  description:
    "CSV (RFC 4180, fields separated by commas): a header and a line for each withdrawal; `X-Next-Cursor` names the next page. A field that a spreadsheet would run has an apostrophe before it.",
  examples: [
    [
      "id,amount,seller_id,seller_name,pix_key_type,pix_key,holder_name,holder_document,description,approved_at",
      "wd_01KA0000000700000000000000,100.00,sel_01KA0000000700000000000000,Loja da Ana,phone,'+5511987654321,Ana Souza,***.982.247-**,November,2026-11-21T12:00:00.000Z",
      "",
    ].join("\r\n"),
  ],
}).pipe(HttpApiSchema.asText({ contentType: "text/csv" }))

/** The Pix by which an operator paid a withdrawal. */
export const WithdrawalSettlement = Schema.Struct({
  end_to_end_id: EndToEndId.annotateKey({ description: "The Pix's end-to-end id, as the bank shows it." }),
}).annotate({
  identifier: "WithdrawalSettlement",
  examples: [{ end_to_end_id: "E12345678202611211200abcdefghi01" }],
})

/** Why an operator did not pay a withdrawal. */
export const WithdrawalFailure = Schema.Struct({
  reason: lineOf(1, limits.payoutFailureReasonLengthMax).annotateKey({
    description: "Kept in the audit log; the seller sees it.",
  }),
}).annotate({ identifier: "WithdrawalFailure", examples: [{ reason: "The bank does not know the key" }] })
