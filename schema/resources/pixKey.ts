import { Schema } from "effect"
import { modes } from "../ids.ts"
import { lineOf } from "../text.ts"

const timestamp = Schema.String.annotate({ format: "date-time" })

/** The kinds of PIX keys (BCB). */
export const pixKeyTypes = ["cpf", "cnpj", "email", "phone", "evp"] as const
export type PixKeyType = (typeof pixKeyTypes)[number]

/** decisions 3: the states of a PIX key. */
export const pixKeyStatuses = ["pending_approval", "verified", "refused", "removed"] as const
export type PixKeyStatus = (typeof pixKeyStatuses)[number]

/** Body of POST /v1/me/pix-keys (decisions 3); what a value must look like depends on the type. */
export const CreatePixKey = Schema.Struct({
  type: Schema.Literals(pixKeyTypes),
  value: lineOf(1, 120),
}).annotate({ identifier: "CreatePixKey" })
export type CreatePixKey = typeof CreatePixKey.Type

/** A PIX key (decisions 3); `value` is masked. */
export const PixKey = Schema.Struct({
  id: Schema.String,
  object: Schema.Literal("pix_key"),
  mode: Schema.Literals(modes),
  type: Schema.Literals(pixKeyTypes),
  value: Schema.String,
  status: Schema.Literals(pixKeyStatuses),
  created_at: timestamp,
  verified_at: Schema.NullOr(timestamp),
}).annotate({ identifier: "PixKey" })
export type PixKey = typeof PixKey.Type
