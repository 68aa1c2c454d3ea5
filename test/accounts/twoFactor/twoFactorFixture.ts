import { hash, randomBytes, randomUUID } from "node:crypto"
import { hashSync } from "bcryptjs"
import { Effect, Layer, type Scope } from "effect"
import { afterAll, beforeAll } from "vitest"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { ApiError } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import { AccountSecrets } from "../../../src/accounts/accountSecrets.ts"
import { SecurityLogLive } from "../../../src/accounts/securityLog.ts"
import { SecurityNoticesLive } from "../../../src/accounts/securityNotices.ts"
import { SellerAuditLive } from "../../../src/accounts/sellerAudit.ts"
import { SellerChangesLive } from "../../../src/accounts/sellers/sellerChanges.ts"
import { SessionsLive, sessionOf } from "../../../src/accounts/sessions/sessions.ts"
import { BackupCodes } from "../../../src/accounts/twoFactor/backupCodes.ts"
import { newTotpSecret, totpCodeOf, totpStepAt } from "../../../src/accounts/twoFactor/totp.ts"
import { TwoFactorServicesLive } from "../../../src/accounts/twoFactor/twoFactorLive.ts"
import {
  AccountTokensLive,
  bindingOf,
  newAccountToken,
} from "../../../src/accounts/users/accountTokenStore.ts"
import { PasswordsLive } from "../../../src/accounts/users/passwords.ts"
import { UsersLive } from "../../../src/accounts/users/users.ts"
import { CipherLive, makeCipher, makeFingerprints } from "../../../src/crypto/cipher.ts"
import { plainKey } from "../../../src/crypto/encryptionKeys.ts"
import { generateEndpointSecret } from "../../../src/delivery/signature.ts"
import { MailerLive } from "../../../src/mail/mailer.ts"
import { StreamTransportLive } from "../../../src/mail/transports.ts"
import { ApiKeyStoreLive } from "../../../src/store/apiKeys.ts"
import { EventLogLive } from "../../../src/store/events.ts"
import * as keys from "../../../src/store/keys.ts"
import { MemberStoreLive } from "../../../src/store/members.ts"
import "../../../src/store/redisStore.ts"
import { makeEntities } from "../../../src/store/redis/entities.ts"
import { ensureLibrary } from "../../../src/store/redis/functionLibrary.ts"
import { RedisClient, RedisClientLive } from "../../../src/store/redis/redisClient.ts"
import { SellerStoreLive } from "../../../src/store/sellers.ts"
import { makeSessionStore, type SessionEntity } from "../../../src/store/sessions.ts"
import { type UserEntity, userKind } from "../../../src/store/users.ts"
import { startTestRedis, type TestRedis } from "../../support/redis.ts"
import { StoreOptionsLive } from "../../support/storeOptions.ts"

/** Where accounts are made: a Redis, and the key its secrets are sealed with. */
export interface AccountStage {
  readonly redisUrl: string
  /** 32 bytes. */
  readonly encryptionKey: Uint8Array
}

/** The stage of a test file: a redis-server for its tests, and a key of 32 such bytes. */
export const useAccountStage = (keyByte: number): AccountStage => {
  let redis: TestRedis
  beforeAll(async () => {
    redis = await startTestRedis({ appendfsync: "no" })
  })
  afterAll(() => redis?.stop())
  return {
    get redisUrl() {
      return redis.url
    },
    encryptionKey: new Uint8Array(32).fill(keyByte),
  }
}

/** Sends a command to the stage's Redis. */
export const call = (command: string, ...args: ReadonlyArray<string | number>) =>
  Effect.flatMap(RedisClient, (client) => client.call(command, args))

/** The account plane of a process of its own, on the stage's Redis. */
const makeProcess = ({ redisUrl, encryptionKey }: AccountStage) => {
  const { seal } = makeCipher(plainKey(encryptionKey))
  const secrets = Layer.mergeAll(
    CipherLive(plainKey(encryptionKey)),
    Layer.succeed(AccountSecrets, {
      signingSecret: () => generateEndpointSecret(randomBytes),
      seal,
      fingerprints: makeFingerprints(plainKey(encryptionKey)),
    }),
  )
  const library = Layer.effectDiscard(Effect.flatMap(RedisClient, ensureLibrary))
  return TwoFactorServicesLive(plainKey(encryptionKey)).pipe(
    Layer.provideMerge(Layer.mergeAll(AccountTokensLive, SessionsLive, PasswordsLive)),
    Layer.provideMerge(Layer.mergeAll(SecurityNoticesLive, SecurityLogLive, SellerAuditLive)),
    Layer.provideMerge(Layer.mergeAll(UsersLive, MailerLive.pipe(Layer.provide(StreamTransportLive)))),
    Layer.provideMerge(SellerChangesLive),
    Layer.provideMerge(Layer.mergeAll(ApiKeyStoreLive, SellerStoreLive, EventLogLive, MemberStoreLive)),
    Layer.provide(StoreOptionsLive),
    Layer.provideMerge(secrets),
    Layer.provideMerge(library),
    Layer.provideMerge(RedisClientLive(redisUrl)),
  )
}

/** The code of the error that an effect fails with. */
export const codeOfFailure = <A, R>(
  effect: Effect.Effect<A, ApiError | StoreUnavailable, R>,
): Effect.Effect<string, A, R> =>
  Effect.map(Effect.flip(effect), (error) => (error instanceof ApiError ? error.code : error._tag))

/** What a process of the account plane offers. */
export type Process = Layer.Success<ReturnType<typeof makeProcess>>

/** A process for as long as the effect around it runs; two of them share nothing but Redis. */
export const startProcess = (stage: AccountStage) => Layer.build(Layer.fresh(makeProcess(stage)))

