import { assert, describe, it } from "@effect/vitest"
import { median, medianOfRatios, percentileOf } from "../../bench/support/statistics.ts"

describe("statistics of rounds", () => {
  it("the median is the middle value or the mean of the middle two, whatever the order", () => {
    assert.strictEqual(median([5, 1, 3]), 3)
    assert.strictEqual(median([10, 1, 2, 4]), 3)
    assert.strictEqual(median([7]), 7)
    assert.isNaN(median([]))
  })

  it("percentiles are taken by nearest rank", () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index)
    assert.strictEqual(percentileOf(hundred, 50), 50)
    assert.strictEqual(percentileOf(hundred, 99), 99)
    assert.strictEqual(percentileOf(hundred, 99.1), 100)
    assert.strictEqual(percentileOf(hundred, 0), 1)
    assert.strictEqual(percentileOf([3], 99.9), 3)
    assert.isNaN(percentileOf([], 50))
  })

  it("medianOfRatios divides each pair before taking the median, so that a slow minute cancels out", () => {
    assert.strictEqual(medianOfRatios([100, 10, 100], [200, 20, 100]), 0.5)
  })
})
