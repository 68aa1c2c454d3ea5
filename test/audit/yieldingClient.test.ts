import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { limits } from "../../schema/limits.ts"
import { yieldingClient } from "../../src/audit/auditTimer.ts"

const makeCountingClient = (delayMillis: number) => {
  const state = { delayMillis, calls: 0 }
  const count = Effect.sync(() => {
    state.calls += 1
    return []
  })
  const client = yieldingClient(
    {
      call: () => count,
      callAll: () => count,
      isCluster: false,
      servers: () => [],
      breaks: () => 0,
      awaitReplicas: undefined,
    },
    { currentMillis: () => state.delayMillis, inProgress: () => 1, started: () => 1 },
  )
  return { state, client }
}

const waiting = limits.dueWorkYieldsAboveMillis + 1

describe("an audit's reads", () => {
  it.effect("an audit reads at once while requests wait no longer than they may", () =>
    Effect.gen(function* () {
      for (const delayMillis of [0, limits.dueWorkYieldsAboveMillis]) {
        const { state, client } = makeCountingClient(delayMillis)
        yield* client.call("GET", ["a"])
        yield* client.callAll([["GET", ["a"]]])
        assert.strictEqual(state.calls, 2)
      }
    }),
  )

  it.effect("an audit's read waits while requests wait too long", () =>
    Effect.gen(function* () {
      const { state, client } = makeCountingClient(waiting)
      const reading = yield* Effect.forkChild(client.callAll([["GET", ["a"]]]))
      yield* TestClock.adjust(3 * limits.dueWorkLookMillis)
      assert.strictEqual(state.calls, 0)
      state.delayMillis = 0
      yield* TestClock.adjust(limits.dueWorkLookMillis)
      yield* Fiber.join(reading)

      assert.strictEqual(state.calls, 1)
    }),
  )

  it.effect("an audit's read goes on after a while, however long requests wait", () =>
    Effect.gen(function* () {
      const { state, client } = makeCountingClient(waiting)
      const reading = yield* Effect.forkChild(client.call("GET", ["a"]))
      yield* TestClock.adjust(limits.auditYieldLooksMax * limits.dueWorkLookMillis - 1)
      assert.strictEqual(state.calls, 0)
      yield* TestClock.adjust(1)
      yield* Fiber.join(reading)

      assert.strictEqual(state.calls, 1)
    }),
  )
})
