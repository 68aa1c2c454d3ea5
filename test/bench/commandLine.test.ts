import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { parseCommandLine, usageOf } from "../../bench/commandLine.ts"

const known = ["micro", "transactions", "events"]
const parse = (...argv: ReadonlyArray<string>) => parseCommandLine(argv, known)
const none = { kind: "none" } as const
const stdout = { kind: "stdout" } as const

describe("the bench's command line for a run", () => {
  it("an empty command line asks for every suite in its default size", () => {
    assert.deepStrictEqual(parse(), { kind: "run", suites: known, size: "default", json: none })
  })

  it("a run's command line takes suites, a size and a JSON file in any order", () => {
    assert.deepStrictEqual(parse("events", "--json", "out.json", "--full", "micro", "events"), {
      kind: "run",
      suites: ["micro", "events"],
      size: "full",
      json: { kind: "file", file: "out.json" },
    })
    assert.deepStrictEqual(parse("--small"), { kind: "run", suites: known, size: "small", json: none })
  })

  it("--json prints to stdout when no file follows: at the end, before an option or before a suite", () => {
    assert.deepInclude(parse("micro", "--json"), { suites: ["micro"], json: stdout })
    assert.deepInclude(parse("--json", "--full"), { suites: known, size: "full", json: stdout })
    assert.deepInclude(parse("--json", "micro"), { suites: ["micro"], json: stdout })
    assert.deepInclude(parse("--json", "./micro"), { json: { kind: "file", file: "./micro" } })
  })

  it("a run's command line that makes no sense is refused with a sentence", () => {
    assert.strictEqual(parse("event"), "There is no suite event.")
    assert.strictEqual(parse("--fast"), "There is no option --fast.")
    assert.strictEqual(parse("--full", "--small"), "Give one of --full and --small, once.")
    assert.strictEqual(parse("--json", "a", "--json"), "Give --json once.")
    assert.strictEqual(parse("--json", ""), "--json needs a file name.")
    assert.strictEqual(parse("micro", "compare"), "There is no suite compare.")
  })

  it("the usage lists each suite with its description", () => {
    assert.include(usageOf({ micro: "single functions" }), "micro         single functions")
  })

  it("each named suite runs once, in the table's order, whatever the order of the arguments", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...known), { minLength: 1 }), (named) => {
        assert.deepInclude(parse(...named), { suites: known.filter((name) => named.includes(name)) })
      }),
    )
  })
})

describe("the bench's command line for saved runs", () => {
  it("compare takes two runs, before and after, in that order", () => {
    assert.deepStrictEqual(parse("compare", "previous", "last"), {
      kind: "compare",
      before: "previous",
      after: "last",
      failOverPercent: undefined,
      isRelative: false,
    })
  })

  it("--fail-over takes a percentage, and --relative is refused without it", () => {
    assert.deepInclude(parse("compare", "--fail-over", "10", "a", "b"), { failOverPercent: 10, before: "a" })
    assert.deepInclude(parse("compare", "a", "b", "--fail-over", "2.5%", "--relative"), {
      failOverPercent: 2.5,
      isRelative: true,
    })
    for (const wrong of ["ten", "", "-3", "1e9", "NaN"]) {
      assert.match(String(parse("compare", "a", "b", "--fail-over", wrong)), /needs a percentage/)
    }
    assert.match(String(parse("compare", "a", "b", "--relative")), /needs --fail-over/)
  })

  it("report takes the last run where none is named, and else the named runs and --out", () => {
    assert.deepStrictEqual(parse("report"), { kind: "report", runs: ["last"], out: undefined })
    assert.deepStrictEqual(parse("report", "a.json", "--out", "page.html", "previous"), {
      kind: "report",
      runs: ["a.json", "previous"],
      out: "page.html",
    })
  })

  it("a compare or report command line that makes no sense is refused with a sentence", () => {
    assert.strictEqual(parse("compare"), "compare needs two runs, A and B.")
    assert.strictEqual(parse("compare", "a", "b", "c"), "compare needs two runs, A and B.")
    assert.strictEqual(parse("compare", "a", "b", "--full"), "There is no option --full.")
    assert.strictEqual(parse("report", "--out"), "--out needs a file name.")
    assert.strictEqual(parse("report", "--json"), "There is no option --json.")
  })

  it("--help is taken after compare too, and the usage explains compare and report", () => {
    assert.deepStrictEqual(parse("compare", "--help"), { kind: "help" })
    for (const word of ["compare A B", "report [RUN…]", "--fail-over", "`last`", "`previous`"]) {
      assert.include(usageOf({}), word)
    }
  })
})
