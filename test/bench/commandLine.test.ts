import { assert, describe, it } from "@effect/vitest"
import { parseCommandLine, usageOf } from "../../bench/commandLine.ts"

const known = ["micro", "transactions", "events"]
const parse = (...argv: ReadonlyArray<string>) => parseCommandLine(argv, known)

describe("the bench's command line", () => {
  it("asks for every suite in its default size when it is empty", () => {
    assert.deepStrictEqual(parse(), { suites: known, size: "default", jsonFile: undefined })
  })

  it("names suites, a size and a file in any order", () => {
    assert.deepStrictEqual(parse("events", "--json", "out.json", "--full", "micro", "events"), {
      suites: ["micro", "events"],
      size: "full",
      jsonFile: "out.json",
    })
    assert.deepStrictEqual(parse("--small"), { suites: known, size: "small", jsonFile: undefined })
  })

  it("says what is wrong with one that makes no sense", () => {
    assert.strictEqual(parse("event"), "There is no suite event.")
    assert.strictEqual(parse("--fast"), "There is no option --fast.")
    assert.strictEqual(parse("--full", "--small"), "Give one of --full and --small, once.")
    assert.strictEqual(parse("--json"), "--json needs the name of a file.")
    assert.strictEqual(parse("--json", "--full"), "--json needs the name of a file.")
  })

  it("lists every suite in its usage", () => {
    assert.include(usageOf({ micro: "single functions" }), "micro         single functions")
  })
})
