import { Schema } from "effect"
import { csvLocales } from "../csv.ts"
import { Email } from "./transaction.ts"

/** Body of POST …/receipt/send (`docs/contract/receipts.md#send`). */
export const SendReceipt = Schema.Struct({
  email: Email.annotateKey({ description: "Who gets the receipt." }),
  locale: Schema.optionalKey(Schema.Literals(csvLocales)).annotateKey({
    description: "The receipt's language; `pt-BR` by default.",
  }),
}).annotate({ identifier: "SendReceipt", examples: [{ email: "ana@example.com" }] })
export type SendReceipt = typeof SendReceipt.Type
