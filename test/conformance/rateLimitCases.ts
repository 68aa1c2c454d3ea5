import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { RateLimiter } from "../../actors/ports/rateLimiter.ts"
import { Stage, type StoreCase, storeCase } from "./stage.ts"

const hour = 60 * 60 * 1000

/** Token buckets (`docs/contract/README.md#rate-limits`). */
export const rateLimitCases: ReadonlyArray<StoreCase> = [
  storeCase(
    "a full rate limit bucket gives its tokens at once, and not one more",
    Effect.gen(function* () {
      const limiter = yield* RateLimiter
      const bucket = { partition: 3, name: "api:one", capacity: 5, windowMillis: hour }
      for (const left of [4, 3, 2, 1, 0]) {
        const quota = yield* limiter.take(bucket)
        assert.deepStrictEqual([quota.isTaken, quota.remaining], [true, left])
      }
      const refused = yield* limiter.take(bucket)
      assert.deepStrictEqual([refused.isTaken, refused.remaining], [false, 0])
      assert.isAbove(refused.nextInMillis, hour / 5 - 60_000)
      assert.isAtMost(refused.nextInMillis, hour / 5)
      assert.isAtMost(refused.fullInMillis, hour)
    }),
  ),
  storeCase(
    "rate limit buckets of different names and partitions are independent",
    Effect.gen(function* () {
      const limiter = yield* RateLimiter
      const bucket = { partition: 3, name: "api:one", capacity: 1, windowMillis: hour }
      assert.isTrue((yield* limiter.take(bucket)).isTaken)
      assert.isFalse((yield* limiter.take(bucket)).isTaken)
      assert.isTrue((yield* limiter.take({ ...bucket, name: "api:two" })).isTaken)
      assert.isTrue((yield* limiter.take({ ...bucket, partition: 4 })).isTaken)
    }),
  ),
  storeCase(
    "a rate limit bucket refills steadily over its window until it is full",
    Effect.gen(function* () {
      const limiter = yield* RateLimiter
      const stage = yield* Stage
      const bucket = { partition: 3, name: "api:one", capacity: 2, windowMillis: 400 }
      yield* limiter.take(bucket)
      yield* limiter.take(bucket)
      const refused = yield* limiter.take(bucket)
      yield* stage.elapse(refused.isTaken ? 0 : refused.nextInMillis + 1)
      assert.isTrue((yield* limiter.take(bucket)).isTaken)
      yield* stage.elapse(2_000)
      const taken = []
      for (let i = 0; i < 2; i++) taken.push((yield* limiter.take({ ...bucket, windowMillis: hour })).isTaken)
      assert.deepStrictEqual(taken, [true, true])
    }),
  ),
  storeCase(
    "each rate limit token goes to one of 50 concurrent takers",
    Effect.gen(function* () {
      const limiter = yield* RateLimiter
      const bucket = { partition: 9, name: "api:race", capacity: 7, windowMillis: hour }
      const quotas = yield* Effect.all(
        Array.from({ length: 50 }, () => limiter.take(bucket)),
        { concurrency: "unbounded" },
      )
      assert.strictEqual(quotas.filter(({ isTaken }) => isTaken).length, 7)
    }),
  ),
]
