import type { Feed } from "../../../schema/ids.ts"
import { tagOf, tagOfDestination } from "../tags.ts"

/** Hash: an endpoint, a postback or a tracker. */
export const destinationKey = (id: string): string => `destination:${tagOfDestination(id)}:${id}`

/** Sorted set, all scores 0: ids of a mode's endpoints that are not deleted. */
export const endpointsKey = (feed: Feed): string =>
  `endpoints:${tagOf(feed.sellerId)}:${feed.sellerId}:${feed.mode}`

/** Hash: destination id -> its event types, of a mode's enabled endpoints and tracker. Fan-out reads it. */
export const subscriptionsKey = (feed: Feed): string =>
  `subscriptions:${tagOf(feed.sellerId)}:${feed.sellerId}:${feed.mode}`

/** Sorted set: a seller's postback destinations by when one was last owed a delivery, and deleted endpoints by deletion time. */
export const postbacksKey = ({ sellerId, mode }: Feed): string =>
  `postbacks:${tagOf(sellerId)}:${sellerId}:${mode}`

/** Hash: an endpoint's attempts and successes per hour, without pings. */
export const endpointStatsKey = (endpointId: string): string =>
  `stats:${tagOfDestination(endpointId)}:${endpointId}`
