import { describe, expect, it } from "vitest"
import { aheadAt, trueWindow } from "../../../actors/values/clockSteps.ts"

const steps = [
  { atMillis: 1_000, aheadMillis: 500 },
  { atMillis: 2_000, aheadMillis: 10_000 },
]

describe("a test clock's steps", () => {
  it("say how far ahead it was at any true moment", () => {
    expect([0, 999, 1_000, 1_999, 2_000, 9_000].map((millis) => aheadAt(steps, millis))).toEqual([
      0, 0, 500, 500, 10_000, 10_000,
    ])
    expect(aheadAt([], 5)).toBe(0)
  })

  it("lead from a shown stretch to the true one, whose moments are all shown in it", () => {
    const window = (fromMillis: number, toMillis: number) => trueWindow(steps, { fromMillis, toMillis })
    expect(window(0, 999)).toEqual({ fromMillis: 0, toMillis: 999 })
    expect(window(1_500, 2_499)).toEqual({ fromMillis: 1_000, toMillis: 1_999 })
    expect(window(12_000, 12_005)).toEqual({ fromMillis: 2_000, toMillis: 2_005 })
    expect(window(0, 20_000)).toEqual({ fromMillis: 0, toMillis: 10_000 })
    for (let shown = 0; shown < 14_000; shown += 7) {
      const { fromMillis = 0, toMillis = 0 } = window(shown, shown + 400)
      for (const millis of [fromMillis, toMillis].filter(() => fromMillis <= toMillis)) {
        const at = millis + aheadAt(steps, millis)
        expect(at >= shown && at <= shown + 400).toBe(true)
      }
    }
  })

  it("lead to nothing where a step skips the whole stretch", () => {
    const { fromMillis = 0, toMillis = 0 } = trueWindow(steps, { fromMillis: 5_000, toMillis: 6_000 })
    expect(toMillis).toBe(fromMillis - 1)
    expect(trueWindow(steps, { fromMillis: undefined, toMillis: undefined })).toEqual({
      fromMillis: undefined,
      toMillis: undefined,
    })
  })
})
