import { limits } from "../../schema/limits.ts"
import { TimerQueue } from "../ports/timerQueue.ts"
import type { Timer } from "../ports/transactionStore.ts"
import { atomicStep, type MemoryState, partitionOf } from "./state.ts"

const timerName = (timer: { readonly name: string; readonly resourceId: string }): string =>
  `${timer.resourceId}:${timer.name}`

/** Sets a timer; one of that name of that resource is re-scheduled. */
export const setTimer = (state: MemoryState, timer: Timer): void => {
  state.timers.set(timerName(timer), timer)
}

export const dropTimer = (state: MemoryState, resourceId: string, name: string): void => {
  state.timers.delete(timerName({ resourceId, name }))
}

/** TimerQueue over the memory state. A lease is the timer's due time moved to the lease's end. */
export const makeTimerQueue = (state: MemoryState): TimerQueue["Service"] =>
  TimerQueue.of({
    claim: (partition, timersMax) =>
      atomicStep(state, (nowMillis) => {
        const bySoonest = () =>
          [...state.timers.values()]
            .filter((timer) => partitionOf(state, timer.resourceId) === partition)
            .sort((left, right) => left.dueMillis - right.dueMillis)
        const due = bySoonest()
          .filter((timer) => timer.dueMillis <= nowMillis)
          .slice(0, timersMax)
        for (const timer of due) setTimer(state, { ...timer, dueMillis: nowMillis + limits.timerLeaseMillis })
        const next = bySoonest()[0]
        return {
          due: due.map(({ name, resourceId }) => ({ name, resourceId })),
          nextInMillis: next === undefined ? undefined : Math.max(0, next.dueMillis - nowMillis),
        }
      }),

    drop: ({ resourceId, name }) => atomicStep(state, () => dropTimer(state, resourceId, name)),
  })
