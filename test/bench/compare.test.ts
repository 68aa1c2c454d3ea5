import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { changeOf, compareRuns, comparisonText, gateOf } from "../../bench/report/compare.ts"
import { makeMetric, type Unit } from "../../bench/report/result.ts"
import type { SavedMetric, SavedRun, SavedSuite } from "../../bench/report/savedRun.ts"
import { median } from "../../bench/support/statistics.ts"

const runOf = (metrics: ReadonlyArray<SavedMetric>, suite: Partial<SavedSuite> = {}): SavedRun => ({
  format: 2,
  size: "default",
  asked: ["transactions"],
  environment: { startedAt: "2026-11-21T10:00:00.000Z", redis: "7.0.15", commit: "0123456789ab" },
  suites: [
    { suite: "transactions", parameters: { connections: 64 }, metrics, targets: [], checks: [], ...suite },
  ],
})

/** Five rounds around a value, up to 2 % apart. */
const around = (value: number): ReadonlyArray<number> =>
  [1, 0.99, 1.01, 0.995, 1.008].map((factor) => value * factor)
const verdictOf = (
  before: ReadonlyArray<number>,
  after: ReadonlyArray<number>,
  unit: Unit = "1/s",
  name = "POST",
) => {
  const [early, late] = [before, after].map((corrente) => runOf([makeMetric(name, unit, { corrente })]))
  return compareRuns(early ?? runOf([]), late ?? runOf([])).suites[0]?.rows[0]?.verdict
}
const both = (corrente: number, bare: number) =>
  runOf([makeMetric("POST throughput", "1/s", { corrente: around(corrente), bare: around(bare) })])

describe("the comparison of two runs", () => {
  it("a comparison marks what is clearly better and worse: more of a rate, less of the rest", () => {
    assert.strictEqual(verdictOf(around(100), around(120)), "better")
    assert.strictEqual(verdictOf(around(100), around(80)), "WORSE")
    for (const unit of ["ns", "us", "ms", "s", "cores", "B", "KiB", "MiB"] as const) {
      assert.strictEqual(verdictOf(around(100), around(120), unit), "WORSE")
      assert.strictEqual(verdictOf(around(100), around(80), unit), "better")
    }
  })

  it("a comparison does not judge shares, the load's own metrics, too few rounds and what was not measured", () => {
    assert.strictEqual(verdictOf(around(100), around(120), "%"), "-")
    for (const name of ["POST CPU of the load", "CPU of anything else", "load's own lateness p99"]) {
      assert.strictEqual(verdictOf(around(100), around(120), "us", name), "-")
    }
    assert.strictEqual(verdictOf([1, 1, 1], [9, 9, 9]), "too few rounds")
    assert.strictEqual(verdictOf([Number.NaN, Number.NaN], around(9)), "-")
  })

  it("a comparison marks nothing that differs by 3 % or less, or may differ by chance", () => {
    const steady = (value: number) => Array.from({ length: 9 }, () => value)
    assert.strictEqual(verdictOf(steady(100), steady(102.9), "ms"), "")
    assert.strictEqual(verdictOf(steady(100), steady(103.1), "ms"), "WORSE")
    assert.strictEqual(verdictOf([50, 100, 150, 90, 110], [60, 130, 180, 120, 140], "ms"), "")
  })

  it("a comparison lists what differs or is in one run alone, wrong checks, medians, intervals and marks", () => {
    const metric = (name: string, value: number) => makeMetric(name, "1/s", { corrente: around(value) })
    const before = runOf([metric("POST throughput", 100), metric("gone", 1)])
    const checks = [{ name: "charges", isRight: false, detail: "one is lost" }]
    const after = runOf([metric("POST throughput", 80)], { checks, parameters: { connections: 16 } })
    const text = comparisonText(
      { name: "old", run: before },
      { name: "new", run: { ...after, environment: { ...after.environment, redis: "8.0.0" } } },
      compareRuns(before, { ...after, environment: { ...after.environment, redis: "8.0.0" } }),
    )
    assert.match(text, /^A: old .*\nB: new .*\n {2}redis: 7\.0\.15 \| 8\.0\.0\n/)
    for (const line of ["connections: 64 | 16", "only in A: gone", "check charges is wrong: one is lost"]) {
      assert.include(text, line)
    }
    assert.match(
      text,
      /POST throughput, 1\/s +corrente +100 +80\.0 +0\.800 {3}0\.7\d\d \.\. 0\.8\d\d +WORSE$/m,
    )
    const none = comparisonText(
      { name: "a", run: before },
      { name: "b", run: after },
      compareRuns(before, { ...after, suites: [] }),
    )
    assert.include(none, "The runs have no suite in common.")
  })
})

