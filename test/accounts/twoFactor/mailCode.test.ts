import { randomBytes } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, type Scope } from "effect"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import { newStoredSeller } from "../../../actors/seller/decisions/newSeller.ts"
import { ApiError } from "../../../schema/errors.ts"
import { makeId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { totpCodeOf, totpStepAt } from "../../../src/accounts/twoFactor/totp.ts"
import { TwoFactor } from "../../../src/accounts/twoFactor/twoFactor.ts"
import { Users } from "../../../src/accounts/users/users.ts"
import * as keys from "../../../src/store/keys.ts"
import { makeMailCodeStore } from "../../../src/store/mailCodes.ts"
import {
  type Account,
  asProcess,
  call,
  codeOfFailure,
  makeAccount,
  openSession,
  type Process,
  rewrite,
  useAccountStage,
} from "./twoFactorFixture.ts"

const stage = useAccountStage(9)

/** A clock that stands still until it is set; what sleeps, sleeps by the machine's. */
const makeClock = Effect.map(Clock.Clock, (machine) => {
  let millis = Date.now()
  const nanos = () => BigInt(millis) * 1_000_000n
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => millis,
    currentTimeMillis: Effect.sync(() => millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => machine.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: machine.monotonicTimeNanos,
    sleep: (duration) => machine.sleep(duration),
  }
  return {
    clock,
    set: (to: number) => {
      millis = to
    },
  }
})

type Standing = Effect.Success<typeof makeClock>

/** Runs a program as one process whose clock stands still. */
const atRest = <A, E>(
  program: (time: Standing) => Effect.Effect<A, E, Process | Scope.Scope>,
): Effect.Effect<A, unknown> =>
  Effect.flatMap(makeClock, (time) =>
    Effect.provideService(asProcess(stage, program(time)), Clock.Clock, time.clock),
  )

/** The texts of the codes that were mailed to a user, newest first. */
const mailsTo = (email: string) =>
  Effect.map(call("XREVRANGE", "mail", "+", "-"), (entries) =>
    (entries as ReadonlyArray<readonly [string, ReadonlyArray<string>]>)
      .map(([, fields]) => fields)
      .filter((fields) => fields.includes(email) && fields.includes("two_factor_code"))
      .map((fields) => fields[fields.indexOf("text") + 1] ?? ""),
  )

/** The newest mailed code, once so many were mailed: mails leave in the background. */
const codeOfMail = Effect.fnUntraced(function* (email: string, count = 1) {
  for (let tries = 0; tries < 1_000; tries += 1) {
    const texts = yield* mailsTo(email)
    if (texts.length >= count) return /^\d{4} \d{4}$/m.exec(texts[0] ?? "")?.[0] ?? "no code"
  }
  return yield* Effect.die(`no mail ${count} to ${email}`)
})

/** Another code than the one that was mailed. */
const otherThan = (code: string): string => code.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10))

/** A user without 2FA, whose sign-up is so long ago. */
const someone = Effect.fnUntraced(function* (
  time: Standing,
  agoMillis: number,
  options: { readonly sellerId?: string; readonly role?: "admin" } = {},
) {
  const { role, ...rest } = options
  const account = yield* makeAccount(stage, { isOn: false, ...rest })
  if (role !== undefined) yield* rewrite(account.user.id, { role })
  time.set(account.user.createdAtMillis + agoMillis)
  const user = { ...account.user, ...(role === undefined ? {} : { role }) }
  const { session } = yield* openSession(user)
  return { account: { ...account, user }, session }
})

const userNow = ({ user }: Account) =>
  Effect.map(
    Effect.flatMap(Users, (users) => users.find(user.id)),
    (found) => found ?? user,
  )

const refusalOf = <A, R>(effect: Effect.Effect<A, unknown, R>) =>
  Effect.map(Effect.flip(effect), (error) =>
    error instanceof ApiError ? [error.code, error.param] : ["another error", String(error)],
  )

const openSeller = Effect.gen(function* () {
  const id = makeId("sel_", Date.now(), 3, randomBytes(14))
  const createdAt = new Date().toISOString()
  const seller = newStoredSeller({ id, name: "Loja", userId: "u", kycStatus: "approved", createdAt })
  yield* (yield* SellerStore).create(seller, [], undefined)
  return id
})
const lockOf = (sellerId: string) =>
  Effect.flatMap(SellerStore, (sellers) =>
    Effect.map(sellers.get(sellerId), (seller) => seller?.recoveryLockedUntilMillis),
  )

const quarter = limits.enrolmentWithoutMailMillis

