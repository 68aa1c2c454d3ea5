import { hash, randomBytes } from "node:crypto"
import type { Identifiers } from "../../../actors/ports/identifiers.ts"
import type { NewApiKey } from "../../../actors/ports/sellerStore.ts"
import type { ApiKeyAccess } from "../../../actors/values/apiKeyAccess.ts"
import { type Mode, makeApiKey } from "../../../schema/ids.ts"

const bearerPattern = /^bearer +(\S.*)$/i

/**
 * The credentials of an `Authorization` header whose scheme is `Bearer` (RFC 6750), else undefined. Schemes are
 * case-insensitive, and spaces may repeat (RFC 9110, 11.1 and 11.4).
 */
export const bearerCredentials = (authorization: string): string | undefined =>
  bearerPattern.exec(authorization)?.[1]

/** Length of the prefix that stays visible (docs/contract/api-keys.md#format). */
const shownLength = 12
/** Bytes that `makeApiKey` consumes. */
const randomBytesPerKey = 41

/** Names the record of a key: its SHA-256 in base64url, the only stored form. */
export const hashApiKey = (key: string): string => hash("sha256", key, "base64url")

/** A new API key in a partition: the secret, shown once, and its record. */
export const newApiKey = (
  identifiers: Identifiers["Service"],
  input: {
    readonly mode: Mode
    readonly partition: number
    readonly name: string
    readonly access: ApiKeyAccess
    readonly nowMillis: number
  },
): { readonly key: string; readonly record: NewApiKey } => {
  const key = makeApiKey(input.mode, input.partition, randomBytes(randomBytesPerKey))
  const record = {
    id: identifiers.id("key_", input.partition, input.nowMillis),
    keyHash: hashApiKey(key),
    mode: input.mode,
    name: input.name,
    keyPrefix: key.slice(0, shownLength),
    createdAt: new Date(input.nowMillis).toISOString(),
    ...input.access,
  }
  return { key, record }
}
