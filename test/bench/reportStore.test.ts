import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { compareSaved, reportSaved } from "../../bench/report/commands.ts"
import { fileNameOf, findRun, loadRun, saveRun } from "../../bench/report/runStore.ts"
import { BenchFileError, decodeRun, encodeRun, type SavedRun } from "../../bench/report/savedRun.ts"
import { metric, roundsAround, savedRun, suite } from "./support/savedRuns.ts"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "corrente-test-runs-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const runAt = (startedAt: string, value = 100): SavedRun =>
  savedRun([suite([metric("POST throughput", "1/s", { corrente: roundsAround(value) })])], {
    environment: { ...savedRun([]).environment, startedAt },
  })

const refusal = (act: () => unknown): string => {
  try {
    act()
  } catch (error) {
    assert.instanceOf(error, BenchFileError)
    return error.message
  }
  return assert.fail("nothing was refused")
}

const names = fc.string({ unit: "grapheme", maxLength: 12 })
const measured = fc.oneof(fc.double(), fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY))
const anyRun: fc.Arbitrary<SavedRun> = fc.record({
  format: fc.constant(2 as const),
  size: fc.constantFrom("small", "default", "full"),
  asked: fc.array(names),
  environment: fc.record({ startedAt: names, commit: names, redis: names }),
  suites: fc.array(
    fc.record({
      suite: names,
      parameters: fc.dictionary(names, fc.oneof(names, measured)),
      metrics: fc.array(
        fc.record({
          name: names,
          unit: names,
          values: fc.dictionary(names, fc.array(measured)),
          ratios: fc.dictionary(names, measured),
        }),
      ),
      targets: fc.array(fc.record({ name: names, measured, isMet: fc.boolean() })),
      checks: fc.array(fc.record({ name: names, isRight: fc.boolean(), detail: names })),
    }),
    { maxLength: 3 },
  ),
})

/** JSON has no Infinity and no negative zero. */
const asRead = (value: unknown): unknown =>
  typeof value === "number"
    ? Number.isFinite(value)
      ? value + 0
      : Number.NaN
    : Array.isArray(value)
      ? value.map(asRead)
      : typeof value === "object" && value !== null
        ? Object.fromEntries(Object.entries(value).map(([name, field]) => [name, asRead(field)]))
        : value

describe("a saved run", () => {
  it("a saved run is read as it was written, except that non-finite numbers become NaN", () => {
    fc.assert(
      fc.property(anyRun, (run) => {
        assert.deepStrictEqual(asRead(decodeRun(encodeRun(run), "it")), asRead(run))
      }),
    )
  })

  it("a file that is not a saved run, or is of another format, is refused with a sentence", () => {
    assert.match(
      refusal(() => decodeRun("{", "a.json")),
      /^a\.json is not JSON/,
    )
    for (const text of ["[]", "null", "{}", '"format"']) {
      assert.match(
        refusal(() => decodeRun(text, "a.json")),
        /^a\.json is not a run saved by npm run bench\.$/,
      )
    }
    assert.match(
      refusal(() => decodeRun('{"format":1}', "a.json")),
      /has the format 1, and .* reads format 2/,
    )
    assert.match(
      refusal(() => decodeRun('{"format":2}', "a.json")),
      /does not match it/,
    )
    const { size: _, ...sizeless } = runAt("2026-11-21T10:00:00.000Z")
    assert.match(
      refusal(() => decodeRun(JSON.stringify(sizeless), "a.json")),
      /size/,
    )
  })
})

