import { Schema } from "effect"
import { timestamp, timestampOrNull } from "../fields.ts"
import { modes } from "../ids.ts"
import { limits } from "../limits.ts"
import { pixKeyStatuses, pixKeyTypes } from "../names.ts"
import { lineOf } from "../text.ts"

export { type PixKeyStatus, type PixKeyType, pixKeyStatuses, pixKeyTypes } from "../names.ts"

/** Body of POST /v1/me/pix-keys; the form of a value depends on its type (`docs/contract/pix-keys.md#values`). */
export const CreatePixKey = Schema.Struct({
  type: Schema.Literals(pixKeyTypes).annotateKey({ description: "`evp` is a random key." }),
  value: lineOf(1, limits.pixKeyLengthMax).annotateKey({
    description:
      "With or without punctuation, in a form that Pix keys have. In live mode, a CPF or CNPJ must be the document you are identified by.",
  }),
}).annotate({ identifier: "CreatePixKey", examples: [{ type: "email", value: "ana@example.com" }] })
export type CreatePixKey = typeof CreatePixKey.Type

/** A Pix key that withdrawals can be sent to. */
export const examplePixKey = {
  id: "pk_01KA0000000700000000000000",
  object: "pix_key",
  mode: "test",
  type: "cpf",
  value: "***.982.247-**",
  status: "verified",
  created_at: "2026-11-21T12:00:00.000Z",
  verified_at: "2026-11-21T12:00:00.000Z",
} as const

/** A Pix key. */
export const PixKey = Schema.Struct({
  id: Schema.String.annotateKey({ description: "The Pix key's id." }),
  object: Schema.Literal("pix_key").annotateKey({ description: "The kind of resource." }),
  mode: Schema.Literals(modes).annotateKey({ description: "The mode whose withdrawals it receives." }),
  type: Schema.Literals(pixKeyTypes).annotateKey({
    description: "The kind of Pix key; `evp` is a random one.",
  }),
  value: Schema.String.annotateKey({ description: "Masked." }),
  status: Schema.Literals(pixKeyStatuses).annotateKey({
    description:
      "Withdrawals go only to `verified` keys. Test keys are verified at once; in live mode an operator decides.",
  }),
  created_at: timestamp.annotateKey({ description: "When it was registered." }),
  verified_at: timestampOrNull.annotateKey({ description: "When it was verified; null before." }),
}).annotate({ identifier: "PixKey", examples: [examplePixKey] })
export type PixKey = typeof PixKey.Type
