import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { makeLoad } from "../../src/load/load.ts"
import { restAfterMillis, restTickMillis, tickMillis } from "../../src/load/loadMeter.ts"

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe("the timer of the load", () => {
  it("ticks seldom without requests, often from the first request on, and no more once the scope has closed", async () => {
    let ticks = (): number => 0
    const ticksWithin = (millis: number): number => {
      const before = ticks()
      vi.advanceTimersByTime(millis)
      return ticks() - before
    }
    const program = Effect.gen(function* () {
      const { meter } = yield* makeLoad(1_000)
      ticks = () => meter.lags.state.count
      expect(ticksWithin(10 * tickMillis)).toBe(10)
      ticksWithin(2 * restAfterMillis)
      expect(ticksWithin(5 * restTickMillis)).toBe(5)
      meter.begin()
      expect(ticksWithin(5 * tickMillis)).toBe(5)
    })
    await Effect.runPromise(Effect.scoped(program))
    expect(ticksWithin(5 * restTickMillis)).toBe(0)
  })
})
