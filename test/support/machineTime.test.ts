import { describe, expect, it } from "vitest"
import { startMachineClock, stolenMillisIn } from "./machineTime.ts"

describe("the machine's clock", () => {
  it("what a host stole is the eighth figure of all cores, in hundredths of a second", () => {
    const stat =
      "cpu  678627 4158 81102 524437 361 0 7634 692 5 6\ncpu0 339481 2345 40973 262385 174 0 3609 343 0 0\n"
    expect(stolenMillisIn(stat)).toBe(6_920)
  })

  it("nothing is stolen where the system does not say so", () => {
    expect(stolenMillisIn("")).toBe(0)
  })

  it("a clock counts from its start", () => {
    expect(startMachineClock().withheldMillis()).toBeGreaterThanOrEqual(0)
  })
})
