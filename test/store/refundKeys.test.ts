import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { Identifiers } from "../../actors/ports/identifiers.ts"
import { chargePaid } from "../../actors/seller/decisions/movements.ts"
import { createRefund } from "../../actors/seller/operations/createRefund.ts"
import { makeId } from "../../schema/ids.ts"
import { exampleTransaction } from "../../schema/resources/transaction.ts"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import { RefundStoreLive } from "../../src/store/refunds.ts"
import { StoreOptions } from "../../src/store/storeOptions.ts"
import { move, openCharge, openShop, unique } from "../conformance/fixtures.ts"
import { emptyRedisStore, redisCapabilities } from "../conformance/redisStage.ts"
import { makeStage, Stage } from "../conformance/stage.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"

let redis: TestRedis | undefined
beforeAll(async () => {
  redis = await startTestRedis({ appendfsync: "no" })
})
afterAll(() => redis?.stop())

const settings = { eventRetentionMillis: 86_400_000, partitions: 4 }
let made = 0
const identifiers = Identifiers.of({
  id: (prefix, partition, millis) => makeId(prefix, millis, partition, new Uint8Array(14).fill(++made)),
  alphanumeric: (length) => String(++made).padStart(length, "0"),
})

const test = Effect.gen(function* () {
  const { live } = yield* openShop()
  const nowMillis = yield* Clock.currentTimeMillis
  const open = yield* openCharge(live)
  const document = JSON.stringify({
    ...exampleTransaction,
    ...{ id: open.id, status: "paid", amount: 1_000, refunded_amount: 0, refunds: [], reserve: null },
    ...{ paid_at: new Date(nowMillis).toISOString(), end_to_end_id: "E1", postback_url: null },
  })
  const money = { id: open.id, amount: 1_000, fee: 0, net_amount: 1_000 }
  const charge = yield* move(open, "paid", { document, movement: chargePaid(money, null) })

  const client = yield* RedisClient
  const context = yield* Effect.context<never>()
  /** Runs the operation on a store whose pipelines begin only after `before`. */
  const ask = (executionId: string, before: Effect.Effect<unknown, unknown> = Effect.void) => {
    let isBegun = false
    const slow: RedisClient["Service"] = {
      ...client,
      callAll: (commands) =>
        Effect.suspend(() => {
          if (isBegun) return client.callAll(commands)
          isBegun = true
          return Effect.andThen(Effect.orDie(before), client.callAll(commands))
        }),
    }
    const time = { nowMillis, offsetMillis: 0 }
    const seller = { freshTimeOf: () => Effect.succeed(time) } as never
    const request = {
      ...{ principal: live, transactionId: charge.id, body: { amount: 600 }, origin: "seller" as const },
      idempotency: { route: "refunds", key: "one", fingerprint: "same", executionId },
      requestId: unique("req"),
    }
    return createRefund.program.pipe(
      Effect.flatMap(({ run }) => run(request, seller)),
      Effect.provide(Layer.fresh(RefundStoreLive).pipe(Layer.provide(Layer.succeed(RedisClient, slow)))),
      Effect.provideService(Identifiers, identifiers),
      Effect.provideContext(context as never),
    ) as Effect.Effect<{ readonly kind: string; readonly status?: number }, unknown>
  }

  // The same request twice, at two processes: the first commits after the second looked at the key, before it reads the charge.
  let first: unknown
  const second = yield* Effect.result(
    ask(
      "second",
      Effect.map(ask("first"), (answer) => {
        first = answer
      }),
    ),
  )
  assert.deepInclude(first, { kind: "answered", status: 201 })
  assert.deepInclude(second, { _tag: "Success" }, JSON.stringify(second))
  assert.deepInclude((second as { success: unknown }).success, { kind: "replay", status: 201 })
})

it.live(
  "a request under a key whose first request commits while it is decided replays the first's answer",
  () =>
    Effect.gen(function* () {
      const stage = yield* makeStage(settings, redisCapabilities)
      yield* Effect.provideService(test as Effect.Effect<void, unknown, Stage>, Stage, stage)
    }).pipe(
      Effect.scoped,
      Effect.provide(
        Layer.succeed(StoreOptions, { retentionMillis: 86_400_000, partitions: 4, processId: "t" }),
      ),
      Effect.provide(emptyRedisStore(redis?.url, settings)),
    ),
)
