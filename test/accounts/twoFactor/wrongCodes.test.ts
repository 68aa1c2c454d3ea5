import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ApiError } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import { StepUps } from "../../../src/accounts/sessions/stepUp.ts"
import { newTotpSecret } from "../../../src/accounts/twoFactor/totp.ts"
import { TwoFactor } from "../../../src/accounts/twoFactor/twoFactor.ts"
import {
  TwoFactorRecovery,
  TwoFactorRecoveryLive,
} from "../../../src/accounts/twoFactor/twoFactorRecovery.ts"
import { SecondSteps } from "../../../src/accounts/twoFactor/twoFactorSignIn.ts"
import { AccountTokens, hashToken } from "../../../src/accounts/users/accountTokenStore.ts"
import { Users } from "../../../src/accounts/users/users.ts"
import * as keys from "../../../src/store/keys.ts"
import { makeTwoFactorStore, type TryPlace } from "../../../src/store/twoFactor.ts"
import { makeUserStore } from "../../../src/store/users.ts"
import {
  type Account,
  asProcess,
  call,
  codeNow,
  codeOfFailure,
  makeAccount,
  openPending,
  openSession,
  rewrite,
  useAccountStage,
} from "./twoFactorFixture.ts"

const stage = useAccountStage(4)
const userField = ({ user }: Account, name: string) => call("HGET", keys.userKey(user.id), name)
const origin = { ipAddress: "192.0.2.1", userAgent: "test" }
const most = limits.wrongCodesMax
const minute = limits.wrongCodesFirstWaitMillis
const day = limits.wrongCodesLongestWaitMillis

/** Counts a try at a moment, by a session or a sign-in that has had none. */
const tryAt = (account: Account, nowMillis: number, place: TryPlace = "stranger", tokenHash = "none") =>
  Effect.flatMap(makeTwoFactorStore, (store) =>
    store.beginTry({ userId: account.user.id, place, tokenHash, nowMillis }),
  )

/** Makes as many tries in a row as are counted without a wait. */
const tryMost = (account: Account, nowMillis: number, place?: TryPlace) =>
  Effect.forEach(Array.from({ length: most }), () => tryAt(account, nowMillis, place))

/** Sends a code as the second step of a sign-in. */
const complete = Effect.fnUntraced(function* (token: string, code: string, isKnown = false) {
  const steps = yield* SecondSteps
  const pending = yield* steps.find(token)
  if (pending === undefined) throw new Error("the sign-in is not pending")
  return yield* steps.complete(pending, { code, kinds: ["totp", "backup"], origin, isKnown })
})

const refusalOf = <A, R>(effect: Effect.Effect<A, unknown, R>) =>
  Effect.map(Effect.flip(effect), (error) =>
    error instanceof ApiError ? [error.code, error.details?.reason] : ["another error", String(error)],
  )

describe("a pending sign-in", () => {
  it.live("a pending sign-in ends after five wrong codes, and takes a right one after four", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        for (const [wrong, expected] of [
          [limits.pendingSignInWrongCodesMax - 1, undefined],
          [limits.pendingSignInWrongCodesMax, "session_required"],
        ] as const) {
          const account = yield* makeAccount(stage)
          const { token } = yield* openPending(account.user)
          for (let sent = 0; sent < wrong; sent += 1) {
            assert.strictEqual(yield* codeOfFailure(complete(token, "00000")), "invalid_mfa_code")
          }
          const right = complete(token, codeNow(account.secret))
          if (expected === undefined) yield* right
          else assert.strictEqual(yield* codeOfFailure(right), expected)
          // Signing in again gives the owner further tries.
          yield* complete((yield* openPending(account.user)).token, account.backupCodes[0] ?? "")
        }
      }),
    ),
  )

  it.live("of codes that are sent at once with a pending sign-in no more than five are looked at", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const account = yield* makeAccount(stage)
        const { key } = yield* openPending(account.user)
        const tokenHash = key.slice(key.lastIndexOf(":") + 1)
        const kinds = yield* Effect.all(
          Array.from({ length: 50 }, () => tryAt(account, 0, "stranger", tokenHash)),
          { concurrency: "unbounded" },
        )
        const begun = kinds.filter(({ kind }) => kind === "begun").length
        assert.strictEqual(begun, limits.pendingSignInWrongCodesMax)
        assert.isTrue(kinds.every(({ kind }) => kind === "begun" || kind === "spent"))
      }),
    ),
  )
})

