import { Schema } from "effect"
import { modes } from "../ids.ts"
import { limits } from "../limits.ts"
import { lineOf } from "../text.ts"

const timestamp = Schema.String.annotate({ format: "date-time" })

/** The name of an API key. */
export const ApiKeyName = lineOf(1, limits.apiKeyNameLengthMax)

const fields = {
  id: Schema.String,
  name: ApiKeyName,
  mode: Schema.Literals(modes),
  key_prefix: Schema.String,
  last_used_at: Schema.NullOr(timestamp),
  revoke_at: Schema.NullOr(timestamp),
  created_at: timestamp,
}

const key = Schema.String.annotateKey({ description: "The secret; shown only this once." })

/** An API key without its secret. */
export const ApiKey = Schema.Struct(fields).annotate({ identifier: "ApiKey" })
export type ApiKey = typeof ApiKey.Type

/** A new API key with its secret. */
export const NewApiKey = Schema.Struct({ ...fields, key }).annotate({
  identifier: "NewApiKey",
})

/** The key that replaces another, and when the other one ends. */
export const RotatedApiKey = Schema.Struct({
  ...fields,
  key,
  old_key_revoke_at: timestamp,
}).annotate({ identifier: "RotatedApiKey" })
