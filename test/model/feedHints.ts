import { FeedHints } from "../../actors/ports/feedHints.ts"
import { atomicStep, feedName, listenUntilClosed, type MemoryState } from "./state.ts"

/** FeedHints over the memory state. No connection can break, so `dropped` and `restored` never come. */
export const makeFeedHints = (state: MemoryState): FeedHints["Service"] =>
  FeedHints.of({
    listen: (listener) => listenUntilClosed(state.hintListeners, listener),

    watch: ({ sellerId, mode }) =>
      atomicStep(state, () => {
        state.watchedFeeds.add(feedName(sellerId, mode))
      }),

    unwatch: ({ sellerId, mode }) =>
      atomicStep(state, () => {
        state.watchedFeeds.delete(feedName(sellerId, mode))
      }),
  })
