import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { parseCommandLine, usageOf } from "../../bench/commandLine.ts"
import {
  makeMetric,
  metricsOf,
  ratioTarget,
  type Size,
  type SuiteResult,
  valueTarget,
} from "../../bench/report/result.ts"
import {
  BenchFileError,
  decodeRun,
  encodeRun,
  loadRun,
  type SavedRun,
  saveRun,
} from "../../bench/report/savedRun.ts"
import { runSuites } from "../../bench/run.ts"
import { median, medianOfRatios, percentileOf } from "../../bench/support/statistics.ts"

const known = ["micro", "transactions", "events"]
const parse = (...argv: ReadonlyArray<string>) => parseCommandLine(argv, known)

describe("the bench's command line", () => {
  it("a run's command line takes suites, a size and a JSON file in any order; each suite runs once", () => {
    const json = undefined
    assert.deepStrictEqual(parse(), { kind: "run", suites: known, size: "default", json })
    assert.deepStrictEqual(parse("--small"), { kind: "run", suites: known, size: "small", json })
    assert.deepStrictEqual(parse("events", "--json", "out.json", "--full", "micro", "events"), {
      kind: "run",
      suites: ["micro", "events"],
      size: "full",
      json: "out.json",
    })
    assert.deepInclude(parse("micro", "--json", "-"), { json: "-" })
  })

  it("a run's command line that makes no sense is refused with a sentence", () => {
    assert.strictEqual(parse("event"), "There is no suite event.")
    assert.match(String(parse("--fast")), /Unknown option '--fast'/)
    assert.strictEqual(parse("--full", "--small"), "Give one of --full and --small.")
    for (const empty of [["--json", ""], ["--json"]]) assert.match(String(parse(...empty)), /--json/)
  })

  it("compare takes two runs in order, a percentage, and --relative with it alone", () => {
    const request = {
      kind: "compare",
      before: "a",
      after: "b",
      failOverPercent: undefined,
      isRelative: false,
    }
    assert.deepStrictEqual(parse("compare", "a", "b"), request as ReturnType<typeof parse>)
    assert.deepInclude(parse("compare", "a", "--fail-over", "2.5%", "b", "--relative"), {
      failOverPercent: 2.5,
      isRelative: true,
    })
    assert.match(String(parse("compare", "a", "b", "--fail-over", "ten")), /needs a percentage/)
    assert.match(String(parse("compare", "a", "b", "--relative")), /needs --fail-over/)
    for (const runs of [[], ["a"], ["a", "b", "c"]]) {
      assert.strictEqual(parse("compare", ...runs), "compare needs two runs, A and B.")
    }
    assert.match(String(parse("compare", "a", "b", "--full")), /Unknown option '--full'/)
  })

  it("--help explains compare and lists each suite", () => {
    assert.deepStrictEqual(parse("compare", "--help"), { kind: "help" })
    const usage = usageOf({ micro: "single functions" })
    for (const text of ["micro         single functions", "compare A B", "`previous`"])
      assert.include(usage, text)
  })
})

describe("statistics of rounds", () => {
  it("the median is the middle value or the mean of the middle two, and percentiles are by nearest rank", () => {
    assert.deepStrictEqual([median([5, 1, 3]), median([10, 1, 2, 4])], [3, 3])
    assert.isNaN(median([]))
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index)
    assert.deepStrictEqual(
      [0, 50, 99, 99.1].map((percent) => percentileOf(hundred, percent)),
      [1, 50, 99, 100],
    )
    assert.isNaN(percentileOf([], 50))
  })

  it("medianOfRatios divides each pair before taking the median, so that a slow minute cancels out", () => {
    assert.strictEqual(medianOfRatios([100, 10, 100], [200, 20, 100]), 0.5)
  })
})

describe("a bench's targets", () => {
  const metrics = [
    makeMetric("throughput", "1/s", { corrente: [90, 110, 100], bare: [100, 100, 100], fastify: [0, 0, 0] }),
    ...metricsOf(new Map([["corrente", [70, 60, 80]] as const]), [["replay", "ms", (value) => value]]),
  ]

  it("targets compare the median of the rounds' ratios, or the service's own median, with an inclusive bound", () => {
    const target = { name: "throughput at least 1 of bare", measured: 1, isMet: true }
    assert.deepStrictEqual(ratioTarget(metrics, "throughput", "bare", { atLeast: 1 }), target)
    assert.isFalse(ratioTarget(metrics, "throughput", "bare", { atLeast: 1.01 }).isMet)
    assert.isFalse(ratioTarget(metrics, "throughput", "bare", { atMost: 0.99 }).isMet)
    const own = { name: "replay at most 70 ms", measured: 70, isMet: true }
    assert.deepStrictEqual(valueTarget(metrics, "replay", { atMost: 70 }), own)
    assert.isFalse(valueTarget(metrics, "replay", { atMost: 69 }).isMet)
  })

  it("a target is missed when nothing was measured or the other side's figures are 0", () => {
    assert.isFalse(ratioTarget(metrics, "throughput", "fastify", { atLeast: 1.3 }).isMet)
    assert.isFalse(ratioTarget(metrics, "throughput", "nchan", { atMost: 9 }).isMet)
    assert.isFalse(valueTarget(metrics, "latency", { atMost: 9 }).isMet)
  })
})

