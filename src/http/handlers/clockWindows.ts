import { Effect } from "effect"
import { SellerClock } from "../../../actors/ports/sellerClock.ts"
import { aheadAt, type ClockStep, type TimeWindow, trueWindow } from "../../../actors/values/clockSteps.ts"
import type { Feed } from "../../../schema/ids.ts"

/**
 * Makes what handlers know of the clock of a seller and mode (docs/contract/test-controls.md#clock): the steps that took a test clock
 * ahead. Ids, and with them the order of all that is stored, keep the true time, so filters go by it.
 */
export const makeClockWindows = Effect.map(SellerClock, (clock) => {
  const stepsOf = ({ sellerId, mode }: Feed) =>
    mode === "test" ? clock.steps(sellerId) : Effect.succeed<ReadonlyArray<ClockStep>>([])
  return {
    stepsOf,
    /** The true moments in which the clock shows a window; without ends there is nothing to ask. */
    windowIn: (feed: Feed, window: TimeWindow) =>
      window.fromMillis === undefined && window.toMillis === undefined
        ? Effect.succeed(window)
        : Effect.map(stepsOf(feed), (steps) => trueWindow(steps, window)),
    /** What the clock shows at a true moment, in ms. */
    shownAt: (feed: Feed, millis: number) =>
      Effect.map(stepsOf(feed), (steps) => millis + aheadAt(steps, millis)),
  }
})

/** A row of JSON with its `created_at` as the clock showed it; without steps the row stays as it is. */
export const datedRow = (row: string, steps: ReadonlyArray<ClockStep>): string => {
  if (steps.length === 0) return row
  const shown = JSON.parse(row) as { readonly created_at: string }
  const millis = Date.parse(shown.created_at)
  return JSON.stringify({ ...shown, created_at: new Date(millis + aheadAt(steps, millis)).toISOString() })
}
