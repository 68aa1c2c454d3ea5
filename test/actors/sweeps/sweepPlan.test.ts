import { describe, expect, it } from "vitest"
import type { SweepState } from "../../../actors/ports/sweepStore.ts"
import { planSweep } from "../../../actors/sweeps/sweepPlan.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const interval = 5 * minute
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

describe("when a sweep is due, and over what", () => {
  it("the first sweep is due at once, and goes back 90 days", () => {
    const unswept = {
      beganMillis: 0,
      completedToMillis: 0,
      longBeganMillis: 0,
      wantedMillis: 0,
      unreadableCount: 0,
    }
    expect(planSweep(unswept, began, interval)).toEqual({
      window: { fromMillis: began - 90 * day, toMillis: began },
      isLong: true,
    })
  })

  it("the next is due an interval after the last began, and reads from an hour before the last one's end", () => {
    expect(planAt(began + interval - 1)).toBeUndefined()
    expect(planAt(began + interval)).toEqual({
      window: { fromMillis: began - hour, toMillis: began + interval },
      isLong: false,
    })
  })

  it("after a long silence a sweep reads everything since an hour before the last one's end", () => {
    const now = began + 20 * hour
    expect(planAt(now)?.window).toEqual({ fromMillis: began - hour, toMillis: now })
    const late = began + 200 * day
    expect(planAt(late)).toEqual({ window: { fromMillis: began - hour, toMillis: late }, isLong: true })
  })

  it("a day after the last sweep over 90 days another is due, even within the interval", () => {
    const longBeganMillis = began + minute - day
    expect(planAt(began + minute - 1, { longBeganMillis })).toBeUndefined()
    expect(planAt(began + minute, { longBeganMillis })).toEqual({
      window: { fromMillis: began + minute - 90 * day, toMillis: began + minute },
      isLong: true,
    })
  })

  it("a request makes one due at once, until a sweep that began after it is complete", () => {
    expect(planAt(began + 1, { wantedMillis: began + 1 })?.window.fromMillis).toBe(began - hour)
    expect(planAt(began + 1, { wantedMillis: began })).toBeDefined()
    expect(planAt(began + 1, { wantedMillis: began - 1 })).toBeUndefined()
  })

  it("a clock that was set back makes one due at once", () => {
    expect(planAt(began - 1)).toEqual({
      window: { fromMillis: began - hour, toMillis: began - 1 },
      isLong: false,
    })
    expect(planAt(began - 3 * hour)?.isLong).toBe(true)
    const before = planAt(began - 3 * hour)?.window
    expect(before).toEqual({ fromMillis: began - 3 * hour - 90 * day, toMillis: began - 3 * hour })
  })
})