describe("turning 2FA on with the password alone", () => {
  it.live("within 15 minutes after sign-up, 2FA is turned on without a mailed code, and locks nothing", () =>
    atRest((time) =>
      Effect.gen(function* () {
        const twoFactor = yield* TwoFactor
        const sellerId = yield* openSeller
        const { account, session } = yield* someone(time, quarter, { sellerId })
        const { totpUri } = yield* twoFactor.enable(session, account.password)
        const code = totpCodeOf(
          new URL(totpUri).searchParams.get("secret") ?? "",
          totpStepAt(account.user.createdAtMillis + quarter),
        )
        yield* twoFactor.confirm(session, yield* userNow(account), code)
        assert.isUndefined(yield* lockOf(sellerId))
        assert.deepStrictEqual(yield* mailsTo(account.user.email), [])
      }),
    ),
  )

  it.live("later, turning 2FA on needs a mailed code, and locks withdrawals for 24 h", () =>
    atRest((time) =>
      Effect.gen(function* () {
        const twoFactor = yield* TwoFactor
        const sellerId = yield* openSeller
        const { account, session } = yield* someone(time, quarter + 1, { sellerId })
        const nowMillis = account.user.createdAtMillis + quarter + 1
        const { password, user } = account
        const asked = twoFactor.enable(session, password)
        assert.deepStrictEqual(yield* refusalOf(asked), ["mail_code_required", "mail_code"])
        assert.isUndefined((yield* userNow(account)).totpSecretPending)
        const code = yield* codeOfMail(user.email)
        const [text = ""] = yield* mailsTo(user.email)
        assert.include(text, "os saques ficam bloqueados por 24 horas")
        assert.include(text, "withdrawals are locked for 24 hours")
        const wrong = twoFactor.enable(session, password, otherThan(code))
        assert.deepStrictEqual(yield* refusalOf(wrong), ["invalid_mfa_code", "mail_code"])
        assert.isUndefined((yield* userNow(account)).totpSecretPending)

        const { totpUri } = yield* twoFactor.enable(session, password, code)
        const secret = new URL(totpUri).searchParams.get("secret") ?? ""
        const used = twoFactor.enable(session, password, code)
        assert.deepStrictEqual(yield* refusalOf(used), ["invalid_mfa_code", "mail_code"])
        const right = totpCodeOf(secret, totpStepAt(nowMillis))
        const bad = twoFactor.confirm(session, yield* userNow(account), otherThan(right))
        assert.strictEqual(yield* codeOfFailure(bad), "invalid_mfa_code")
        assert.isUndefined(yield* lockOf(sellerId))
        const on = yield* twoFactor.confirm(session, yield* userNow(account), right)
        assert.isTrue(on.user.twoFactorEnabled)
        assert.strictEqual(yield* lockOf(sellerId), nowMillis + limits.recoveryLockMillis)
      }),
    ),
  )

  it.live("a wrong password mails no code, and uses up none", () =>
    atRest((time) =>
      Effect.gen(function* () {
        const twoFactor = yield* TwoFactor
        const { account, session } = yield* someone(time, quarter + 1)
        const wrong = twoFactor.enable(session, "a wrong password")
        assert.strictEqual(yield* codeOfFailure(wrong), "invalid_credentials")
        assert.strictEqual(yield* call("EXISTS", keys.mailCodeKey(account.user.id)), 0)
        yield* Effect.flip(twoFactor.enable(session, account.password))
        const code = yield* codeOfMail(account.user.email)
        const unused = twoFactor.enable(session, "a wrong password", code)
        assert.strictEqual(yield* codeOfFailure(unused), "invalid_credentials")
        yield* twoFactor.enable(session, account.password, code.replace(" ", ""))
      }),
    ),
  )

  it.live("a code that was asked for again within a minute is not mailed again, and one later ends it", () =>
    atRest((time) =>
      Effect.gen(function* () {
        const twoFactor = yield* TwoFactor
        const { account, session } = yield* someone(time, quarter + 1)
        const ask = codeOfFailure(twoFactor.enable(session, account.password))
        yield* ask
        const first = yield* codeOfMail(account.user.email)
        time.set(time.clock.currentTimeMillisUnsafe() + limits.mailCodePauseMillis - 1)
        assert.strictEqual(yield* ask, "mail_code_required")
        time.set(time.clock.currentTimeMillisUnsafe() + 1)
        assert.strictEqual(yield* ask, "mail_code_required")
        const second = yield* codeOfMail(account.user.email, 2)
        assert.strictEqual((yield* mailsTo(account.user.email)).length, 2)
        const old = twoFactor.enable(session, account.password, first)
        assert.strictEqual(yield* codeOfFailure(old), "invalid_mfa_code")
        yield* twoFactor.enable(session, account.password, second)
      }),
    ),
  )

  it.live("an operator turns 2FA neither on nor off over HTTP, with any password or code", () =>
    atRest((time) =>
      Effect.gen(function* () {
        const twoFactor = yield* TwoFactor
        const { account, session } = yield* someone(time, 0, { role: "admin" })
        yield* rewrite(account.user.id, { totp_secret_pending: "of a build before" })
        const user = yield* userNow(account)
        for (const refused of [
          twoFactor.enable(session, account.password),
          twoFactor.enable(session, "a wrong password", "12345678"),
          twoFactor.confirm(session, user, "123456"),
          twoFactor.disable(session, account.password),
        ] as ReadonlyArray<Effect.Effect<unknown, unknown>>) {
          assert.deepStrictEqual(yield* refusalOf(refused), ["permission_denied", undefined])
        }
        assert.strictEqual(yield* call("EXISTS", keys.mailCodeKey(user.id)), 0)
      }),
    ),
  )
})