describe("the change of a metric between two runs", () => {
  const values = fc.array(fc.double({ min: 0.001, max: 1e6, noNaN: true }), { minLength: 4, maxLength: 12 })

  it("a change's interval is the whole range for 4 and 4 rounds, and the 3rd pair from each end for 5 and 5", () => {
    assert.deepStrictEqual(changeOf([1, 1, 1, 2], [2, 4, 8, 16]).interval, { low: 1, high: 16 })
    const [before, after] = [
      [1, 10, 100, 1_000, 10_000],
      [1, 2, 3, 4, 5],
    ]
    const ratios = after.flatMap((late) => before.map((early) => late / early)).toSorted((a, b) => a - b)
    assert.deepStrictEqual(changeOf(before, after).interval, { low: ratios[2], high: ratios[22] })
    assert.isNaN(changeOf([0, 0, 0, 0], [2, 2, 2, 2]).ratio)
  })

  it("a change's ratio is that of the medians and lies within its interval, whatever the order of the rounds", () => {
    fc.assert(
      fc.property(values, values, (before, after) => {
        const { ratio, interval } = changeOf(before, after)
        assert.strictEqual(ratio, median(after) / median(before))
        assert.isTrue(interval !== undefined && interval.low <= ratio && ratio <= interval.high)
        assert.deepStrictEqual(changeOf(before.toReversed(), after.toReversed()), { ratio, interval })
      }),
    )
  })

  it("a change's interval contains the true ratio in 94 of 100 trials with skewed noise", () => {
    let state = 42
    const random = () => {
      state = (state * 16_807) % 2_147_483_647
      return state / 2_147_483_647
    }
    // Noise as in benches: mostly small, sometimes long.
    const round = (centre: number) => centre * (1 + 0.02 * random() + (random() < 0.2 ? random() : 0))
    for (const [first, second] of [
      [4, 4],
      [5, 9],
      [40, 35],
    ]) {
      let hits = 0
      for (let trial = 0; trial < 1_000; trial++) {
        const before = Array.from({ length: first ?? 0 }, () => round(100))
        const after = Array.from({ length: second ?? 0 }, () => round(130))
        const { low = 9, high = 0 } = changeOf(before, after).interval ?? {}
        if (low <= 1.3 && 1.3 <= high) hits += 1
      }
      assert.isAtLeast(hits / 1_000, 0.94)
    }
  })
})

describe("compare --fail-over", () => {
  const exitCode = (before: SavedRun, after: SavedRun, percent: number, isRelative = false) =>
    gateOf(compareRuns(before, after), percent, isRelative).exitCode

  it("compare --fail-over exits 1 where the service alone is clearly worse by more than that, and names the metric", () => {
    assert.strictEqual(exitCode(both(100, 200), both(85, 200), 10), 1)
    assert.strictEqual(exitCode(both(100, 200), both(85, 200), 20), 0)
    assert.strictEqual(exitCode(both(100, 200), both(150, 200), 10), 0)
    assert.strictEqual(exitCode(both(100, 200), both(100, 50), 10), 0)
    const { text } = gateOf(compareRuns(both(100, 200), both(50, 200)), 10, false)
    assert.include(text, "POST throughput, 1/s, corrente: 0.500")
  })

  it("compare --fail-over --relative judges the ratios to the other sides, so that a slower machine cancels out", () => {
    assert.strictEqual(exitCode(both(100, 200), both(50, 100), 10), 1)
    assert.strictEqual(exitCode(both(100, 200), both(50, 100), 10, true), 0)
    assert.strictEqual(exitCode(both(100, 200), both(100, 300), 10, true), 1)
  })

  it("compare --fail-over exits 2 rather than pass what it cannot judge", () => {
    assert.strictEqual(exitCode(both(100, 200), runOf([]), 10), 2)
    const few = runOf([makeMetric("POST throughput", "1/s", { corrente: [1, 1] })])
    assert.strictEqual(exitCode(few, few, 10), 2)
  })
})
