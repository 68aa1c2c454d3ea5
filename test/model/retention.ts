import { Retention } from "../../actors/ports/retention.ts"
import { partitionOfId } from "../../schema/ids.ts"
import { trimAttempts } from "./attempts.ts"
import { trimFeed } from "./feeds.ts"
import { atomicStep, type MemoryState } from "./state.ts"
import { trimTestData } from "./testData.ts"

/** Retention over the memory state, a whole partition in one step. */
export const makeRetention = (state: MemoryState): Retention["Service"] =>
  Retention.of({
    trim: (partition) =>
      atomicStep(state, (nowMillis) => {
        let events = 0
        for (const feed of state.feeds.values()) {
          if (partitionOfId(feed.feed.sellerId) !== partition) continue
          const before = feed.entries.length
          trimFeed(feed, nowMillis - state.options.eventRetentionMillis)
          events += before - feed.entries.length
        }
        const attempts = state.attempts.size
        trimAttempts(state, nowMillis)
        return { events, attempts: attempts - state.attempts.size, next: undefined }
      }),
    trimTest: (partition) => atomicStep(state, (nowMillis) => trimTestData(state, nowMillis, partition)),
  })