describe("a mailed code", () => {
  const about = (account: Account, code: string, nowMillis: number) => ({
    ...{ userId: account.user.id, storedCode: code, binding: "of the password", nowMillis },
  })
  const life = limits.mailCodeMillis

  it.live("a mailed code counts for ten minutes, and after four wrong ones, but not after five", () =>
    atRest(() =>
      Effect.gen(function* () {
        const { issue, use } = yield* makeMailCodeStore
        const account = yield* makeAccount(stage, { isOn: false })
        const from = Date.now()
        const at = (code: string, later: number) => about(account, code, from + later)
        const kindOf = (code: string, later: number, operation = `${code} ${later}`) =>
          Effect.map(use({ ...at(code, later), operation }), ({ kind }) => kind)
        const day = limits.mailCodesWindowMillis
        assert.strictEqual(yield* kindOf("a", 0), "wrong")
        assert.deepStrictEqual(yield* issue(at("a", 0)), { kind: "issued" })
        assert.strictEqual(yield* kindOf("a", life), "wrong")
        assert.strictEqual(yield* kindOf("a", life - 1), "used")
        assert.strictEqual(yield* kindOf("a", life - 1, "another request"), "wrong")
        for (const [begins, wrong, last] of [
          [day, limits.mailCodeTriesMax - 1, "used"],
          [2 * day, limits.mailCodeTriesMax, "wrong"],
        ] as const) {
          assert.deepStrictEqual(yield* issue(at("b", begins)), { kind: "issued" })
          for (let sent = 0; sent < wrong; sent += 1) {
            assert.strictEqual(yield* kindOf("x", begins + sent), "wrong")
          }
          assert.strictEqual(yield* kindOf("b", begins + 100), last)
        }
      }),
    ),
  )

  it.live(
    "a user is mailed ten codes a day, more with a new password, and a retry gets the same answer",
    () =>
      atRest(() =>
        Effect.gen(function* () {
          const { issue, use } = yield* makeMailCodeStore
          const account = yield* makeAccount(stage, { isOn: false })
          const from = Date.now()
          for (let sent = 0; sent < limits.mailCodesMax; sent += 1) {
            const asked = about(account, `code ${sent}`, from + sent * limits.mailCodePauseMillis)
            assert.deepStrictEqual(yield* issue(asked), { kind: "issued" })
            assert.deepStrictEqual(yield* issue(asked), { kind: "issued" })
          }
          const later = from + limits.mailCodesMax * limits.mailCodePauseMillis
          const tooMany = yield* issue(about(account, "one more", later))
          const waitMillis = from + limits.mailCodesWindowMillis - later
          assert.deepStrictEqual(tooMany, { kind: "tooMany", waitMillis })
          const changed = { ...about(account, "with a new password", later), binding: "of another" }
          assert.deepStrictEqual(yield* issue(changed), { kind: "issued" })
          const old = { ...changed, binding: "of the password", operation: "a" }
          assert.deepStrictEqual(yield* use(old), { kind: "wrong" })
          const once = { ...changed, operation: "b" }
          assert.deepStrictEqual(yield* use(once), { kind: "used" })
          assert.deepStrictEqual(yield* use(once), { kind: "used" })
          const stored = (yield* call("HGETALL", keys.mailCodeKey(account.user.id))) as ReadonlyArray<string>
          assert.notInclude(stored, "with a new password")
          assert.isAbove(Number(yield* call("PTTL", keys.mailCodeKey(account.user.id))), 0)
        }),
      ),
  )
})
