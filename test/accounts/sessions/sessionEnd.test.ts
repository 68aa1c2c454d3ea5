import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ApiKeyStore } from "../../../actors/ports/apiKeyStore.ts"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { Sessions, SessionsLive } from "../../../src/accounts/sessions/sessions.ts"
import { library } from "../../../src/store/redis/functionLibrary.ts"
import { RedisClient } from "../../../src/store/redis/redisClient.ts"
import { startTestRedis, type TestRedis } from "../../support/redis.ts"
import { type AccountStage, asProcess, makeAccount, openSession } from "../twoFactor/twoFactorFixture.ts"

let redis: TestRedis
let stage: AccountStage
beforeAll(async () => {
  redis = await startTestRedis({ appendfsync: "no" })
  stage = { redisUrl: redis.url, encryptionKey: new Uint8Array(32).fill(9) }
})
afterAll(() => redis?.stop())

const sellerId = "sel_0001J3Z6Q0000000000000000"

/** Sessions that lose the first `lost` replies to an end; `announced` are the users whose streams they ended. */
const losingReplies = Effect.fnUntraced(function* (lost: number) {
  const client = yield* RedisClient
  const apiKeys = yield* ApiKeyStore
  const announced: Array<string> = []
  let toLose = lost
  const call: typeof client.call = (command, args) => {
    const sent = client.call(command, args)
    if (args[0] !== library.registeredName("sessions.end_one") || toLose === 0) return sent
    toLose -= 1
    const closed = new StoreUnavailable({ operation: "end session", reason: "Connection is closed." })
    return Effect.andThen(sent, Effect.fail(closed))
  }
  const announceRevocation = (_: string, id: string) => Effect.sync(() => void announced.push(id))
  const services = yield* Layer.build(
    Layer.fresh(SessionsLive).pipe(
      Layer.provide(
        Layer.succeed(RedisClient, { ...client, call: (...given) => Effect.suspend(() => call(...given)) }),
      ),
      Layer.provide(Layer.succeed(ApiKeyStore, { ...apiKeys, announceRevocation })),
    ),
  )
  const sessions = yield* Effect.provideContext(Sessions, services)
  return { sessions, announced }
})

/** Ends a live session while that many replies are lost. */
const endOf = Effect.fnUntraced(function* (lost: number) {
  const { sessions, announced } = yield* losingReplies(lost)
  const { user } = yield* makeAccount(stage, { sellerId })
  const { session, token } = yield* openSession(user)
  const isEnded = yield* Effect.result(sessions.end({ userId: user.id, sellerId }, { id: session.id }))
  assert.isUndefined(yield* sessions.find(token))
  assert.deepStrictEqual(announced, [user.id])
  return isEnded
})

describe("the end of a session", () => {
  it.live("a session whose end's first reply is lost has ended for its caller, and so have the streams", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const ended = yield* endOf(1)
        assert.isTrue(ended._tag === "Success" && ended.success)
      }),
    ),
  )

  it.live("the streams of a session end also where every reply to its end is lost", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const ended = yield* endOf(3)
        assert.strictEqual(ended._tag, "Failure")
      }),
    ),
  )

  it.live("a session that a user does not have is not ended, and leaves the streams alone", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const { sessions, announced } = yield* losingReplies(0)
        const { user } = yield* makeAccount(stage, { sellerId })
        assert.isFalse(yield* sessions.end({ userId: user.id, sellerId }, { id: "another" }))
        assert.deepStrictEqual(announced, [])
      }),
    ),
  )
})
