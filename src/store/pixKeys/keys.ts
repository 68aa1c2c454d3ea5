import { type Feed, type Mode, modes } from "../../../schema/ids.ts"
import { pixKeyStatuses } from "../../../schema/resources/pixKey.ts"
import { family, type KeyFamilies, patternOf } from "../keyFamily.ts"
import { partitionTag, tagOf } from "../tags.ts"

/** Hash: a PIX key. */
export const pixKeyKey = (id: string): string => `pk:${tagOf(id)}:${id}`

/** Sorted set, all scores 0: a seller's PIX key ids, sorted by age; one for all and one a status. */
export const pixKeysKey = (sellerId: string, mode: Mode, status?: string): string =>
  `pks:${tagOf(sellerId)}:${sellerId}:${mode}${status === undefined ? "" : `:${status}`}`

/** Hash: keyed hash of a PIX key's value -> its id, of a seller's pending and verified keys. */
export const pixKeyValuesKey = ({ sellerId, mode }: Feed): string =>
  `pk-values:${tagOf(sellerId)}:${sellerId}:${mode}`

/** Sorted set, all scores 0: a partition's PIX keys in a status, of all sellers. Operators list them. */
export const partitionPixKeysKey = (tag: string, mode: Mode, status: string): string =>
  `pks-all:${tag}:${mode}:${status}`

/** The key families of PIX keys. */
export const pixKeyFamilies: KeyFamilies = {
  ofMode: (feed) => {
    const { sellerId, mode } = feed
    return [
      family("PIX keys", pixKeysKey(sellerId, mode), "set by id", `ids of all ${mode} PIX keys`),
      ...pixKeyStatuses.map((status) =>
        family(
          "PIX keys",
          pixKeysKey(sellerId, mode, status),
          "set by id",
          `ids of the ${mode} PIX keys that are ${status}`,
        ),
      ),
      family(
        "PIX key values",
        pixKeyValuesKey(feed),
        "hash",
        `the ${mode} PIX keys that are pending or verified, by the SHA-256 of their values in base64url`,
      ),
    ]
  },
  ofPartition: (partition, whose) => [
    family(
      "PIX key",
      patternOf("pk_", partition, pixKeyKey),
      "hash",
      `one PIX key of a seller of ${whose}; its value is ciphertext`,
    ),
    ...modes.flatMap((mode) =>
      pixKeyStatuses.map((status) =>
        family(
          "PIX keys of all sellers",
          partitionPixKeysKey(partitionTag(partition), mode, status),
          "set by id",
          `ids of the ${mode} PIX keys of ${whose} that are ${status}`,
        ),
      ),
    ),
  ],
}
