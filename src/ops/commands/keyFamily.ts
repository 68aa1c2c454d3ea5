import { type IdPrefix, makeId } from "../../../schema/ids.ts"

/** What a key holds: a Redis type, how it is sorted where that decides how to read it, or a channel. */
export type KeyType = "string" | "hash" | "set" | "set by time" | "set by id" | "stream" | "channel"

/** Keys of one kind. A `*` in `key` stands for what differs from one to the next. */
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

/** The pattern of the keys that `keyOf` names by ids of the partition. */
export const patternOf = (prefix: IdPrefix, partition: number, keyOf: (id: string) => string): string => {
  const id = makeId(prefix, 0, partition, new Uint8Array(14))
  return keyOf(id).replace(id, "*")
}
