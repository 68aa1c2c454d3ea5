import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { Histogram } from "../../bench/support/histogram.ts"
import { percentileOf } from "../../bench/support/statistics.ts"

const micros = fc.oneof(
  fc.integer({ min: 0, max: 300 }),
  fc.integer({ min: 0, max: 100_000 }),
  fc.integer({ min: 0, max: 2 ** 31 - 1 }),
)
const percent = fc.double({ min: 0, max: 100, noNaN: true })

const histogramOf = (values: ReadonlyArray<number>): Histogram => {
  const histogram = new Histogram()
  for (const value of values) histogram.record(value / 1_000)
  return histogram
}

describe("Histogram", () => {
  it("tells every percentile within 0.8 % of the sorted values' own", () => {
    fc.assert(
      fc.property(fc.array(micros, { minLength: 1, maxLength: 200 }), percent, (values, at) => {
        const exact = percentileOf(values, at) / 1_000
        const told = histogramOf(values).percentile(at)
        assert.isAtMost(Math.abs(told - exact), exact * 0.008 + 1e-9, `${told} for ${exact}`)
      }),
    )
  })

  it("is exact up to its last bucket of one microsecond, and within bounds from the next on", () => {
    for (const value of [0, 1, 127]) assert.strictEqual(histogramOf([value]).percentile(50), value / 1_000)
    for (const value of [128, 129, 255, 256]) {
      assert.approximately(histogramOf([value]).percentile(50), value / 1_000, value * 0.000_008)
    }
  })

  it("counts what is negative as 0 and what is longer than half an hour as that", () => {
    assert.strictEqual(histogramOf([-5]).percentile(50), 0)
    const longest = histogramOf([2 ** 31 - 1]).percentile(50)
    assert.strictEqual(histogramOf([2 ** 31, 2 ** 40]).percentile(50), longest)
  })

  it("is the same after a journey between processes, and adds up", () => {
    fc.assert(
      fc.property(fc.array(micros), fc.array(micros), percent, (left, right, at) => {
        const merged = new Histogram(histogramOf(left).counts())
        merged.add(histogramOf(right).counts())
        assert.strictEqual(merged.count, left.length + right.length)
        assert.deepStrictEqual(merged.percentile(at), histogramOf([...left, ...right]).percentile(at))
      }),
    )
  })

  it("has no percentile of nothing", () => {
    assert.isNaN(new Histogram().percentile(50))
  })
})
