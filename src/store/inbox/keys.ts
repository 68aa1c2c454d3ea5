import { tagOf } from "../tags.ts"

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