let folder: string
let runs: string
let printed: Array<string>
let logged: Array<string>
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "corrente-test-run-"))
  runs = join(folder, "runs")
  printed = []
  logged = []
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const result = (suite: string, isRight = true): SuiteResult => ({
  suite,
  parameters: { rounds: 1 },
  metrics: [{ name: "speed", unit: "1/s", values: { corrente: [Number.NaN, 2] }, ratios: {} }],
  targets: [],
  checks: [{ name: "sum", isRight, detail: "" }],
})

const environment = {
  startedAt: "2026-11-21T10:00:00.000Z",
  machine: "a machine",
  system: "a system",
  node: "v22",
  redis: "7",
  commit: "0123456789ab",
  disk: "fast",
}

const measure = (
  results: Readonly<Record<string, SuiteResult | Error>>,
  size: Size = "default",
  json?: string,
) =>
  runSuites(
    { kind: "run", suites: Object.keys(results), size, json },
    {
      suites: Object.fromEntries(
        Object.entries(results).map(([name, found]) => [
          name,
          {
            text: name,
            run: () => (found instanceof Error ? Promise.reject(found) : Promise.resolve(found)),
          },
        ]),
      ),
      environment,
      folder: runs,
      stdout: (text) => printed.push(text),
      stderr: (text) => logged.push(text),
    },
  )

describe("a run of the bench", () => {
  it("a bench run is saved after each suite, so that a failing suite loses only its own results", async () => {
    const failing = new Error("no more sockets")
    const outcome = await measure({ one: result("one"), two: failing }).catch(String)
    assert.strictEqual(outcome, "Error: no more sockets")
    assert.deepStrictEqual(readdirSync(runs), ["2026-11-21T10-00-00.000Z-0123456789ab-default.json"])
    const { run } = loadRun("last", runs)
    assert.deepStrictEqual([run.suites.length, run.asked], [1, ["one", "two"]])
    assert.deepStrictEqual(run.suites[0]?.metrics[0]?.values, { corrente: [Number.NaN, 2] })
    assert.match(printed.at(-1) ?? "", /Saved in .*default\.json/)
  })

  it("a small bench run is saved only in a file that is named; a full one there as well", async () => {
    const file = join(folder, "mine.json")
    await measure({ one: result("one") }, "small", file)
    assert.isFalse(existsSync(runs))
    assert.strictEqual(decodeRun(readFileSync(file, "utf8"), file).size, "small")
    await measure({ one: result("one") }, "full", file)
    assert.strictEqual(
      readFileSync(file, "utf8"),
      readFileSync(join(runs, readdirSync(runs)[0] ?? ""), "utf8"),
    )
  })

  it("a bench run with --json - prints its JSON and nothing else to stdout", async () => {
    await measure({ one: result("one") }, "small", "-")
    assert.lengthOf(printed, 1)
    assert.lengthOf(decodeRun(printed.join(), "stdout").suites, 1)
    assert.match(logged.join("\n"), /machine:.*a machine/)
  })

  it("a bench run reports failure when a check is wrong, and measures nothing when a file cannot be written", async () => {
    assert.isFalse(await measure({ one: result("one", false), two: result("two") }))
    const outcome = await measure({ one: new Error("measured") }, "small", folder).catch(String)
    assert.match(String(outcome), /EISDIR/)
  })
})

describe("saved runs", () => {
  const runAt = (day: string): SavedRun => ({
    format: 2,
    size: "default",
    asked: ["one"],
    environment: { ...environment, startedAt: `2026-11-${day}T10:00:00.000Z` },
    suites: [result("one")],
  })

  it("saved runs are found as last and previous, by name and by file, and read as they were written", () => {
    const [first, second] = [saveRun(runs, runAt("20")), saveRun(runs, runAt("21"))]
    writeFileSync(join(runs, "9999.json.draft"), "half of a run")
    for (const meant of ["previous", "2026-11-20T10-00-00.000Z-0123456789ab-default", first]) {
      assert.deepStrictEqual(loadRun(meant, runs).run, runAt("20"))
    }
    assert.deepStrictEqual(loadRun("last", runs), loadRun(second, tmpdir()))
  })

  it("a file that is missing, no saved run or of another format is refused with a sentence", () => {
    for (const meant of ["last", "previous", "nope.json", folder]) {
      assert.throws(() => loadRun(meant, runs), BenchFileError, /There is no file and no saved run/)
    }
    for (const text of ["{", "[]", "null", '{"format":1}', '{"format":2}']) {
      assert.throws(() => decodeRun(text, "a.json"), BenchFileError, /^a\.json is not/)
    }
    assert.deepStrictEqual(decodeRun(encodeRun(runAt("20")), "it"), runAt("20"))
  })
})
