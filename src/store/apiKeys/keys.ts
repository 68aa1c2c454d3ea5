import type { Mode } from "../../../schema/ids.ts"
import { family, type KeyFamilies } from "../keyFamily.ts"
import { partitionTag, tagOf } from "../tags.ts"

/** Hash: an API key. */
export const apiKeyKey = (partition: number, keyHash: string): string =>
  `apikey:${partitionTag(partition)}:${keyHash}`

/** Hash: key id -> SHA-256 of the key, of a seller's keys of a mode that are not revoked. */
export const apiKeysKey = (sellerId: string, mode: Mode): string =>
  `apikeys:${tagOf(sellerId)}:${sellerId}:${mode}`

/** The key families of API keys. */
export const apiKeyFamilies: KeyFamilies = {
  ofMode: ({ sellerId, mode }) => [
    family(
      "api keys",
      apiKeysKey(sellerId, mode),
      "hash",
      `the ${mode} API keys that are not revoked: their ids and SHA-256 in base64url`,
    ),
  ],
  ofPartition: (partition, whose) => [
    family(
      "api key",
      apiKeyKey(partition, "*"),
      "hash",
      `one API key of a seller of ${whose}, by its SHA-256 in base64url`,
    ),
  ],
}
