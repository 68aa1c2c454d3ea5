import { describe, expect, it } from "vitest"
import { lastPeriod, nextReportMillis } from "../../../actors/values/reportPeriods.ts"
import { dayStartMillis } from "../../../actors/values/saoPauloDays.ts"
import { limits } from "../../../schema/limits.ts"
import type { ReportPeriod } from "../../../schema/names.ts"

/** A moment by the clocks of São Paulo, three hours behind UTC since 2019. */
const at = (text: string): number => Date.parse(`${text}-03:00`)
const id = "rpt_01KA0000000700000000000000"

describe("the period of a report", () => {
  it.each([
    ["day", "2026-11-22T00:00", "2026-11-21", "2026-11-21"],
    ["day", "2026-11-21T23:59", "2026-11-20", "2026-11-20"],
    ["day", "2026-03-01T05:00", "2026-02-28", "2026-02-28"],
    ["day", "2028-03-01T05:00", "2028-02-29", "2028-02-29"],
    // 2026-11-23 is a Monday.
    ["week", "2026-11-22T23:59", "2026-11-09", "2026-11-15"],
    ["week", "2026-11-23T00:00", "2026-11-16", "2026-11-22"],
    ["week", "2027-01-04T06:00", "2026-12-28", "2027-01-03"],
    ["month", "2026-11-30T23:59", "2026-10-01", "2026-10-31"],
    ["month", "2026-12-01T00:00", "2026-11-01", "2026-11-30"],
    ["month", "2027-01-31T12:00", "2026-12-01", "2026-12-31"],
    ["month", "2026-03-31T12:00", "2026-02-01", "2026-02-28"],
  ] as const)("of a %s at %s is %s to %s", (every, now, from, to) => {
    expect(lastPeriod(every, at(now))).toEqual({ from, to })
  })

  it("follows the clocks of São Paulo, also in the years in which they were changed at midnight", () => {
    // On 2018-11-04 the day began at 01:00.
    const midnight = dayStartMillis("2018-11-04")
    expect(lastPeriod("day", midnight)).toEqual({ from: "2018-11-03", to: "2018-11-03" })
    expect(lastPeriod("day", midnight - 1)).toEqual({ from: "2018-11-02", to: "2018-11-02" })
  })
})

describe("when a report goes out next", () => {
  const dueAfter = (every: ReportPeriod, now: string, of = id) => nextReportMillis(of, every, at(now))

  it.each([
    ["day", "2026-11-21T12:00", "2026-11-22"],
    ["day", "2026-11-21T00:30", "2026-11-21"],
    ["day", "2026-02-28T12:00", "2026-03-01"],
    ["week", "2026-11-21T12:00", "2026-11-23"],
    ["week", "2026-11-23T00:30", "2026-11-23"],
    ["week", "2026-11-23T12:00", "2026-11-30"],
    ["week", "2026-12-28T12:00", "2027-01-04"],
    ["month", "2026-11-30T12:00", "2026-12-01"],
    ["month", "2026-12-01T00:30", "2026-12-01"],
    ["month", "2026-12-01T12:00", "2027-01-01"],
    ["month", "2027-01-31T23:59", "2027-02-01"],
    ["month", "2028-02-29T12:00", "2028-03-01"],
  ] as const)("of a %s after %s is the morning of %s", (every, now, day) => {
    const due = dueAfter(every, now)
    const start = dayStartMillis(day) + limits.reportHourMillis
    expect(due).toBeGreaterThanOrEqual(start)
    expect(due).toBeLessThan(start + limits.reportSpreadMillis)
    expect(lastPeriod(every, due).to).toBe(lastPeriod(every, dayStartMillis(day)).to)
  })

  it("is later than the moment it is asked for, and each period once", () => {
    for (const every of ["day", "week", "month"] as const) {
      let due = dueAfter(every, "2026-01-01T00:00")
      const periods = new Set<string>()
      for (let count = 0; count < 40; count++) {
        periods.add(lastPeriod(every, due).from)
        const next = nextReportMillis(id, every, due)
        expect(next).toBeGreaterThan(due)
        due = next
      }
      expect(periods.size).toBe(40)
    }
  })

  it("is spread over an hour, and the same for each period of a report", () => {
    const random = (seed: number) =>
      `rpt_01KA0000000700${(seed * 7_919).toString(32).toUpperCase().padStart(12, "0")}`
    const minutes = Array.from({ length: 400 }, (_, seed) => {
      const [due, next] = ["2026-11-21T12:00", "2026-11-22T12:00"].map((now) =>
        dueAfter("day", now, random(seed)),
      )
      expect((next ?? 0) - (due ?? 0)).toBe(86_400_000)
      return ((due ?? 0) / 60_000) % 60
    })
    expect(new Set(minutes).size).toBeGreaterThan(50)
    expect(Math.max(...minutes)).toBeLessThan(60)
  })
})
