/**
 * A step of a seller's test clock, in ms: from `atMillis` of the true time on, test mode is `aheadMillis` ahead of it
 * (docs/contract/test-controls.md#clock). Lists of them are oldest first; both numbers only grow.
 */
export interface ClockStep {
  readonly atMillis: number
  readonly aheadMillis: number
}

/** How far ahead the clock was at a true moment, in ms. */
export const aheadAt = (steps: ReadonlyArray<ClockStep>, millis: number): number =>
  steps.findLast(({ atMillis }) => atMillis <= millis)?.aheadMillis ?? 0

/** The first true moment at which the clock shows `shownMillis` or later. A step skips what lies between. */
const firstAt = (steps: ReadonlyArray<ClockStep>, shownMillis: number): number => {
  let found = shownMillis
  for (const { atMillis, aheadMillis } of steps) {
    if (found < atMillis) return found
    found = Math.max(atMillis, shownMillis - aheadMillis)
  }
  return found
}

/** A stretch of time in ms, both ends included; undefined: without an end. */
export interface TimeWindow {
  readonly fromMillis: number | undefined
  readonly toMillis: number | undefined
}

/** The true moments in which the clock shows a stretch of time. Nothing lies in it where a step skips all of it. */
export const trueWindow = (steps: ReadonlyArray<ClockStep>, window: TimeWindow): TimeWindow => ({
  fromMillis: window.fromMillis === undefined ? undefined : firstAt(steps, window.fromMillis),
  toMillis: window.toMillis === undefined ? undefined : firstAt(steps, window.toMillis + 1) - 1,
})
