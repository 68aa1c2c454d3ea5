import { type Feed, type IdPrefix, makeId } from "../../schema/ids.ts"
import { accountTag, userIdInSlot } from "./tags.ts"

/** The type of a key: a Redis type, with the order of sorted sets, or a channel. */
export type KeyType = "string" | "hash" | "set" | "set by time" | "set by id" | "stream" | "channel"

/** Keys of one kind. A `*` in `key` stands for the part that varies. */
export interface KeyFamily {
  readonly family: string
  readonly key: string
  readonly type: KeyType
  readonly holds: string
}

/** The key families of an aggregate, by what they belong to. `ops streams` lists them. */
export interface KeyFamilies {
  /** Those that belong to no seller; keys of accounts as patterns over their slots. */
  readonly ofService?: () => ReadonlyArray<KeyFamily>
  readonly ofSeller?: (sellerId: string) => ReadonlyArray<KeyFamily>
  /** Those of a seller's mode. */
  readonly ofMode?: (feed: Feed) => ReadonlyArray<KeyFamily>
  readonly ofEndpoint?: (feed: Feed, endpointId: string) => ReadonlyArray<KeyFamily>
  /** Those that the sellers of a partition share; `whose` names it in texts. */
  readonly ofPartition?: (partition: number, whose: string) => ReadonlyArray<KeyFamily>
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

/** The pattern of a key in every account slot. */
export const patternOfSlots = (keyOf: (slot: number) => string): string =>
  keyOf(0).replace(accountTag(0), "{u*}")

/** The pattern of a key by user id, in every account slot. */
export const patternOfUser = (keyOf: (userId: string) => string): string => {
  const id = userIdInSlot("00000000-0000-4000-8000-000000000000", 0)
  return patternOfSlots(() => keyOf(id)).replace(id, "*")
}
