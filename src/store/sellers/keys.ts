import type { Mode } from "../../../schema/ids.ts"
import { family, type KeyFamilies } from "../keyFamily.ts"
import { partitionTag, tagOf } from "../tags.ts"

/** Hash: a seller's record. */
export const sellerKey = (sellerId: string): string => `seller:${tagOf(sellerId)}:${sellerId}`

/** The prefix of `sellerKey`, for functions that build its names. */
export const sellerPrefix = (tag: string): string => `seller:${tag}:`

/** Sorted set, all scores 0: the seller ids of a partition, sorted by age. */
export const sellersKey = (partition: number): string => `sellers:${partitionTag(partition)}`

/** Sorted set, all scores 0: `<term> <seller>`, by what operators find the sellers of a partition. */
export const sellerLookupKey = (tag: string): string => `seller-lookup:${tag}`

/** The same, of the seller's partition. */
export const sellerLookupKeyOf = (sellerId: string): string => sellerLookupKey(tagOf(sellerId))

/** String: when the last pass that indexed all sellers began, in ms. */
export const sellersIndexedKey = "sellers-indexed"

/** Channel: ids of sellers whose record has changed. */
export const sellersChannel = "sellers-changed"

/** String: a seller's counters in a mode, cached. */
export const countersKey = (sellerId: string, mode: Mode): string =>
  `counters:${tagOf(sellerId)}:${sellerId}:${mode}`

/** String: how far a seller's test clock is ahead, in ms. */
export const clockKey = (sellerId: string): string => clockPrefix(tagOf(sellerId)) + sellerId

/** The prefix of `clockKey`, for functions that build its names. */
export const clockPrefix = (tag: string): string => `clock:${tag}:`

/** The key families of sellers. */
export const sellerFamilies: KeyFamilies = {
  ofService: () => [
    family("changed sellers", sellersChannel, "channel", "announces changes of sellers' records"),
    family(
      "indexed sellers",
      sellersIndexedKey,
      "string",
      "when the last pass that indexed all sellers began (ms)",
    ),
  ],
  ofSeller: (sellerId) => [
    family("seller", sellerKey(sellerId), "hash", "the seller; secrets are ciphertext"),
    family("clock", clockKey(sellerId), "string", "how far its test clock is ahead (ms)"),
  ],
  ofMode: ({ sellerId, mode }) => [
    family("counters", countersKey(sellerId, mode), "string", `the cached ${mode} counters`),
  ],
  ofPartition: (partition, whose) => [
    family("sellers", sellersKey(partition), "set by id", `ids of the sellers of ${whose}`),
    family(
      "found sellers",
      sellerLookupKey(partitionTag(partition)),
      "set by id",
      `by what sellers of ${whose} are found`,
    ),
  ],
}
