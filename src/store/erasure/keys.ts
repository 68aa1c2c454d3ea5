import type { Feed } from "../../../schema/ids.ts"
import { family, type KeyFamilies } from "../keyFamily.ts"
import { tagOf } from "../tags.ts"

/** Sorted set, all scores 0: charges of a mode whose customer was replaced, and whose events may not be yet. */
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
      "set by id",
      `${feed.mode} transactions whose customer is being erased from their events`,
    ),
    family(
      "erased events",
      erasedEventsKey(feed, "*"),
      "stream",
      `the ${feed.mode} feed without an erased customer, before it takes the feed's place`,
    ),
  ],
}
