import { Schema } from "effect"
import { modes } from "../ids.ts"
import { limits } from "../limits.ts"
import { lineOf } from "../text.ts"

const timestamp = Schema.String.annotate({ format: "date-time" })

/** The name of an API key (spec 8). */
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

/** An API key (spec 2), without its secret. */
export const ApiKey = Schema.Struct(fields).annotate({ identifier: "ApiKey" })
export type ApiKey = typeof ApiKey.Type

/** An API key with its secret, shown this once. */
export const NewApiKey = Schema.Struct({ ...fields, key: Schema.String }).annotate({
  identifier: "NewApiKey",
})

/** The key that takes another's place, and when the other ends. */
export const RotatedApiKey = Schema.Struct({
  ...fields,
  key: Schema.String,
  old_key_revoke_at: timestamp,
}).annotate({ identifier: "RotatedApiKey" })
