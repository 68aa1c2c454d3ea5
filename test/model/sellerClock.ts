import { SellerClock } from "../../actors/ports/sellerClock.ts"
import { callTo, soonestOpen } from "./deliveries.ts"
import { atomicStep, type DestinationRecord, type MemoryState } from "./state.ts"
import { setTimers } from "./timerQueue.ts"

/** Whether a charge, a withdrawal or a refund belongs to the seller's test mode. */
const isOfTest = (state: MemoryState, sellerId: string, resourceId: string): boolean => {
  const found =
    state.transactions.get(resourceId) ?? state.withdrawals.get(resourceId) ?? state.refunds.get(resourceId)
  return found?.sellerId === sellerId && found.mode === "test"
}

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

    advance: (sellerId, millis) =>
      atomicStep(state, () => {
        const offsetMillis = (state.clockOffsets.get(sellerId) ?? 0) + millis
        state.clockOffsets.set(sellerId, offsetMillis)
        moveTimers(state, sellerId, millis)
        for (const destination of state.destinations.values()) {
          const { feed } = destination
          if (feed.sellerId === sellerId && feed.mode === "test") moveDestination(state, destination, millis)
        }
        return offsetMillis
      }),
  })
