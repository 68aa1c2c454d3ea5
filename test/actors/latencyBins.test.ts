import { describe, expect, it } from "vitest"
import { latencyBinOf, latencyBins, percentileOf } from "../../actors/values/latencyBins.ts"

const countsOf = (millis: ReadonlyArray<number>): ReadonlyArray<number> => {
  const counts = Array.from({ length: latencyBins }, () => 0)
  for (const one of millis) counts[latencyBinOf(one)] = (counts[latencyBinOf(one)] ?? 0) + 1
  return counts
}

describe("bins of durations", () => {
  it("a bin stands for every duration in it with an error of at most 9.1 %, to the rounding to a millisecond", () => {
    for (let millis = 1; millis <= 11_000; millis++) {
      const shown = percentileOf(countsOf([millis]), 0.5)
      expect(Math.abs(shown - millis), `${millis} ms as ${shown} ms`).toBeLessThanOrEqual(
        millis * 0.091 + 0.5,
      )
    }
  })

  it("durations beyond the last bin, and none at all, have bins too", () => {
    expect(latencyBinOf(0)).toBe(0)
    expect(latencyBinOf(10 ** 9)).toBe(latencyBins - 1)
  })

  it("a percentile is the duration that so many do not exceed; 0 where nothing was counted", () => {
    const counts = countsOf([
      ...Array.from({ length: 95 }, () => 10),
      ...Array.from({ length: 5 }, () => 1_000),
    ])
    expect(percentileOf(counts, 0.5)).toBe(percentileOf(countsOf([10]), 0.5))
    expect(percentileOf(counts, 0.95)).toBe(percentileOf(countsOf([10]), 0.5))
    expect(percentileOf(counts, 0.96)).toBe(percentileOf(countsOf([1_000]), 0.5))
    expect(percentileOf(countsOf([]), 0.95)).toBe(0)
    expect(percentileOf([], 0.5)).toBe(0)
  })
})
