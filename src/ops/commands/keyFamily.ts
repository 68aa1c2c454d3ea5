import { type IdPrefix, makeId } from "../../../schema/ids.ts"

/** The type of a key: a Redis type, with the order of sorted sets, or a channel. */
export type KeyType = "string" | "hash" | "set" | "set by time" | "set by id" | "stream" | "channel"

/** Keys of one kind. A `*` in `key` stands for the part that varies. */
export interface KeyFamily {
  readonly family: string
  readonly key: string
  readonly type: KeyType
  readonly holds: string
}

/** One row of `ops streams`. */
export const family = (name: string, key: string, type: KeyType, holds: string): KeyFamily => ({
  family: name,
  key,
  type,
  holds,
})

/** The pattern of a key by id, for ids of the partition. */
export const patternOf = (prefix: IdPrefix, partition: number, keyOf: (id: string) => string): string => {
  const id = makeId(prefix, 0, partition, new Uint8Array(14))
  return keyOf(id).replace(id, "*")
}
