import type { Feed } from "../../../schema/ids.ts"
import { family, type KeyFamilies } from "../keyFamily.ts"
import { tagOf } from "../tags.ts"

/** Stream: every event of a feed, whole. */
export const eventsKey = (feed: Feed): string =>
  `events:${tagOf(feed.sellerId)}:${feed.sellerId}:${feed.mode}`

/** The prefix of `eventsKey`, for functions that build its names. */
export const eventsPrefix = (tag: string): string => `events:${tag}:`

/** Hash: a feed's `seq` and newest entry. */
export const feedKey = (feed: Feed): string => `feed:${tagOf(feed.sellerId)}:${feed.sellerId}:${feed.mode}`

/** Channel: an event was appended to a feed, or a credential of its streams was revoked. */
export const feedChannel = (feed: Feed): string =>
  `hint:${tagOf(feed.sellerId)}:${feed.sellerId}:${feed.mode}`

/** The feed of a hint channel; undefined for another channel. */
export const feedOfChannel = (channel: string): Feed | undefined => {
  const [kind, , sellerId, mode] = channel.split(":")
  if (kind !== "hint" || sellerId === undefined) return undefined
  return { sellerId, mode: mode === "live" ? "live" : "test" }
}

/** Hash: connection -> process, of a seller's open SSE streams. */
export const streamsKey = (sellerId: string): string => `streams:${tagOf(sellerId)}:${sellerId}`

/** The key families of feeds and of the streams that follow them. */
export const eventFamilies: KeyFamilies = {
  ofSeller: (sellerId) => [
    family("streams", streamsKey(sellerId), "hash", "its open SSE streams and their processes"),
  ],
  ofMode: (feed) => [
    family("events", eventsKey(feed), "stream", `every ${feed.mode} event in full`),
    family("feed", feedKey(feed), "hash", `the ${feed.mode} feed's last seq and newest entry`),
    family("hints", feedChannel(feed), "channel", `announces new events in the ${feed.mode} feed`),
  ],
}
