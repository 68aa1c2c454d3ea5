import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { momentOf } from "../../src/http/contract/moments.ts"

const iso = (millis: number) => new Date(millis).toISOString()
const dayFormat = new Intl.DateTimeFormat("en-CA", {
  timeZone: "America/Sao_Paulo",
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
})

describe("the edges of a list's window", () => {
  it("a date with a time is that moment, as the start and as the end of a window", () => {
    for (const edge of ["start", "end"] as const) {
      expect(iso(momentOf("2026-11-21T00:07:35.123Z", edge))).toBe("2026-11-21T00:07:35.123Z")
      expect(iso(momentOf("2026-11-21T00:00-03:00", edge))).toBe("2026-11-21T03:00:00.000Z")
    }
  })

  it.each([
    ["an ordinary day", "2026-11-21", "2026-11-21T03:00:00.000Z", "2026-11-22T02:59:59.999Z"],
    ["the last day of a year", "2026-12-31", "2026-12-31T03:00:00.000Z", "2027-01-01T02:59:59.999Z"],
    ["a leap day", "2024-02-29", "2024-02-29T03:00:00.000Z", "2024-03-01T02:59:59.999Z"],
    // Clocks went from 00:00 to 01:00: the day has 23 hours, and no midnight.
    ["a day that begins at 01:00", "2018-11-04", "2018-11-04T03:00:00.000Z", "2018-11-05T01:59:59.999Z"],
    // Clocks went from 24:00 back to 23:00: the day has 25 hours.
    ["a day with 25 hours", "2019-02-16", "2019-02-16T02:00:00.000Z", "2019-02-17T02:59:59.999Z"],
    ["a day of summer time", "2018-12-25", "2018-12-25T02:00:00.000Z", "2018-12-26T01:59:59.999Z"],
  ])(
    "%s begins and ends a window with its first and last millisecond in São Paulo",
    (_, date, first, last) => {
      expect([iso(momentOf(date, "start")), iso(momentOf(date, "end"))]).toEqual([first, last])
    },
  )

  it("a date is a window's edge to the millisecond: one millisecond further is another day in São Paulo", () => {
    const days = fc.date({
      min: new Date("1930-01-01T00:00Z"),
      max: new Date("2100-01-01T00:00Z"),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(days, (drawn) => {
        const date = drawn.toISOString().slice(0, 10)
        const [first, last] = [momentOf(date, "start"), momentOf(date, "end")]
        expect([dayFormat.format(first), dayFormat.format(last)]).toEqual([date, date])
        expect(dayFormat.format(first - 1) < date).toBe(true)
        expect(dayFormat.format(last + 1) > date).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})
