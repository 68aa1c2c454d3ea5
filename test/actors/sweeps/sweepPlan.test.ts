import { describe, expect, it } from "vitest"
import type { SweepState } from "../../../actors/ports/sweepStore.ts"
import { planSweep } from "../../../actors/sweeps/sweepPlan.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const interval = 5 * minute
/** So far the acquirer's clock may be ahead of ours. */
const ahead = 10 * minute
const began = Date.parse("2026-11-21T12:00:00.000Z")

/** After a sweep that began at noon and was complete, the daily one two hours before it. */
const swept: SweepState = {
  beganMillis: began,
  completedToMillis: began,
  longBeganMillis: began - 2 * hour,
  wantedMillis: 0,
  unreadableCount: 0,
}
const planAt = (nowMillis: number, changes: Partial<SweepState> = {}) =>
  planSweep({ ...swept, ...changes }, nowMillis, interval)

const longAt = (nowMillis: number, fromMillis = nowMillis - 90 * day) => ({
  ...{ nowMillis, isLong: true, returnsFromMillis: nowMillis - 120 * day },
  window: { fromMillis, toMillis: nowMillis + ahead },
})
const shortAt = (nowMillis: number, fromMillis: number) => ({
  ...{ nowMillis, isLong: false, returnsFromMillis: undefined },
  window: { fromMillis, toMillis: nowMillis + ahead },
})

describe("when a sweep is due, and over what", () => {
  it("the first sweep is due at once, and goes back 90 days, and 120 for returns", () => {
    const unswept = {
      beganMillis: 0,
      completedToMillis: 0,
      longBeganMillis: 0,
      wantedMillis: 0,
      unreadableCount: 0,
    }
    expect(planSweep(unswept, began, interval)).toEqual(longAt(began))
  })

  it("the next is due an interval after the last began, and reads from an hour before the last one's end", () => {
    expect(planAt(began + interval - 1)).toBeUndefined()
    expect(planAt(began + interval)).toEqual(shortAt(began + interval, began - hour))
  })

  it("after a long silence a sweep reads everything since an hour before the last one's end", () => {
    const now = began + 20 * hour
    expect(planAt(now)).toEqual(shortAt(now, began - hour))
    const late = began + 200 * day
    expect(planAt(late)).toEqual(longAt(late, began - hour))
  })

  it("a day after the last sweep over 90 days another is due, even within the interval", () => {
    const longBeganMillis = began + minute - day
    expect(planAt(began + minute - 1, { longBeganMillis })).toBeUndefined()
    expect(planAt(began + minute, { longBeganMillis })).toEqual(longAt(began + minute))
  })

  it("a request makes one due at once, until a sweep that began after it is complete", () => {
    expect(planAt(began + 1, { wantedMillis: began + 1 })?.window.fromMillis).toBe(began - hour)
    expect(planAt(began + 1, { wantedMillis: began })).toBeDefined()
    expect(planAt(began + 1, { wantedMillis: began - 1 })).toBeUndefined()
  })

  it("a clock that was set back makes one due at once", () => {
    expect(planAt(began - 1)).toEqual(shortAt(began - 1, began - hour))
    expect(planAt(began - 3 * hour)).toEqual(longAt(began - 3 * hour))
  })
})
