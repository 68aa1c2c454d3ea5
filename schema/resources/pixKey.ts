import { Schema } from "effect"
import { modes } from "../ids.ts"
import { lineOf } from "../text.ts"

const timestamp = Schema.String.annotate({ format: "date-time" })

/** Kinds of PIX keys, as the central bank defines them. */
export const pixKeyTypes = ["cpf", "cnpj", "email", "phone", "evp"] as const
export type PixKeyType = (typeof pixKeyTypes)[number]

/** States of a PIX key (`docs/contract/pix-keys.md#states`). */
export const pixKeyStatuses = ["pending_approval", "verified", "refused", "removed"] as const
export type PixKeyStatus = (typeof pixKeyStatuses)[number]

/** Body of POST /v1/me/pix-keys; the form of a value depends on its type (`docs/contract/pix-keys.md#values`). */
export const CreatePixKey = Schema.Struct({
  type: Schema.Literals(pixKeyTypes),
  value: lineOf(1, 120).annotateKey({
    description:
      "With or without punctuation. In live mode, a CPF or CNPJ must be the document you are identified by.",
  }),
}).annotate({ identifier: "CreatePixKey", examples: [{ type: "email", value: "ana@example.com" }] })
export type CreatePixKey = typeof CreatePixKey.Type

/** A PIX key. */
export const PixKey = Schema.Struct({
  id: Schema.String,
  object: Schema.Literal("pix_key"),
  mode: Schema.Literals(modes),
  type: Schema.Literals(pixKeyTypes),
  value: Schema.String.annotateKey({ description: "Masked." }),
  status: Schema.Literals(pixKeyStatuses).annotateKey({
    description:
      "Withdrawals go only to `verified` keys. Test keys are verified at once; in live mode an operator decides.",
  }),
  created_at: timestamp,
  verified_at: Schema.NullOr(timestamp),
}).annotate({ identifier: "PixKey" })
export type PixKey = typeof PixKey.Type
