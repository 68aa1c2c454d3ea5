import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Logger, Result } from "effect"
import { TestClock } from "effect/testing"
import { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { limits } from "../../schema/limits.ts"
import { awaitReplicasAtStart } from "../../src/store/redis/replicasAtStart.ts"

const refusal = new StoreUnavailable({ operation: "WAIT", reason: "0 of 1 acknowledged" })

/** Starts waiting for replicas that acknowledge after some time. */
const startWaiting = Effect.fnUntraced(function* (comeAfterMillis: number) {
  let hasCome = false
  yield* Effect.forkChild(
    Effect.delay(
      Effect.sync(() => {
        hasCome = true
      }),
      comeAfterMillis,
    ),
  )
  const awaitReplicas = Effect.suspend(() => (hasCome ? Effect.void : Effect.fail(refusal)))
  return yield* Effect.forkChild(Effect.result(awaitReplicasAtStart({ awaitReplicas })))
})

it.effect("a start goes on soon after replicas acknowledge", () =>
  Effect.gen(function* () {
    const start = yield* startWaiting(10_000)
    yield* TestClock.adjust("9 seconds")
    assert.isUndefined(start.pollUnsafe())
    yield* TestClock.adjust("2 seconds")
    assert.isTrue(Result.isSuccess(yield* Fiber.join(start)))
  }),
)

it.effect("a start waits for replicas as long as its limit, and then fails with the reason", () =>
  Effect.gen(function* () {
    const start = yield* startWaiting(limits.startReplicasMillisMax * 2)
    yield* TestClock.adjust(limits.startReplicasMillisMax - 1)
    assert.isUndefined(start.pollUnsafe())
    yield* TestClock.adjust(1_001)
    assert.deepStrictEqual(yield* Fiber.join(start), Result.fail(refusal))
  }),
)

it.effect("a start says nothing of a refusal that is over at once", () =>
  Effect.gen(function* () {
    let asked = 0
    const awaitReplicas = Effect.suspend(() => (++asked === 1 ? Effect.fail(refusal) : Effect.void))
    const lines: Array<unknown> = []
    const logger = Logger.make(({ message }) => lines.push(message))
    yield* Effect.provide(awaitReplicasAtStart({ awaitReplicas }), Logger.layer([logger]))
    assert.deepStrictEqual([asked, lines], [2, []])
  }),
)

it.effect("a start without replicas to wait for goes on at once", () =>
  awaitReplicasAtStart({ awaitReplicas: undefined }),
)
