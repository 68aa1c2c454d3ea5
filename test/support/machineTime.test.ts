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

  it("a tenth of the time that has passed counts at least, and all of it at most", async () => {
    const began = performance.now()
    const clock = startMachineClock()
    await new Promise((done) => setTimeout(done, 20))
    const countedMillis = clock.countedMillis()
    expect(countedMillis).toBeGreaterThanOrEqual(1)
    expect(countedMillis).toBeLessThanOrEqual(performance.now() - began)
    expect(clock.withheldMillis()).toBeGreaterThanOrEqual(0)
  })
})
