import { createHash } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { compareSync } from "bcryptjs"
import { Effect, Layer, Random } from "effect"
import { SellerStore, type StoredSeller } from "../../../actors/ports/sellerStore.ts"
import { initialSettings } from "../../../actors/seller/decisions/newSeller.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { ApiError } from "../../../schema/errors.ts"
import { partitionOfId } from "../../../schema/ids.ts"
import { ApiKeys, ApiKeysLive } from "../../../src/accounts/apiKeys/apiKeys.ts"
import { drawPartition, type NewSeller, Sellers, SellersLive } from "../../../src/accounts/sellers/sellers.ts"
import { PasswordCost, Passwords, PasswordsLive } from "../../../src/accounts/users/passwords.ts"
import { UsersLive } from "../../../src/accounts/users/users.ts"
import { Settings } from "../../../src/config/settings.ts"
import { makeCipher } from "../../../src/crypto/cipher.ts"
import { plainKey } from "../../../src/crypto/encryptionKeys.ts"
import { IdentifiersLive } from "../../../src/crypto/identifiers.ts"
import { AccountSecretsLive } from "../../../src/ops/services.ts"
import { ApiKeyStoreLive } from "../../../src/store/apiKeys.ts"
import * as keys from "../../../src/store/keys.ts"
import { userEmailKey, userKey } from "../../../src/store/keys.ts"
import "../../../src/store/redisStore.ts"
import { ensureLibrary } from "../../../src/store/redis/functionLibrary.ts"
import { RedisClient, RedisClientLive } from "../../../src/store/redis/redisClient.ts"
import { SellerStoreLive } from "../../../src/store/sellers.ts"
import { cheapPasswords } from "../../support/cheapPasswords.ts"
import { startTestRedis, type TestRedis } from "../../support/redis.ts"
import { StoreOptionsLive } from "../../support/storeOptions.ts"

const encryptionKey = new Uint8Array(32).fill(9)
const partitions = 3
const environment = {
  ENCRYPTION_KEY: Buffer.from(encryptionKey).toString("base64"),
  PARTITIONS: String(partitions),
}

let redis: TestRedis | undefined
beforeAll(async () => {
  redis = await startTestRedis({ appendfsync: "no" })
})
afterAll(() => redis?.stop())

/** The account services on the test's Redis, which is emptied first. */
const layerWith = <E1, R1, E2, R2>(parts: {
  readonly passwords: Layer.Layer<Passwords, E1, R1>
  readonly store: Layer.Layer<SellerStore, E2, R2>
}) =>
  Layer.unwrap(
    Effect.sync(() => {
      const empty = Layer.effectDiscard(
        Effect.gen(function* () {
          const client = yield* RedisClient
          yield* client.call("FLUSHALL", [])
          yield* ensureLibrary(client)
        }),
      )
      return Layer.mergeAll(SellersLive, ApiKeysLive).pipe(
        Layer.provide(ApiKeyStoreLive),
        Layer.provideMerge(
          Layer.mergeAll(parts.passwords, parts.store).pipe(Layer.provide(StoreOptionsLive)),
        ),
        Layer.provideMerge(UsersLive),
        Layer.provide(Layer.mergeAll(AccountSecretsLive, IdentifiersLive)),
        Layer.provide(Settings.layer(environment)),
        Layer.provide(empty),
        Layer.provideMerge(RedisClientLive(redis?.url ?? "")),
      )
    }),
  )

/** For tests in which hashing takes real time, but how much does not matter. */
const CheapPasswords = Layer.provide(
  PasswordsLive,
  Layer.succeed(PasswordCost, Number(cheapPasswords.PASSWORD_COST)),
)

const TestLayer = layerWith({ passwords: CheapPasswords, store: SellerStoreLive })
/** With passwords as the service hashes them by default. */
const DearLayer = layerWith({ passwords: PasswordsLive, store: SellerStoreLive })

/** Replaces hashing, so that something happens in the middle of a creation. */
const Meanwhile = <R>(happens: Effect.Effect<unknown, unknown, R>) =>
  Layer.effect(
    Passwords,
    Effect.map(Effect.context<R>(), (context) =>
      Passwords.of({
        hash: () => happens.pipe(Effect.provideContext(context), Effect.orDie, Effect.as("hashed")),
        verify: () => Effect.succeed(false),
      }),
    ),
  )

