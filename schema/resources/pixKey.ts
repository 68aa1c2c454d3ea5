import { Schema } from "effect"
import { timestamp, timestampOrNull } from "../fields.ts"
import { modes } from "../ids.ts"
import { lineOf } from "../text.ts"

/** Kinds of PIX keys, as the central bank defines them. */
export const pixKeyTypes = ["cpf", "cnpj", "email", "phone", "evp"] as const
export type PixKeyType = (typeof pixKeyTypes)[number]

/** States of a PIX key (`docs/contract/pix-keys.md#states`). */
export const pixKeyStatuses = ["pending_approval", "verified", "refused", "removed"] as const
export type PixKeyStatus = (typeof pixKeyStatuses)[number]

/** Body of POST /v1/me/pix-keys; the form of a value depends on its type (`docs/contract/pix-keys.md#values`). */
export const CreatePixKey = Schema.Struct({
  type: Schema.Literals(pixKeyTypes).annotateKey({ description: "`evp` is a random key." }),
  value: lineOf(1, 120).annotateKey({
    description:
      "With or without punctuation, in a form that PIX keys have. In live mode, a CPF or CNPJ must be the document you are identified by.",
  }),
}).annotate({ identifier: "CreatePixKey", examples: [{ type: "email", value: "ana@example.com" }] })
export type CreatePixKey = typeof CreatePixKey.Type

/** A PIX key that withdrawals can be sent to. */
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

/** A PIX key. */
export const PixKey = Schema.Struct({
  id: Schema.String.annotateKey({ description: "The PIX key's id." }),
  object: Schema.Literal("pix_key").annotateKey({ description: "The kind of resource." }),
  mode: Schema.Literals(modes).annotateKey({ description: "The mode whose withdrawals it receives." }),
  type: Schema.Literals(pixKeyTypes).annotateKey({
    description: "The kind of PIX key; `evp` is a random one.",
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
