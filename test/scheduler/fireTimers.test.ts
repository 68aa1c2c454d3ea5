import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer } from "effect"
import { type TimerHandler, TimerHandlers } from "../../actors/ports/timerHandlers.ts"
import { type ClaimedTimer, TimerQueue, type TimerToDrop } from "../../actors/ports/timerQueue.ts"
import { makeFireTimers } from "../../src/scheduler/fireTimers.ts"

const timer = (name: string, resourceId: string): ClaimedTimer => ({
  name,
  resourceId,
  leaseEndMillis: 1_000,
  charge: undefined,
})

/** A handler that records the resource ids of each call. */
const noting = (...kinds: ReadonlyArray<string>) => {
  const calls: Array<ReadonlyArray<string>> = []
  const handler: TimerHandler = {
    kinds,
    fire: (due) => Effect.sync(() => void calls.push(due.map(({ resourceId }) => resourceId))),
  }
  return { calls, handler }
}

const fire = Effect.fnUntraced(function* (
  handlers: ReadonlyArray<TimerHandler>,
  claimed: ReadonlyArray<ClaimedTimer>,
) {
  const dropped: Array<string> = []
  const queue = Layer.mock(TimerQueue, {
    drop: ({ resourceId }: TimerToDrop) => Effect.sync(() => void dropped.push(resourceId)),
  })
  const fireTimers = yield* Effect.provide(
    makeFireTimers,
    Layer.merge(queue, Layer.succeed(TimerHandlers, handlers)),
  )
  yield* fireTimers(claimed)
  return dropped
})

describe("claimed timers", () => {
  it.effect("claimed timers go to the handler of their kind, in one call per handler", () =>
    Effect.gen(function* () {
      const charges = noting("expire", "release")
      const keys = noting("revoke")
      const claimed = [timer("expire", "a"), timer("revoke:sel_1:test", "b"), timer("release", "c")]
      assert.deepStrictEqual(yield* fire([charges.handler, keys.handler], claimed), [])
      assert.deepStrictEqual(charges.calls, [["a", "c"]])
      assert.deepStrictEqual(keys.calls, [["b"]])
    }),
  )

  it.effect("claimed timers of an unknown kind are dropped", () =>
    Effect.gen(function* () {
      const { calls, handler } = noting("expire")
      const claimed = [timer("expired", "a"), timer("toString", "b"), timer("expire", "c")]
      assert.deepStrictEqual(yield* fire([handler], claimed), ["a", "b"])
      assert.deepStrictEqual(calls, [["c"]])
    }),
  )

  it.effect("registering two handlers for one timer kind is a defect", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(fire([noting("ask").handler, noting("ask").handler], []))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    }),
  )
})
