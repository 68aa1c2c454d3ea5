import { hash, randomBytes, randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { compareSync, hashSync } from "bcryptjs"
import { Clock, Context, Effect, Layer, Result } from "effect"
import { SellerStore } from "../../actors/ports/sellerStore.ts"
import { newStoredSeller } from "../../actors/seller/decisions/newSeller.ts"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { ApiError } from "../../schema/errors.ts"
import { makeId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { SellerChanges } from "../../src/accounts/sellers/sellerChanges.ts"
import { Sessions } from "../../src/accounts/sessions/sessions.ts"
import { TwoFactorRecovery, TwoFactorRecoveryLive } from "../../src/accounts/twoFactor/twoFactorRecovery.ts"
import { AccountTokens, hashToken } from "../../src/accounts/users/accountTokenStore.ts"
import { EmailVerification, EmailVerificationLive } from "../../src/accounts/users/emailVerification.ts"
import { PasswordReset, PasswordResetLive } from "../../src/accounts/users/passwordReset.ts"
import { Passwords } from "../../src/accounts/users/passwords.ts"
import { Users } from "../../src/accounts/users/users.ts"
import { LinksLive } from "../../src/mail/links.ts"
import { accountSlotOfUser, tokenKey, userIdInSlot, userKey } from "../../src/store/keys.ts"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import { makeTwoFactorStore } from "../../src/store/twoFactor.ts"
import { makeUserStore, type UserEntity } from "../../src/store/users.ts"
import type { TokenKind } from "../../src/store/userTokens.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"
import { makeAccount, openSession, rewrite, startProcess } from "./twoFactor/twoFactorFixture.ts"

let redis: TestRedis
beforeAll(async () => {
  redis = await startTestRedis({ appendfsync: "no" })
})
afterAll(() => redis?.stop())

const digestOf = (password: string) => hash("sha256", password, "base64")
/** Low cost: how long hashing takes is not tested here. */
const hashOf = (password: string) => hashSync(digestOf(password), 4)
const QuickPasswords = Layer.succeed(Passwords, {
  hash: (password) => Effect.sync(() => hashOf(password)),
  verify: () => Effect.die("nobody signs in here"),
})

const makeServices = Layer.mergeAll(PasswordResetLive, EmailVerificationLive, TwoFactorRecoveryLive).pipe(
  Layer.provide(Layer.mergeAll(QuickPasswords, LinksLive("https://pay.example.com", []))),
)

const stage = () => ({ redisUrl: redis.url, encryptionKey: new Uint8Array(32).fill(7) })

/** The services that use tokens, on a Redis client of their own. */
const startPlane = Effect.gen(function* () {
  const process = yield* startProcess(stage())
  const services = yield* Layer.build(
    Layer.fresh(makeServices).pipe(Layer.provide(Layer.succeedContext(process))),
  )
  return Context.merge(process, services)
})
const twoPlanes = Effect.all([startPlane, startPlane])
type Plane = Effect.Success<typeof startPlane>
type Services = Plane extends Context.Context<infer S> ? S : never

const issue = (user: UserEntity, kind: TokenKind, lifeMillis: number = limits.resetTokenMillis) =>
  Effect.flatMap(AccountTokens, (tokens) => tokens.issue(user.email, user, kind, lifeMillis))
const userNow = (user: UserEntity) => Effect.flatMap(Users, (users) => users.find(user.id))
const isAlive = (token: string) =>
  Effect.map(
    Effect.flatMap(Sessions, (sessions) => sessions.find(token)),
    (session) => session !== undefined,
  )

const uses = 50

/** Runs `act` 50 times at once, over the clients in turn. Returns which runs succeeded, and the distinct refusals. */
const manyAtOnce = Effect.fnUntraced(function* <A>(
  planes: ReadonlyArray<Plane>,
  act: (index: number) => Effect.Effect<A, ApiError | StoreUnavailable, Services>,
) {
  const results = yield* Effect.forEach(
    Array.from({ length: uses }, (_, index) => index),
    (index) => {
      const plane = planes[index % planes.length]
      if (plane === undefined) throw new Error("there is no client")
      return Effect.result(Effect.provideContext(act(index), plane))
    },
    { concurrency: "unbounded" },
  )
  const won = results.flatMap((result, index) => (Result.isSuccess(result) ? [index] : []))
  const refusals = results.flatMap((result) => {
    if (Result.isSuccess(result)) return []
    const { failure } = result
    return [failure instanceof ApiError ? `${failure.code} at ${failure.param}` : failure._tag]
  })
  return { won, refusals: [...new Set(refusals)] }
})

const reset = (token: string, password: string) =>
  Effect.flatMap(PasswordReset, (resets) => resets.reset(token, password))
const recover = (token: string) => Effect.flatMap(TwoFactorRecovery, ({ confirm }) => confirm(token))
const verify = (token: string) => Effect.flatMap(EmailVerification, (emails) => emails.verify(token))

/** The use of a recovery token that was found valid for the user. */
const recovering = (
  { id, passwordHash, totpSecret = "" }: UserEntity,
  tokenHash: string,
  operation = "one",
) => ({
  ...{ userId: id, tokenHash, passwordHash, sealedSecret: totpSecret },
  ...{ nowMillis: 1_000, operation },
})

/** Runs an effect with the clock at that time. */
const at = <A, E, R>(millis: number, effect: Effect.Effect<A, E, R>) =>
  Effect.updateService(effect, Clock.Clock, (clock) => ({
    ...clock,
    currentTimeMillis: Effect.succeed(millis),
  }))

/** Runs a test with two clients; whatever names no client uses the first. */
const withPlanes = (
  test: (planes: ReadonlyArray<Plane>) => Effect.Effect<void, ApiError | StoreUnavailable, Services>,
) =>
  Effect.scoped(Effect.flatMap(twoPlanes, ([one, other]) => Effect.provideContext(test([one, other]), one)))

describe("an account token used many times at once", () => {
  it.live("one reset token used 50 times at once resets the password once, to that of the one success", () =>
    withPlanes(
      Effect.fnUntraced(function* (planes) {
        const { user } = yield* makeAccount(stage())
        const session = yield* openSession(user)
        const token = yield* issue(user, "reset_password")
        const { won, refusals } = yield* manyAtOnce(planes, (i) => reset(token, `a new password ${i}`))
        expect([won.length, refusals]).toEqual([1, ["validation_failed at token"]])
        const after = yield* userNow(user)
        expect(compareSync(digestOf(`a new password ${won[0]}`), after?.passwordHash ?? "")).toBe(true)
        expect(yield* isAlive(session.token)).toBe(false)
      }),
    ),
  )

  it.live("50 outstanding reset tokens used at once reset the password once", () =>
    withPlanes(
      Effect.fnUntraced(function* (planes) {
        const { user } = yield* makeAccount(stage())
        const tokens = yield* Effect.all(Array.from({ length: uses }, () => issue(user, "reset_password")))
        const { won, refusals } = yield* manyAtOnce(planes, (i) => reset(tokens[i] ?? "", `password ${i}`))
        expect([won.length, refusals]).toEqual([1, ["validation_failed at token"]])
        const after = yield* userNow(user)
        expect(compareSync(digestOf(`password ${won[0]}`), after?.passwordHash ?? "")).toBe(true)
      }),
    ),
  )

  it.live("one verification token used 50 times at once verifies the e-mail address once", () =>
    withPlanes(
      Effect.fnUntraced(function* (planes) {
        const { user } = yield* makeAccount(stage())
        yield* rewrite(user.id, { email_verified: "0" })
        const token = yield* issue(user, "verify_email")
        const { won, refusals } = yield* manyAtOnce(planes, () => verify(token))
        expect([won.length, refusals]).toEqual([1, ["validation_failed at token"]])
        expect((yield* userNow(user))?.emailVerified).toBe(true)
      }),
    ),
  )

  it.live("one recovery token used 50 times at once turns the second factor off once", () =>
    withPlanes(
      Effect.fnUntraced(function* (planes) {
        const { user } = yield* makeAccount(stage())
        const session = yield* openSession(user)
        const token = yield* issue(user, "recover_two_factor")
        const { won, refusals } = yield* manyAtOnce(planes, () => recover(token))
        expect([won.length, refusals]).toEqual([1, ["invalid_mfa_code at token"]])
        const after = yield* userNow(user)
        expect(after?.twoFactorEnabled).toBe(false)
        expect(after?.totpSecret).toBeUndefined()
        expect(yield* isAlive(session.token)).toBe(false)
      }),
    ),
  )
})

describe("an account token", () => {
  const found = (token: string, kind: TokenKind) =>
    Effect.map(
      Effect.flatMap(AccountTokens, (tokens) => tokens.find(token, kind)),
      (it) => it?.user.id,
    )

  it.live("an account token is valid to the last millisecond of its life, and not after it", () =>
    withPlanes(
      Effect.fnUntraced(function* () {
        const client = yield* RedisClient
        const { user } = yield* makeAccount(stage())
        for (const kind of ["verify_email", "reset_password", "recover_two_factor"] as const) {
          const token = yield* issue(user, kind)
          const key = tokenKey(accountSlotOfUser(user.id), hashToken(token))
          const endMillis = Number(yield* client.call("HGET", [key, "expires_at"]))
          expect(yield* at(endMillis - 1, found(token, kind))).toBe(user.id)
          expect(yield* at(endMillis, found(token, kind))).toBeUndefined()
        }
      }),
    ),
  )

  it.live("an account token is stored in Redis only as its hash, and expires there by itself", () =>
    withPlanes(
      Effect.fnUntraced(function* () {
        const client = yield* RedisClient
        const { user } = yield* makeAccount(stage())
        const token = yield* issue(user, "reset_password")
        const key = tokenKey(accountSlotOfUser(user.id), hashToken(token))
        const left = Number(yield* client.call("PTTL", [key]))
        expect(left).toBeGreaterThan(0)
        expect(left).toBeLessThanOrEqual(limits.resetTokenMillis)
        expect(key + JSON.stringify(yield* client.call("HGETALL", [key]))).not.toContain(token.slice(2))
      }),
    ),
  )

  it.live("a recovery token is void once the user has another TOTP secret", () =>
    withPlanes(
      Effect.fnUntraced(function* () {
        const { user } = yield* makeAccount(stage())
        const token = yield* issue(user, "recover_two_factor")
        expect(yield* found(token, "recover_two_factor")).toBe(user.id)
        yield* rewrite(user.id, { totp_secret: "another" })
        expect(yield* found(token, "recover_two_factor")).toBeUndefined()
      }),
    ),
  )

  it.live("a reset token works for resets alone, unaltered, and until the password changes", () =>
    withPlanes(
      Effect.fnUntraced(function* () {
        const { user } = yield* makeAccount(stage())
        const token = yield* issue(user, "reset_password")
        expect(yield* found(token, "reset_password")).toBe(user.id)
        expect(yield* found(token, "verify_email")).toBeUndefined()
        expect(yield* found(token, "recover_two_factor")).toBeUndefined()
        const swapped = token.slice(0, -1) + (token.endsWith("A") ? "B" : "A")
        for (const wrong of [swapped, `${token}A`, token.slice(0, -1), "", `${token.slice(0, -1)}!`]) {
          expect([wrong, yield* found(wrong, "reset_password")]).toEqual([wrong, undefined])
        }
        yield* rewrite(user.id, { password_hash: "another" })
        expect(yield* found(token, "reset_password")).toBeUndefined()
      }),
    ),
  )
})

describe("a recovery token that becomes void after it was found valid", () => {
  /** The recovery of a process in which `meanwhile` runs while withdrawals are being locked. */
  const recoverWhile = Effect.fnUntraced(function* (token: string, meanwhile: Effect.Effect<unknown>) {
    const context = yield* Effect.context<Services>()
    const sellers = Context.get(context, SellerChanges)
    const change: (typeof sellers)["change"] = (...given) =>
      Effect.andThen(meanwhile, sellers.change(...given))
    const changed = Context.add(context, SellerChanges, { ...sellers, change })
    const built = Layer.fresh(TwoFactorRecoveryLive).pipe(Layer.provide(Layer.succeedContext(changed)))
    return yield* Effect.scoped(Effect.provide(recover(token), built))
  })

  for (const fields of [{ password_hash: "another" }, { totp_secret: "another" }]) {
    it.live(`a recovery is refused and leaves 2FA on once ${Object.keys(fields)} has changed`, () =>
      withPlanes(
        Effect.fnUntraced(function* () {
          const sellerId = makeId("sel_", Date.now(), 3, randomBytes(14))
          const seller = { id: sellerId, name: "Loja", userId: "u", kycStatus: "none" } as const
          const createdAt = new Date().toISOString()
          yield* (yield* SellerStore).create(newStoredSeller({ ...seller, createdAt }), [], undefined)
          const { user } = yield* makeAccount(stage(), { sellerId })
          const session = yield* openSession(user)
          const token = yield* issue(user, "recover_two_factor")
          const client = yield* RedisClient
          const meanwhile = rewrite(user.id, fields).pipe(
            Effect.provideService(RedisClient, client),
            Effect.orDie,
          )
          expect(yield* Effect.result(recoverWhile(token, meanwhile))).toMatchObject({
            failure: { code: "invalid_mfa_code" },
          })
          expect((yield* userNow(user))?.twoFactorEnabled).toBe(true)
          expect(yield* isAlive(session.token)).toBe(true)
        }),
      ),
    )
  }
})

describe("a token use repeated after a lost reply", () => {
  it.live("a repeated password reset answers the same and leaves sessions begun since", () =>
    withPlanes(
      Effect.fnUntraced(function* () {
        const store = yield* makeUserStore
        const { user } = yield* makeAccount(stage())
        const tokenHash = hashToken(yield* issue(user, "reset_password"))
        const newHash = hashOf("a new password")
        const use = store.resetPassword(user.id, tokenHash, user.passwordHash, newHash, 1_000)
        expect(yield* use).toEqual({ kind: "reset" })
        const session = yield* openSession({ ...user, passwordHash: newHash })
        expect(yield* use).toEqual({ kind: "reset" })
        expect(yield* isAlive(session.token)).toBe(true)
        expect(
          yield* store.resetPassword(user.id, tokenHash, newHash, hashOf("a new password"), 1_000),
        ).toEqual({ kind: "tokenUsed" })
      }),
    ),
  )

  it.live("a repeated recovery answers the same and leaves sessions and 2FA set up since", () =>
    withPlanes(
      Effect.fnUntraced(function* () {
        const { recover } = yield* makeTwoFactorStore
        const { user } = yield* makeAccount(stage())
        const tokenHash = hashToken(yield* issue(user, "recover_two_factor"))
        const use = (operation: string) => recover(recovering(user, tokenHash, operation))
        expect(yield* use("one")).toEqual({ kind: "recovered" })
        const session = yield* openSession(user)
        yield* rewrite(user.id, { two_factor_enabled: "1", totp_secret: "another" })
        expect(yield* use("one")).toEqual({ kind: "recovered" })
        expect(yield* isAlive(session.token)).toBe(true)
        expect(yield* userNow(user)).toMatchObject({ twoFactorEnabled: true, totpSecret: "another" })
        expect(yield* use("two")).toEqual({ kind: "tokenUsed" })
      }),
    ),
  )

  it.live("a repeated e-mail verification answers the same, and any other use of its token is refused", () =>
    withPlanes(
      Effect.fnUntraced(function* () {
        const store = yield* makeUserStore
        const { user } = yield* makeAccount(stage())
        yield* rewrite(user.id, { email_verified: "0" })
        const tokenHash = hashToken(yield* issue(user, "verify_email"))
        const use = (operation: string, nowMillis: number) =>
          store.verifyEmail(user.id, tokenHash, nowMillis, operation)
        expect(yield* use("one", 1_000)).toEqual({ kind: "verified" })
        expect(yield* use("one", 2_000)).toEqual({ kind: "verified" })
        expect(yield* use("two", 3_000)).toEqual({ kind: "tokenUsed" })
        expect((yield* userNow(user))?.updatedAtMillis).toBe(1_000)
      }),
    ),
  )

  it.live("a token of another user, or of a user who does not exist, is refused and changes nothing", () =>
    withPlanes(
      Effect.fnUntraced(function* () {
        const client = yield* RedisClient
        const store = yield* makeUserStore
        const { user } = yield* makeAccount(stage())
        const id = userIdInSlot(randomUUID(), accountSlotOfUser(user.id))
        const tokenHash = hashToken(yield* issue(user, "reset_password"))
        const ghost = hashToken(yield* issue({ ...user, id }, "reset_password"))
        const refused = { kind: "tokenUsed" }
        for (const hashed of [tokenHash, ghost]) {
          expect(yield* store.resetPassword(id, hashed, user.passwordHash, "new", 1)).toEqual(refused)
          expect(yield* (yield* makeTwoFactorStore).recover(recovering({ ...user, id }, hashed))).toEqual(
            refused,
          )
          expect(yield* store.verifyEmail(id, hashed, 1, "one")).toEqual(refused)
        }
        expect(yield* client.call("EXISTS", [userKey(id)])).toBe(0)
        expect(yield* userNow(user)).toMatchObject({
          twoFactorEnabled: true,
          passwordHash: user.passwordHash,
        })
      }),
    ),
  )
})
