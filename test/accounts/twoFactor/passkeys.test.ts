import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import type { AssertionResponse } from "../../../schema/resources/passkey.ts"
import { Sessions } from "../../../src/accounts/sessions/sessions.ts"
import { StepUps } from "../../../src/accounts/sessions/stepUp.ts"
import { Passkeys } from "../../../src/accounts/twoFactor/passkeys.ts"
import { TwoFactor } from "../../../src/accounts/twoFactor/twoFactor.ts"
import { SecondSteps } from "../../../src/accounts/twoFactor/twoFactorSignIn.ts"
import * as keys from "../../../src/store/keys.ts"
import { makePasskeyStore } from "../../../src/store/passkeys.ts"
import { makeTwoFactorStore } from "../../../src/store/twoFactor.ts"
import { makeTestPasskey, type TestPasskey } from "../../support/passkey.ts"
import {
  type Account,
  asProcess,
  call,
  codeOfFailure,
  makeAccount,
  openPending,
  openSession,
  rewrite,
  steppedUp,
  useAccountStage,
} from "./twoFactorFixture.ts"

const stage = useAccountStage(11)
const rpId = "pay.example.com"
const origin = `https://${rpId}`
const party = { id: rpId, origins: [origin, "https://panel.pay.example.com"] }
const at = { origin, rpId }

type OpenSession = Effect.Success<ReturnType<typeof openSession>>

/** Runs an effect with the clock moved. */
const later = <A, E, R>(millis: number, effect: Effect.Effect<A, E, R>) =>
  Effect.updateService(effect, Clock.Clock, (clock) => ({
    ...clock,
    currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + millis),
  }))

/** Adds a passkey in a session that is stepped up. */
const add = Effect.fnUntraced(function* (
  { session }: OpenSession,
  passkey: TestPasskey = makeTestPasskey(),
  counter = 0,
) {
  const passkeys = yield* Passkeys
  const { challenge } = yield* passkeys.beginRegistration(session, party, undefined)
  const response = passkey.register({ ...at, challenge }, counter)
  const stored = yield* passkeys.register(session, party, { response, name: "Notebook" })
  return { ...passkey, stored }
})

/** An account with a passkey, which an earlier session added, and a new session. */
const withPasskey = Effect.fnUntraced(function* (counter = 0) {
  const account = yield* makeAccount(stage)
  const adding = yield* openSession(account.user, steppedUp())
  const passkey = yield* add(adding, makeTestPasskey(), counter)
  return { account, adding, passkey, own: yield* openSession(account.user) }
})

const challengeIn = Effect.fnUntraced(function* ({ session }: OpenSession) {
  const { id: sessionId, userId, tokenHash } = session
  const holder = { place: "session" as const, tokenHash, userId, sessionId }
  return (yield* (yield* Passkeys).beginAuthentication(holder, party)).challenge
})

const stepUp = (account: Account, { session }: OpenSession, assertion: AssertionResponse) =>
  Effect.flatMap(StepUps, (stepUps) => stepUps.verify(session, account.user, { assertion, party }))

/** Uses a passkey in a session with a new challenge. */
const use = Effect.fnUntraced(function* (
  account: Account,
  own: OpenSession,
  passkey: TestPasskey,
  counter = 0,
) {
  const challenge = yield* challengeIn(own)
  return yield* stepUp(account, own, passkey.use({ ...at, challenge }, counter))
})

const refused = "invalid_mfa_code"

