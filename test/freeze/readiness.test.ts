import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Acquirers } from "../../actors/ports/acquirer.ts"
import { PayoutGate } from "../../actors/ports/payoutGate.ts"
import { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { FeedHub } from "../../src/feed/hub.ts"
import { Readiness } from "../../src/http/readiness.ts"
import { LoadLive } from "../../src/load/load.ts"
import { ReadinessLive } from "../../src/readiness.ts"
import { Scheduler } from "../../src/scheduler/scheduler.ts"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import "../../src/store/redisStore.ts"
import { silentAcquirer } from "../actors/support/acquirer.ts"

const books = { listReceived: () => Effect.never, listSent: () => Effect.never }
const away = new StoreUnavailable({ operation: "countOpen", reason: "connect ECONNREFUSED 10.0.0.7" })

/** The check `payouts` of `/ready`, by what the gate answers and whether the live acquirer has books. */
const payoutsCheck = (answer: Effect.Effect<string | undefined, StoreUnavailable>, hasBooks: boolean) => {
  const live = hasBooks ? { ...silentAcquirer, books } : silentAcquirer
  const services = Layer.mergeAll(
    Layer.succeed(Acquirers, { live, test: silentAcquirer }),
    Layer.succeed(PayoutGate, {
      frozen: (mode) => (mode === "live" ? answer : Effect.die("only live is asked about")),
    }),
    Layer.mock(RedisClient, { isCluster: false, servers: () => [], breaks: () => 0 }),
    Layer.mock(Scheduler, { partitionsHeld: () => 1, lagMillis: () => 0 }),
    Layer.mock(FeedHub, { isServing: Effect.succeed(true) }),
    LoadLive(500),
  )
  return Effect.flatMap(Readiness, ({ checks }) => checks).pipe(
    Effect.map(({ payouts }) => payouts),
    Effect.provide(ReadinessLive.pipe(Layer.provide(services))),
  )
}

describe("/ready and the freeze", () => {
  it.effect("the check of payouts is ok while they may be handed over", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* payoutsCheck(Effect.succeed(undefined), true), "ok")
    }),
  )

  it.effect("the check of payouts is skipped where neither books nor exceptions can freeze them", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* payoutsCheck(Effect.succeed(undefined), false), "skipped")
    }),
  )

  for (const hasBooks of [true, false]) {
    it.effect(`the check of payouts says why they are frozen, ${hasBooks ? "with" : "without"} books`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* payoutsCheck(Effect.succeed("1 open exception"), hasBooks), {
          error: "frozen: 1 open exception",
        })
      }),
    )
  }

  it.effect("the check of payouts does not reveal where Redis is", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* payoutsCheck(Effect.fail(away), true), {
        error: "Redis does not answer; see the log for the reason",
      })
    }),
  )
})
