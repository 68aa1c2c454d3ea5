import { describe, expect, it } from "vitest"
import { readFlags, usage } from "../../scripts/demo/flags.ts"

const none = { livePartner: false, quick: false, stay: false }

describe("the demo's flags", () => {
  it("flags are off unless they are given, in any order", () => {
    expect(readFlags([])).toEqual(none)
    expect(readFlags(["--live-partner"])).toEqual({ ...none, livePartner: true })
    expect(readFlags(["--stay", "--quick"])).toEqual({ ...none, quick: true, stay: true })
    expect(readFlags(["--quick", "--stay", "--live-partner"])).toEqual({
      livePartner: true,
      quick: true,
      stay: true,
    })
  })

  it("what is no flag of the demo is named, whatever stands beside it", () => {
    for (const flag of ["--live-parnter", "--stay=yes", "-q", "--"]) {
      expect(readFlags(["--quick", flag, "--help"])).toEqual({ problem: `There is no flag ${flag}.` })
    }
    for (const word of ["live-partner", "toString", ""]) {
      expect(readFlags([word])).toEqual({ problem: `The demo takes flags only, not "${word}".` })
    }
  })

  it("--help wins over other flags, and its text lists them all", () => {
    expect(readFlags(["--stay", "--help"])).toBe("help")
    for (const flag of ["--live-partner", "--quick", "--stay", "--help"]) {
      expect(usage).toMatch(new RegExp(`^ {2}${flag} +\\w`, "m"))
    }
  })
})
