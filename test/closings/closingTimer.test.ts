import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { closingLimits } from "../../schema/closingLimits.ts"
import { Closer, closingDueMillis } from "../../src/closings/closer.ts"
import { ClosingTimerLive, closingWaitMillis } from "../../src/closings/closingTimer.ts"
import { StoreOptionsLive } from "../support/storeOptions.ts"
import { goTo } from "./closingStage.ts"

describe("how long a process waits for the next day to close", () => {
  it("it waits until the day is due, but looks again every ten minutes at least", () => {
    const due = closingDueMillis("2018-11-03")
    expect(closingWaitMillis(due - 1)).toBe(1)
    expect(closingWaitMillis(due - closingLimits.lookMillisMax)).toBe(closingLimits.lookMillisMax)
    expect(closingWaitMillis(due - closingLimits.lookMillisMax - 1)).toBe(closingLimits.lookMillisMax)
    expect(closingWaitMillis(due)).toBe(closingLimits.lookMillisMax)
  })

  it.effect(
    "days are closed at the start, then when they are due; soon again after a failure, or another's lease",
    () =>
      Effect.gen(function* () {
        const due = closingDueMillis("2026-11-21")
        const looks: Array<number> = []
        const answers: Array<Effect.Effect<number | undefined, StoreUnavailable>> = [
          Effect.succeed(0),
          Effect.fail(new StoreUnavailable({ operation: "claim", reason: "away" })),
          Effect.undefined,
          Effect.die("broken"),
          Effect.succeed(1),
        ]
        const closer = Layer.succeed(Closer, {
          closeDue: () =>
            Effect.clockWith((clock) => {
              looks.push(clock.currentTimeMillisUnsafe() - due)
              return answers[looks.length - 1] ?? Effect.succeed(0)
            }),
        })
        yield* goTo(due - 1_000)
        yield* Effect.gen(function* () {
          yield* TestClock.adjust(1_000)
          for (let minutes = 0; minutes < 20; minutes++) yield* TestClock.adjust(60_000)
          const { retryMillis: retry, leaseMillis: lease } = closingLimits
          expect(looks).toEqual([
            ...[-1_000, 0, retry, retry + lease, retry + lease + retry],
            retry + lease + retry + closingLimits.lookMillisMax,
          ])
        }).pipe(Effect.provide(ClosingTimerLive.pipe(Layer.provide(closer), Layer.provide(StoreOptionsLive))))
      }),
  )
})
