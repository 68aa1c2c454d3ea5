import type { Feed, Mode } from "../../../schema/ids.ts"
import { tagOf } from "../tags.ts"

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
