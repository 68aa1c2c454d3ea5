import { type ChildProcess, execFile, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, expect, it } from "@effect/vitest"
import type { Contender, SuiteResult } from "../../bench/report/result.ts"
import { decodeRun, type SavedRun } from "../../bench/report/savedRun.ts"
import { suites } from "../../bench/suites.ts"
import { sizes } from "../support/sizes.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const script = join(root, "bench", "main.ts")
const dataOf = (pid: number): string => join(root, ".data", "bench", String(pid))

interface Run {
  readonly code: number
  readonly pid: number
  readonly stdout: string
  readonly stderr: string
}

const runBench = (...args: ReadonlyArray<string>): Promise<Run> =>
  new Promise((resolve) => {
    const child = execFile(process.execPath, [script, ...args], { cwd: tmpdir() }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), pid: child.pid ?? 0, stdout, stderr }),
    )
  })

/** The suites that run, in the table's order. */
const suitesRun = sizes.benchSuites === "all" ? Object.keys(suites) : ["events"]

/** For a hang: all suites took 6 minutes alone, and over 30 beside other tests on a slow machine. */
const allSuitesTimeoutMillis = 5_400_000

/** What a suite's report must have: metrics with a figure for each side, and so many targets. */
interface Expected {
  readonly sides?: ReadonlyArray<Contender>
  /** By default of `sides`. */
  readonly metrics: ReadonlyArray<string | readonly [name: string, sides: ReadonlyArray<Contender>]>
  readonly targets: number
}

const pair = ["corrente", "bare"] as const
const expected: Readonly<Record<string, Expected>> = {
  micro: { metrics: ["BR code", "commit function, CPU of Redis"], targets: 0 },
  start: { metrics: ["start to first request served"], targets: 1 },
  transactions: {
    sides: pair,
    metrics: [
      ["POST throughput", [...pair, "fastify", "fastify-qrcode"]],
      ["GET throughput", [...pair, "fastify"]],
      ...["POST", "GET", "list of 50", "replay", "mixed"].flatMap((name) => [
        `${name} at half the maximum: latency p99`,
        `${name} at half the maximum: rate`,
      ]),
      ...["list of 50", "replay", "mixed"].map((name) => `${name} memory of the server`),
    ],
    targets: 13,
  },
  events: { metrics: ["event -> SSE frame p50", "event -> receiver p50"], targets: 2 },
  sse: {
    sides: pair,
    metrics: [
      "idle: time to open all",
      "fan-out: frames delivered",
      "event -> frame at 500/s p50",
      "replay of 500 events",
    ],
    targets: 6,
  },
  deliveries: {
    sides: [...pair, "bullmq"],
    metrics: [
      "fan-out: deliveries",
      "event -> receiver at 200/s p50",
      "500 retries due at once",
      "half hang: healthy first attempts p99",
    ],
    targets: 5,
  },
  life: {
    sides: pair,
    metrics: [
      "charges created",
      "created, second by second",
      ["timers due at the start, POST at 50.0/s p50", ["corrente"]],
      ["deliveries due at the start, POST at 50.0/s p50", ["corrente"]],
    ],
    targets: 7,
  },
  overload: {
    metrics: ["charges, 200 users", "sign-ins, 4 people", "sign-ins, 100 people", "sign-ins, refused"],
    targets: 14,
  },
  growth: {
    metrics: [
      "POST, 200 stored: latency p50",
      "list of 50, 1,000 stored: latency p50",
      "search of an id, 1,000 stored: p50",
      "audit, 1,000 stored",
      "in Redis, all keys",
      "memory, all sellers gone, collected",
    ],
    targets: 5,
  },
  scale: {
    sides: ["corrente", "corrente-2", "corrente-replicas", "corrente-cluster"],
    metrics: ["POST throughput", "GET throughput"],
    targets: 6,
  },
  soak: {
    metrics: ["memory of the server, collected", "open files of the server", "keys in Redis per charge"],
    targets: 4,
  },
}

