import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import type { FactorKinds } from "../../../src/accounts/twoFactor/secondFactor.ts"
import { newTotpSecret } from "../../../src/accounts/twoFactor/totp.ts"
import { TwoFactor } from "../../../src/accounts/twoFactor/twoFactor.ts"
import { SecondSteps } from "../../../src/accounts/twoFactor/twoFactorSignIn.ts"
import { parseAccountToken } from "../../../src/accounts/users/accountTokenStore.ts"
import { Users } from "../../../src/accounts/users/users.ts"
import * as keys from "../../../src/store/keys.ts"
import { makeTwoFactorStore } from "../../../src/store/twoFactor.ts"
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
  startProcess,
  steppedUp,
  useAccountStage,
} from "./twoFactorFixture.ts"

const stage = useAccountStage(5)
const codesLeft = ({ user }: Account) => call("SCARD", keys.backupCodesKey(user.id))
/** A code from a device that nobody knows. */
const given = (code: string, kinds: FactorKinds) => ({
  ...{ code, kinds, isKnown: false },
  origin: { ipAddress: "192.0.2.1", userAgent: "test" },
})
/** The errors of codes that are wrong by now, or sent too often. */
const refusals = ["invalid_mfa_code", "rate_limited", "session_required"]
const tries = 100

/** The pending sign-in of a token, which must be there. */
const pendingOf = Effect.fnUntraced(function* (token: string) {
  const found = yield* (yield* SecondSteps).find(token)
  if (found === undefined) throw new Error("the sign-in is not pending")
  return found
})

/** Completes a sign-in with either kind of code. */
const complete = Effect.fnUntraced(function* (token: string, code: string) {
  const pending = yield* pendingOf(token)
  return yield* (yield* SecondSteps).complete(pending, given(code, ["totp", "backup"]))
})

/** Makes a hundred attempts at once and counts each outcome. */
const atOnce = Effect.fnUntraced(function* (
  attempt: (index: number) => Effect.Effect<string, unknown, never>,
) {
  const outcomes = yield* Effect.all(
    Array.from({ length: tries }, (_, index) => attempt(index)),
    { concurrency: "unbounded" },
  )
  const counts: Record<string, number> = {}
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
})

