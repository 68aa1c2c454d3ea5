import type { Timer } from "../../values/timer.ts"

/** A seller's time in a mode: test mode's clock may be ahead of the true one (docs/contract/test-controls.md#clock). */
export interface SellerTime {
  /** What the seller's documents show, in ms. */
  readonly nowMillis: number
  /** How far ahead of the true time that is, in ms. */
  readonly offsetMillis: number
}

/** A timer for a moment of the seller's time; queues wait by the true time. */
export const timerAt = (time: SellerTime, name: string, resourceId: string, shownMillis: number): Timer => ({
  name,
  resourceId,
  dueMillis: shownMillis - time.offsetMillis,
})

/** A moment as documents show it. */
export const shownTime = (millis: number): string => new Date(millis).toISOString()
