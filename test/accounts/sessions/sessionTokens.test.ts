import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { limits } from "../../../schema/limits.ts"
import type { Session } from "../../../src/accounts/sessions/session.ts"
import { Sessions } from "../../../src/accounts/sessions/sessions.ts"
import { StepUps } from "../../../src/accounts/sessions/stepUp.ts"
import { newTotpSecret } from "../../../src/accounts/twoFactor/totp.ts"
import { TwoFactor } from "../../../src/accounts/twoFactor/twoFactor.ts"
import { hashToken } from "../../../src/accounts/users/accountTokenStore.ts"
import { accountSlotOfUser, sessionKey } from "../../../src/store/keys.ts"
import { RedisClient } from "../../../src/store/redis/redisClient.ts"
import { makeSessionStore } from "../../../src/store/sessions.ts"
import { makeUserStore } from "../../../src/store/users.ts"
import { startTestRedis, type TestRedis } from "../../support/redis.ts"
import {
  type Account,
  asProcess,
  codeNow,
  makeAccount,
  openSession,
  type Process,
  steppedUp,
} from "../twoFactor/twoFactorFixture.ts"

let redis: TestRedis
beforeAll(async () => {
  redis = await startTestRedis({ appendfsync: "no" })
})
afterAll(() => redis?.stop())

const stage = () => ({ redisUrl: redis.url, encryptionKey: new Uint8Array(32).fill(5) })
const run = <A, E>(program: Effect.Effect<A, E, Process | Scope.Scope>) => asProcess(stage(), program)

const call = (command: string, ...args: ReadonlyArray<string | number>) =>
  Effect.flatMap(RedisClient, (client) => client.call(command, args))
const find = (token: string | undefined) => Effect.flatMap(Sessions, (sessions) => sessions.find(token))
const keyOf = ({ userId }: Session, token: string) => sessionKey(accountSlotOfUser(userId), hashToken(token))

/** Steps a session up; returns its new token. */
const stepUp = Effect.fnUntraced(function* (session: Session, { secret }: Account, stepsFromNow: 0 | 1 = 0) {
  const { token } = yield* (yield* StepUps).confirm(session, { code: codeNow(secret, stepsFromNow) })
  return token
})

/** A session that was stepped up, with its tokens before and after. */
const openMoved = Effect.fnUntraced(function* (options: { readonly mfaVerifiedUntilMillis?: number } = {}) {
  const account = yield* makeAccount(stage())
  const { session, token: former } = yield* openSession(account.user, options)
  const token = yield* stepUp(session, account)
  if (token === undefined) throw new Error("there is no new token")
  return { account, session, former, token }
})

