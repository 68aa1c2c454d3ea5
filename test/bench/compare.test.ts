import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { compareRuns, type Row } from "../../bench/report/compare.ts"
import { comparisonText, gateOf } from "../../bench/report/compareText.ts"
import { directionOf } from "../../bench/report/direction.ts"
import type { SavedMetric, SavedRun } from "../../bench/report/savedRun.ts"
import { metric, roundsAround, savedRun, suite } from "./support/savedRuns.ts"

const throughput = (value: number, name = "POST throughput") =>
  metric(name, "1/s", { corrente: roundsAround(value) })
const latency = (value: number, name = "POST latency p50") =>
  metric(name, "ms", { corrente: roundsAround(value) })
const runOf = (...metrics: ReadonlyArray<SavedMetric>) => savedRun([suite(metrics)])

const compare = (before: SavedRun, after: SavedRun) => compareRuns(before, after)
const rowsOf = (before: SavedMetric, after: SavedMetric): ReadonlyArray<Row> =>
  compare(runOf(before), runOf(after)).suites[0]?.rows ?? []
const verdictOf = (before: SavedMetric, after: SavedMetric) => rowsOf(before, after)[0]?.verdict

describe("the better direction of a metric", () => {
  it("more throughput is better, and less time, CPU and memory", () => {
    assert.strictEqual(directionOf({ name: "charges", unit: "1/s" }), "up")
    for (const unit of ["ns", "us", "ms", "s", "cores", "B", "KiB", "MiB"]) {
      assert.strictEqual(directionOf({ name: "CPU of the server", unit }), "down")
    }
  })

  it("neither direction is better for the load's own metrics, for shares and for unknown units", () => {
    for (const name of [
      "POST CPU of the load per request",
      "CPU of anything else",
      "load's own lateness p99",
    ]) {
      assert.strictEqual(directionOf({ name, unit: "ms" }), "neither")
    }
    for (const unit of ["%", "furlongs", "constructor"]) {
      assert.strictEqual(directionOf({ name: "x", unit }), "neither")
    }
  })
})

