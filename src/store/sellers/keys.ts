import type { Mode } from "../../../schema/ids.ts"
import { partitionTag, tagOf } from "../tags.ts"

/** Hash: a seller's record. */
export const sellerKey = (sellerId: string): string => `seller:${tagOf(sellerId)}:${sellerId}`

/** The prefix of `sellerKey`, for functions that build its names. */
export const sellerPrefix = (tag: string): string => `seller:${tag}:`

/** Sorted set, all scores 0: the seller ids of a partition, sorted by age. */
export const sellersKey = (partition: number): string => `sellers:${partitionTag(partition)}`

/** Channel: ids of sellers whose record has changed. */
export const sellersChannel = "sellers-changed"

/** String: a seller's counters in a mode, cached. */
export const countersKey = (sellerId: string, mode: Mode): string =>
  `counters:${tagOf(sellerId)}:${sellerId}:${mode}`

/** String: how far a seller's test clock is ahead, in ms. */
export const clockKey = (sellerId: string): string => clockPrefix(tagOf(sellerId)) + sellerId

/** The prefix of `clockKey`, for functions that build its names. */
export const clockPrefix = (tag: string): string => `clock:${tag}:`
