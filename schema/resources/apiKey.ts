import { Schema } from "effect"
import { apiKeyScopes } from "../apiKeyScopes.ts"
import { textOrNull, timestamp, timestampOrNull } from "../fields.ts"
import { modes } from "../ids.ts"
import { limits } from "../limits.ts"
import { lineOf } from "../text.ts"

/** What an API key may do. */
export const ApiKeyScopes = Schema.Array(Schema.Literals(apiKeyScopes))

/** The name of an API key. */
export const ApiKeyName = lineOf(1, limits.apiKeyNameLengthMax)

const fields = {
  id: Schema.String.annotateKey({ description: "The key's id." }),
  name: ApiKeyName.annotateKey({ description: "For yourself." }),
  mode: Schema.Literals(modes).annotateKey({ description: "The mode it works in." }),
  key_prefix: Schema.String.annotateKey({ description: "How the secret begins." }),
  scopes: ApiKeyScopes.annotateKey({ description: "What it may do; it never changes." }),
  allowed_ips: Schema.Array(Schema.String).annotateKey({
    description: "Addresses and CIDR ranges that it works from; empty: from anywhere. It never changes.",
  }),
  last_used_at: timestampOrNull.annotateKey({
    description: "When it was last used, to the minute; null if never.",
  }),
  last_used_ip: textOrNull.annotateKey({
    description: "The address of that use; null if never, and where it is unknown.",
  }),
  revoke_at: timestampOrNull.annotateKey({
    description: "When it ends, once another has replaced it; null before.",
  }),
  created_at: timestamp.annotateKey({ description: "When it was created." }),
}

const example = {
  id: "key_01KA0000000700000000000000",
  name: "Checkout",
  mode: "test",
  key_prefix: "sk_test_0700",
  scopes: ["charges:read", "charges:write"],
  allowed_ips: ["203.0.113.0/24", "2001:db8::7"],
  last_used_at: null,
  last_used_ip: null,
  revoke_at: null,
  created_at: "2026-11-21T12:00:00.000Z",
} as const

const exampleSecret = "sk_test_07ExampleExampleExampleExampleExampleExamp"

const key = Schema.String.annotateKey({ description: "The secret; shown only this once." })

/** An API key without its secret. */
export const ApiKey = Schema.Struct(fields).annotate({ identifier: "ApiKey", examples: [example] })
export type ApiKey = typeof ApiKey.Type

/** A new API key with its secret. */
export const NewApiKey = Schema.Struct({ ...fields, key }).annotate({
  identifier: "NewApiKey",
  examples: [{ ...example, key: exampleSecret }],
})

/** The key that replaces another, and when the other one ends. */
export const RotatedApiKey = Schema.Struct({
  ...fields,
  key,
  old_key_revoke_at: timestamp.annotateKey({ description: "When the replaced key ends." }),
}).annotate({
  identifier: "RotatedApiKey",
  examples: [{ ...example, key: exampleSecret, old_key_revoke_at: "2026-11-22T12:00:00.000Z" }],
})
