import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { Deadlines } from "../../src/delivery/sender/deadlines.ts"

const timeoutMillis = 10_000

/** Deadlines, and the names of those that have expired, in order. */
const start = Effect.gen(function* () {
  const deadlines = yield* Deadlines.make(timeoutMillis)
  const clock = yield* Clock.Clock
  const expired: Array<string> = []
  const begin = (name: string) => {
    const deadline = deadlines.begin(clock)
    deadline.onExpired = () => expired.push(name)
    return deadline
  }
  // Lets its fiber start.
  yield* TestClock.adjust(0)
  return { deadlines, begin, expired }
})

describe("deadlines", () => {
  it.effect("a deadline expires one timeout after it began, whenever others began", () =>
    Effect.gen(function* () {
      const { begin, expired } = yield* start
      begin("first")
      yield* TestClock.adjust(1)
      begin("second")
      begin("third")
      yield* TestClock.adjust(timeoutMillis - 2)
      expect(expired).toEqual([])
      yield* TestClock.adjust(1)
      expect(expired).toEqual(["first"])
      yield* TestClock.adjust(1)
      expect(expired).toEqual(["first", "second", "third"])
      begin("fourth")
      yield* TestClock.adjust(timeoutMillis - 1)
      expect(expired).toHaveLength(3)
      yield* TestClock.adjust(1)
      expect(expired.at(-1)).toBe("fourth")
    }),
  )

  it.effect("an ended deadline does not expire and does not delay a later one", () =>
    Effect.gen(function* () {
      const { deadlines, begin, expired } = yield* start
      const ended = begin("ended")
      yield* TestClock.adjust(5_000)
      begin("later")
      deadlines.end(ended)
      expect(ended.isOver).toBe(true)
      yield* TestClock.adjust(timeoutMillis - 1)
      expect(expired).toEqual([])
      yield* TestClock.adjust(1)
      expect(expired).toEqual(["later"])
    }),
  )

  it.effect("a deadline is over before its onExpired callback runs", () =>
    Effect.gen(function* () {
      const { begin } = yield* start
      const deadline = begin("only")
      const seen: Array<boolean> = []
      deadline.onExpired = () => seen.push(deadline.isOver)
      yield* TestClock.adjust(timeoutMillis)
      expect(seen).toEqual([true])
    }),
  )
})