/** For tests that do not depend on passwords: hashing keeps a core busy for long. */
const QuickLayer = layerWith({ passwords: Meanwhile(Effect.void), store: SellerStoreLive })

const password = "correct horse battery"
const create = (input: Partial<NewSeller> = {}) =>
  Effect.flatMap(Sellers, (sellers) =>
    sellers.create({ email: "ana@example.com", password, name: "Loja da Ana", kycStatus: "none", ...input }),
  )

const refusalOf = (input: Partial<NewSeller>) =>
  Effect.map(Effect.flip(create(input)), (error) => {
    if (!(error instanceof ApiError)) throw error
    return { status: error.status, code: error.code, param: error.param }
  })
const taken = { status: 409, code: "invalid_state", param: "email" }

const call = (command: string, ...args: ReadonlyArray<string | number>) =>
  Effect.flatMap(RedisClient, (client) => client.call(command, args))

const readHash = (key: string) =>
  Effect.map(call("HGETALL", key), (reply) => {
    const values = reply as ReadonlyArray<string>
    return Object.fromEntries(
      values.flatMap((name, i) => (i % 2 === 0 ? [[name, values[i + 1] ?? ""] as const] : [])),
    )
  })

const readers: Readonly<Record<string, (key: string) => ReturnType<typeof call>>> = {
  hash: (key) => call("HGETALL", key),
  zset: (key) => call("ZRANGE", key, 0, -1),
}

const keysLike = (pattern: string) =>
  Effect.map(call("KEYS", pattern), (found) => found as ReadonlyArray<string>)

/** Checks bcrypt over the base64 of the SHA-256 with another library. */
const verifies = (plain: string, hashed: string | undefined): boolean =>
  compareSync(createHash("sha256").update(plain, "utf8").digest("base64"), hashed ?? "")

