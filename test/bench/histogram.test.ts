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
  it("a histogram's percentiles are within 0.8 % of the exact ones", () => {
    fc.assert(
      fc.property(fc.array(micros, { minLength: 1, maxLength: 200 }), percent, (values, at) => {
        const exact = percentileOf(values, at) / 1_000
        const estimate = histogramOf(values).percentile(at)
        assert.isAtMost(Math.abs(estimate - exact), exact * 0.008 + 1e-9, `${estimate} for ${exact}`)
      }),
    )
  })

  it("a histogram is exact below 128 µs and within 0.8 % from there", () => {
    for (const value of [0, 1, 127]) assert.strictEqual(histogramOf([value]).percentile(50), value / 1_000)
    for (const value of [128, 129, 255, 256]) {
      assert.approximately(histogramOf([value]).percentile(50), value / 1_000, value * 0.000_008)
    }
  })

  it("a histogram counts negative durations as 0 and those over half an hour as the longest", () => {
    assert.strictEqual(histogramOf([-5]).percentile(50), 0)
    const longest = histogramOf([2 ** 31 - 1]).percentile(50)
    assert.strictEqual(histogramOf([2 ** 31, 2 ** 40]).percentile(50), longest)
  })

  it("histograms rebuilt from their counts and added up have the percentiles of all their values", () => {
    fc.assert(
      fc.property(fc.array(micros), fc.array(micros), percent, (left, right, at) => {
        const merged = new Histogram(histogramOf(left).counts())
        merged.add(histogramOf(right).counts())
        assert.strictEqual(merged.count, left.length + right.length)
        assert.deepStrictEqual(merged.percentile(at), histogramOf([...left, ...right]).percentile(at))
      }),
    )
  })

  it("an empty histogram's percentile is NaN", () => {
    assert.isNaN(new Histogram().percentile(50))
  })
})