describe("wrong codes in a row", () => {
  it.live("from the tenth wrong code in a row on each makes the next wait twice as long, up to a day", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const account = yield* makeAccount(stage)
        let now = 1_000_000
        for (let count = 1; count < most; count += 1) {
          assert.deepStrictEqual(yield* tryAt(account, now), { kind: "begun", count })
        }
        for (let count = most; count < most + 60; count += 1) {
          assert.deepStrictEqual(yield* tryAt(account, now), { kind: "begun", count })
          const waitMillis = Math.min(minute * 2 ** (count - most), day)
          assert.deepStrictEqual(yield* tryAt(account, now), { kind: "wait", waitMillis })
          // What is sent meanwhile makes nobody wait longer.
          assert.deepStrictEqual(yield* tryAt(account, now + waitMillis - 1), {
            ...{ kind: "wait", waitMillis: 1 },
          })
          now += waitMillis
        }
      }),
    ),
  )

  it.live("a year of wrong codes at one place is fewer than 400 guesses", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const account = yield* makeAccount(stage)
        let guesses = 0
        for (let now = 1; now < 365 * day; ) {
          const answer = yield* tryAt(account, now)
          if (answer.kind === "begun") guesses += 1
          else if (answer.kind === "wait") now += answer.waitMillis
        }
        assert.isBelow(guesses, 400)
        assert.isAbove(guesses, 365)
      }),
    ),
  )

  it.live(
    "a stranger's wrong codes make neither a known device nor a session wait, nor the other way round",
    () =>
      asProcess(
        stage,
        Effect.gen(function* () {
          const places = ["session", "known", "stranger"] as const
          for (const place of places) {
            const account = yield* makeAccount(stage)
            yield* tryMost(account, 1, place)
            for (const other of places) {
              const kind = other === place ? "wait" : "begun"
              assert.strictEqual((yield* tryAt(account, 1, other)).kind, kind)
            }
          }
        }),
      ),
  )

  it.live("an owner on a known device signs in while a stranger with the password sends wrong codes", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const account = yield* makeAccount(stage)
        yield* tryMost(account, Date.now())
        const code = codeNow(account.secret)
        const strange = complete((yield* openPending(account.user)).token, code)
        assert.deepStrictEqual(yield* refusalOf(strange), ["rate_limited", "too_many_wrong_codes"])
        yield* complete((yield* openPending(account.user)).token, code, true)
        // The owner's right code gives the stranger no further guesses.
        assert.strictEqual((yield* tryAt(account, Date.now())).kind, "wait")
      }),
    ),
  )

  it.live("a right code ends the row of its place", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const account = yield* makeAccount(stage)
        const { session } = yield* openSession(account.user)
        const stepUps = yield* StepUps
        for (let sent = 1; sent < most; sent += 1) {
          assert.strictEqual(
            yield* codeOfFailure(stepUps.confirm(session, { code: "1" })),
            "invalid_mfa_code",
          )
        }
        const { token = "" } = yield* stepUps.confirm(session, { code: codeNow(account.secret) })
        const moved = keys.sessionKey(keys.accountSlotOfUser(account.user.id), hashToken(token))
        assert.isNull(yield* userField(account, "session_tries"))
        assert.strictEqual(yield* call("EXISTS", moved), 1)
        assert.isNull(yield* call("HGET", moved, "tries"))
        yield* tryMost(account, 1)
        yield* call("HDEL", keys.userKey(account.user.id), "stranger_tries_until")
        yield* complete((yield* openPending(account.user)).token, account.backupCodes[0] ?? "")
        assert.deepStrictEqual(yield* tryAt(account, 1), { kind: "begun", count: 1 })
      }),
    ),
  )

  it.live("a session takes no code after ten wrong ones in a row, and another session does", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const account = yield* makeAccount(stage)
        const stepUps = yield* StepUps
        const [own, other] = [yield* openSession(account.user), yield* openSession(account.user)]
        for (let sent = 0; sent < limits.sessionWrongCodesMax; sent += 1) {
          const wrong = stepUps.confirm(own.session, { code: "1" })
          assert.strictEqual(yield* codeOfFailure(wrong), "invalid_mfa_code")
        }
        yield* call("HDEL", keys.userKey(account.user.id), "session_tries_until")
        const right = { code: codeNow(account.secret) }
        assert.deepStrictEqual(yield* refusalOf(stepUps.confirm(own.session, right)), [
          ...["invalid_mfa_code", "too_many_wrong_codes"],
        ])
        yield* stepUps.confirm(other.session, right)
      }),
    ),
  )

  it.live("codes that would complete an enrolment are counted too", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const account = yield* makeAccount(stage, { isOn: false, pendingSecret: newTotpSecret() })
        const { session } = yield* openSession(account.user)
        const twoFactor = yield* TwoFactor
        const user = (yield* (yield* Users).find(account.user.id)) ?? account.user
        for (let sent = 0; sent < most; sent += 1) {
          assert.strictEqual(yield* codeOfFailure(twoFactor.confirm(session, user, "1")), "invalid_mfa_code")
        }
        const { session: other } = yield* openSession(account.user)
        assert.strictEqual(yield* codeOfFailure(twoFactor.confirm(other, user, "1")), "rate_limited")
      }),
    ),
  )

  it.live("a recovery ends every row, and a step-up's wrong password does not count as a wrong code", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const account = yield* makeAccount(stage)
        const { session } = yield* openSession(account.user)
        const asked = { code: codeNow(account.secret), password: "a wrong password" }
        const wrong = (yield* StepUps).confirm(session, asked)
        assert.strictEqual(yield* codeOfFailure(wrong), "invalid_credentials")
        assert.isNull(yield* userField(account, "session_tries"))
        for (const place of ["session", "known", "stranger"] as const) yield* tryMost(account, 1, place)
        const tokens = yield* AccountTokens
        const token = yield* tokens.issue(account.user.email, account.user, "recover_two_factor", 60_000)
        yield* (yield* TwoFactorRecovery).confirm(token)
        for (const place of ["session", "known", "stranger"] as const) {
          assert.isNull(yield* userField(account, `${place}_tries`))
          assert.isNull(yield* userField(account, `${place}_tries_until`))
        }
      }).pipe(Effect.provide(TwoFactorRecoveryLive)),
    ),
  )

  it.live("a reset password ends a seller's rows at sign-in, and an operator's never", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        for (const [role, kind] of [
          ["seller", "begun"],
          ["admin", "wait"],
        ] as const) {
          const account = yield* makeAccount(stage)
          yield* rewrite(account.user.id, { role })
          const { tokenHash } = (yield* openSession(account.user)).session
          yield* call(
            "HSET",
            keys.tokenKey(keys.accountSlotOfUser(account.user.id), tokenHash),
            "user",
            account.user.id,
          )
          for (const place of ["known", "stranger"] as const) yield* tryMost(account, 1, place)
          const { resetPassword: reset } = yield* makeUserStore
          const { passwordHash: oldHash, id: userId } = account.user
          const { kind: done } = yield* reset(userId, tokenHash, oldHash, "new", 2)
          assert.strictEqual(done, "reset")
          for (const place of ["known", "stranger"] as const) {
            assert.strictEqual((yield* tryAt(account, 1, place)).kind, kind)
          }
        }
      }),
    ),
  )

  it.live("the user hears once of ten wrong codes in a row", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const account = yield* makeAccount(stage)
        for (let sent = 0; sent < most + 2; sent += 1) {
          const { token } = yield* openPending(account.user)
          yield* Effect.flip(complete(token, "00000"))
        }
        const told = Effect.map(call("XRANGE", "mail", "-", "+"), (entries) =>
          (entries as ReadonlyArray<readonly [string, ReadonlyArray<string>]>)
            .map(([, fields]) => fields)
            .filter((fields) => fields.includes(account.user.email)),
        )
        // Mails leave in the background.
        for (let reads = 0; reads < 1_000 && (yield* told).length === 0; reads += 1) yield* Effect.yieldNow
        const [first, ...others] = yield* told
        assert.include(first ?? [], "wrong_codes")
        assert.deepStrictEqual(others, [])
      }),
    ),
  )

  it.live("a user that is gone gets no record of tries", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const account = yield* makeAccount(stage)
        const gone = keys.userIdInSlot(account.user.id, 7)
        const begun = (yield* makeTwoFactorStore).beginTry({
          ...{ userId: gone, place: "session", tokenHash: "none", nowMillis: 1 },
        })
        assert.deepStrictEqual(yield* begun, { kind: "begun", count: 0 })
        assert.strictEqual(yield* call("EXISTS", keys.userKey(gone)), 0)
      }),
    ),
  )
})
