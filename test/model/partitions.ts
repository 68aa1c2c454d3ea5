import { Effect } from "effect"
import { Partitions, type Wake } from "../../actors/ports/partitions.ts"
import { atomicStep, listenUntilClosed, type MemoryState } from "./state.ts"

/** Wakes the partition's owner, once the step has ended. */
export const wake = (state: MemoryState, told: Wake & { readonly partition: number }): void => {
  if (!state.heldPartitions.has(told.partition)) return
  state.announcements.push(() => {
    for (const listener of state.wakeListeners) listener(told)
  })
}

/** Partitions over the memory state. Only one process uses it, which holds every partition until it releases them. */
export const makePartitions = (state: MemoryState): Partitions["Service"] =>
  Partitions.of({
    rebalance: atomicStep(state, () => {
      for (let partition = 0; partition < state.options.partitions; partition++) {
        state.heldPartitions.add(partition)
      }
      return new Set(state.heldPartitions)
    }),
    releaseAll: Effect.sync(() => state.heldPartitions.clear()),
    listen: (listener) => listenUntilClosed(state.wakeListeners, listener),
  })
