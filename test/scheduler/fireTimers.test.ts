import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { TestConsole } from "effect/testing"
import { RequestDelay } from "../../actors/ports/requestDelay.ts"
import { type TimerHandler, TimerHandlers } from "../../actors/ports/timerHandlers.ts"
import type { ClaimedTimer } from "../../actors/ports/timerQueue.ts"
import { limits } from "../../schema/limits.ts"
import { makeFireTimers } from "../../src/scheduler/fireTimers.ts"
import { makeTimerRun } from "../../src/scheduler/timerRun.ts"
import { identifiers } from "../actors/support/process.ts"
import { pass, settle } from "../actors/support/settle.ts"
import { onStore, StoreFaults, startMillis } from "../actors/support/store.ts"
import { MemoryStore } from "../model/state.ts"

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
  const fireTimers = yield* Effect.provideService(makeFireTimers, TimerHandlers, handlers)
  yield* fireTimers(claimed)
  return fireTimers
})

describe("claimed timers", () => {
  it.effect("claimed timers go to the handler of their kind, in one call per handler", () =>
    Effect.gen(function* () {
      const charges = noting("expire", "release")
      const keys = noting("revoke")
      const claimed = [timer("expire", "a"), timer("revoke:sel_1:test", "b"), timer("release", "c")]
      yield* fire([charges.handler, keys.handler], claimed)
      assert.deepStrictEqual(charges.calls, [["a", "c"]])
      assert.deepStrictEqual(keys.calls, [["b"]])
    }),
  )

  it.effect("timers of an unknown kind go to no handler, and each kind is logged once", () =>
    Effect.gen(function* () {
      const { calls, handler } = noting("expire")
      const claimed = [timer("expired:1", "a"), timer("expired:2", "b"), timer("toString", "c")]
      const fireTimers = yield* fire([handler], [...claimed, timer("expire", "d")])
      yield* fireTimers(claimed)
      assert.deepStrictEqual(calls, [["d"]])
      const lines = (yield* TestConsole.logLines).map(String)
      for (const kind of ["expired", "toString"]) {
        assert.strictEqual(lines.filter((line) => line.includes(`kind ${kind} `)).length, 1)
      }
    }),
  )

  it.effect("registering two handlers for one timer kind is a defect", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(fire([noting("ask").handler, noting("ask").handler], []))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    }),
  )
})

describe("two builds side by side", () => {
  /** The run of due timers of a build that has these handlers, on the store of the test. */
  const startBuild = (handlers: ReadonlyArray<TimerHandler>) =>
    makeTimerRun.pipe(
      Effect.provideService(TimerHandlers, handlers),
      Effect.provideService(RequestDelay, { currentMillis: () => 0, inProgress: () => 0, started: () => 0 }),
    )

  it.effect(
    "a timer that the older build does not know fires in the newer one once that holds the partition",
    () =>
      onStore(
        Effect.gen(function* () {
          const { timers } = yield* MemoryStore
          const { calls: claims } = yield* StoreFaults
          const [older, newer] = [noting("expire"), noting("expire", "remind")]
          const resourceId = identifiers.id("txn_", 0, startMillis)
          timers.set(`${resourceId}:remind`, { name: "remind", resourceId, dueMillis: startMillis })
          const olderBuild = yield* startBuild([older.handler])
          olderBuild.hold(0)
          yield* settle
          const claimsBefore = claims.get("claimTimers") ?? 0
          yield* pass(6 * limits.timerLeaseMillis)
          // Not again and again: once for each lease.
          assert.isAtMost((claims.get("claimTimers") ?? 0) - claimsBefore, 6)
          olderBuild.release(0)

          const newerBuild = yield* startBuild([newer.handler])
          newerBuild.hold(0)
          yield* pass(limits.timerLeaseMillis)
          assert.deepStrictEqual([older.calls, newer.calls], [[], [[resourceId]]])
        }),
      ),
  )
})
