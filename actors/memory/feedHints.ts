import { Effect } from "effect"
import { type FeedHint, FeedHints } from "../ports/feedHints.ts"
import { atomicStep, feedName, type MemoryState } from "./state.ts"

/** FeedHints over the memory state. There is no connection that could break: `dropped` and `restored` never come. */
export const makeFeedHints = (state: MemoryState): FeedHints["Service"] =>
  FeedHints.of({
    listen: (listener) =>
      Effect.suspend(() => {
        // A wrapper of its own, so that one function may listen twice and each end apart.
        const entry = (hint: FeedHint) => listener(hint)
        state.hintListeners.add(entry)
        return Effect.addFinalizer(() => Effect.sync(() => state.hintListeners.delete(entry)))
      }),

    watch: ({ sellerId, mode }) =>
      atomicStep(state, () => {
        state.watchedFeeds.add(feedName(sellerId, mode))
      }),

    unwatch: ({ sellerId, mode }) =>
      atomicStep(state, () => {
        state.watchedFeeds.delete(feedName(sellerId, mode))
      }),
  })