describe("a passkey as a step-up", () => {
  it.live("a passkey steps a session up for ten minutes, and gives it a new token", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const { account, own, passkey } = yield* withPasskey()
        const { token, untilMillis } = yield* use(account, own, passkey)
        const found = yield* (yield* Sessions).find(token)
        assert.strictEqual(found?.id, own.session.id)
        assert.strictEqual(found?.mfaVerifiedUntilMillis, untilMillis)
        const [stored] = yield* (yield* Passkeys).list(account.user.id)
        assert.isAtLeast(stored?.lastUsedAtMillis ?? 0, Date.now() - 60_000)
      }),
    ),
  )

  it.live("a signature that was used already is refused, in its session and in another", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const { account, own, passkey } = yield* withPasskey()
        const other = yield* openSession(account.user)
        const challenge = yield* challengeIn(own)
        const assertion = passkey.use({ ...at, challenge })
        yield* challengeIn(other)
        assert.strictEqual(yield* codeOfFailure(stepUp(account, other, assertion)), refused)
        yield* stepUp(account, own, assertion)
        assert.strictEqual(yield* codeOfFailure(stepUp(account, own, assertion)), refused)
      }),
    ),
  )

  it.live("only one of many uses of one signature at once succeeds", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const { account, own, passkey } = yield* withPasskey()
        const assertion = passkey.use({ ...at, challenge: yield* challengeIn(own) })
        const outcomes = yield* Effect.all(
          Array.from({ length: 5 }, () =>
            Effect.match(stepUp(account, own, assertion), { onSuccess: () => 1, onFailure: () => 0 }),
          ),
          { concurrency: "unbounded" },
        )
        assert.strictEqual(
          outcomes.reduce((sum: number, one) => sum + one, 0),
          1,
        )
      }),
    ),
  )

  it.live(
    "another user's passkey, another site's and a forged signature are refused, and count as tries",
    () =>
      asProcess(
        stage,
        Effect.gen(function* () {
          const { account, own, passkey } = yield* withPasskey()
          const { passkey: others } = yield* withPasskey()
          const challenge = yield* challengeIn(own)
          const forged = makeTestPasskey().use({ ...at, challenge })
          const wrong = [
            others.use({ ...at, challenge }),
            passkey.use({ ...at, challenge, origin: "https://pay.example.org" }),
            passkey.use({ ...at, challenge, origin: "http://pay.example.com" }),
            passkey.use({ ...at, challenge, rpId: "example.com" }),
            passkey.use({ ...at, challenge: "b".repeat(43) }),
            { ...forged, id: passkey.credentialId, rawId: passkey.credentialId },
            passkey.register({ ...at, challenge }) as unknown as AssertionResponse,
          ]
          for (const assertion of wrong) {
            assert.strictEqual(yield* codeOfFailure(stepUp(account, own, assertion)), refused)
          }
          const tries = yield* call("HGET", keys.userKey(account.user.id), "session_tries")
          assert.strictEqual(tries, String(wrong.length))
          // The challenge is not used up by what was refused, and a right signature ends the row.
          yield* stepUp(account, own, passkey.use({ ...at, challenge }))
          assert.isNull(yield* call("HGET", keys.userKey(account.user.id), "session_tries"))
        }),
      ),
  )

  it.live("a page of another origin that is ours may ask for a passkey", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const { account, own, passkey } = yield* withPasskey()
        const challenge = yield* challengeIn(own)
        const there = passkey.use({ ...at, challenge, origin: "https://panel.pay.example.com" })
        yield* stepUp(account, own, there)
      }),
    ),
  )

  it.live("a counter must go on, unless the passkey does not count", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const { account, own, passkey } = yield* withPasskey(4)
        for (const counter of [0, 3, 4]) {
          assert.strictEqual(yield* codeOfFailure(use(account, own, passkey, counter)), refused)
        }
        yield* use(account, own, passkey, 5)
        const next = yield* openSession(account.user)
        assert.strictEqual(yield* codeOfFailure(use(account, next, passkey, 5)), refused)
        yield* use(account, next, passkey, 7)
      }),
    ),
  )

  it.live("a challenge can be signed for five minutes, and only the newest", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const { account, own, passkey } = yield* withPasskey()
        const older = yield* challengeIn(own)
        const challenge = yield* challengeIn(own)
        const [stale, fresh] = [passkey.use({ ...at, challenge: older }), passkey.use({ ...at, challenge })]
        assert.strictEqual(yield* codeOfFailure(stepUp(account, own, stale)), refused)
        const late = later(limits.passkeyChallengeMillis, stepUp(account, own, fresh))
        assert.strictEqual(yield* codeOfFailure(late), refused)
        yield* later(limits.passkeyChallengeMillis - 5_000, stepUp(account, own, fresh))
      }),
    ),
  )

  it.live("a passkey does not step up the session that added it, nor is it offered there", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const { account, adding, own, passkey } = yield* withPasskey()
        assert.strictEqual(yield* codeOfFailure(challengeIn(adding)), "invalid_state")
        yield* add(yield* openSession(account.user, steppedUp()))
        const challenge = yield* challengeIn(adding)
        const itself = stepUp(account, adding, passkey.use({ ...at, challenge }))
        assert.strictEqual(yield* codeOfFailure(itself), refused)
        yield* use(account, own, passkey)
      }),
    ),
  )
})

