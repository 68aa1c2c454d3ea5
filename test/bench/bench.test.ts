import { type ChildProcess, execFile, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, expect, it } from "@effect/vitest"
import type { SuiteResult } from "../../bench/report/result.ts"
import { suites } from "../../bench/suites.ts"
import { whyNoChromium } from "../support/chromium.ts"
import { sizes } from "../support/sizes.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const script = join(root, "bench", "main.ts")

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

interface Report {
  readonly format: number
  readonly size: string
  readonly environment: Readonly<Record<string, string>>
  readonly suites: ReadonlyArray<SuiteResult>
}

/** The suites that run, in the table's order. */
const suitesRun = sizes.benchSuites === "all" ? Object.keys(suites) : ["events"]

/** A test of suites that need not run. */
const itMeasures = (names: ReadonlyArray<string>) => it.runIf(names.every((name) => suitesRun.includes(name)))

/** For a hang: all suites took 6 minutes alone, and over 30 beside other tests on a slow machine. */
const allSuitesTimeoutMillis = 5_400_000

describe("npm run bench -- --small", () => {
  const folder = mkdtempSync(join(tmpdir(), "corrente-test-bench-"))
  let run: Run
  let report: Report
  beforeAll(async () => {
    const file = join(folder, "report.json")
    run = await runBench(...suitesRun, "--small", "--json", file)
    report = JSON.parse(existsSync(file) ? readFileSync(file, "utf8") : '{"suites":[]}')
  }, allSuitesTimeoutMillis)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const suite = (name: string): SuiteResult => {
    const found = report.suites.find((result) => result.suite === name)
    assert.isDefined(found, run.stderr)
    return found as SuiteResult
  }

  it("the bench runs every suite, proves the work that was done, and exits 0", () => {
    assert.deepStrictEqual(
      report.suites.map(({ suite: name }) => name),
      suitesRun,
      run.stderr,
    )
    const wrong = report.suites.flatMap(({ checks }) => checks.filter(({ isRight }) => !isRight))
    assert.deepStrictEqual(wrong, [])
    assert.isTrue(report.suites.every(({ checks }) => checks.length > 0))
    assert.strictEqual(run.code, 0, run.stderr)
  })

  itMeasures(["transactions"])(
    "the transactions suite measures every side in every round and compares them by its targets",
    () => {
      const { metrics, targets } = suite("transactions")
      const pair = ["corrente", "bare"] as const
      const sides = {
        POST: [...pair, "fastify", "fastify-qrcode"],
        GET: [...pair, "fastify"],
        "list of 50": pair,
        replay: pair,
        mixed: pair,
      } as const
      for (const [operation, names] of Object.entries(sides)) {
        const throughput = metrics.find(({ name }) => name === `${operation} throughput`)
        assert.sameMembers(Object.keys(throughput?.values ?? {}), [...names])
        for (const side of names) {
          const values = throughput?.values[side] ?? []
          assert.lengthOf(values, 2)
          // A stalled machine may finish nothing within a small window; the checks above prove the work.
          assert.isTrue(values.every((value) => Number.isFinite(value) && value >= 0))
        }
        assert.isTrue(metrics.some(({ name }) => name === `${operation} CPU of the server per request`))
        assert.isTrue(metrics.some(({ name }) => name.startsWith(operation) && name.endsWith("latency p99")))
        const memory = metrics.find(({ name }) => name === `${operation} memory of the server`)
        assert.isTrue(memory?.values.corrente?.every((value) => value > 10))
      }
      assert.include(run.stdout, "POST throughput at least 1.3 of fastify")
      assert.lengthOf(targets, 13)
    },
  )

  itMeasures(["start", "growth"])(
    "the start and growth suites measure starts, stored charges, memory in Redis and sellers that come and go",
    () => {
      const starts = suite("start").metrics.find(({ name }) => name === "start to first request served")
      assert.lengthOf(starts?.values.corrente ?? [], 2)
      const { metrics, targets } = suite("growth")
      const names = [
        "POST, 200 stored: latency p50",
        "list of 50, 1,000 stored: latency p50",
        "in Redis, all keys",
      ]
      for (const name of [...names, "memory, at the peak", "memory, all sellers gone, collected"]) {
        assert.isAbove(metrics.find((metric) => metric.name === name)?.values.corrente?.[0] ?? 0, 0, name)
      }
      assert.lengthOf(targets, 5)
    },
  )

  itMeasures(["scale"])("the scale suite measures one process, two processes and a Redis Cluster", () => {
    const { metrics, targets } = suite("scale")
    for (const operation of ["POST", "GET"]) {
      const values = metrics.find(({ name }) => name === `${operation} throughput`)?.values
      for (const layout of ["corrente", "corrente-2", "corrente-cluster"] as const) {
        assert.isAtLeast(values?.[layout]?.[0] ?? -1, 0, `${operation}, ${layout}`)
      }
    }
    assert.lengthOf(targets, 2)
  })

  it("the events suite measures the time from an event to its SSE frame and to its receiver", () => {
    const { metrics } = suite("events")
    for (const name of ["event -> SSE frame p50", "event -> receiver p50"]) {
      assert.isAbove(metrics.find((metric) => metric.name === name)?.values.corrente?.[0] ?? 0, 0)
    }
  })

  itMeasures(["sse"])(
    "the sse suite measures idle streams, fan-out, latency and replay beside servers on the same Redis",
    () => {
      const { metrics, targets } = suite("sse")
      const names = [
        "idle: time to open all",
        "fan-out: frames delivered",
        "event -> frame at 500/s p50",
        "replay of 500 events",
      ]
      for (const name of names) {
        const values = metrics.find((metric) => metric.name === name)?.values
        for (const side of ["corrente", "bare", "node"] as const) {
          assert.isAbove(values?.[side]?.[0] ?? 0, 0, `${name}, ${side}`)
        }
      }
      // nchan's three are there if nginx with nchan is installed.
      assert.include([5, 8], targets.length)
    },
  )

  itMeasures(["payments"])(
    "the payments suite measures what streams of payment pages and of feeds take",
    () => {
      const { metrics, checks } = suite("payments")
      for (const name of ["a stream of a payment page, resident", "an idle stream of a feed, resident"]) {
        assert.isAbove(metrics.find((metric) => metric.name === name)?.values.corrente?.[0] ?? 0, 0, name)
      }
      assert.lengthOf(checks, 2)
    },
  )

  itMeasures(["deliveries"])(
    "the deliveries suite measures fan-out, latency, due retries and hanging endpoints beside two queues",
    () => {
      const { metrics, targets } = suite("deliveries")
      const names = [
        "fan-out: deliveries",
        "event -> receiver at 200/s p50",
        "500 retries due at once",
        "half hang: healthy first attempts p99",
      ]
      for (const name of names) {
        const values = metrics.find((metric) => metric.name === name)?.values
        for (const side of ["corrente", "bare", "bullmq"] as const) {
          assert.isAbove(values?.[side]?.[0] ?? 0, 0, `${name}, ${side}`)
        }
      }
      const alone = metrics.find(({ name }) => name === "queue alone: jobs processed")?.values
      assert.sameMembers(Object.keys(alone ?? {}), ["bare", "bullmq"])
      assert.lengthOf(targets, 5)
    },
  )

  itMeasures(["costs"])(
    "the costs suite measures pairs with and without what is named, and proves what was left out",
    () => {
      const { metrics, targets, checks } = suite("costs")
      const costs = {
        POST: ["nothing", "nothing, one process", "metrics", "series and search", "a traceparent"],
        GET: ["nothing", "nothing, one process", "metrics", "a traceparent"],
        deliveries: [
          "nothing",
          "nothing, one process",
          "metrics",
          "series and search",
          "ordering",
          "a traceparent",
        ],
      } as const
      for (const [operation, names] of Object.entries(costs)) {
        for (const cost of names) {
          const values = metrics.find(({ name }) => name === `${operation}, ${cost}: CPU`)?.values
          assert.sameMembers(Object.keys(values ?? {}), ["corrente", "without"], `${operation}, ${cost}`)
          assert.lengthOf(values?.without ?? [], 2)
        }
      }
      assert.lengthOf(metrics, 30)
      assert.lengthOf(targets, 3)
      assert.include(
        checks.map(({ name }) => name),
        "what is left out",
      )
    },
  )

  itMeasures(["life"])(
    "the life suite measures whole lives of charges beside a bare server, and starts with work due",
    () => {
      const { metrics, targets } = suite("life")
      for (const side of ["corrente", "bare"] as const) {
        const created = metrics.find(({ name }) => name === "charges created")?.values
        assert.isAbove(created?.[side]?.[0] ?? 0, 0, side)
        const seconds = metrics.find(({ name }) => name === "created, second by second")
        assert.isTrue(seconds?.isOverTime)
        assert.lengthOf(seconds?.values[side] ?? [], 1)
      }
      for (const what of ["timers", "deliveries"]) {
        const name = `${what} due at the start, POST at 50.0/s p50`
        assert.isAbove(metrics.find((metric) => metric.name === name)?.values.corrente?.[0] ?? 0, 0, name)
      }
      assert.lengthOf(targets, 7)
    },
  )

  itMeasures(["sweeps"])("the sweeps suite measures time, calls and memory of a sweep in each round", () => {
    const { metrics, checks } = suite("sweeps")
    const names = ["by the clock", "CPU of the service", "CPU of the service per Pix", "Redis commands"]
    for (const name of [...names, "requests to the bank"].map((end) => `sweep, ${end}`)) {
      const values = metrics.find((metric) => metric.name === name)?.values.corrente ?? []
      assert.lengthOf(values, 2, name)
      for (const value of values) assert.isAbove(value, 0, name)
    }
    const peak = metrics.find(({ name }) => name === "memory at the peak of the sweep")?.values.corrente
    assert.isAbove(peak?.[0] ?? 0, 10)
    assert.lengthOf(checks, 3)
  })

  itMeasures(["dashboard"])(
    "the dashboard suite measures frames beside a page without events, and lists of many charges",
    () => {
      const { metrics, checks } = suite("dashboard")
      const valuesOf = (name: string) => metrics.find((metric) => metric.name === name)?.values
      for (const side of whyNoChromium === undefined ? (["corrente", "without"] as const) : []) {
        assert.isAbove(valuesOf("events page at 200/s: frame interval p99")?.[side]?.[0] ?? 0, 0, side)
        assert.isAbove(valuesOf("events page at 200/s: rows in the document")?.[side]?.[0] ?? 0, 5, side)
        assert.lengthOf(valuesOf("events page at 200/s: long tasks")?.[side] ?? [], 1)
      }
      for (const read of ["first page", "the oldest one's status", "search of its address"]) {
        assert.isAbove(valuesOf(`1,000 charges, ${read}: p50`)?.corrente?.[0] ?? 0, 0, read)
      }
      assert.lengthOf(checks, whyNoChromium === undefined ? 3 : 1)
    },
  )

  itMeasures(["accounts"])(
    "the accounts suite measures /health beside sign-ins, known and unknown addresses, and owners beside an attack",
    () => {
      const { metrics, targets, checks } = suite("accounts")
      const names = ["/health idle: latency p99", "/health beside sign-ins: latency p99", "sign-ins"]
      for (const name of [...names, "sign-in, known address", "recovery, unknown address"]) {
        assert.isAbove(metrics.find((metric) => metric.name === name)?.values.corrente?.[0] ?? 0, 0, name)
      }
      const inTime = metrics.find(({ name }) => name === "owners' sign-ins beside 100 wrong clients, in time")
      // A slow machine may check few passwords within seconds: owners then wait for longer than they should.
      assert.isAtLeast(inTime?.values.corrente?.[0] ?? -1, 0)
      assert.include(
        checks.map(({ name }) => name),
        "attack of 100 clients",
      )
      assert.lengthOf(targets, 5)
    },
  )

  itMeasures(["overload"])(
    "the overload suite measures charges, streams and sign-ins of crowds that are too large",
    () => {
      const { metrics, targets, checks } = suite("overload")
      const names = ["charges, 200 users", "streams, all open after"]
      for (const name of [...names, "sign-ins, 4 people", "sign-ins, 100 people", "sign-ins, refused"]) {
        // A slow machine may check no password within the few seconds; the checks below prove the answers.
        assert.isAtLeast(metrics.find((metric) => metric.name === name)?.values.corrente?.[0] ?? -1, 0, name)
      }
      const proofs = ["refusals", "/health", "other answers", "right passwords"]
      assert.includeMembers(
        checks.map(({ name }) => name),
        proofs.map((name) => `sign-ins: ${name}`),
      )
      assert.lengthOf(targets, 11)
    },
  )

  it("a bench run states its size and environment in the report, and its progress on stderr", () => {
    assert.strictEqual(report.format, 2)
    assert.strictEqual(report.size, "small")
    for (const name of ["machine", "node", "redis", "commit"]) {
      const value = report.environment[name] ?? ""
      assert.isNotEmpty(value)
      assert.include(run.stdout, value)
    }
    assert.include(run.stderr, "round 2 of 2")
  })

  it("a bench run that completes leaves no data behind", () => {
    assert.isFalse(existsSync(dataOf(run.pid)))
  })
})

const childrenOf = (pid: number): ReadonlyArray<string> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")

const dataOf = (pid: number): string => join(root, ".data", "bench", String(pid))

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
      const servers = childrenOf(pid)
      assert.isAtLeast(servers.length, 5)
      assert.isTrue(existsSync(dataOf(pid)))
      end(child)
      await gone
      assert.isFalse(existsSync(dataOf(pid)))
      await expect
        .poll(() => servers.filter((server) => existsSync(`/proc/${server}/cwd`)), { timeout: 240_000 })
        .toEqual([])
    })
  }
})

describe("npm run bench", () => {
  it("the bench refuses an unknown suite with a sentence, the usage and exit code 2", async () => {
    const { code, stdout, stderr } = await runBench("event")
    assert.strictEqual(code, 2)
    assert.strictEqual(stdout, "")
    assert.include(stderr, "There is no suite event.")
    assert.include(stderr, "Usage: npm run bench")
  })

  it("bench --help lists the suites and exits 0", async () => {
    const { code, stdout } = await runBench("--help")
    assert.strictEqual(code, 0)
    assert.include(stdout, "transactions")
  })
})
