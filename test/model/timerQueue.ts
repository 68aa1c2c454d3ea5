import { type ClaimedCharge, TimerQueue } from "../../actors/ports/timerQueue.ts"
import type { Timer } from "../../actors/values/timer.ts"
import { limits } from "../../schema/limits.ts"
import { wake } from "./partitions.ts"
import { atomicStep, type MemoryState, partitionOf } from "./state.ts"

const timerName = (timer: { readonly name: string; readonly resourceId: string }): string =>
  `${timer.resourceId}:${timer.name}`

const setTimer = (state: MemoryState, timer: Timer): void => {
  state.timers.set(timerName(timer), timer)
}

/** Sets timers of one resource; one under a name that it already has is rescheduled. */
export const setTimers = (state: MemoryState, timers: ReadonlyArray<Timer>): void => {
  const [first] = timers
  if (first === undefined) return
  for (const timer of timers) setTimer(state, timer)
  const dueMillis = Math.min(...timers.map((timer) => timer.dueMillis))
  wake(state, { kind: "timer", partition: partitionOf(state, first.resourceId), dueMillis })
}

/** Ends a timer, whatever its state. */
export const dropTimer = (state: MemoryState, resourceId: string, name: string): void => {
  state.timers.delete(timerName({ resourceId, name }))
}

const chargeOf = (state: MemoryState, resourceId: string): ClaimedCharge | undefined => {
  const transaction = state.transactions.get(resourceId)
  if (transaction === undefined) return undefined
  const isTest = transaction.mode === "test"
  return { transaction, offsetMillis: isTest ? (state.clockOffsets.get(transaction.sellerId) ?? 0) : 0 }
}

/** TimerQueue over the memory state. A lease is the timer's due time moved to the lease's end. */
export const makeTimerQueue = (state: MemoryState): TimerQueue["Service"] =>
  TimerQueue.of({
    claim: (partition, timersMax) =>
      atomicStep(state, (nowMillis) => {
        const ofPartition = () =>
          [...state.timers.values()].filter((timer) => partitionOf(state, timer.resourceId) === partition)
        const due = ofPartition()
          .filter((timer) => timer.dueMillis <= nowMillis)
          .sort((left, right) => left.dueMillis - right.dueMillis)
          .slice(0, timersMax)
        const leaseEndMillis = nowMillis + limits.timerLeaseMillis
        for (const timer of due) setTimer(state, { ...timer, dueMillis: leaseEndMillis })
        const nextMillis = ofPartition().reduce<number | undefined>(
          (soonest, { dueMillis }) => (soonest === undefined || dueMillis < soonest ? dueMillis : soonest),
          undefined,
        )
        return {
          due: due.map(({ name, resourceId }) => ({
            ...{ name, resourceId, leaseEndMillis },
            charge: chargeOf(state, resourceId),
          })),
          nextInMillis: nextMillis === undefined ? undefined : Math.max(0, nextMillis - nowMillis),
        }
      }),

    postpone: (timer, delayMillis) =>
      atomicStep(state, (nowMillis) => {
        const found = state.timers.get(timerName(timer))
        if (found?.dueMillis !== timer.leaseEndMillis) return undefined
        const leaseEndMillis = nowMillis + delayMillis
        setTimers(state, [{ ...found, dueMillis: leaseEndMillis }])
        return { ...timer, leaseEndMillis }
      }),

    drop: (timer) =>
      atomicStep(state, () => {
        const found = state.timers.get(timerName(timer))
        const isOurs = timer.leaseEndMillis === undefined || found?.dueMillis === timer.leaseEndMillis
        if (isOurs) dropTimer(state, timer.resourceId, timer.name)
      }),
  })
