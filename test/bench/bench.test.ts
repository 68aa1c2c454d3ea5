import { type ChildProcess, execFile, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, expect, it } from "@effect/vitest"
import type { SuiteResult } from "../../bench/report/result.ts"

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

describe("npm run bench -- --small", () => {
  const folder = mkdtempSync(join(tmpdir(), "corrente-test-bench-"))
  let run: Run
  let report: Report
  beforeAll(async () => {
    const file = join(folder, "report.json")
    run = await runBench("--small", "--json", file)
    report = JSON.parse(existsSync(file) ? readFileSync(file, "utf8") : '{"suites":[]}')
  }, 180_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const suite = (name: string): SuiteResult => {
    const found = report.suites.find((result) => result.suite === name)
    assert.isDefined(found, run.stderr)
    return found as SuiteResult
  }

  it("runs every suite, proves the work that was done, and exits 0", () => {
    assert.deepStrictEqual(
      report.suites.map(({ suite: name }) => name),
      ["micro", "transactions", "events", "accounts"],
    )
    const wrong = report.suites.flatMap(({ checks }) => checks.filter(({ isRight }) => !isRight))
    assert.deepStrictEqual(wrong, [])
    assert.isTrue(report.suites.every(({ checks }) => checks.length > 0))
    assert.strictEqual(run.code, 0, run.stderr)
  })

  it("measures both sides in every round, and relates them", () => {
    const { metrics, targets } = suite("transactions")
    for (const operation of ["POST", "GET"]) {
      const throughput = metrics.find(({ name }) => name === `${operation} throughput`)
      for (const side of ["corrente", "bare"] as const) {
        const values = throughput?.values[side] ?? []
        assert.lengthOf(values, 2)
        // A stalled machine may finish nothing within a small window; the checks above prove the work.
        assert.isTrue(values.every((value) => Number.isFinite(value) && value >= 0))
      }
      assert.isTrue(metrics.some(({ name }) => name === `${operation} CPU of the server per request`))
      assert.isTrue(metrics.some(({ name }) => name.startsWith(operation) && name.endsWith("latency p99")))
      assert.include(run.stdout, `${operation} throughput at least`)
    }
    assert.lengthOf(targets, 2)
  })

  it("measures events as they reach a stream and a receiver", () => {
    const { metrics } = suite("events")
    for (const name of ["event -> SSE frame p50", "event -> receiver p50"]) {
      assert.isAbove(metrics.find((metric) => metric.name === name)?.values.corrente?.[0] ?? 0, 0)
    }
  })

  it("measures /health beside sign-ins, and both kinds of addresses", () => {
    const { metrics, targets } = suite("accounts")
    const names = ["/health idle: latency p99", "/health beside sign-ins: latency p99", "sign-ins"]
    for (const name of [...names, "sign-in, known address", "recovery, unknown address"]) {
      assert.isAbove(metrics.find((metric) => metric.name === name)?.values.corrente?.[0] ?? 0, 0, name)
    }
    assert.lengthOf(targets, 4)
  })

  it("says where and with what it ran, and how far it is", () => {
    assert.strictEqual(report.format, 1)
    assert.strictEqual(report.size, "small")
    for (const name of ["machine", "node", "redis", "commit"]) {
      const value = report.environment[name] ?? ""
      assert.isNotEmpty(value)
      assert.include(run.stdout, value)
    }
    assert.include(run.stderr, "round 2 of 2")
  })

  it("leaves no data behind", () => {
    assert.isFalse(existsSync(dataOf(run.pid)))
  })
})

const childrenOf = (pid: number): ReadonlyArray<string> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")

const dataOf = (pid: number): string => join(root, ".data", "bench", String(pid))

describe("npm run bench that is ended", () => {
  const endings: Readonly<Record<string, (child: ChildProcess) => void>> = {
    "by SIGTERM": (child) => child.kill("SIGTERM"),
    "by Ctrl-C": (child) => child.kill("SIGINT"),
    "by a reader of its output that goes away": (child) => {
      child.stdout?.destroy()
      child.stderr?.destroy()
    },
  }
  for (const [how, end] of Object.entries(endings)) {
    it(`${how} leaves no server and no data behind`, async () => {
      const child = spawn(process.execPath, [script, "transactions", "--small"])
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
        .poll(() => servers.filter((server) => existsSync(`/proc/${server}/cwd`)), { timeout: 10_000 })
        .toEqual([])
    })
  }
})

describe("npm run bench", () => {
  it("refuses a command line that makes no sense with a sentence, the usage and exit code 2", async () => {
    const { code, stdout, stderr } = await runBench("event")
    assert.strictEqual(code, 2)
    assert.strictEqual(stdout, "")
    assert.include(stderr, "There is no suite event.")
    assert.include(stderr, "Usage: npm run bench")
  })

  it("explains itself", async () => {
    const { code, stdout } = await runBench("--help")
    assert.strictEqual(code, 0)
    assert.include(stdout, "transactions")
  })
})
