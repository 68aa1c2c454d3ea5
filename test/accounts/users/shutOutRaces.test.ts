import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Sessions } from "../../../src/accounts/sessions/sessions.ts"
import { StepUps } from "../../../src/accounts/sessions/stepUp.ts"
import { SecondSteps } from "../../../src/accounts/twoFactor/twoFactorSignIn.ts"
import { AccountTokens, hashToken } from "../../../src/accounts/users/accountTokenStore.ts"
import { makeTwoFactorStore } from "../../../src/store/twoFactor.ts"
import { makeUserStore, type UserEntity } from "../../../src/store/users.ts"
import type { TokenKind } from "../../../src/store/userTokens.ts"
import { startTestRedis, type TestRedis } from "../../support/redis.ts"
import {
  asProcess,
  codeNow,
  codeOfFailure,
  makeAccount,
  openSession,
  type Process,
} from "../twoFactor/twoFactorFixture.ts"

let redis: TestRedis
beforeAll(async () => {
  redis = await startTestRedis({ appendfsync: "no" })
})
afterAll(() => redis?.stop())

const origin = { ipAddress: undefined, userAgent: undefined }
const minuteMillis = 60_000

const disable = Effect.fnUntraced(function* ({ id }: UserEntity) {
  yield* (yield* makeUserStore).shutOut(id, 1_000)
})
const signOut = Effect.fnUntraced(function* ({ id }: UserEntity) {
  yield* (yield* makeUserStore).shutOut(id, undefined)
})
const issue = (user: UserEntity, kind: TokenKind) =>
  Effect.flatMap(AccountTokens, (tokens) => tokens.issue(user.email, user, kind, minuteMillis))

/** A test on an account, in one process. */
const onAccount = <E>(
  test: (account: Effect.Success<ReturnType<typeof makeAccount>>) => Effect.Effect<void, E, Process>,
) => {
  const stage = { redisUrl: redis.url, encryptionKey: new Uint8Array(32).fill(9) }
  return asProcess(stage, Effect.flatMap(makeAccount(stage), test))
}

for (const [name, shutOut] of [
  ["disabled", disable],
  ["signed out by an operator", signOut],
] as const) {
  describe(`what was begun before its user was ${name}`, () => {
    it.live(`a sign-in whose password was verified before its user was ${name} begins no session`, () =>
      onAccount(
        Effect.fnUntraced(function* ({ user }) {
          const begin = (yield* Sessions).begin(user, origin, { rememberMe: false, mfaVerified: false })
          expect(yield* begin).toBeDefined()
          yield* shutOut(user)
          expect(yield* begin).toBeUndefined()
        }),
      ),
    )

    it.live(`a second step that was read before its user was ${name} begins no session`, () =>
      onAccount(
        Effect.fnUntraced(function* ({ user, secret }) {
          const steps = yield* SecondSteps
          const pending = yield* steps.find(yield* issue(user, "second_factor"))
          if (pending === undefined) throw new Error("the sign-in is not pending")
          yield* shutOut(user)
          const completed = steps.complete(pending, {
            ...{ code: codeNow(secret), kinds: ["totp"], origin, isKnown: false },
          })
          expect(yield* codeOfFailure(completed)).toBe("session_required")
        }),
      ),
    )

    it.live(`a session that was read before its user was ${name} cannot be stepped up`, () =>
      onAccount(
        Effect.fnUntraced(function* ({ user, secret }) {
          const { session, token } = yield* openSession(user)
          yield* shutOut(user)
          const steppedUp = (yield* StepUps).verify(session, user, { code: codeNow(secret), kinds: ["totp"] })
          expect(yield* codeOfFailure(steppedUp)).toBe("session_required")
          expect(yield* (yield* Sessions).find(token)).toBeUndefined()
          expect(yield* (yield* Sessions).list(user.id)).toEqual([])
        }),
      ),
    )

    it.live(`a mailed link that was read before its user was ${name} resets and recovers nothing`, () =>
      onAccount(
        Effect.fnUntraced(function* ({ user }) {
          const users = yield* makeUserStore
          const reset = hashToken(yield* issue(user, "reset_password"))
          const recovery = hashToken(yield* issue(user, "recover_two_factor"))
          yield* shutOut(user)
          const { id, passwordHash, totpSecret: sealedSecret } = user
          expect(yield* users.resetPassword(id, reset, passwordHash, "new", 1)).toEqual({
            kind: "tokenUsed",
          })
          const recovering = {
            ...{ userId: id, tokenHash: recovery, passwordHash, sealedSecret },
            ...{ nowMillis: 1, operation: "one" },
          }
          expect(yield* (yield* makeTwoFactorStore).recover(recovering)).toEqual({ kind: "tokenUsed" })
        }),
      ),
    )
  })
}

describe("a user who was signed out by an operator", () => {
  it.live(
    "a user who was signed out gets sessions and tokens of the time after it, and each next end voids them",
    () =>
      onAccount(
        Effect.fnUntraced(function* ({ user }) {
          const store = yield* makeUserStore
          const tokens = yield* AccountTokens
          const sessions = yield* Sessions
          const seen: Array<{ readonly session: string | undefined; readonly token: string }> = []
          for (const signOuts of [1, 2]) {
            yield* signOut(user)
            const now = yield* store.find(user.id)
            if (now === undefined) throw new Error("the user is gone")
            expect(now.signOuts).toBe(signOuts)
            const begun = yield* sessions.begin(now, origin, { rememberMe: false, mfaVerified: false })
            expect(yield* sessions.find(begun?.token)).toBeDefined()
            seen.push({ session: begun?.token, token: yield* issue(now, "reset_password") })
            const alive = yield* Effect.forEach(seen, ({ session, token }) =>
              Effect.all([sessions.find(session), tokens.find(token, "reset_password")]),
            )
            expect(alive.map((found) => found.map((one) => one !== undefined))).toEqual(
              seen.map((_, i) => (i === seen.length - 1 ? [true, true] : [false, false])),
            )
          }
        }),
      ),
  )
})
