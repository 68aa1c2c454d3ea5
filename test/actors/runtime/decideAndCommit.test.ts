import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { changedByOthers, decideAndCommit, stale } from "../../../actors/runtime/decideAndCommit.ts"
import { limits } from "../../../schema/limits.ts"

/** A change whose first `staleCount` commits are stale; each read returns the next number. */
const change = (
  staleCount: number,
  options: { readonly known?: number; readonly attemptsMax?: number } = {},
) => {
  const attempts: Array<readonly [state: number, attempt: number]> = []
  let reads = 0
  const run = decideAndCommit({
    ...options,
    read: Effect.sync(() => ++reads),
    attempt: (state, attempt) => {
      attempts.push([state, attempt])
      return Effect.succeed(attempts.length > staleCount ? `committed ${state}` : stale)
    },
    giveUp: () => changedByOthers("thing"),
  })
  return { run, attempts, reads: () => reads }
}

describe("decideAndCommit", () => {
  it.effect("decideAndCommit commits on a given state at the first attempt, without a read", () =>
    Effect.gen(function* () {
      const { run, attempts, reads } = change(0, { known: 7 })
      assert.strictEqual(yield* run, "committed 7")
      assert.deepStrictEqual(attempts, [[7, 0]])
      assert.strictEqual(reads(), 0)
    }),
  )

  it.effect("decideAndCommit reads the state first when it is given none", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* change(0).run, "committed 1")
    }),
  )

  it.effect("decideAndCommit decides again on freshly read state after a stale commit", () =>
    Effect.gen(function* () {
      const { run, attempts } = change(2, { known: 7 })
      assert.strictEqual(yield* run, "committed 2")
      assert.deepStrictEqual(attempts, [
        [7, 0],
        [1, 1],
        [2, 2],
      ])
    }),
  )

  it.effect("decideAndCommit gives up with 503 after too many stale commits, without another read", () =>
    Effect.gen(function* () {
      for (const attemptsMax of [limits.decisionsMax, 3]) {
        const isDefault = attemptsMax === limits.decisionsMax
        const { run, attempts, reads } = change(100, isDefault ? {} : { attemptsMax })
        const error = yield* Effect.flip(run)
        assert.deepInclude(error, { code: "service_unavailable", status: 503, retryAfterSeconds: 1 })
        assert.include(error.message, "thing")
        assert.strictEqual(attempts.length, attemptsMax)
        assert.strictEqual(reads(), attemptsMax)
      }
    }),
  )

  it.effect("decideAndCommit does not retry an attempt that fails", () =>
    Effect.gen(function* () {
      let attempts = 0
      const error = yield* Effect.flip(
        decideAndCommit({
          read: Effect.succeed(1),
          attempt: () => {
            attempts += 1
            return Effect.fail("refused" as const)
          },
          giveUp: () => changedByOthers("thing"),
        }),
      )
      assert.strictEqual(error, "refused")
      assert.strictEqual(attempts, 1)
    }),
  )
})