describe("a passkey at sign-in", () => {
  const pendingOf = Effect.fnUntraced(function* (account: Account) {
    const found = yield* (yield* SecondSteps).find((yield* openPending(account.user)).token)
    if (found === undefined) throw new Error("the sign-in is not pending")
    return found
  })

  it.live("a passkey completes a sign-in once, stepped up; a wrong one may be followed by another", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const { account, passkey } = yield* withPasskey()
        const steps = yield* SecondSteps
        const pending = yield* pendingOf(account)
        const { tokenHash } = pending
        const holder = { place: "stranger" as const, tokenHash, userId: account.user.id }
        const { challenge } = yield* (yield* Passkeys).beginAuthentication(holder, party)
        const where = { origin: { ipAddress: "192.0.2.1", userAgent: "test" }, isKnown: false }
        const complete = (assertion: AssertionResponse) =>
          steps.complete(pending, { assertion, party, ...where })
        const elsewhere = passkey.use({ ...at, challenge, origin: "https://evil.example" })
        assert.strictEqual(yield* codeOfFailure(complete(elsewhere)), refused)
        const assertion = passkey.use({ ...at, challenge })
        const { token } = yield* complete(assertion)
        const session = yield* (yield* Sessions).find(token)
        assert.isAbove(session?.mfaVerifiedUntilMillis ?? 0, Date.now())
        assert.strictEqual(yield* codeOfFailure(complete(assertion)), "session_required")
      }),
    ),
  )

  it.live("a pending sign-in ends after five wrong passkeys", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const { account } = yield* withPasskey()
        const steps = yield* SecondSteps
        const pending = yield* pendingOf(account)
        const where = { origin: { ipAddress: undefined, userAgent: undefined }, isKnown: false }
        const assertion = makeTestPasskey().use({ ...at, challenge: "c".repeat(43) })
        const codes: Array<string> = []
        for (let sent = 0; sent <= limits.pendingSignInWrongCodesMax; sent += 1) {
          codes.push(yield* codeOfFailure(steps.complete(pending, { assertion, party, ...where })))
        }
        const wrong = Array.from({ length: limits.pendingSignInWrongCodesMax }, () => refused)
        assert.deepStrictEqual(codes, [...wrong, "session_required"])
      }),
    ),
  )
})

