import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  dayAfter,
  dayEndMillis,
  dayOf,
  dayStartMillis,
  daysBetween,
  localTimeOf,
} from "../../../actors/values/saoPauloDays.ts"

const hours = (day: string): number => (dayEndMillis(day) + 1 - dayStartMillis(day)) / 3_600_000
const iso = (millis: number) => new Date(millis).toISOString()

describe("days of America/Sao_Paulo", () => {
  it.each([
    ["an ordinary day has 24 hours", "2026-11-21", "2026-11-21T03:00:00.000Z", 24],
    ["a day without a midnight begins at 01:00", "2018-11-04", "2018-11-04T03:00:00.000Z", 23],
    ["the day before it ends at 24:00 as ever", "2018-11-03", "2018-11-03T03:00:00.000Z", 24],
    ["the day whose last hour comes twice has 25 hours", "2018-02-17", "2018-02-17T02:00:00.000Z", 25],
    ["the day after it begins at its only midnight", "2018-02-18", "2018-02-18T03:00:00.000Z", 24],
  ])("%s", (_, day, start, length) => {
    expect([iso(dayStartMillis(day)), hours(day)]).toEqual([start, length])
  })

  it("every moment lies in the day that it counts in, and days follow each other without a gap", () => {
    const moments = fc.date({
      min: new Date("1970-01-02T00:00Z"),
      max: new Date("2100-01-01T00:00Z"),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(moments, (moment) => {
        const day = dayOf(moment.getTime())
        expect(dayStartMillis(day)).toBeLessThanOrEqual(moment.getTime())
        expect(dayEndMillis(day)).toBeGreaterThanOrEqual(moment.getTime())
        expect(dayEndMillis(day) + 1).toBe(dayStartMillis(dayAfter(day)))
        expect(dayOf(dayStartMillis(day) - 1)).toBe(dayAfter(day, -1))
      }),
      { numRuns: 500 },
    )
  })

  it("a moment has the time of day that clocks showed, in summer time too", () => {
    const time = (text: string) => localTimeOf(Date.parse(text))
    expect(time("2026-11-21T02:59:59.999Z")).toEqual({ day: "2026-11-20", time: "23:59:59" })
    expect(time("2026-11-21T03:00Z")).toEqual({ day: "2026-11-21", time: "00:00:00" })
    expect(time("2018-11-04T03:00Z")).toEqual({ day: "2018-11-04", time: "01:00:00" })
    expect(time("2018-02-18T01:30Z")).toEqual({ day: "2018-02-17", time: "23:30:00" })
    expect(time("2018-02-18T02:30Z")).toEqual({ day: "2018-02-17", time: "23:30:00" })
  })

  it("days are counted over the ends of months and years, both ends included", () => {
    expect([dayAfter("2024-02-28"), dayAfter("2024-12-31"), dayAfter("2025-03-01", -1)]).toEqual([
      "2024-02-29",
      "2025-01-01",
      "2025-02-28",
    ])
    expect(daysBetween("2026-11-21", "2026-11-21")).toBe(1)
    expect(daysBetween("2024-01-01", "2024-12-31")).toBe(366)
    expect(daysBetween("2026-11-22", "2026-11-21")).toBe(0)
  })
})
