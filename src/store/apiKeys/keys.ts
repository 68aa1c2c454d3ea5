import type { Mode } from "../../../schema/ids.ts"
import { partitionTag, tagOf } from "../tags.ts"

/** Hash: an API key. */
export const apiKeyKey = (partition: number, keyHash: string): string =>
  `apikey:${partitionTag(partition)}:${keyHash}`

/** Hash: key id -> SHA-256 of the key, of a seller's keys of a mode that are not revoked. */
export const apiKeysKey = (sellerId: string, mode: Mode): string =>
  `apikeys:${tagOf(sellerId)}:${sellerId}:${mode}`