describe("the token of a session that is stepped up", () => {
  it.live("a step-up gives the session a new token, under which alone it is stepped up", () =>
    run(
      Effect.gen(function* () {
        const { session, former, token } = yield* openMoved()
        assert.notStrictEqual(token, former)
        const found = yield* find(token)
        assert.isAbove(found?.mfaVerifiedUntilMillis ?? 0, Date.now())
        const underFormer = yield* find(former)
        assert.deepInclude(underFormer, {
          id: session.id,
          mfaVerifiedUntilMillis: 0,
          isUnderFormerToken: true,
        })
        const listed = yield* (yield* Sessions).list(session.userId)
        assert.deepStrictEqual(
          listed.map(({ id }) => id),
          [session.id],
        )
      }),
    ),
  )

  it.live("the token before is good for requests under way for half a minute, and stepped up as it was", () =>
    run(
      Effect.gen(function* () {
        const earlier = steppedUp()
        const { session, former } = yield* openMoved(earlier)
        assert.strictEqual((yield* find(former))?.mfaVerifiedUntilMillis, earlier.mfaVerifiedUntilMillis)
        const left = Number(yield* call("PTTL", keyOf(session, former)))
        assert.isAtMost(left, limits.formerTokenMillis)
        assert.isAbove(left, limits.formerTokenMillis - 20_000)
        yield* call("PEXPIRE", keyOf(session, former), 0)
        assert.isUndefined(yield* find(former))
      }),
    ),
  )

  it.live("turning 2FA on gives the session a new token, too", () =>
    run(
      Effect.gen(function* () {
        const secret = newTotpSecret()
        const { user } = yield* makeAccount(stage(), { isOn: false, pendingSecret: secret })
        const { session, token: former } = yield* openSession(user)
        const { token } = yield* (yield* TwoFactor).confirm(session, user, codeNow(secret))
        assert.isAbove((yield* find(token))?.mfaVerifiedUntilMillis ?? 0, Date.now())
        assert.strictEqual((yield* find(former))?.mfaVerifiedUntilMillis, 0)
      }),
    ),
  )

  it.live("of step-ups under way at once one gives the token, and the session is stepped up by both", () =>
    run(
      Effect.gen(function* () {
        const { account, session, former, token } = yield* openMoved()
        // One was admitted before the other was done, and one after it by the token before.
        assert.isUndefined(yield* stepUp(session, account, 1))
        const late = yield* find(former)
        if (late === undefined) throw new Error("the session is gone")
        const byCode = (yield* StepUps).confirm(late, { code: account.backupCodes[0] ?? "" })
        assert.isUndefined((yield* byCode).token)
        assert.isAbove((yield* find(token))?.mfaVerifiedUntilMillis ?? 0, Date.now())
      }),
    ),
  )

  it.live("a session ends with all of its tokens, by whichever of them and however it is ended", () =>
    run(
      Effect.gen(function* () {
        const sessions = yield* Sessions
        const store = yield* makeSessionStore
        const ends: ReadonlyArray<(session: Session, former: Session) => Effect.Effect<unknown, unknown>> = [
          // As it was found before it was stepped up.
          (session) => sessions.end(session, session),
          (_, former) => sessions.end(former, former),
          (session) => sessions.end(session, { id: session.id }),
          (session) => store.endOthers(session.userId, "of another session"),
        ]
        for (const end of ends) {
          const { session, former, token } = yield* openMoved()
          const underFormer = yield* find(former)
          if (underFormer === undefined) throw new Error("the session is gone")
          yield* end(session, underFormer)
          assert.deepStrictEqual([yield* find(token), yield* find(former)], [undefined, undefined])
          assert.isFalse(yield* sessions.isLive(session))
        }
      }),
    ),
  )

  it.live("ending the others and changing the password leave a session that was moved meanwhile", () =>
    run(
      Effect.gen(function* () {
        const sessions = yield* Sessions
        const { account, session, former, token } = yield* openMoved()
        const other = yield* openSession(account.user)
        yield* sessions.endOthers(session)
        assert.isDefined(yield* find(token))
        assert.isUndefined(yield* find(other.token))
        const { id: userId, passwordHash: oldHash } = account.user
        const { tokenHash } = session
        const { changePassword } = yield* makeUserStore
        const change = {
          userId,
          tokenHash,
          oldHash,
          newHash: "new",
          nowMillis: 1,
          newTokenHash: hashToken("t"),
        }
        assert.deepStrictEqual(yield* changePassword(change), { kind: "changed" })
        // It goes on under the token that the password's change gave it, and no other.
        assert.isTrue(yield* sessions.isLive({ ...session, tokenHash: hashToken("t") }))
        assert.deepStrictEqual([yield* find(token), yield* find(former)], [undefined, undefined])
      }),
    ),
  )

  it.live("a token from before two step-ups leads to the session, too, and is not stepped up", () =>
    run(
      Effect.gen(function* () {
        const { account, former, token } = yield* openMoved()
        const now = yield* find(token)
        if (now === undefined) throw new Error("the session is gone")
        const newest = yield* stepUp(now, account, 1)
        assert.isDefined(yield* find(newest))
        assert.deepInclude(yield* find(former), { id: now.id, mfaVerifiedUntilMillis: 0 })
        assert.isTrue(yield* (yield* Sessions).isLive(now))
      }),
    ),
  )
})

describe("a session whose browser signs in anew", () => {
  const origin = { ipAddress: undefined, userAgent: undefined }

  it.live("a replaced session's requests under way go on as the new session, with what both may do", () =>
    run(
      Effect.gen(function* () {
        const sessions = yield* Sessions
        const { user } = yield* makeAccount(stage())
        const { session, token: former } = yield* openSession(user, steppedUp())
        const begun = yield* sessions.begin(user, origin, { rememberMe: false, mfaVerified: false })
        yield* sessions.replace(session, { userId: user.id, token: begun?.token ?? "" })
        const now = yield* find(begun?.token)
        const found = yield* find(former)
        assert.deepStrictEqual([found?.id, found?.mfaVerifiedUntilMillis], [now?.id, 0])
        assert.deepStrictEqual(
          (yield* sessions.list(user.id)).map(({ id }) => id),
          [now?.id],
        )
        yield* call("PEXPIRE", keyOf(session, former), 0)
        assert.isUndefined(yield* find(former))
      }),
    ),
  )

  it.live("a replaced session of somebody else ends at once", () =>
    run(
      Effect.gen(function* () {
        const sessions = yield* Sessions
        const [ana, rui] = [yield* makeAccount(stage()), yield* makeAccount(stage())]
        const { session, token } = yield* openSession(ana.user)
        const begun = yield* sessions.begin(rui.user, origin, { rememberMe: false, mfaVerified: false })
        yield* sessions.replace(session, { userId: rui.user.id, token: begun?.token ?? "" })
        assert.isUndefined(yield* find(token))
        assert.isDefined(yield* find(begun?.token))
      }),
    ),
  )
})
