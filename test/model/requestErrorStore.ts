import { RequestErrorStore } from "../../actors/ports/requestErrorStore.ts"
import { limits } from "../../schema/limits.ts"
import { atomicStep, feedName, type MemoryState } from "./state.ts"

/** RequestErrorStore over the memory state. */
export const makeRequestErrorStore = (state: MemoryState): RequestErrorStore["Service"] =>
  RequestErrorStore.of({
    note: ({ sellerId, mode }, errors) =>
      atomicStep(state, () => {
        const name = feedName(sellerId, mode)
        const all = [...(state.requestErrors.get(name) ?? []), ...errors]
        state.requestErrors.set(name, all.slice(-limits.requestErrorsKept))
      }),
    list: ({ sellerId, mode }) =>
      atomicStep(state, (nowMillis) =>
        (state.requestErrors.get(feedName(sellerId, mode)) ?? [])
          .filter(({ atMillis }) => atMillis > nowMillis - limits.requestErrorsKeptMillis)
          .toReversed()
          .toSorted((one, other) => other.atMillis - one.atMillis),
      ),
  })
