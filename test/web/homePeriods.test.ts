import { describe, expect, it } from "vitest"
import { limits } from "../../schema/limits.ts"
import {
  added,
  changeOf,
  chosenDays,
  measureOf,
  movedDays,
  rangeOf,
  sumUntil,
  untilNow,
} from "../../web/src/pages/home/periods.ts"
import { dayBefore } from "../../web/src/text/today.ts"

const hours = (day: string, values: ReadonlyArray<number>) =>
  values.map((value, hour) => ({ at: `${day}T${String(hour + 3).padStart(2, "0")}:00:00.000Z`, value }))
const valuesOf = (points: ReadonlyArray<{ readonly value: number | null }>) =>
  points.map(({ value }) => value)

describe("what the home page compares", () => {
  it("today goes with the same day of last week, and longer periods with as many days before", () => {
    expect(rangeOf({ name: "1d" }, "2026-11-27")).toMatchObject({
      from: "2026-11-27",
      previousFrom: "2026-11-20",
      previousTo: "2026-11-20",
      bucket: "hour",
    })
    expect(rangeOf({ name: "7d" }, "2026-11-27")).toMatchObject({
      from: "2026-11-21",
      previousFrom: "2026-11-14",
      previousTo: "2026-11-20",
      bucket: "day",
    })
    expect(rangeOf({ name: "30d" }, "2026-11-30")).toMatchObject({
      from: "2026-11-01",
      previousFrom: "2026-10-02",
      previousTo: "2026-10-31",
    })
  })

  it("chosen days go with as many days before, and a single one with its hours and the day before", () => {
    const of = (from: string, to: string) => rangeOf({ name: "custom", from, to }, "2026-11-27")
    expect(of("2026-11-03", "2026-11-12")).toMatchObject({
      ...{ previousFrom: "2026-10-24", previousTo: "2026-11-02", daysBack: 10, bucket: "day" },
      ...{ isOpen: false, isCompared: true },
    })
    expect(of("2026-11-27", "2026-11-27")).toMatchObject({
      ...{ previousFrom: "2026-11-26", previousTo: "2026-11-26", bucket: "hour", isOpen: true },
    })
  })

  it("days are compared as long as all of those before are kept", () => {
    const today = "2026-11-27"
    const of = (days: number) =>
      rangeOf({ name: "custom", from: dayBefore(today, days - 1), to: today }, today).isCompared
    expect([of(200), of(201)]).toEqual([true, false])
  })

  it("chosen days end today at the latest, are never empty, and as many as a series has", () => {
    const today = "2026-11-27"
    expect(chosenDays({}, today)).toEqual({ from: today, to: today })
    expect(chosenDays({ from: "2026-12-01", to: "2026-12-24" }, today)).toEqual({ from: today, to: today })
    const year = { from: dayBefore(today, limits.seriesDaysMax - 1), to: today }
    expect(chosenDays(year, today)).toEqual(year)
    expect(chosenDays({ ...year, from: dayBefore(year.from, 1) }, today)).toEqual(year)
    const days = { from: "2026-11-03", to: "2026-11-12" }
    expect(movedDays(days, "from", "2026-11-20", today)).toEqual({ from: "2026-11-20", to: "2026-11-20" })
    expect(movedDays(days, "to", "2026-11-01", today)).toEqual({ from: "2026-11-01", to: "2026-11-01" })
    expect(movedDays(days, "from", "2025-01-01", today)).toEqual({ from: "2025-01-01", to: "2026-01-01" })
  })

  it("of the previous period only what came until the same time of day counts", () => {
    const day = hours("2026-11-20", [100, 60, 1_000])
    const half = Date.parse("2026-11-20T04:30:00.000Z")
    expect(sumUntil(day, half)).toBe(130)
    expect(measureOf([], day, day, half).before).toBe(130)
    const days = [
      { at: "2026-11-19T03:00:00.000Z", value: 500 },
      { at: "2026-11-20T03:00:00.000Z", value: 1_160 },
    ]
    expect(measureOf([], days, day, half).before).toBe(630)
  })

  it("hours that have not begun have no value, and an event adds to the one that has begun last", () => {
    const now = Date.parse("2026-11-27T04:00:00.000Z")
    const measure = measureOf(hours("2026-11-27", [5, 0, 0]), [], [], now)
    expect(valuesOf(untilNow(measure.points, now))).toEqual([5, 0, null])
    expect(valuesOf(added(measure, 7, now).points)).toEqual([5, 7, 0])
  })

  it("a change is a share of what was before, and none where nothing was", () => {
    expect(changeOf(150, 100)).toBe(0.5)
    expect(changeOf(150, 0)).toBeUndefined()
  })
})
