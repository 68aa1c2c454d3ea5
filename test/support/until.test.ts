import { describe, expect, it } from "vitest"
import { until } from "./until.ts"

describe("waiting for what a test needs", () => {
  it("a wait ends with the first look at which the condition holds", async () => {
    let looks = 0
    await until("the third look", () => {
      looks += 1
      return looks === 3
    })
    expect(looks).toBe(3)
  })

  it("a wait that is in vain fails and says what it waited for, and how far that had come", async () => {
    let looks = 0
    const vain = until(
      () => `${looks > 1 ? "several" : "no"} looks`,
      () => {
        looks += 1
        return false
      },
      100,
    )
    await expect(vain).rejects.toThrow("waited 100 ms for several looks")
  })
})
