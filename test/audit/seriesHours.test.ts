import fc from "fast-check"
import { expect, it } from "vitest"
import { hoursToCount } from "../../src/audit/seriesAudit.ts"

const hourMillis = 3_600_000
const at = (hour: number, minute = 0): string => `${hour * hourMillis + minute * 60_000}-0`

it("an audit from the beginning counts all hours whose events are kept; the oldest may be cut", () => {
  expect(hoursToCount({ entryId: at(5, 9), seq: "1" }, at(8, 1), "")).toEqual({ fromHour: 5, toHour: 8 })
  expect(hoursToCount({ entryId: at(5, 9), seq: "7" }, at(8, 1), "")).toEqual({ fromHour: 6, toHour: 8 })
})

it("audits from checkpoints count each hour once, after it is over, however often they come", () => {
  const hours = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(hours, (steps) => {
      const oldest = { entryId: at(100), seq: "1" }
      const counted: Array<number> = []
      let newest = 100
      for (const step of steps) {
        const { fromHour, toHour } = hoursToCount(oldest, at(newest + step), at(newest, 30))
        for (let hour = fromHour; hour <= toHour; hour++) counted.push(hour)
        newest += step
      }
      expect(counted).toEqual(Array.from({ length: newest - 100 }, (_, i) => 100 + i))
    }),
  )
})

it("hours of which retention has trimmed events are not counted from a checkpoint either", () => {
  expect(hoursToCount({ entryId: at(7, 1), seq: "9" }, at(9), at(5))).toEqual({ fromHour: 8, toHour: 8 })
})
