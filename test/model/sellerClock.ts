import { SellerClock } from "../../actors/ports/sellerClock.ts"
import { aheadAt } from "../../actors/values/clockSteps.ts"
import type { Feed } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { callTo, soonestOpen } from "./deliveries.ts"
import { entryMillis } from "./feeds.ts"
import { atomicStep, type DestinationRecord, type MemoryState } from "./state.ts"
import { setTimers } from "./timerQueue.ts"

/** Whether a charge, a withdrawal or a refund belongs to the seller's test mode. */
const isOfTest = (state: MemoryState, sellerId: string, resourceId: string): boolean => {
  const found =
    state.transactions.get(resourceId) ?? state.withdrawals.get(resourceId) ?? state.refunds.get(resourceId)
  return found?.sellerId === sellerId && found.mode === "test"
}

/** Entries with how far ahead their seller's clock was when they were written. */
export const datedEntries = <A extends { readonly entryId: string }>(
  state: MemoryState,
  { sellerId, mode }: Feed,
  entries: ReadonlyArray<A>,
): ReadonlyArray<A> => {
  const steps = mode === "test" ? (state.clockSteps.get(sellerId) ?? []) : []
  if (steps.length === 0) return entries
  return entries.map((entry) => ({ ...entry, aheadMillis: aheadAt(steps, entryMillis(entry.entryId)) }))
}

/** A moment as the clock of a seller and mode showed it, in ms. */
export const shownMillis = (state: MemoryState, { sellerId, mode }: Feed, millis: number): number =>
  millis + (mode === "test" ? aheadAt(state.clockSteps.get(sellerId) ?? [], millis) : 0)

const moveTimers = (state: MemoryState, sellerId: string, millis: number): void => {
  for (const timer of [...state.timers.values()]) {
    if (!isOfTest(state, sellerId, timer.resourceId)) continue
    setTimers(state, [{ ...timer, dueMillis: timer.dueMillis - millis }])
  }
}

const moveDestination = (state: MemoryState, destination: DestinationRecord, millis: number): void => {
  const waiting = [...destination.deliveries.values()].filter((delivery) => delivery.state === "queued")
  for (const delivery of waiting) delivery.dueMillis -= millis
  if (waiting.length === 0) return
  destination.dueMillis = soonestOpen(destination)?.dueMillis
  callTo(state, destination)
}

/** SellerClock over the memory state. */
export const makeSellerClock = (state: MemoryState): SellerClock["Service"] =>
  SellerClock.of({
    offsetMillis: (sellerId) => atomicStep(state, () => state.clockOffsets.get(sellerId) ?? 0),

    steps: (sellerId) => atomicStep(state, () => state.clockSteps.get(sellerId) ?? []),

    advance: (sellerId, millis) =>
      atomicStep(state, (nowMillis) => {
        const offsetMillis = (state.clockOffsets.get(sellerId) ?? 0) + millis
        state.clockOffsets.set(sellerId, offsetMillis)
        const steps = state.clockSteps.get(sellerId) ?? []
        const step = { atMillis: nowMillis, aheadMillis: offsetMillis }
        state.clockSteps.set(sellerId, [...steps, step].slice(-limits.clockStepsMax))
        moveTimers(state, sellerId, millis)
        for (const destination of state.destinations.values()) {
          const { feed } = destination
          if (feed.sellerId === sellerId && feed.mode === "test") moveDestination(state, destination, millis)
        }
        return offsetMillis
      }),
  })