describe("the passkeys of a user", () => {
  it.live("a user has at most twenty passkeys, and none of them twice", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const passkeys = yield* Passkeys
        const account = yield* makeAccount(stage)
        const own = yield* openSession(account.user, steppedUp())
        const [first] = [yield* add(own)]
        assert.strictEqual(yield* codeOfFailure(add(own, first)), "invalid_state")
        for (let count = 2; count < limits.passkeysMax; count += 1) yield* add(own)
        const { challenge } = yield* passkeys.beginRegistration(own.session, party, undefined)
        const spare = makeTestPasskey().register({ ...at, challenge })
        const userId = account.user.id
        // The twentieth comes from another session, after the options for one more were given.
        yield* add(yield* openSession(account.user, steppedUp()))
        assert.strictEqual((yield* passkeys.list(userId)).length, limits.passkeysMax)
        const late = passkeys.register(own.session, party, { response: spare, name: "One more" })
        assert.strictEqual(yield* codeOfFailure(late), "invalid_state")
        assert.strictEqual(yield* codeOfFailure(add(own)), "invalid_state")
        yield* passkeys.remove(own.session, first.stored.id)
        yield* add(own)
      }),
    ),
  )

  it.live("a passkey is added only for the newest options of its session, on a page of ours", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const passkeys = yield* Passkeys
        const account = yield* makeAccount(stage)
        const own = yield* openSession(account.user, steppedUp())
        const other = yield* openSession(account.user, steppedUp())
        const begin = ({ session }: OpenSession) => passkeys.beginRegistration(session, party, undefined)
        const older = (yield* begin(own)).challenge
        const { challenge } = yield* begin(own)
        const foreign = (yield* begin(other)).challenge
        const passkey = makeTestPasskey()
        const register = (asked: Partial<typeof at & { challenge: string }>) =>
          passkeys.register(own.session, party, {
            response: passkey.register({ ...at, challenge, ...asked }),
            name: "x",
          })
        for (const asked of [
          { challenge: older },
          { challenge: foreign },
          { origin: "https://evil.example" },
          { rpId: "example.com" },
        ]) {
          assert.strictEqual(yield* codeOfFailure(register(asked)), "validation_failed")
        }
        const late = later(limits.passkeyChallengeMillis, register({}))
        assert.strictEqual(yield* codeOfFailure(late), "validation_failed")
        yield* register({})
        assert.strictEqual(yield* codeOfFailure(register({})), "validation_failed")
        // What was given to register does not sign, and the other way around.
        yield* begin(other)
        const again = yield* challengeIn(other)
        const crossed = passkeys.register(other.session, party, {
          response: makeTestPasskey().register({ ...at, challenge: again }),
          name: "x",
        })
        assert.strictEqual(yield* codeOfFailure(crossed), "validation_failed")
      }),
    ),
  )

  it.live("a passkey is neither added nor removed without a step-up, nor added while 2FA is off", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const passkeys = yield* Passkeys
        const { account, own, passkey } = yield* withPasskey()
        assert.strictEqual(yield* codeOfFailure(add(own)), "mfa_required")
        const { id } = passkey.stored
        assert.strictEqual(yield* codeOfFailure(passkeys.remove(own.session, id)), "mfa_required")
        const unknown = passkeys.remove(own.session, "5f0c7a52-6f5e-4c11-9a39-9f1c5fd2a1b4")
        assert.strictEqual(yield* codeOfFailure(unknown), "resource_not_found")
        yield* rewrite(account.user.id, { two_factor_enabled: "0" })
        const off = yield* openSession(account.user, steppedUp())
        assert.strictEqual(yield* codeOfFailure(add(off)), "mfa_required")
      }),
    ),
  )

  it.live("a passkey keeps what it is when it is renamed, and is used by its new record", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const passkeys = yield* Passkeys
        const { account, own, passkey } = yield* withPasskey()
        const userId = account.user.id
        const renamed = yield* passkeys.rename(userId, passkey.stored.id, "Celular")
        assert.deepStrictEqual(renamed, { ...passkey.stored, name: "Celular" })
        assert.deepStrictEqual(yield* passkeys.list(userId), [renamed])
        const store = yield* makePasskeyStore
        const stale = store.replace(userId, passkey.stored, { ...passkey.stored, name: "Outro" })
        assert.deepStrictEqual(yield* stale, { kind: "changed" })
        yield* use(account, own, passkey)
      }),
    ),
  )

  it.live("passkeys go with the second factor: turned off, recovered or reset", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const left = (account: Account) => call("EXISTS", keys.passkeysKey(account.user.id))
        const off = yield* withPasskey()
        assert.strictEqual(yield* left(off.account), 1)
        yield* (yield* TwoFactor).disable(off.adding.session, off.account.password)
        assert.strictEqual(yield* left(off.account), 0)
        const store = yield* makeTwoFactorStore
        const reset = yield* withPasskey()
        yield* rewrite(reset.account.user.id, { role: "admin" })
        const { id: userId } = reset.account.user
        yield* store.resetTwoFactor({ userId, sealedSecret: "s", storedCodes: ["a"], nowMillis: 1_000 })
        assert.strictEqual(yield* left(reset.account), 0)
        const recovered = yield* withPasskey()
        const { user } = recovered.account
        yield* call("HSET", keys.tokenKey(keys.accountSlotOfUser(user.id), "t"), "user", user.id)
        const recovery = { userId: user.id, tokenHash: "t", passwordHash: user.passwordHash }
        const asked = { ...recovery, sealedSecret: user.totpSecret, nowMillis: 1_000, operation: "one" }
        assert.deepStrictEqual(yield* store.recover(asked), { kind: "recovered" })
        assert.strictEqual(yield* left(recovered.account), 0)
      }),
    ),
  )
})
