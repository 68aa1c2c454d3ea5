import { hash, randomBytes } from "node:crypto"
import type { Identifiers } from "../../../actors/ports/identifiers.ts"
import type { NewApiKey } from "../../../actors/ports/sellerStore.ts"
import { type Mode, makeApiKey } from "../../../schema/ids.ts"

/** What of a key may be shown for good (decisions 4). */
const shownLength = 12
/** What `makeApiKey` takes. */
const randomBytesPerKey = 41

/** The name of a key's record: its SHA-256 in base64url, all that is stored of it (decisions 4). */
export const hashApiKey = (key: string): string => hash("sha256", key, "base64url")

/** A fresh API key of a partition: the secret, to be shown once, and its record. */
export const newApiKey = (
  identifiers: Identifiers["Service"],
  input: {
    readonly mode: Mode
    readonly partition: number
    readonly name: string
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
  }
  return { key, record }
}