describe("npm run bench -- --small", () => {
  const folder = mkdtempSync(join(tmpdir(), "corrente-test-bench-"))
  let run: Run
  let report: SavedRun
  beforeAll(async () => {
    const file = join(folder, "report.json")
    run = await runBench(...suitesRun, "--small", "--json", file)
    report = decodeRun(readFileSync(file, "utf8"), run.stderr)
  }, allSuitesTimeoutMillis)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it("the bench runs every suite, proves the work that was done, exits 0 and leaves no data behind", () => {
    const found = report.suites.map(({ suite }) => suite)
    assert.deepStrictEqual(found, suitesRun, run.stderr)
    const wrong = report.suites.flatMap(({ checks }) => checks.filter(({ isRight }) => !isRight))
    assert.deepStrictEqual(wrong, [])
    assert.isTrue(report.suites.every(({ checks }) => checks.length > 0))
    assert.strictEqual(run.code, 0, run.stderr)
    assert.isFalse(existsSync(dataOf(run.pid)))
  })

  it.each(suitesRun)(
    "the %s suite measures what it names of each side, and compares it by its targets",
    (name) => {
      const {
        sides = ["corrente"],
        metrics: names,
        targets: count,
      } = expected[name] ?? { metrics: [], targets: -1 }
      const result = report.suites.find(({ suite }) => suite === name) as SuiteResult
      for (const wanted of names) {
        const [title, of] = typeof wanted === "string" ? [wanted, sides] : wanted
        const values = result.metrics.find((metric) => metric.name === title)?.values ?? {}
        const others = Object.keys(values).filter((side) => side !== "nchan")
        assert.sameMembers(others, [...of], title)
        // A stalled machine may finish nothing within a small window, which has no percentile: the checks prove the work.
        for (const side of of) {
          const measured = values[side] ?? []
          assert.isNotEmpty(measured, `${title}, ${side}`)
          for (const value of measured) assert.isFalse(value < 0, `${title}, ${side}`)
        }
      }
      const ofNchan = result.targets.filter((target) => target.name.endsWith("of nchan")).length
      assert.strictEqual(result.targets.length - ofNchan, count)
    },
  )

  it("a bench run states its size and environment in the report, and its progress on stderr", () => {
    assert.strictEqual(report.size, "small")
    for (const name of ["machine", "node", "redis", "commit"]) {
      assert.isNotEmpty(report.environment[name] ?? "")
      assert.include(run.stdout, report.environment[name] ?? "")
    }
    assert.include(run.stderr, "round 2 of 2")
  })
})

describe("a bench run that is stopped", () => {
  const endings: Readonly<Record<string, (child: ChildProcess) => void>> = {
    "by SIGTERM": (child) => child.kill("SIGTERM"),
    "by Ctrl-C": (child) => child.kill("SIGINT"),
    "by a closed output pipe": (child) => {
      child.stdout?.destroy()
      child.stderr?.destroy()
    },
  }
  const tried = Object.entries(endings).slice(0, sizes.benchSuites === "all" ? undefined : 1)
  for (const [how, end] of tried) {
    it(`a bench run stopped ${how} leaves no server and no data behind`, async () => {
      const child = spawn(process.execPath, [script, "events", "--small"])
      const pid = child.pid ?? 0
      const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()))
      await new Promise<void>((resolve) => child.stderr.once("data", () => resolve()))
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")
      assert.isAtLeast(children.length, 5)
      assert.isTrue(existsSync(dataOf(pid)))
      end(child)
      await gone
      assert.isFalse(existsSync(dataOf(pid)))
      await expect
        .poll(() => children.filter((server) => existsSync(`/proc/${server}/cwd`)), { timeout: 240_000 })
        .toEqual([])
    })
  }
})

describe("npm run bench", () => {
  it("the bench prints its usage for --help, and exits 2 with a sentence for a suite or a run that is not there", async () => {
    const help = await runBench("--help")
    assert.strictEqual(help.code, 0)
    assert.include(help.stdout, "transactions")
    for (const [args, sentence] of [
      [["event"], "There is no suite event."],
      [["compare", "nowhere", "last"], "There is no file and no saved run nowhere"],
    ] as const) {
      const { code, stdout, stderr } = await runBench(...args)
      assert.deepStrictEqual([code, stdout], [2, ""])
      assert.include(stderr, sentence)
    }
  })
})
