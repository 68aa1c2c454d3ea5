import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import { Sessions } from "../../../src/accounts/sessions/sessions.ts"
import { SecondSteps } from "../../../src/accounts/twoFactor/twoFactorSignIn.ts"
import { parseAccountToken } from "../../../src/accounts/users/accountTokenStore.ts"
import * as keys from "../../../src/store/keys.ts"
import { RedisClient } from "../../../src/store/redis/redisClient.ts"
import { startTestRedis, type TestRedis } from "../../support/redis.ts"
import { type AccountStage, asProcess, makeAccount, openPending } from "../twoFactor/twoFactorFixture.ts"

let redis: TestRedis
let stage: AccountStage
beforeAll(async () => {
  redis = await startTestRedis({ appendfsync: "no" })
  stage = { redisUrl: redis.url, encryptionKey: new Uint8Array(32).fill(8) }
})
afterAll(() => redis?.stop())

const call = (command: string, ...args: ReadonlyArray<string | number>) =>
  Effect.flatMap(RedisClient, (client) => client.call(command, args))
const most = limits.sessionsPerUserMax
const origin = { ipAddress: undefined, userAgent: undefined }

/** A user with `count` sessions, which end later than any begun now; `begin` uses its backup code of that index. */
const withSessions = Effect.fnUntraced(function* (count: number) {
  const account = yield* makeAccount(stage)
  const index = keys.sessionsKey(account.user.id)
  const prefix = keys.sessionPrefix(keys.accountSlotOfUser(account.user.id))
  const endsMillis = Date.now() + limits.rememberedSessionMillis
  for (let i = 0; i < count; i += 1) {
    yield* call("ZADD", index, endsMillis + i, `other${i}`)
    yield* call("HSET", `${prefix}other${i}`, "user", account.user.id)
  }
  const isAlive = (hash: string) => Effect.map(call("EXISTS", prefix + hash), (found) => found === 1)
  const sessionCount = call("ZCARD", index)
  const begin = Effect.fnUntraced(function* (code: number) {
    const steps = yield* SecondSteps
    const pending = yield* steps.find((yield* openPending(account.user)).token)
    if (pending === undefined) throw new Error("the sign-in is not pending")
    const { token } = yield* steps.complete(pending, {
      ...{ code: account.backupCodes[code] ?? "", kinds: ["backup"], origin, isKnown: false },
    })
    return parseAccountToken(token)?.tokenHash ?? ""
  })
  return { begin, isAlive, count: sessionCount }
})

describe("the sessions of a user", () => {
  it.live("a session begins in a browser whose User-Agent is cut within a character", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const sessions = yield* Sessions
        const { user } = yield* makeAccount(stage)
        const cut = { ...origin, userAgent: `${"a".repeat(limits.userAgentLengthMax - 1)}\u{1f600}` }
        const begun = yield* sessions.begin(user, cut, { rememberMe: false, mfaVerified: false })
        assert.match((yield* sessions.find(begun?.token))?.userAgent ?? "", /^a+\ufffd$/)
      }),
    ),
  )

  it.live("a user may have a hundred sessions", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const { begin, isAlive, count } = yield* withSessions(most - 1)
        assert.isTrue(yield* isAlive(yield* begin(0)))
        assert.isTrue(yield* isAlive("other0"))
        assert.strictEqual(yield* count, most)
      }),
    ),
  )

  it.live("a session more than a user may have ends the one that expires soonest, and never itself", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const { begin, isAlive, count } = yield* withSessions(most)
        const first = yield* begin(0)
        assert.isTrue(yield* isAlive(first))
        assert.isFalse(yield* isAlive("other0"))
        assert.isTrue(yield* isAlive("other1"))
        assert.strictEqual(yield* count, most)
        const second = yield* begin(1)
        assert.isTrue(yield* isAlive(second))
        assert.isFalse(yield* isAlive(first))
        assert.isTrue(yield* isAlive("other1"))
        assert.strictEqual(yield* count, most)
      }),
    ),
  )
})
