import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { byUrgency } from "../../src/http/handlers/queueOrder.ts"

const nowMillis = Date.UTC(2026, 10, 28, 12)
const hourMillis = 3_600_000

const waiting = fc.record({
  amount: fc.option(fc.integer({ min: 1, max: 1_000 }), { nil: null }),
  created_at: fc
    .integer({ min: 0, max: 100 })
    .map((hours) => new Date(nowMillis - hours * hourMillis).toISOString()),
})

describe("the order of the operators' queue", () => {
  it("money comes first, then more whole days of waiting, then the larger amount, then the older", () => {
    const hoursAgo = (hours: number, amount: number | null) => ({
      amount,
      created_at: new Date(nowMillis - hours * hourMillis).toISOString(),
    })
    const cases = [
      hoursAgo(49, 100),
      hoursAgo(30, 900),
      hoursAgo(47, 100),
      hoursAgo(25, 100),
      hoursAgo(23, 90_000),
      hoursAgo(1, 5),
      hoursAgo(200, null),
      hoursAgo(3, null),
    ]
    expect(cases.toReversed().toSorted(byUrgency(nowMillis))).toEqual(cases)
  })

  it("is the same whatever order the cases come in", () => {
    fc.assert(
      fc.property(fc.array(waiting, { maxLength: 20 }), (cases) => {
        const sorted = cases.toSorted(byUrgency(nowMillis))
        expect(cases.toReversed().toSorted(byUrgency(nowMillis))).toEqual(sorted)
      }),
    )
  })
})
