import type { Feed } from "../../../schema/ids.ts"
import { family, type KeyFamilies } from "../keyFamily.ts"
import { tagOf } from "../tags.ts"

/**
 * Sorted set: charges of a mode whose customer was replaced, by when their events were too; 0: they may not be yet. Receivers
 * may still answer what they were sent before.
 */
export const erasingKey = ({ sellerId, mode }: Feed): string =>
  `erasing:${tagOf(sellerId)}:${sellerId}:${mode}`

/** Stream: a feed's events with customers replaced, until it takes the feed's place. `run` tells runs apart. */
export const erasedEventsKey = ({ sellerId, mode }: Feed, run: string): string =>
  `events-erased:${tagOf(sellerId)}:${sellerId}:${mode}:${run}`

/** The key families of erasures. */
export const erasureFamilies: KeyFamilies = {
  ofMode: (feed) => [
    family(
      "erasing",
      erasingKey(feed),
      "set by time",
      `${feed.mode} transactions whose customer is being erased from their events and answers`,
    ),
    family(
      "erased events",
      erasedEventsKey(feed, "*"),
      "stream",
      `the ${feed.mode} feed without an erased customer, before it takes the feed's place`,
    ),
  ],
}
