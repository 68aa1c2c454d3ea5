import { Effect } from "effect"
import { type NextDue, Partitions, type Wake } from "../../actors/ports/partitions.ts"
import { atomicStep, listenUntilClosed, type MemoryState, partitionOf } from "./state.ts"

/** Wakes the partition's owner, once the step has ended. */
export const wake = (state: MemoryState, told: Wake & { readonly partition: number }): void => {
  if (!state.heldPartitions.has(told.partition)) return
  state.announcements.push(() => {
    for (const listener of state.wakeListeners) listener(told)
  })
}

const nextDueOf = (state: MemoryState, partition: number, nowMillis: number): NextDue => {
  const timers = [...state.timers.values()].filter(
    ({ resourceId }) => partitionOf(state, resourceId) === partition,
  )
  const destinations = [...state.destinations.values()].filter(
    ({ feed }) => partitionOf(state, feed.sellerId) === partition,
  )
  const soonest = (moments: ReadonlyArray<number | undefined>) => {
    const known = moments.filter((millis) => millis !== undefined)
    return known.length === 0 ? undefined : Math.max(0, Math.min(...known) - nowMillis)
  }
  return {
    partition,
    timersInMillis: soonest(timers.map(({ dueMillis }) => dueMillis)),
    deliveriesInMillis: soonest(destinations.map(({ dueMillis }) => dueMillis)),
  }
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
    nextDue: (partitions) => [
      atomicStep(state, (nowMillis) => partitions.map((partition) => nextDueOf(state, partition, nowMillis))),
    ],
    releaseAll: Effect.sync(() => state.heldPartitions.clear()),
    listen: (listener) => listenUntilClosed(state.wakeListeners, listener),
  })
