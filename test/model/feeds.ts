import type { EventEntry } from "../../actors/ports/eventLog.ts"
import { eventTypeOf } from "../../schema/events.ts"
import type { Feed } from "../../schema/ids.ts"
import { hearEvent } from "./alertStore.ts"
import { oweToEndpoints } from "./deliveries.ts"
import { type FeedState, feedName, type MemoryState } from "./state.ts"

/** A stream entry's place: milliseconds and the sequence within them. "0" alone means "0-0", as in Redis. */
const parseEntryId = (entryId: string): readonly [number, number] => {
  const [millis, sequence] = entryId.split("-")
  return [Number(millis), Number(sequence ?? 0)]
}

/** Orders entry ids as the stream does. */
export const compareEntryIds = (left: string, right: string): number => {
  const [leftMillis, leftSequence] = parseEntryId(left)
  const [rightMillis, rightSequence] = parseEntryId(right)
  return leftMillis - rightMillis || leftSequence - rightSequence
}

/** The milliseconds of an entry id. */
export const entryMillis = (entryId: string): number => parseEntryId(entryId)[0]

/** The id that Redis' `XADD *` would give: the time, or the newest entry's time if the clock went back. */
export const nextEntryId = (newestEntryId: string, nowMillis: number): string => {
  const [millis, sequence] = parseEntryId(newestEntryId)
  return nowMillis > millis ? `${nowMillis}-0` : `${millis}-${sequence + 1}`
}

/** A feed's state; empty if nothing has been written yet. */
export const feedState = (state: MemoryState, { sellerId, mode }: Feed): FeedState => {
  const name = feedName(sellerId, mode)
  let found = state.feeds.get(name)
  if (found === undefined) {
    found = { feed: { sellerId, mode }, entries: [], seq: 0, newestEntryId: "0-0" }
    state.feeds.set(name, found)
  }
  return found
}

/** The entry, if it is still kept; it is mostly a new one that is asked for. */
export const keptEntry = (state: MemoryState, feed: Feed, entryId: string): EventEntry | undefined =>
  feedState(state, feed).entries.findLast((entry) => entry.entryId === entryId)

/** Drops a feed's events older than that, in ms. */
export const trimFeed = (feed: FeedState, oldestMillis: number): void => {
  let trimmed = 0
  while (trimmed < feed.entries.length && entryMillis(feed.entries[trimmed]?.entryId ?? "0") < oldestMillis)
    trimmed++
  feed.entries.splice(0, trimmed)
}

/** Appends an event to a feed, drops events past retention, and owes it to the subscribed endpoints if it fans out. */
export const appendEvent = (
  state: MemoryState,
  nowMillis: number,
  owner: Feed,
  event: { readonly type: string; readonly resourceId: string; readonly data: string },
  { fansOut }: { readonly fansOut: boolean } = { fansOut: true },
): EventEntry => {
  const feed = feedState(state, owner)
  const previousEntryId = feed.newestEntryId
  const entry: EventEntry = {
    entryId: nextEntryId(previousEntryId, nowMillis),
    seq: feed.seq + 1,
    type: event.type,
    resourceId: event.resourceId,
    internal: eventTypeOf(event.type)?.internal === true,
    data: event.data,
  }
  feed.entries.push(entry)
  state.changedMillis.set(event.resourceId, nowMillis)
  feed.seq = entry.seq
  feed.newestEntryId = entry.entryId
  trimFeed(feed, nowMillis - state.options.eventRetentionMillis)
  if (state.watchedFeeds.has(feedName(owner.sellerId, owner.mode))) {
    const hint = { kind: "appended", feed: feed.feed, entryId: entry.entryId, previousEntryId } as const
    state.announcements.push(() => {
      for (const listener of state.hintListeners) listener(hint)
    })
  }
  if (!entry.internal && fansOut) {
    oweToEndpoints(state, nowMillis, feed.feed, entry)
    hearEvent(state, nowMillis, feed.feed, entry)
  }
  return entry
}
