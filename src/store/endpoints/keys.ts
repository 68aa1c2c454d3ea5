import { destinationIdOfTracker } from "../../../actors/delivery/destinationId.ts"
import type { Feed } from "../../../schema/ids.ts"
import { family, type KeyFamilies, patternOf } from "../keyFamily.ts"
import { tagOf, tagOfDestination } from "../tags.ts"

/** Hash: an endpoint, a postback or a tracker. */
export const destinationKey = (id: string): string => `destination:${tagOfDestination(id)}:${id}`

/** Sorted set, all scores 0: ids of a mode's endpoints that are not deleted. */
export const endpointsKey = (feed: Feed): string =>
  `${endpointsPrefix(tagOf(feed.sellerId))}${feed.sellerId}:${feed.mode}`

/** The prefix of `endpointsKey`, for functions that build its names. */
export const endpointsPrefix = (tag: string): string => `endpoints:${tag}:`

/** Hash: destination id -> its event types, of a mode's enabled endpoints and tracker. Fan-out reads it. */
export const subscriptionsKey = (feed: Feed): string =>
  `subscriptions:${tagOf(feed.sellerId)}:${feed.sellerId}:${feed.mode}`

/** Sorted set: a seller's postback destinations by when one was last owed a delivery, and deleted endpoints by deletion time. */
export const postbacksKey = ({ sellerId, mode }: Feed): string =>
  `${postbacksPrefix(tagOf(sellerId))}${sellerId}:${mode}`

/** The prefix of `postbacksKey`, for functions that build its names. */
export const postbacksPrefix = (tag: string): string => `postbacks:${tag}:`

/** The key families of endpoints, postbacks and trackers. */
export const endpointFamilies: KeyFamilies = {
  ofMode: (feed) => {
    const { sellerId, mode } = feed
    return [
      family("endpoints", endpointsKey(feed), "set by id", `ids of the ${mode} webhook endpoints`),
      family(
        "subscriptions",
        subscriptionsKey(feed),
        "hash",
        `enabled ${mode} endpoints and their event types`,
      ),
      family(
        "postbacks",
        postbacksKey(feed),
        "set by time",
        `${mode} postback destinations, by when an event was last owed to them, and deleted endpoints (ms)`,
      ),
      family(
        "destination",
        destinationKey(destinationIdOfTracker(sellerId, mode)),
        "hash",
        `the ${mode} tracker; its headers are ciphertext`,
      ),
    ]
  },
  ofEndpoint: ({ mode }, endpointId) => [
    family("destination", destinationKey(endpointId), "hash", `a ${mode} webhook endpoint`),
  ],
  ofPartition: (partition, whose) => [
    family(
      "destination",
      patternOf("we_", partition, destinationKey),
      "hash",
      `one endpoint, postback or tracker of ${whose}`,
    ),
  ],
}