describe("a new seller", () => {
  it.live("a new seller has a user with 2FA on and a password that verifies", () =>
    Effect.gen(function* () {
      const created = yield* create({ email: "Ana@Example.com" })
      expect(created.user_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      const user = yield* readHash(userKey(created.user_id))
      const { password_hash, totp_secret, created_at, updated_at, ...rest } = user
      expect(rest).toEqual({
        id: created.user_id,
        email: "Ana@Example.com",
        name: "Loja da Ana",
        role: "seller",
        seller_id: created.seller_id,
        two_factor_enabled: "1",
        email_verified: "1",
        step_up_webhook: "1",
        step_up_account: "1",
      })
      expect(password_hash).toMatch(/^\$2[aby]\$12\$/)
      expect(verifies(password, password_hash)).toBe(true)
      expect(verifies(`${password}x`, password_hash)).toBe(false)
      expect(
        makeCipher(plainKey(encryptionKey)).open(totp_secret ?? "", sealedPlaces.totpSecret(created.user_id)),
      ).toBe(created.totp_secret)
      expect(created.totp_secret).toMatch(/^[A-Z2-7]{32}$/)
      expect(Math.abs(Number(created_at) - Date.now())).toBeLessThan(60_000)
      expect(updated_at).toBe(created_at)
      const emailKey = userEmailKey("ana@example.COM")
      expect(yield* call("GET", emailKey)).toBe(created.user_id)
      expect(yield* call("TTL", emailKey)).toBe(-1)
    }).pipe(Effect.provide(DearLayer)),
  )

  it.live(
    "a new seller with approved KYC has a key of each mode that authenticates, and a postback secret",
    () =>
      Effect.gen(function* () {
        const { seller_id, user_id, api_keys, postback_secret } = yield* create({ kycStatus: "approved" })
        const apiKeys = yield* ApiKeys
        const live = yield* apiKeys.authenticate(`Bearer ${api_keys.live}`)
        const test = yield* apiKeys.authenticate(`Bearer ${api_keys.test}`)
        expect(live).toMatchObject({ sellerId: seller_id, mode: "live" })
        expect(test).toMatchObject({ sellerId: seller_id, mode: "test" })
        yield* apiKeys.confirm(live)
        yield* apiKeys.confirm(test)
        const record = yield* readHash(keys.apiKeyKey(keys.partitionOf(seller_id), test.keyHash))
        expect(record).toMatchObject({ name: "Default", prefix: api_keys.test.slice(0, 12) })

        const stores = yield* SellerStore
        expect(yield* stores.get(seller_id)).toMatchObject({
          id: seller_id,
          userId: user_id,
          name: "Loja da Ana",
          status: "active",
          kycStatus: "approved",
          settings: initialSettings,
        } satisfies Partial<StoredSeller>)
        expect(postback_secret).toMatch(/^whsec_[A-Za-z0-9]{43}$/)
        const sealed = yield* call("HGET", keys.sellerKey(seller_id), "postback_secret")
        expect(
          makeCipher(plainKey(encryptionKey)).open(String(sealed), sealedPlaces.postbackSecret(seller_id)),
        ).toBe(postback_secret)
      }).pipe(Effect.provide(TestLayer)),
  )

  it.live("a new seller without approved KYC has no live key", () =>
    Effect.gen(function* () {
      for (const kycStatus of ["none", "pending", "rejected"] as const) {
        const { api_keys } = yield* create({ kycStatus, email: `${kycStatus}@example.com` })
        expect(api_keys).toEqual({ live: null, test: expect.stringMatching(/^sk_test_/) })
      }
      expect(yield* keysLike("apikey:*")).toHaveLength(3)
    }).pipe(Effect.provide(QuickLayer)),
  )

  it.live("a new seller leaves none of its secrets in Redis as they were shown", () =>
    Effect.gen(function* () {
      const created = yield* create({ kycStatus: "approved" })
      const { api_keys, totp_secret, postback_secret } = created
      let stored = ""
      for (const key of yield* keysLike("*")) {
        const type = String(yield* call("TYPE", key))
        const read = readers[type]?.(key) ?? call("GET", key)
        stored += `${key} ${JSON.stringify(yield* read)}\n`
      }
      expect(stored).toContain(created.user_id)
      for (const secret of [password, api_keys.live, api_keys.test, totp_secret, postback_secret]) {
        expect(stored).not.toContain(secret)
      }
    }).pipe(Effect.provide(TestLayer)),
  )

  it.live("a new seller and its API keys lie in one of the configured partitions", () =>
    Effect.gen(function* () {
      const { seller_id, api_keys } = yield* create()
      const partition = partitionOfId(seller_id) ?? -1
      expect(partition).toBeLessThan(partitions)
      const tag = keys.partitionTag(partition)
      expect(yield* keysLike(`seller:${tag}:*`)).toHaveLength(1)
      expect(yield* keysLike(`apikey:${tag}:*`)).toHaveLength(1)
      const { keyId } = yield* (yield* ApiKeys).authenticate(`Bearer ${api_keys.test}`)
      expect(partitionOfId(keyId)).toBe(partition)
    }).pipe(Effect.provide(QuickLayer)),
  )

  it.effect("a new seller is as likely to be in any partition", () =>
    Effect.gen(function* () {
      const drawn = yield* Effect.forEach(Array.from({ length: 64 * 200 }), () => drawPartition(64))
      const counts = Array.from({ length: 64 }, () => 0)
      for (const partition of drawn) counts[partition] = (counts[partition] ?? 0) + 1
      expect(counts).toHaveLength(64)
      // 200 expected; 100 away from it is seven standard deviations.
      expect(Math.min(...counts)).toBeGreaterThan(100)
      expect(Math.max(...counts)).toBeLessThan(300)
      expect(yield* drawPartition(1)).toBe(0)
    }).pipe(Random.withSeed("partitions")),
  )
})

describe("a new seller's fields", () => {
  it.live("a new seller's password, name and e-mail address are accepted at their bounds", () =>
    Effect.gen(function* () {
      const long = "é".repeat(256)
      const { user_id } = yield* create({ password: long, name: "😀".repeat(120) })
      const { password_hash } = yield* readHash(userKey(user_id))
      expect(verifies(long, password_hash)).toBe(true)
      // The last character counts too.
      expect(verifies(`${long.slice(0, -1)}e`, password_hash)).toBe(false)
      yield* create({ email: "b@b.co", password: "x".repeat(12), name: "A" })
    }).pipe(Effect.provide(TestLayer)),
  )

  it.live("a new seller is refused at a field past its bounds, and leaves nothing behind", () =>
    Effect.gen(function* () {
      const failed = (param: string) => ({ status: 400, code: "validation_failed", param })
      for (const bad of ["x".repeat(11), "x".repeat(257), ""]) {
        expect(yield* refusalOf({ password: bad })).toEqual(failed("password"))
      }
      for (const bad of ["", "x".repeat(121)]) {
        expect(yield* refusalOf({ name: bad })).toEqual(failed("name"))
      }
      const tooLong = `${"x".repeat(254 - "@example.com".length + 1)}@example.com`
      for (const bad of ["", "ana", "ana@localhost", "a b@example.com", tooLong]) {
        expect(yield* refusalOf({ email: bad })).toEqual(failed("email"))
      }
      expect(yield* keysLike("*")).toEqual([])
    }).pipe(Effect.provide(QuickLayer)),
  )
})

describe("a new seller's e-mail address", () => {
  it.live("twenty sellers asked for at once with one e-mail address make one account", () =>
    Effect.gen(function* () {
      const answers = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? "Ana@example.com" : "ana@EXAMPLE.com")),
        (email) => Effect.result(create({ email })),
        { concurrency: "unbounded" },
      )
      const refused = answers.flatMap((answer) => (answer._tag === "Failure" ? [answer.failure] : []))
      expect(refused).toHaveLength(19)
      for (const error of refused) expect(error).toMatchObject({ code: "invalid_state", param: "email" })
      expect(yield* keysLike("user:*")).toHaveLength(1)
      const [{ seller_id = "" } = {}] = answers.flatMap((answer) =>
        answer._tag === "Success" ? [answer.success] : [],
      )
      const [userName = ""] = yield* keysLike("user:*")
      expect(yield* readHash(userName)).toMatchObject({ seller_id })
      expect(yield* refusalOf({})).toEqual(taken)
    }).pipe(Effect.provide(layerWith({ passwords: CheapPasswords, store: SellerStoreLive }))),
  )

  const away = Effect.fail(new StoreUnavailable({ operation: "create_seller", reason: "test" }))
  /** A store whose first `failures` creations fail: with the seller made and the answer lost (`isMade`), or not made. */
  const FailingStore = (failures: number, isMade: boolean) =>
    Layer.effect(
      SellerStore,
      Effect.gen(function* () {
        const store = yield* SellerStore
        let left = failures
        return SellerStore.of({
          ...store,
          create: (...args) =>
            Effect.suspend(() => {
              left -= 1
              if (left < 0) return store.create(...args)
              return isMade ? Effect.andThen(store.create(...args), away) : away
            }),
        })
      }),
    ).pipe(Layer.provide(SellerStoreLive))

  it.live("an e-mail address is free after a creation that the store did not make", () =>
    Effect.gen(function* () {
      expect(yield* Effect.flip(create())).toMatchObject({ _tag: "StoreUnavailable" })
      expect(yield* keysLike("*")).toEqual([])
      const { user_id } = yield* create()
      expect(yield* call("GET", userEmailKey("ana@example.com"))).toBe(user_id)
    }).pipe(Effect.provide(layerWith({ passwords: Meanwhile(Effect.void), store: FailingStore(3, false) }))),
  )

  it.live("a seller is made once although answers of the store were lost", () =>
    Effect.gen(function* () {
      const { seller_id, api_keys } = yield* create()
      const principal = yield* (yield* ApiKeys).authenticate(`Bearer ${api_keys.test}`)
      expect(principal.sellerId).toBe(seller_id)
      expect(yield* keysLike("seller:*")).toHaveLength(1)
    }).pipe(Effect.provide(layerWith({ passwords: Meanwhile(Effect.void), store: FailingStore(2, true) }))),
  )

  it.live(
    "a creation is refused where another account took the e-mail address meanwhile, and leaves nothing",
    () =>
      Effect.gen(function* () {
        expect(yield* refusalOf({})).toEqual(taken)
        expect(yield* call("GET", userEmailKey("ana@example.com"))).toBe("another")
        expect(yield* keysLike("user:*")).toEqual([])
        for (const kind of ["seller", "sellers", "apikey", "apikeys"]) {
          expect(yield* keysLike(`${kind}:*`)).toEqual([])
        }
      }).pipe(
        Effect.provide(
          layerWith({
            passwords: Meanwhile(call("SET", userEmailKey("ana@example.com"), "another")),
            store: SellerStoreLive,
          }),
        ),
      ),
  )
})