describe("the second step of a sign-in", () => {
  for (const kind of ["totp", "backup"] as const) {
    it.live(
      `only one of a hundred sign-ins at once with one ${kind} code, over two processes, is completed`,
      () =>
        asProcess(
          stage,
          Effect.gen(function* () {
            const account = yield* makeAccount(stage)
            const code = kind === "totp" ? codeNow(account.secret) : (account.backupCodes[3] ?? "")
            const processes = [yield* startProcess(stage), yield* startProcess(stage)] as const
            const pending = yield* Effect.forEach(Array.from({ length: tries }), () =>
              openPending(account.user),
            )
            const found = yield* Effect.forEach(pending, ({ token }) => pendingOf(token))

            const outcomes = yield* atOnce((index) => {
              const steps = Context.get(index % 2 === 0 ? processes[0] : processes[1], SecondSteps)
              const one = found[index]
              if (one === undefined) throw new Error("no such sign-in")
              return steps.complete(one, given(code, [kind])).pipe(
                Effect.as("signed in"),
                Effect.catchTag("ApiError", ({ code: why }) => Effect.succeed(why)),
              )
            })

            assert.strictEqual(outcomes["signed in"], 1)
            assert.includeMembers(["signed in", ...refusals], Object.keys(outcomes))
            assert.strictEqual(yield* call("ZCARD", keys.sessionsKey(account.user.id)), 1)
            assert.strictEqual(yield* codesLeft(account), kind === "totp" ? 10 : 9)
          }),
        ),
    )
  }

  it.live("a pending sign-in is completed once, though many good codes are sent with it at once", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const account = yield* makeAccount(stage)
        const pending = yield* pendingOf((yield* openPending(account.user)).token)
        const steps = yield* SecondSteps
        const outcomes = yield* atOnce((index) =>
          steps.complete(pending, given(account.backupCodes[index % 10] ?? "", ["backup"])).pipe(
            Effect.as("signed in"),
            Effect.catchTag("ApiError", ({ code }) => Effect.succeed(code)),
          ),
        )
        assert.strictEqual(outcomes["signed in"], 1)
        assert.includeMembers(["signed in", ...refusals], Object.keys(outcomes))
        // A sign-in that is over uses up no code.
        assert.strictEqual(yield* codesLeft(account), 9)
      }),
    ),
  )

  it.live("a second step begins a session that is stepped up and lasts as the first step asked", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        for (const [rememberMe, lastsMillis] of [
          [false, limits.sessionMillis],
          [true, limits.rememberedSessionMillis],
        ] as const) {
          const account = yield* makeAccount(stage)
          const before = Date.now()
          const done = yield* complete(
            (yield* openPending(account.user, { rememberMe })).token,
            codeNow(account.secret),
          )
          const after = Date.now()
          assert.strictEqual(done.rememberMe, rememberMe)
          const { slot = 0, tokenHash = "" } = parseAccountToken(done.token) ?? {}
          assert.strictEqual(slot, keys.accountSlotOfUser(account.user.id))
          const key = keys.sessionKey(slot, tokenHash)
          const [user, agent, expiresAt, mfaUntil] = (yield* call(
            "HMGET",
            ...[key, "user", "user_agent", "expires_at", "mfa_verified_until"],
          )) as ReadonlyArray<string>
          assert.deepStrictEqual([user, agent], [account.user.id, "test"])
          assert.isTrue(Number(expiresAt) >= before + lastsMillis && Number(expiresAt) <= after + lastsMillis)
          const stepUp = limits.stepUpMillis
          assert.isTrue(Number(mfaUntil) >= before + stepUp && Number(mfaUntil) <= after + stepUp)
          assert.strictEqual(yield* call("PEXPIRETIME", key), Number(expiresAt))
        }
      }),
    ),
  )

  it.live("a pending sign-in stays usable after wrong codes, and is used up by a right one", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const account = yield* makeAccount(stage)
        const { token } = yield* openPending(account.user)
        for (const wrong of ["000", "abcde-fghjk", "", account.secret]) {
          assert.strictEqual(yield* codeOfFailure(complete(token, wrong)), "invalid_mfa_code")
        }
        yield* complete(token, codeNow(account.secret))
        assert.isUndefined(yield* (yield* SecondSteps).find(token))
      }),
    ),
  )

  it.live("a code of an older TOTP step than one that was used is refused", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const account = yield* makeAccount(stage)
        yield* complete((yield* openPending(account.user)).token, codeNow(account.secret, 1))
        const older = complete((yield* openPending(account.user)).token, codeNow(account.secret))
        assert.strictEqual(yield* codeOfFailure(older), "invalid_mfa_code")
      }),
    ),
  )

  it.live("an expired token, one of another kind or password, or without 2FA is no pending sign-in", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const steps = yield* SecondSteps
        const { user } = yield* makeAccount(stage)
        const off = yield* makeAccount(stage, { isOn: false })
        const tokens = [
          (yield* openPending(user, { expiresAtMillis: Date.now() - 1 })).token,
          (yield* openPending(user, { kind: "reset_password" })).token,
          (yield* openPending({ ...user, passwordHash: "another" })).token,
          (yield* openPending(off.user)).token,
          ...["", "no token", undefined, (yield* openSession(user)).token],
        ]
        for (const token of tokens) assert.isUndefined(yield* steps.find(token), token)
        assert.isDefined(yield* steps.find((yield* openPending(user)).token))
      }),
    ),
  )

  it.live("a second step is refused where the password, 2FA or its secret changed meanwhile", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        for (const [changed, code] of [
          [{ password_hash: "another" }, "session_required"],
          [{ two_factor_enabled: "0" }, "session_required"],
          [{ totp_secret: "another" }, "invalid_mfa_code"],
        ] as const) {
          const account = yield* makeAccount(stage)
          const pending = yield* pendingOf((yield* openPending(account.user)).token)
          yield* rewrite(account.user.id, changed)
          const late = (yield* SecondSteps).complete(pending, given(codeNow(account.secret), ["totp"]))
          assert.strictEqual(yield* codeOfFailure(late), code)
          assert.strictEqual(yield* call("EXISTS", keys.sessionsKey(account.user.id)), 0)
        }
      }),
    ),
  )
})

