import { describe, expect, it } from "vitest"
import { type SliceSide, Slices } from "../../bench/costs/slices.ts"
import { pause } from "../support/until.ts"

describe("slices of one process' time", () => {
  it("both sides get slices in pairs, and all that was done and all time passed belong to one of them", async () => {
    let answers = 0
    const slices = new Slices(() => answers)
    const turns: Array<SliceSide> = []
    const answersOf = { with: 0, without: 0 }
    const began = performance.now()
    slices.begin((side) => turns.push(side))
    while (turns.length < 5) {
      await pause(10)
      answers += 3
      answersOf[turns.at(-1) ?? "with"] += 3
    }
    const sums = slices.end()
    const seconds = (performance.now() - began) / 1_000
    expect(new Set(turns.slice(0, 2))).toEqual(new Set(["with", "without"]))
    expect(new Set(turns.slice(2, 4))).toEqual(new Set(["with", "without"]))
    expect([sums.with.answers, sums.without.answers]).toEqual([answersOf.with, answersOf.without])
    const counted = sums.with.seconds + sums.without.seconds
    expect(counted).toBeLessThanOrEqual(seconds)
    expect(counted).toBeGreaterThan(seconds / 2)
    expect(sums.with.cpuMicros + sums.without.cpuMicros).toBeGreaterThan(0)
  })

  it("slices that begin again begin at nothing", async () => {
    let answers = 7
    const slices = new Slices(() => answers)
    slices.begin(() => {})
    answers += 1
    await pause(20)
    const first = slices.end()
    expect(first.with.answers + first.without.answers).toBe(1)
    slices.begin(() => {})
    const again = slices.end()
    expect(again.with.answers + again.without.answers).toBe(0)
  })
})
