import type { Mode } from "../../../schema/ids.ts"
import { tagOf, tagOfDestination } from "../tags.ts"

/** Sorted set: entry ids owed to a destination, by due time. */
export const queueKey = (destinationId: string): string =>
  `queue:${tagOfDestination(destinationId)}:${destinationId}`

/** The prefix of `queueKey`, for functions that build its names. */
export const queuePrefix = (tag: string): string => `queue:${tag}:`

/** Sorted set: destinations of a partition by the time something is due there. */
export const dueKey = (tag: string): string => `due:${tag}`

/** Hash: one event owed to one destination, from its first claim on. */
export const deliveryKey = (destinationId: string, entryId: string): string =>
  `delivery:${tagOfDestination(destinationId)}:${destinationId}:${entryId}`

/** The prefix of `deliveryKey`, for functions that build its names. */
export const deliveryPrefix = (tag: string): string => `delivery:${tag}:`

/** Hash: one attempt's row and detail. */
export const attemptKey = (deliveryId: string): string => `attempt:${tagOf(deliveryId)}:${deliveryId}`

/** Sorted sets, all scores 0: a seller's attempt ids by age: all, and one per endpoint, event and status. */
export const attemptsKey = (
  sellerId: string,
  mode: Mode,
  by?: { readonly kind: "endpoint" | "event" | "status"; readonly value: string },
): string =>
  `attempts:${tagOf(sellerId)}:${sellerId}:${mode}${by === undefined ? "" : `:${by.kind}:${by.value}`}`
