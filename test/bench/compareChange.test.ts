import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { changeOf, orderCounts } from "../../bench/report/change.ts"
import { median } from "../../bench/support/statistics.ts"

/** How often each U occurs, by enumerating every order. */
const countedByHand = (first: number, second: number): ReadonlyArray<number> => {
  const counts = Array.from({ length: first * second + 1 }, () => 0)
  const place = (firstLeft: number, secondLeft: number, u: number): void => {
    if (firstLeft === 0 && secondLeft === 0) counts[u] = (counts[u] ?? 0) + 1
    if (firstLeft > 0) place(firstLeft - 1, secondLeft, u + (second - secondLeft))
    if (secondLeft > 0) place(firstLeft, secondLeft - 1, u)
  }
  place(first, second, 0)
  return counts
}

const values = (minLength: number) =>
  fc.array(fc.double({ min: 0.001, max: 1e6, noNaN: true }), { minLength, maxLength: 12 })

const isClose = (left: number, right: number): boolean => Math.abs(left - right) <= 1e-9 * Math.abs(left)

const boundsOf = (before: ReadonlyArray<number>, after: ReadonlyArray<number>) => {
  const { interval } = changeOf(before, after)
  if (interval === undefined) throw new Error("no interval")
  return interval
}

/** Random numbers from 0 to 1, the same in every run of the test. */
const randomFrom = (seed: number) => {
  let state = seed
  return () => {
    state = (state * 16_807) % 2_147_483_647
    return state / 2_147_483_647
  }
}

describe("the change of a metric between two runs", () => {
  it("orderCounts agrees with an enumeration of all orders of rounds", () => {
    for (const first of [1, 2, 3, 5]) {
      for (const second of [1, 2, 4, 6]) {
        assert.deepStrictEqual(orderCounts(first, second), countedByHand(first, second))
      }
    }
  })

  it("a change's interval is the whole range for 4 and 4 rounds, and the 3rd pair from each end for 5 and 5", () => {
    assert.deepStrictEqual(boundsOf([1, 1, 1, 2], [2, 4, 8, 16]), { low: 1, high: 16 })
    const [before, after] = [
      [1, 10, 100, 1_000, 10_000],
      [1, 2, 3, 4, 5],
    ]
    const ratios = after.flatMap((late) => before.map((early) => late / early)).toSorted((a, b) => a - b)
    assert.deepStrictEqual(boundsOf(before, after), { low: ratios[2], high: ratios[22] })
  })

  it("a change has no interval for too few rounds, and no ratio where nothing was measured or all was 0", () => {
    assert.deepStrictEqual(changeOf([1, 1, 1], [2, 2, 2]), { ratio: 2, interval: undefined })
    assert.deepStrictEqual(changeOf([], [2, 2, 2, 2]), { ratio: Number.NaN, interval: undefined })
    assert.deepStrictEqual(changeOf([0, 0, 0, 0], [2, 2, 2, 2]), { ratio: Number.NaN, interval: undefined })
    assert.deepStrictEqual(changeOf([Number.NaN, 1, 1, 1], [2, 2, 2, 2]).interval, undefined)
  })

  it("a change leaves out rounds that could not be measured", () => {
    const [before, after] = [
      [1, 2, 3, 4, 5],
      [2, 3, 4, 5, 6],
    ]
    assert.deepStrictEqual(changeOf([...before, Number.NaN], [Number.NaN, ...after]), changeOf(before, after))
  })

  it("a change's ratio is that of the medians and lies within its interval", () => {
    fc.assert(
      fc.property(values(4), values(4), (before, after) => {
        const { ratio, interval } = changeOf(before, after)
        assert.strictEqual(ratio, median(after) / median(before))
        assert.isTrue(interval !== undefined && interval.low <= ratio && ratio <= interval.high)
      }),
    )
  })

  it("a change's interval extends to the medians' ratio where skewed rounds would leave it out", () => {
    const count = 300
    const skewed = Array.from({ length: count }, (_, index) => -Math.log(1 - (index + 0.5) / count))
    const { ratio, interval } = changeOf(
      skewed.map((value) => Math.exp(value)),
      skewed.map((value) => Math.exp(10 - value)),
    )
    assert.strictEqual(interval?.high, ratio)
  })

  it("a change depends neither on the order of the rounds nor on their unit", () => {
    fc.assert(
      fc.property(values(4), values(4), fc.constantFrom(0.5, 2, 1_024), (before, after, factor) => {
        const change = changeOf(before, after)
        assert.deepStrictEqual(changeOf(before.toReversed(), after.toReversed()), change)
        const inOtherUnit = (value: number) => value * factor
        assert.deepStrictEqual(changeOf(before.map(inOtherUnit), after.map(inOtherUnit)), change)
      }),
    )
  })

  it("a change's interval turns into its reciprocal when the runs are swapped", () => {
    fc.assert(
      fc.property(values(4), values(4), (before, after) => {
        const [there, back] = [boundsOf(before, after), boundsOf(after, before)]
        // For an even number of rounds the medians' ratio is that of two means, so its reciprocal holds as well.
        assert.isTrue(isClose(there.low, 1 / back.high) && isClose(there.high, 1 / back.low))
      }),
    )
  })

  it("a change's interval contains 1 when a run is compared with itself", () => {
    fc.assert(
      fc.property(values(4), (rounds) => {
        const { low, high } = boundsOf(rounds, rounds)
        assert.isTrue(low <= 1 && high >= 1)
      }),
    )
  })

  it("a change's interval lies above 1 when every later round exceeds every earlier one", () => {
    fc.assert(
      fc.property(values(4), values(4), (before, after) => {
        const above = Math.max(...before) + 1
        assert.isAbove(
          boundsOf(
            before,
            after.map((value) => value + above),
          ).low,
          1,
        )
      }),
    )
  })

  it.each([
    [4, 4],
    [5, 9],
    [9, 9],
    [40, 35],
  ])(
    "a change's interval contains the true ratio in 94 of 100 trials (%i and %i rounds, skewed noise)",
    (first, second) => {
      const random = randomFrom(42)
      // Noise as in benches: mostly small, sometimes long.
      const round = (centre: number) => centre * (1 + 0.02 * random() + (random() < 0.2 ? random() : 0))
      const trials = 2_000
      let hits = 0
      for (let trial = 0; trial < trials; trial++) {
        const before = Array.from({ length: first }, () => round(100))
        const after = Array.from({ length: second }, () => round(130))
        const { low, high } = boundsOf(before, after)
        if (low <= 1.3 && 1.3 <= high) hits += 1
      }
      assert.isAtLeast(hits / trials, 0.94)
    },
  )

  it("a change of 300 rounds has an interval narrower than 0.3", () => {
    const random = randomFrom(7)
    const many = Array.from({ length: 300 }, () => 1 + random())
    const { low, high } = boundsOf(many, many)
    assert.isTrue(low < 1 && 1 < high && high - low < 0.3)
  })
})
