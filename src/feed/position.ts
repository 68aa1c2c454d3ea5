import type { FeedBounds } from "../../actors/ports/streamSlots.ts"
import { entryIdOf, eventIdOf, type Feed } from "../../schema/ids.ts"
import { feedLimits } from "./feedLimits.ts"

/** Orders stream entry ids (`<ms>-<seq>`; a missing `-<seq>` counts as 0) as Redis does. */
export const compareEntryIds = (left: string, right: string): number => {
  if (left === right) return 0
  const leftDash = left.indexOf("-")
  const rightDash = right.indexOf("-")
  const millis =
    Number(leftDash === -1 ? left : left.slice(0, leftDash)) -
    Number(rightDash === -1 ? right : right.slice(0, rightDash))
  if (millis !== 0) return millis
  return (
    (leftDash === -1 ? 0 : Number(left.slice(leftDash + 1))) -
    (rightDash === -1 ? 0 : Number(right.slice(rightDash + 1)))
  )
}

/** Data of `replay_gap`: the id the client sent, and the oldest event still kept. */
export interface ReplayGap {
  readonly requested: string
  readonly oldest_event_id: string | null
}

/** Where a stream begins. */
export interface StartPosition {
  /** The stream consists of the events after this entry. */
  readonly position: string
  /** Whether there was nothing after it when the bounds were read, so that no replay is needed. */
  readonly caughtUp: boolean
  /** The event id to resume from before the first event arrives; null if there is none. */
  readonly lastEventId: string | null
  readonly gap: ReplayGap | undefined
}

const startAfter = (feed: Feed, position: string, newest: string): StartPosition => ({
  position,
  caughtUp: position === newest,
  lastEventId: position === "0-0" ? null : eventIdOf(feed, position),
  gap: undefined,
})

/**
 * Decides where a stream begins (`docs/contract/events.md#last-event-id`). Without `Last-Event-ID`: after the newest
 * entry. With the id of an entry that is kept, or of the newest ever written: after it. With any other id (trimmed, foreign,
 * unreadable, or of an event that a failover or a restored backup took away): with a gap, from the oldest entry kept.
 */
export const startPosition = (
  feed: Feed,
  requested: string | undefined,
  bounds: FeedBounds,
): StartPosition => {
  if (requested === undefined) return startAfter(feed, bounds.newest, bounds.newest)
  const position = entryIdOf(feed, requested)
  if (position !== undefined) {
    const toNewest = compareEntryIds(position, bounds.newest)
    if (toNewest === 0) return startAfter(feed, bounds.newest, bounds.newest)
    if (bounds.hasRequested && toNewest < 0) return startAfter(feed, position, bounds.newest)
  }
  return {
    position: bounds.oldest === undefined ? bounds.newest : "0",
    caughtUp: bounds.oldest === undefined,
    lastEventId: null,
    gap: {
      requested: requested.slice(0, feedLimits.requestedIdLengthMax),
      oldest_event_id: bounds.oldest === undefined ? null : eventIdOf(feed, bounds.oldest),
    },
  }
}
