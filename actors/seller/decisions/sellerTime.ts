import type { Timer } from "../../ports/timer.ts"

/** A seller's time in a mode: the clock of test mode may be ahead of the true one (decisions 3). */
export interface SellerTime {
  /** What the seller's documents show, in ms. */
  readonly nowMillis: number
  /** How far ahead of the true time that is. */
  readonly offsetMillis: number
}

/** A timer for a moment of the seller's time: queues wait by the true one. */
export const timerAt = (time: SellerTime, name: string, resourceId: string, shownMillis: number): Timer => ({
  name,
  resourceId,
  dueMillis: shownMillis - time.offsetMillis,
})

/** A moment of the seller's time as its documents show it. */
export const shownTime = (millis: number): string => new Date(millis).toISOString()
