import { type EventEntry, EventLog } from "../../actors/ports/eventLog.ts"
import { compareEntryIds, entryMillis, feedState, keptEntry } from "./feeds.ts"
import { datedEntries } from "./sellerClock.ts"
import { atomicStep, type MemoryState } from "./state.ts"

/** EventLog over the memory state. */
export const makeEventLog = (state: MemoryState): EventLog["Service"] =>
  EventLog.of({
    readAfter: (feed, afterEntryId, entriesMax) =>
      atomicStep(state, () => {
        const entries = feedState(state, feed).entries
        const first = entries.findIndex((entry) => compareEntryIds(entry.entryId, afterEntryId) > 0)
        return first < 0 ? [] : datedEntries(state, feed, entries.slice(first, first + entriesMax))
      }),

    readBefore: (feed, beforeEntryId, window, entriesMax) =>
      atomicStep(state, () => {
        const { fromMillis = 0, toMillis = Number.POSITIVE_INFINITY } = window
        const found = feedState(state, feed)
          .entries.filter(({ entryId }) => {
            const millis = entryMillis(entryId)
            const isOlder = beforeEntryId === undefined || compareEntryIds(entryId, beforeEntryId) < 0
            return isOlder && millis >= fromMillis && millis <= toMillis
          })
          .toReversed()
          .slice(0, entriesMax)
        return datedEntries(state, feed, found)
      }),

    getMany: (feed, entryIds) =>
      atomicStep(state, () => {
        const found = entryIds.map((entryId) => keptEntry(state, feed, entryId))
        return datedEntries(
          state,
          feed,
          found.filter((entry): entry is EventEntry => entry !== undefined),
        )
      }),

    entriesOfResource: (feed, resourceId) =>
      atomicStep(state, () =>
        feedState(state, feed)
          .entries.filter((entry) => entry.resourceId === resourceId)
          .map((entry) => entry.entryId),
      ),

    newest: (feed) => atomicStep(state, () => feedState(state, feed).newestEntryId),
  })
