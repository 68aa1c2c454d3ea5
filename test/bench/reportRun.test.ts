import { execFile } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import type { JsonOutput, RunRequest } from "../../bench/commandLine.ts"
import type { Size, SuiteResult } from "../../bench/report/result.ts"
import { loadRun } from "../../bench/report/runStore.ts"
import { BenchFileError, decodeRun, encodeRun } from "../../bench/report/savedRun.ts"
import { runSuites } from "../../bench/run.ts"
import type { Suite } from "../../bench/suites.ts"
import { savedRun, suite } from "./support/savedRuns.ts"

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

const result = (name: string, isRight = true): SuiteResult => ({
  suite: name,
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
  suites: Readonly<Record<string, Suite["run"]>>,
  size: Size = "default",
  json: JsonOutput = { kind: "none" },
) => {
  const request: RunRequest = { kind: "run", suites: Object.keys(suites), size, json }
  return runSuites(request, {
    suites: Object.fromEntries(Object.entries(suites).map(([name, run]) => [name, { text: name, run }])),
    environment,
    folder: runs,
    stdout: (text) => printed.push(text),
    stderr: (line) => logged.push(line),
  })
}

const done = (name: string) => async () => result(name)

describe("a run of the bench", () => {
  it("a bench run is saved without being asked to, and its last output names the file", async () => {
    assert.isTrue(await measure({ one: done("one"), two: done("two") }))
    const [file] = readdirSync(runs)
    assert.strictEqual(file, "2026-11-21T10-00-00.000Z-0123456789ab-default.json")
    assert.include(printed.at(-1), join(runs, file ?? ""))
    const { run } = loadRun("last", runs)
    assert.deepStrictEqual(
      run.suites.map(({ suite: name }) => name),
      ["one", "two"],
    )
    assert.deepStrictEqual(run.suites[0]?.metrics[0]?.values, { corrente: [Number.NaN, 2] })
  })

  it("a bench run is saved after each suite, so that a failing suite loses only its own results", async () => {
    let seen: ReadonlyArray<string> = []
    const failing = async () => {
      seen = loadRun("last", runs).run.suites.map(({ suite: name }) => name)
      throw new Error("no more sockets")
    }
    const outcome = await measure({ one: done("one"), two: failing, three: done("three") }).catch(String)
    assert.strictEqual(outcome, "Error: no more sockets")
    assert.deepStrictEqual(seen, ["one"])
    const { run } = loadRun("last", runs)
    assert.lengthOf(run.suites, 1)
    assert.deepStrictEqual(run.asked, ["one", "two", "three"])
    assert.match(logged.join("\n"), /one is done; so far in .*default\.json/)
    assert.match(printed.at(-1) ?? "", /Saved in .*default\.json/)
  })

  it("a small bench run is saved only in a file that is named", async () => {
    await measure({ one: done("one") }, "small")
    assert.isFalse(existsSync(runs))
    assert.notInclude(printed.join(), "Saved in")
    const file = join(folder, "small.json")
    await measure({ one: done("one") }, "small", { kind: "file", file })
    assert.isFalse(existsSync(runs))
    assert.strictEqual(decodeRun(readFileSync(file, "utf8"), file).size, "small")
    assert.include(printed.at(-1), file)
  })

  it("a full bench run is saved in the named file as well as among the saved runs", async () => {
    const file = join(folder, "mine.json")
    await measure({ one: done("one") }, "full", { kind: "file", file })
    assert.strictEqual(
      readFileSync(file, "utf8"),
      readFileSync(join(runs, readdirSync(runs)[0] ?? ""), "utf8"),
    )
  })

  it("a bench run with --json and no file prints its JSON and nothing else to stdout", async () => {
    await measure({ one: done("one") }, "small", { kind: "stdout" })
    assert.lengthOf(printed, 1)
    assert.lengthOf(decodeRun(printed.join(), "stdout").suites, 1)
    assert.match(logged.join("\n"), /machine:.*a machine/)
  })

  it("a bench run refuses a file that cannot be written before it measures anything", async () => {
    let isMeasured = false
    const one = async () => {
      isMeasured = true
      return result("one")
    }
    for (const file of [folder, join(folder, "none", "out.json")]) {
      const error = await measure({ one }, "small", { kind: "file", file }).catch((reason: unknown) => reason)
      assert.instanceOf(error, BenchFileError)
    }
    assert.isFalse(isMeasured)
  })

  it("a bench run reports failure when a check is wrong", async () => {
    assert.isFalse(await measure({ one: async () => result("one", false), two: done("two") }))
  })
})

const script = fileURLToPath(new URL("../../bench/main.ts", import.meta.url))
const execute = promisify(execFile)
const bench = async (...args: ReadonlyArray<string>) => {
  try {
    return { code: 0, ...(await execute(process.execPath, [script, ...args])) }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, stdout, stderr }
  }
}

describe("npm run bench", () => {
  it("npm run bench -- --json prints JSON that compare and report read", async () => {
    const { code, stdout, stderr } = await bench("micro", "--small", "--json")
    assert.strictEqual(code, 0, stderr)
    const file = join(folder, "run.json")
    writeFileSync(file, stdout)
    const compared = await bench("compare", file, file)
    assert.strictEqual(compared.code, 0, compared.stderr)
    assert.include(compared.stdout, "BR code")
    const out = join(folder, "page.html")
    const reported = await bench("report", file, "--out", out)
    assert.strictEqual(reported.code, 0, reported.stderr)
    assert.include(readFileSync(out, "utf8"), "BR code")
  })

  it("bench compare and report exit 2 with a sentence for a run that is missing or of another format", async () => {
    const [bad, good] = [join(folder, "bad.json"), join(folder, "good.json")]
    writeFileSync(bad, '{"format":1,"suites":[]}')
    writeFileSync(good, encodeRun(savedRun([suite([])])))
    for (const args of [
      ["compare", good, bad],
      ["compare", "nowhere", good],
      ["report", bad],
    ]) {
      const { code, stdout, stderr } = await bench(...args)
      assert.strictEqual(code, 2)
      assert.strictEqual(stdout, "")
      assert.match(stderr, /has the format 1|There is no file and no saved run nowhere/)
    }
  })
})