describe("the comparison of two runs", () => {
  it("a comparison marks what is clearly better and worse by the metric's own direction", () => {
    assert.strictEqual(verdictOf(throughput(100), throughput(120)), "better")
    assert.strictEqual(verdictOf(throughput(100), throughput(80)), "worse")
    assert.strictEqual(verdictOf(latency(100), latency(120)), "worse")
    assert.strictEqual(verdictOf(latency(100), latency(80)), "better")
  })

  it("a comparison marks nothing that differs by 3 % or less, or may differ by chance", () => {
    const steady = (value: number) => metric("m", "ms", { corrente: Array.from({ length: 9 }, () => value) })
    assert.strictEqual(verdictOf(steady(100), steady(102.9)), "unclear")
    assert.strictEqual(verdictOf(steady(100), steady(103.1)), "worse")
    const noisy = (values: ReadonlyArray<number>) => metric("m", "ms", { corrente: values })
    assert.strictEqual(verdictOf(noisy([50, 100, 150, 90, 110]), noisy([60, 130, 180, 120, 140])), "unclear")
  })

  it("a comparison says where rounds are too few or unmeasured instead of judging", () => {
    const few = (value: number) => metric("m", "ms", { corrente: [value, value, value] })
    assert.strictEqual(verdictOf(few(1), few(9)), "few")
    const unmeasured = metric("m", "ms", { corrente: [Number.NaN, Number.NaN] })
    assert.strictEqual(verdictOf(unmeasured, few(9)), "unmeasured")
  })

  it("a comparison with its runs swapped has the opposite verdict", () => {
    const opposite = { better: "worse", worse: "better" } as const
    const rounds = fc.array(fc.integer({ min: 50, max: 200 }), { minLength: 4, maxLength: 9 })
    fc.assert(
      fc.property(rounds, rounds, fc.constantFrom("ms", "1/s"), (left, right, unit) => {
        const [a, b] = [left, right].map((values) => metric("m", unit, { corrente: values }))
        if (a === undefined || b === undefined) return
        const [there, back] = [rowsOf(a, b)[0], rowsOf(b, a)[0]]
        if (there === undefined || back === undefined) throw new Error("no rows")
        // 3 % up is a little less than 3 % down.
        const isNearTheBound = [there, back].some(
          ({ change }) => Math.abs(Math.abs(change.ratio - 1) - 0.03) < 0.002,
        )
        if (isNearTheBound) return
        const { verdict } = there
        assert.strictEqual(
          back.verdict,
          verdict === "better" || verdict === "worse" ? opposite[verdict] : verdict,
        )
      }),
    )
  })

  it("a comparison relates the service to the other sides of its run, so that a slower machine cancels out", () => {
    const both = (corrente: number, bare: number) =>
      metric("POST throughput", "1/s", { corrente: roundsAround(corrente), bare: roundsAround(bare) })
    const slower = rowsOf(both(100, 200), both(70, 140))
    assert.deepStrictEqual(
      slower.map(({ contender, relativeTo, verdict, isShared }) => [
        contender,
        relativeTo,
        verdict,
        isShared,
      ]),
      [
        ["corrente", undefined, "worse", true],
        ["bare", undefined, "worse", false],
        ["corrente", "bare", "unclear", false],
      ],
    )
    const [own] = rowsOf(both(100, 200), both(70, 200))
    assert.strictEqual(own?.verdict, "worse")
    assert.isFalse(own?.isShared)
    const [muchWorse] = rowsOf(both(100, 200), both(50, 170))
    assert.strictEqual(muchWorse?.verdict, "worse")
    assert.isFalse(muchWorse?.isShared)
  })

  it("a comparison pairs latencies at different rates, and judges them where the rates hardly differ", () => {
    const at = (rate: string, value: number) => latency(value, `POST at ${rate}/s: latency p50`)
    assert.strictEqual(verdictOf(at("2,930", 1), at("2,811", 2)), "worse")
    assert.strictEqual(verdictOf(at("2,930", 1), at("1,400", 2)), "otherRate")
    const oneIsGone = compare(runOf(at("100", 1), at("200", 1)), runOf(at("100", 1)))
    assert.lengthOf(oneIsGone.suites[0]?.rows ?? [], 1)
    const twoRates = compare(runOf(at("100", 1), at("200", 1)), runOf(at("100", 1), at("300", 1)))
    assert.deepStrictEqual(
      twoRates.suites[0]?.rows.map((row) => row.metric),
      ["POST at 100/s: latency p50"],
    )
  })

  it("a comparison lists differing environment, size and parameters, and what only one run has", () => {
    const before = savedRun([suite([throughput(1), latency(1)]), suite([], { suite: "events" })])
    const after = savedRun([suite([throughput(1)], { parameters: { connections: 16, rounds: 5 } })], {
      size: "full",
      asked: ["transactions", "sse"],
      environment: { ...before.environment, startedAt: "2026-12-01T00:00:00.000Z", redis: "8.0.0" },
    })
    const { differences, suites } = compare(before, after)
    assert.deepStrictEqual(differences, [
      "size: default | full",
      "redis: 7.0.15 | 8.0.0",
      "only in A: events",
      "B ended before sse",
    ])
    assert.deepStrictEqual(suites[0]?.differences, [
      "connections: 64 | 16",
      "latency: open loop | (nothing)",
      "only in A: POST latency p50",
    ])
  })

  it("a comparison warns of wrong checks, and of a modified commit that both runs name", () => {
    const environment = { ...savedRun([]).environment, commit: "0123456789ab+" }
    const checks = [{ name: "charges", isRight: false, detail: "one is lost" }]
    const run = savedRun([suite([throughput(1)], { checks })], { environment })
    const { differences, suites } = compare(run, run)
    assert.match(differences.join(), /0123456789ab\+ in both/)
    assert.include(suites[0]?.differences.join(), "B proves nothing, check charges is wrong: one is lost")
  })

  it("a comparison is printed with medians, ratio, interval and mark", () => {
    const [before, after] = [runOf(throughput(100)), runOf(throughput(80))]
    const text = comparisonText(
      { name: "old", run: before },
      { name: "new", run: after },
      compare(before, after),
    )
    assert.match(text, /^A: old .*\nB: new /)
    assert.match(
      text,
      /POST throughput, 1\/s +corrente +100 +80\.0 +0\.800 {2}0\.7\d\d \.\. 0\.8\d\d +WORSE$/m,
    )
  })

  it("a comparison of runs that share no suite says so", () => {
    const [before, after] = [runOf(throughput(1)), savedRun([])]
    const text = comparisonText({ name: "a", run: before }, { name: "b", run: after }, compare(before, after))
    assert.include(text, "The runs have no suite in common.")
  })
})

describe("compare --fail-over", () => {
  const both = (corrente: number, bare: number) =>
    runOf(metric("POST throughput", "1/s", { corrente: roundsAround(corrente), bare: roundsAround(bare) }))
  const exitCode = (before: SavedRun, after: SavedRun, percent: number, isRelative = false) =>
    gateOf(compare(before, after), percent, isRelative).exitCode

  it("compare --fail-over exits 1 where the service is clearly worse by more than that, and names the metric", () => {
    assert.strictEqual(exitCode(both(100, 200), both(85, 200), 10), 1)
    assert.strictEqual(exitCode(both(100, 200), both(85, 200), 20), 0)
    assert.strictEqual(exitCode(both(100, 200), both(150, 200), 10), 0)
    const { text } = gateOf(compare(both(100, 200), both(50, 200)), 10, false)
    assert.include(text, "1 are clearly worse")
    assert.include(text, "POST throughput: 0.500")
  })

  it("compare --fail-over does not judge the other sides", () => {
    assert.strictEqual(exitCode(both(100, 200), both(100, 50), 10), 0)
  })

  it("compare --fail-over --relative judges the ratios to the other sides", () => {
    assert.strictEqual(exitCode(both(100, 200), both(50, 100), 10), 1)
    assert.strictEqual(exitCode(both(100, 200), both(50, 100), 10, true), 0)
    assert.strictEqual(exitCode(both(100, 200), both(100, 300), 10, true), 1)
  })

  it("compare --fail-over exits 2 rather than pass what it cannot judge", () => {
    assert.strictEqual(exitCode(both(100, 200), savedRun([]), 10), 2)
    const few = runOf(metric("POST throughput", "1/s", { corrente: [1, 1] }))
    assert.strictEqual(exitCode(few, few, 10), 2)
    const alone = runOf(throughput(100))
    assert.strictEqual(exitCode(alone, alone, 10, true), 2)
  })
})