describe("saved runs", () => {
  it("a saved run's file name has start, commit and size, and only characters safe in a file name", () => {
    assert.strictEqual(
      fileNameOf(runAt("2026-11-21T10:00:00.000Z")),
      "2026-11-21T10-00-00.000Z-0123456789ab-default.json",
    )
    fc.assert(
      fc.property(fc.string(), fc.string(), (startedAt, commit) => {
        const name = fileNameOf(savedRun([], { environment: { startedAt, commit } }))
        assert.match(name, /^[A-Za-z0-9+-][A-Za-z0-9.+-]{0,100}\.json$/)
      }),
    )
  })

  it("saved runs are found as last and previous, by name and by file", () => {
    const first = saveRun(folder, runAt("2026-11-20T10:00:00.000Z"))
    const second = saveRun(folder, runAt("2026-11-21T10:00:00.000Z"))
    writeFileSync(join(folder, "9999.json.draft"), "half of a run")
    assert.strictEqual(findRun("last", folder), second)
    assert.strictEqual(findRun("previous", folder), first)
    const name = "2026-11-20T10-00-00.000Z-0123456789ab-default"
    assert.strictEqual(findRun(name, folder), first)
    assert.strictEqual(findRun(`${name}.json`, folder), first)
    assert.strictEqual(findRun(first, tmpdir()), first)
    assert.strictEqual(loadRun("last", folder).run.environment.startedAt, "2026-11-21T10:00:00.000Z")
  })

  it("a saved run that is not there is refused with a sentence", () => {
    assert.match(
      refusal(() => findRun("last", join(folder, "none"))),
      /There is no saved run in .*npm run bench/,
    )
    saveRun(folder, runAt("2026-11-20T10:00:00.000Z"))
    assert.match(
      refusal(() => findRun("previous", folder)),
      /no run before the last/,
    )
    assert.match(
      refusal(() => findRun("nope.json", folder)),
      /There is no file and no saved run nope\.json\./,
    )
    assert.match(
      refusal(() => findRun(folder, folder)),
      /There is no file/,
    )
  })

  it("a run saved again replaces its earlier file and leaves nothing else", () => {
    saveRun(folder, savedRun([]))
    saveRun(folder, savedRun([suite([])]))
    assert.lengthOf(readdirSync(folder), 1)
    assert.lengthOf(loadRun("last", folder).run.suites, 1)
  })
})

describe("compare and report on saved runs", () => {
  const said: Array<string> = []
  const say = (text: string) => said.push(text)
  beforeEach(() => {
    said.length = 0
    saveRun(folder, runAt("2026-11-20T10:00:00.000Z"))
    saveRun(folder, runAt("2026-11-21T10:00:00.000Z", 50))
  })
  const request = { kind: "compare", before: "previous", after: "last", isRelative: false } as const

  it("compare prints how the last run differs from the previous one, and exits 1 only under --fail-over", () => {
    assert.strictEqual(compareSaved({ ...request, failOverPercent: undefined }, folder, say), 0)
    assert.match(said.join("\n"), /POST throughput.* 0\.500 .*WORSE/)
    assert.strictEqual(compareSaved({ ...request, failOverPercent: 10 }, folder, say), 1)
    assert.strictEqual(compareSaved({ ...request, failOverPercent: 60 }, folder, say), 0)
  })

  it("report writes the page to --out and prints its path", () => {
    const out = join(folder, "new", "page.html")
    assert.strictEqual(reportSaved({ kind: "report", runs: ["last"], out }, folder, say), 0)
    assert.include(readFileSync(out, "utf8"), "2026-11-21T10:00:00.000Z")
    assert.include(said.join("\n"), out)
  })

  it("report without --out writes the page beside the saved runs", () => {
    const runs = join(folder, "runs")
    saveRun(runs, runAt("2026-11-21T10:00:00.000Z"))
    reportSaved({ kind: "report", runs: ["last"], out: undefined }, runs, say)
    assert.include(said.join("\n"), join(folder, "report.html"))
    assert.include(readFileSync(join(folder, "report.html"), "utf8"), "<!doctype html>")
  })

  it("report refuses an --out that cannot be written with a sentence", () => {
    const inFile = join(findRun("last", folder), "page.html")
    assert.match(
      refusal(() => reportSaved({ kind: "report", runs: ["last"], out: inFile }, folder, say)),
      /cannot be written/,
    )
  })
})