describe("a second step whose reply was lost", () => {
  it.live("a second step repeated after a lost reply answers the same, and writes one session", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const store = yield* makeTwoFactorStore
        const account = yield* makeAccount(stage)
        const { id: userId, passwordHash, totpSecret: sealedSecret } = account.user
        const [first, second] = [yield* openPending(account.user), yield* openPending(account.user)]
        const hashOf = (token: string) => parseAccountToken(token)?.tokenHash ?? ""
        const session = { tokenHash: "new", expiresAtMillis: Date.now() + 60_000, fields: { user: userId } }
        const factor = { kind: "totp", value: "1000" } as const
        const once = { userId, passwordHash, sealedSecret, factor, pendingHash: hashOf(first.token), session }
        const verify = store.verifySecondStep
        assert.deepStrictEqual(yield* verify(once), { kind: "verified" })
        assert.deepStrictEqual(yield* verify(once), { kind: "verified" })
        assert.strictEqual(yield* call("ZCARD", keys.sessionsKey(userId)), 1)
        const another = { ...once, session: { ...session, tokenHash: "another" } }
        assert.deepStrictEqual(yield* verify(another), { kind: "pendingGone" })
        const spent = { ...another, pendingHash: hashOf(second.token) }
        assert.deepStrictEqual(yield* verify(spent), { kind: "factorRefused" })
      }),
    ),
  )
})

describe("turning 2FA on", () => {
  const secretIn = (uri: string) => new URL(uri).searchParams.get("secret") ?? ""

  it.live("enabling 2FA stores its secret as ciphertext; enabling it again replaces secret and codes", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const twoFactor = yield* TwoFactor
        const account = yield* makeAccount(stage, { isOn: false })
        const { session } = yield* openSession(account.user)
        const first = yield* twoFactor.enable(session, account.password)
        const second = yield* twoFactor.enable(session, account.password)
        const pending = yield* call("HGET", keys.userKey(account.user.id), "totp_secret_pending")
        assert.match(String(pending), /^enc:v2:0:/)
        const stored = (yield* call(
          "SMEMBERS",
          keys.backupCodesKey(account.user.id),
        )) as ReadonlyArray<string>
        assert.strictEqual(stored.length, limits.backupCodesCount)

        const confirm = (code: string) =>
          Effect.gen(function* () {
            const user = yield* (yield* Users).find(account.user.id)
            return yield* twoFactor.confirm(session, user ?? account.user, code)
          })
        const old = confirm(codeNow(secretIn(first.totpUri)))
        assert.strictEqual(yield* codeOfFailure(old), "invalid_mfa_code")
        const { user: on } = yield* confirm(codeNow(secretIn(second.totpUri)))
        assert.isTrue(on.twoFactorEnabled)
        assert.strictEqual(on.totpSecret, pending)
        const again = twoFactor.enable(session, account.password)
        assert.strictEqual(yield* codeOfFailure(again), "invalid_state")

        // The second set of backup codes counts, and the first does not.
        const oldCode = complete((yield* openPending(account.user)).token, first.backupCodes[0] ?? "")
        assert.strictEqual(yield* codeOfFailure(oldCode), "invalid_mfa_code")
        yield* complete((yield* openPending(account.user)).token, second.backupCodes[0] ?? "")
      }),
    ),
  )

  it.live(
    "only one of a hundred confirmations of 2FA at once with one code, over two processes, succeeds",
    () =>
      asProcess(
        stage,
        Effect.gen(function* () {
          const pendingSecret = newTotpSecret()
          const account = yield* makeAccount(stage, { isOn: false, pendingSecret })
          const user = (yield* (yield* Users).find(account.user.id)) ?? account.user
          const { session } = yield* openSession(user)
          const code = codeNow(pendingSecret)
          const processes = [yield* startProcess(stage), yield* startProcess(stage)] as const
          const outcomes = yield* atOnce((index) =>
            Context.get(index % 2 === 0 ? processes[0] : processes[1], TwoFactor)
              .confirm(session, user, code)
              .pipe(
                Effect.as("on"),
                Effect.catchTag("ApiError", ({ code: why }) => Effect.succeed(why)),
              ),
          )
          assert.strictEqual(outcomes.on, 1)
          assert.includeMembers(["on", ...refusals], Object.keys(outcomes))
          const spent = complete((yield* openPending(user)).token, code)
          assert.strictEqual(yield* codeOfFailure(spent), "invalid_mfa_code")
        }),
      ),
  )

  it.live("a repeated confirmation of 2FA answers the same; steps of an earlier secret do not count", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const store = yield* makeTwoFactorStore
        const account = yield* makeAccount(stage, { isOn: false, pendingSecret: newTotpSecret() })
        const { session } = yield* openSession(account.user)
        yield* rewrite(account.user.id, { totp_last_step: "99999999999" })
        const sealed = yield* call("HGET", keys.userKey(account.user.id), "totp_secret_pending")
        const once = {
          userId: account.user.id,
          tokenHash: session.tokenHash,
          sealedSecret: String(sealed),
          step: 1_000,
          verifiedUntilMillis: 2_000,
          operation: "once",
          nowMillis: 3_000,
          newTokenHash: undefined,
        }
        assert.deepStrictEqual(yield* store.confirm(once), { kind: "on" })
        assert.deepStrictEqual(yield* store.confirm(once), { kind: "on" })
        const another = { ...once, operation: "another" }
        assert.deepStrictEqual(yield* store.confirm(another), { kind: "refused" })
        assert.strictEqual(yield* call("HGET", keys.userKey(account.user.id), "totp_last_step"), "1000")
      }),
    ),
  )

  it.live("a confirmation of 2FA changes nothing for a session that has ended", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const pendingSecret = newTotpSecret()
        const account = yield* makeAccount(stage, { isOn: false, pendingSecret })
        const user = (yield* (yield* Users).find(account.user.id)) ?? account.user
        const { session, key } = yield* openSession(user)
        yield* call("DEL", key)
        const late = (yield* TwoFactor).confirm(session, user, codeNow(pendingSecret))
        assert.strictEqual(yield* codeOfFailure(late), "session_required")
        assert.strictEqual(yield* call("EXISTS", key), 0)
        assert.strictEqual(yield* call("HGET", keys.userKey(user.id), "two_factor_enabled"), "0")
      }),
    ),
  )
})