/** Runs an effect as one process. */
export const asProcess = <A, E>(stage: AccountStage, program: Effect.Effect<A, E, Process | Scope.Scope>) =>
  Effect.scoped(Effect.flatMap(startProcess(stage), (process) => Effect.provideContext(program, process)))

/** A user, and the secrets that only the user knows. */
export interface Account {
  readonly user: UserEntity & { readonly totpSecret: string }
  readonly password: string
  /** Base32. */
  readonly secret: string
  readonly backupCodes: ReadonlyArray<string>
}

/** Low: how long hashing takes is not tested here. */
const hashCostLog2 = 4
const hashOf = (password: string) => hashSync(hash("sha256", password, "base64"), hashCostLog2)

/** Overwrites the given fields of a stored user. */
export const rewrite = (userId: string, fields: Readonly<Record<string, string>>) =>
  Effect.flatMap(RedisClient, (client) =>
    client.call("HSET", [keys.userKey(userId), ...Object.entries(fields).flat()]),
  )

/** A fresh user with 2FA and backup codes; `isOn: false` leaves both out. */
export const makeAccount = Effect.fnUntraced(function* (
  stage: AccountStage,
  options: { readonly isOn?: boolean; readonly pendingSecret?: string; readonly sellerId?: string } = {},
) {
  const client = yield* RedisClient
  const users = makeEntities(client, userKind)
  const { seal } = makeCipher(plainKey(stage.encryptionKey))
  const { isOn = true, pendingSecret, sellerId } = options
  const email = `ana-${randomUUID()}@example.com`
  const password = `correct horse ${randomUUID()}`
  const secret = newTotpSecret()
  const nowMillis = Date.now()
  const id = keys.userIdInSlot(randomUUID(), keys.accountSlotOfEmail(email))
  const place = sealedPlaces.totpSecret(id)
  const { totpSecret, ...rest } = {
    id,
    email,
    name: "Ana",
    role: "seller" as const,
    passwordHash: hashOf(password),
    emailVerified: true,
    twoFactorEnabled: isOn,
    totpSecret: seal(secret, place),
    stepUpWebhook: true,
    stepUpAccount: true,
    createdAtMillis: nowMillis,
    updatedAtMillis: nowMillis,
  }
  const pending = pendingSecret === undefined ? {} : { totpSecretPending: seal(pendingSecret, place) }
  const owned = sellerId === undefined ? {} : { sellerId }
  const user: UserEntity = { ...rest, ...owned, ...(isOn ? { totpSecret } : {}), ...pending }
  const drawn = (yield* BackupCodes).draw(user.id)
  yield* client.call("HSET", [keys.userKey(user.id), ...Object.entries(yield* users.fieldsOf(user)).flat()])
  yield* client.call("SET", [keys.userEmailKey(email), user.id])
  if (sellerId !== undefined) yield* client.call("HSET", [keys.sellerKey(sellerId), "user", user.id])
  if (isOn) yield* client.call("SADD", [keys.backupCodesKey(user.id), ...drawn.stored])
  const account: Account = { user: { ...user, totpSecret }, password, secret, backupCodes: drawn.codes }
  return account
})

/** Options of a session that was stepped up just now. */
export const steppedUp = () => ({ mfaVerifiedUntilMillis: Date.now() + limits.stepUpMillis })

/** Opens a session of a user, which is stepped up only where the options say until when. */
export const openSession = Effect.fnUntraced(function* (
  user: UserEntity,
  options: { readonly mfaVerifiedUntilMillis?: number } = {},
) {
  const client = yield* RedisClient
  const sessions = yield* makeSessionStore
  const slot = keys.accountSlotOfUser(user.id)
  const { token, tokenHash } = newAccountToken(slot)
  const nowMillis = Date.now()
  const entity: SessionEntity = {
    id: randomUUID(),
    userId: user.id,
    role: user.role,
    rememberMe: false,
    createdAtMillis: nowMillis,
    expiresAtMillis: nowMillis + limits.sessionMillis,
    lastSeenAtMillis: nowMillis,
    mfaVerifiedUntilMillis: options.mfaVerifiedUntilMillis ?? 0,
  }
  const key = keys.sessionKey(slot, tokenHash)
  yield* client.call("HSET", [key, ...Object.entries(yield* sessions.fieldsOf(entity)).flat()])
  yield* client.call("PEXPIREAT", [key, entity.expiresAtMillis])
  yield* client.call("ZADD", [keys.sessionsKey(user.id), entity.expiresAtMillis, tokenHash])
  return { token, key, session: sessionOf(entity, tokenHash, undefined) }
})

/** Opens a user's sign-in that waits for its second step. */
export const openPending = Effect.fnUntraced(function* (
  user: UserEntity,
  options: { readonly rememberMe?: boolean; readonly expiresAtMillis?: number; readonly kind?: string } = {},
) {
  const client = yield* RedisClient
  const { rememberMe = false, kind = "second_factor" } = options
  const slot = keys.accountSlotOfUser(user.id)
  const { token, tokenHash } = newAccountToken(slot)
  const expiresAtMillis = options.expiresAtMillis ?? Date.now() + limits.pendingSignInMillis
  const key = keys.tokenKey(slot, tokenHash)
  yield* client.call("HSET", [
    ...[key, "kind", kind, "user", user.id, "binding", bindingOf(user.passwordHash)],
    ...["remember_me", rememberMe ? "1" : "0", "expires_at", expiresAtMillis],
  ])
  return { token, key }
})

/** The code of a secret now or one step ahead; both still count where a step ends while a test runs. */
export const codeNow = (secret: string, stepsFromNow: 0 | 1 = 0): string =>
  totpCodeOf(secret, totpStepAt(Date.now()) + stepsFromNow)
