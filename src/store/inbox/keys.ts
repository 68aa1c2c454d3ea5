import { family, type KeyFamilies, patternOf } from "../keyFamily.ts"
import { partitionTag, tagOf } from "../tags.ts"

/** Hash: an acquirer's notice. */
export const noticeKey = (id: string): string => noticePrefix(tagOf(id)) + id

/** The prefix of `noticeKey`, for functions that build its names. */
export const noticePrefix = (tag: string): string => `inb:${tag}:`

/** Sorted set, all scores 0: a partition's notice ids by age: all, open, processed, or with a bad signature. */
export const noticesKey = (tag: string, kind?: "unprocessed" | "done" | "unsigned"): string =>
  `inbox:${tag}${kind === undefined ? "" : `:${kind}`}`

/** Hash: the bytes of a partition's correctly signed notices by id, and the sums `open` and `done`. */
export const inboxBytesKey = (tag: string): string => `inbox-bytes:${tag}`

/** String: the first notice of an acquirer's event. */
export const noticeSeenKey = (tag: string, acquirerSlug: string, providerEventId: string): string =>
  `inbox-seen:${tag}:${acquirerSlug}:${providerEventId}`

/** The key families of acquirers' notices. */
export const inboxFamilies: KeyFamilies = {
  ofPartition: (partition, whose) => {
    const tag = partitionTag(partition)
    return [
      family(
        "notice",
        patternOf("inb_", partition, noticeKey),
        "hash",
        `one notice of an acquirer in ${whose}; its body and headers are ciphertext`,
      ),
      family("inbox", noticesKey(tag), "set by id", `ids of the acquirers' notices in ${whose}`),
      family(
        "inbox",
        noticesKey(tag, "unprocessed"),
        "set by id",
        `ids of the notices in ${whose} that are waiting or given up`,
      ),
      family(
        "inbox",
        noticesKey(tag, "done"),
        "set by id",
        `ids of the processed notices in ${whose}, which are dropped when the inbox is full`,
      ),
      family("inbox bytes", inboxBytesKey(tag), "hash", `bytes that the notices in ${whose} take`),
      family(
        "inbox",
        noticesKey(tag, "unsigned"),
        "set by id",
        `ids of the notices in ${whose} with a wrong signature`,
      ),
      family(
        "notice seen",
        noticeSeenKey(tag, "*", "*"),
        "string",
        `the notice in ${whose} that first reported an acquirer's event`,
      ),
    ]
  },
}