describe("turning 2FA off", () => {
  it.live("turning 2FA off, once or repeated, removes its secrets and codes and ends all sessions", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const store = yield* makeTwoFactorStore
        const account = yield* makeAccount(stage, { pendingSecret: newTotpSecret() })
        const userId = account.user.id
        const first = yield* openSession(account.user, steppedUp())
        const second = yield* openSession(account.user)
        yield* complete((yield* openPending(account.user)).token, codeNow(account.secret))
        const { tokenHash } = first.session
        const { passwordHash } = account.user
        const off = { userId, tokenHash, passwordHash, nowMillis: Date.now() }
        for (let asked = 0; asked < 2; asked += 1) {
          assert.deepStrictEqual(yield* store.disable(off), { kind: "off" })
        }
        const fields = (yield* call("HKEYS", keys.userKey(userId))) as ReadonlyArray<string>
        assert.deepStrictEqual(
          fields.filter((name) => name.startsWith("totp")),
          [],
        )
        const gone = [first.key, second.key, keys.sessionsKey(userId), keys.backupCodesKey(userId)]
        assert.strictEqual(yield* call("EXISTS", ...gone), 0)
        const alive = yield* openSession(account.user)
        const again = { ...off, tokenHash: alive.session.tokenHash }
        assert.deepStrictEqual(yield* store.disable(again), { kind: "wasOff" })
        assert.strictEqual(yield* call("EXISTS", alive.key), 1)
      }),
    ),
  )

  it.live("every change of 2FA needs the right password, and turning it off the current one", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const twoFactor = yield* TwoFactor
        const store = yield* makeTwoFactorStore
        const account = yield* makeAccount(stage)
        const { session } = yield* openSession(account.user, steppedUp())
        for (const ask of [twoFactor.enable, twoFactor.disable, twoFactor.replaceBackupCodes]) {
          assert.strictEqual(
            yield* codeOfFailure<unknown, never>(ask(session, "wrong")),
            "invalid_credentials",
          )
        }
        const { tokenHash } = session
        const late = { userId: account.user.id, tokenHash, passwordHash: "old", nowMillis: 1 }
        assert.deepStrictEqual(yield* store.disable(late), { kind: "passwordChanged" })
        assert.strictEqual(yield* codesLeft(account), 10)
      }),
    ),
  )
})

describe("new backup codes", () => {
  it.live("new backup codes end the old ones, and need 2FA", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const twoFactor = yield* TwoFactor
        const account = yield* makeAccount(stage)
        const { session } = yield* openSession(account.user, steppedUp())
        const fresh = yield* twoFactor.replaceBackupCodes(session, account.password)
        assert.strictEqual(yield* codesLeft(account), 10)
        const old = complete((yield* openPending(account.user)).token, account.backupCodes[0] ?? "")
        assert.strictEqual(yield* codeOfFailure(old), "invalid_mfa_code")
        yield* complete((yield* openPending(account.user)).token, (fresh[0] ?? "").toUpperCase())

        const off = yield* makeAccount(stage, { isOn: false })
        const refused = twoFactor.replaceBackupCodes((yield* openSession(off.user)).session, off.password)
        assert.strictEqual(yield* codeOfFailure(refused), "invalid_state")
        assert.strictEqual(yield* codesLeft(off), 0)
      }),
    ),
  )
})
