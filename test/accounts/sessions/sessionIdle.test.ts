import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Clock, Effect, type Scope } from "effect"
import { SessionIdle, Sessions } from "../../../src/accounts/sessions/sessions.ts"
import { RedisClient } from "../../../src/store/redis/redisClient.ts"
import type { UserEntity } from "../../../src/store/users.ts"
import { startTestRedis, type TestRedis } from "../../support/redis.ts"
import { makeAccount, openSession, type Process, startProcess } from "../twoFactor/twoFactorFixture.ts"

let redis: TestRedis
beforeAll(async () => {
  redis = await startTestRedis({ appendfsync: "no" })
})
afterAll(() => redis?.stop())

const stage = () => ({ redisUrl: redis.url, encryptionKey: new Uint8Array(32).fill(5) })
const minuteMillis = 60_000
const dayMillis = 24 * 60 * minuteMillis

/** Runs a program as one process under SESSION_IDLE_SECONDS; undefined: as it is left out. */
const under = <A, E>(idleMillis: number | undefined, program: Effect.Effect<A, E, Process | Scope.Scope>) => {
  const running = Effect.scoped(
    Effect.flatMap(startProcess(stage()), (process) => Effect.provideContext(program, process)),
  )
  return idleMillis === undefined ? running : Effect.provideService(running, SessionIdle, idleMillis)
}

/** Runs an effect at a moment. */
const at = <A, E, R>(millis: number, effect: Effect.Effect<A, E, R>) =>
  Effect.updateService(effect, Clock.Clock, (clock) => ({
    ...clock,
    currentTimeMillis: Effect.succeed(millis),
  }))

/** A session that lasts for years, so that nothing but its use ends it; and how to look at it. */
const openLong = Effect.fnUntraced(function* (role: UserEntity["role"] = "seller") {
  const client = yield* RedisClient
  const { user } = yield* makeAccount(stage())
  const { token, key, session } = yield* openSession({ ...user, role })
  const expiresAtMillis = session.expiresAtMillis + 900 * dayMillis
  yield* client.call("HSET", [key, "expires_at", expiresAtMillis])
  yield* client.call("PERSIST", [key])
  const seenMillis = session.lastSeenAtMillis
  const find = (millis: number) =>
    Effect.flatMap(Sessions, (sessions) => at(seenMillis + millis, sessions.find(token)))
  const lastSeen = Effect.map(client.call("HGET", [key, "last_seen_at"]), (text) => Number(text) - seenMillis)
  const list = (millis: number) =>
    Effect.flatMap(Sessions, (sessions) => at(seenMillis + millis, sessions.list(user.id)))
  return { find, list, lastSeen }
})

describe("a session that is not used", () => {
  for (const [whose, role, idleMillis, endMillis] of [
    ["a seller's session ends after 14 days", "seller", undefined, 14 * dayMillis],
    ["an operator's session ends after 30 minutes", "admin", undefined, 30 * minuteMillis],
    ["a seller's session ends after SESSION_IDLE_SECONDS", "seller", dayMillis, dayMillis],
    ["an operator's session ends after 30 minutes, if that is less", "admin", dayMillis, 30 * minuteMillis],
    ["an operator's session ends earlier under a shorter time", "admin", 5 * minuteMillis, 5 * minuteMillis],
  ] as const) {
    it.live(`${whose} without use`, () =>
      under(
        idleMillis,
        Effect.gen(function* () {
          const { find, list } = yield* openLong(role)
          assert.lengthOf(yield* list(endMillis - 1), 1)
          assert.lengthOf(yield* list(endMillis), 0)
          assert.isUndefined(yield* find(endMillis))
          assert.isDefined(yield* find(endMillis - 1))
          // It was used just now.
          assert.isDefined(yield* find(2 * endMillis - 2))
        }),
      ),
    )
  }

  it.live("a session's last use is written once a minute, and in every process it ends by it", () =>
    under(
      30 * minuteMillis,
      Effect.gen(function* () {
        const { find, lastSeen } = yield* openLong()
        const other = yield* startProcess(stage()).pipe(Effect.provideService(SessionIdle, 30 * minuteMillis))
        yield* find(minuteMillis - 1)
        assert.strictEqual(yield* lastSeen, 0)
        yield* find(minuteMillis)
        assert.strictEqual(yield* lastSeen, minuteMillis)
        yield* find(2 * minuteMillis - 1)
        assert.strictEqual(yield* lastSeen, minuteMillis)
        const elsewhere = (millis: number) => Effect.provideContext(find(millis), other)
        assert.isDefined(yield* elsewhere(31 * minuteMillis - 1))
        assert.isDefined(yield* find(61 * minuteMillis - 2))
        assert.isUndefined(yield* elsewhere(91 * minuteMillis - 2))
      }),
    ),
  )

  it.live("under a short time without use, a session that is used goes on", () =>
    under(
      2_000,
      Effect.gen(function* () {
        const { find } = yield* openLong()
        for (let millis = 0; millis <= 20_000; millis += 900) assert.isDefined(yield* find(millis))
      }),
    ),
  )
})
