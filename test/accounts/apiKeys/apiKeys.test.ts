import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ApiKeyStore, type KeyUse } from "../../../actors/ports/apiKeyStore.ts"
import type { NewApiKey } from "../../../actors/ports/sellerStore.ts"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import { newStoredSeller } from "../../../actors/seller/decisions/newSeller.ts"
import { fullAccess, scopeBits } from "../../../actors/values/apiKeyAccess.ts"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { apiKeyScopes } from "../../../schema/apiKeyScopes.ts"
import type { ApiError } from "../../../schema/errors.ts"
import { makeApiKey, makeId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { hashApiKey } from "../../../src/accounts/apiKeys/apiKeySecret.ts"
import { ApiKeys, ApiKeysLive } from "../../../src/accounts/apiKeys/apiKeys.ts"
import { MemoryStoreLive } from "../../model/memoryStore.ts"
import { MemoryStore } from "../../model/state.ts"

const partition = 7
/** Later than 1970 by more than a minute, as every real time is. */
const startMillis = 600_000
const sellerId = makeId("sel_", 1_700_000_000_000, partition, new Uint8Array(14).fill(3))

/** The API key of a number; different numbers have different keys. */
const keyOf = (mode: "live" | "test", n: number): string => {
  const random = new Uint8Array(41)
  for (let i = 0; i < 6; i++) random[4 + i] = (n >> (6 * i)) & 63
  return makeApiKey(mode, partition, random)
}

const recordOf = (key: string): NewApiKey => ({
  id: `key_of_${hashApiKey(key)}`,
  keyHash: hashApiKey(key),
  mode: key.startsWith("sk_live_") ? "live" : "test",
  name: "Default",
  keyPrefix: key.slice(0, 12),
  createdAt: "2026-11-21T00:07:35.123Z",
  ...fullAccess,
})

const openSeller = (...keys: ReadonlyArray<string>) =>
  Effect.flatMap(SellerStore, (store) =>
    store.create(
      newStoredSeller({
        id: sellerId,
        name: "Loja",
        userId: "u",
        kycStatus: "approved",
        createdAt: "2026-11-21T00:07:35.123Z",
      }),
      keys.map(recordOf),
      undefined,
    ),
  )

/** How often the store was asked for a key, the uses it was given to write, and whether it is away. */
class Probe extends Context.Service<
  Probe,
  {
    lookUps: number
    isAway: boolean
    readonly touches: Array<{ readonly partition: number; readonly uses: ReadonlyArray<KeyUse> }>
  }
>()("test/Probe") {}

/** The store in memory, with its look-ups and written uses on record. */
const ProbedStore = Layer.unwrap(
  Effect.sync(() => {
    const probe: Probe["Service"] = { lookUps: 0, isAway: false, touches: [] }
    const away = Effect.fail(new StoreUnavailable({ operation: "HMGET", reason: "test" }))
    const probed = Layer.effect(
      SellerStore,
      Effect.map(SellerStore, (store) =>
        SellerStore.of({
          ...store,
          principalOf: (keyPartition, keyHash) => {
            probe.lookUps += 1
            return probe.isAway
              ? away
              : Effect.andThen(Effect.yieldNow, store.principalOf(keyPartition, keyHash))
          },
          isValid: (principal) => (probe.isAway ? away : store.isValid(principal)),
        }),
      ),
    )
    const touched = Layer.effect(
      ApiKeyStore,
      Effect.map(ApiKeyStore, (store) =>
        ApiKeyStore.of({
          ...store,
          touch: (keyPartition, uses) => {
            probe.touches.push({ partition: keyPartition, uses })
            return probe.isAway ? away : store.touch(keyPartition, uses)
          },
        }),
      ),
    )
    return Layer.mergeAll(probed, touched).pipe(
      Layer.provideMerge(MemoryStoreLive()),
      Layer.merge(Layer.succeed(Probe, probe)),
    )
  }),
)

const TestLayer = ApiKeysLive.pipe(Layer.provideMerge(ProbedStore))

const authenticate = (authorization: string | undefined) =>
  Effect.flatMap(ApiKeys, (apiKeys) => apiKeys.authenticate(authorization))

/** Authenticates a key and uses it from an address; whether it may be. */
const use = (key: string, address = "203.0.113.7") =>
  Effect.flatMap(ApiKeys, (apiKeys) =>
    Effect.map(apiKeys.authenticate(`Bearer ${key}`), (principal) =>
      apiKeys.admits(principal, () => address),
    ),
  )

/** Opens a seller with a key, and authenticates it. */
const openWith = Effect.fnUntraced(function* (key: string) {
  yield* openSeller(key)
  yield* TestClock.setTime(startMillis)
  return { apiKeys: yield* ApiKeys, principal: yield* authenticate(`Bearer ${key}`) }
})

const refusalOf = <A, R>(self: Effect.Effect<A, ApiError | StoreUnavailable, R>) =>
  Effect.map(Effect.flip(self), (error) => {
    if (error._tag !== "ApiError") throw error
    expect(error.code).toBe("invalid_api_key")
    expect(error.status).toBe(401)
    return error.message
  })

const revoke = (key: string) =>
  Effect.map(MemoryStore, (state) => {
    const record = state.apiKeys.get(hashApiKey(key))
    if (record !== undefined) record.revokeAtMillis = 0
  })

describe("API keys", () => {
  it.effect("an API key names its seller and mode", () =>
    Effect.gen(function* () {
      const live = keyOf("live", 1)
      const test = keyOf("test", 2)
      yield* openSeller(live, test)
      expect(yield* authenticate(`Bearer ${live}`)).toEqual({
        sellerId,
        mode: "live",
        keyId: recordOf(live).id,
        keyHash: hashApiKey(live),
        scopeBits: scopeBits(apiKeyScopes),
        allowedIps: [],
      })
      expect((yield* authenticate(`Bearer ${test}`)).mode).toBe("test")
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("an API key that many ask with at once is looked up once, and each learns what was found", () =>
    Effect.gen(function* () {
      const [known, unknown] = [keyOf("test", 1), keyOf("test", 2)]
      yield* openSeller(known)
      const probe = yield* Probe
      const many = (key: string) =>
        Effect.all(
          Array.from({ length: 5 }, () => Effect.exit(authenticate(`Bearer ${key}`))),
          { concurrency: "unbounded" },
        )
      const found = yield* many(known)
      expect(found.map((exit) => Exit.isSuccess(exit) && exit.value.sellerId)).toEqual(
        Array(5).fill(sellerId),
      )
      expect(probe.lookUps).toBe(1)
      expect((yield* many(unknown)).every(Exit.isFailure)).toBe(true)
      expect(probe.lookUps).toBe(2)
      yield* many(unknown)
      expect(probe.lookUps).toBe(3)
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("an API key is accepted whatever the case of the scheme and with several blanks", () =>
    Effect.gen(function* () {
      const key = keyOf("test", 1)
      yield* openSeller(key)
      for (const scheme of ["bearer ", "BEARER ", "Bearer   "]) {
        expect((yield* authenticate(scheme + key)).sellerId).toBe(sellerId)
      }
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect(
    "an API key that is absent, malformed, unknown or of another scheme is refused with what to do",
    () =>
      Effect.gen(function* () {
        const key = keyOf("test", 1)
        yield* openSeller(key)
        expect(yield* refusalOf(authenticate(undefined))).toMatch(/Send an API key/)
        for (const header of ["", "Bearer", "Bearer ", "Basic dXNlcjpwYXNz", key, `Token ${key}`]) {
          expect(yield* refusalOf(authenticate(header))).toMatch(/must be 'Bearer '/)
        }
        const malformed = [
          "x",
          key.slice(0, -1),
          `${key}a`,
          `${key} `,
          `"${key}"`,
          key.replace("sk_test_", "sk_prod_"),
          `${key.slice(0, -1)}!`,
        ]
        for (const credentials of malformed) {
          expect(yield* refusalOf(authenticate(`Bearer ${credentials}`))).toMatch(/not an API key/)
        }
        for (const unknown of [
          keyOf("test", 2),
          keyOf("live", 1),
          makeApiKey("test", 8, new Uint8Array(41)),
        ]) {
          expect(yield* refusalOf(authenticate(`Bearer ${unknown}`))).toMatch(/unknown or was revoked/)
        }
      }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("a refusal never shows the API key", () =>
    Effect.gen(function* () {
      const key = keyOf("test", 1)
      for (const header of [key, `Bearer ${key}`, `Bearer ${key}x`, `Bearer ${key.slice(0, -3)}`]) {
        expect(yield* refusalOf(authenticate(header))).not.toContain(key.slice(0, 20))
      }
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("an API key is looked up once, then answered synchronously", () =>
    Effect.gen(function* () {
      const key = keyOf("test", 1)
      yield* openSeller(key)
      const first = yield* authenticate(`Bearer ${key}`)
      const probe = yield* Probe
      probe.isAway = true
      const apiKeys = yield* ApiKeys
      expect(Effect.runSync(apiKeys.authenticate(`Bearer ${key}`))).toEqual(first)
      expect(probe.lookUps).toBe(1)
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("an unknown API key is looked up each time, and accepted once it exists", () =>
    Effect.gen(function* () {
      const key = keyOf("test", 1)
      yield* refusalOf(authenticate(`Bearer ${key}`))
      yield* openSeller(key)
      expect((yield* authenticate(`Bearer ${key}`)).sellerId).toBe(sellerId)
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("a malformed API key never reaches the store", () =>
    Effect.gen(function* () {
      yield* refusalOf(authenticate(`Bearer sk_test_${"a".repeat(100_000)}`))
      expect((yield* Probe).lookUps).toBe(0)
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("a revoked API key is refused when first seen, and looked up each time", () =>
    Effect.gen(function* () {
      const key = keyOf("test", 1)
      yield* openSeller(key)
      yield* revoke(key)
      expect(yield* refusalOf(authenticate(`Bearer ${key}`))).toMatch(/unknown or was revoked/)
      yield* refusalOf(authenticate(`Bearer ${key}`))
      expect((yield* Probe).lookUps).toBe(2)
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("a remembered API key that was revoked since is refused by confirm, and forgotten", () =>
    Effect.gen(function* () {
      const key = keyOf("test", 1)
      yield* openSeller(key)
      const apiKeys = yield* ApiKeys
      const principal = yield* authenticate(`Bearer ${key}`)
      yield* apiKeys.confirm(principal)
      yield* authenticate(`Bearer ${key}`)
      expect((yield* Probe).lookUps).toBe(1)

      yield* revoke(key)
      expect(yield* refusalOf(apiKeys.confirm(principal))).toMatch(/unknown or was revoked/)
      yield* refusalOf(authenticate(`Bearer ${key}`))
      expect((yield* Probe).lookUps).toBe(2)
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("a forgotten API key is looked up again", () =>
    Effect.gen(function* () {
      const key = keyOf("test", 1)
      yield* openSeller(key)
      const apiKeys = yield* ApiKeys
      apiKeys.forget(yield* authenticate(`Bearer ${key}`))
      yield* authenticate(`Bearer ${key}`)
      expect((yield* Probe).lookUps).toBe(2)
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("an API key fails as unavailable, not as wrong, while the store is away", () =>
    Effect.gen(function* () {
      const key = keyOf("test", 1)
      yield* openSeller(key)
      const apiKeys = yield* ApiKeys
      const probe = yield* Probe
      probe.isAway = true
      expect((yield* Effect.flip(authenticate(`Bearer ${key}`)))._tag).toBe("StoreUnavailable")
      probe.isAway = false
      const principal = yield* authenticate(`Bearer ${key}`)
      probe.isAway = true
      expect((yield* Effect.flip(apiKeys.confirm(principal)))._tag).toBe("StoreUnavailable")
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("API keys are remembered up to a bound, past which the least recently used goes", () =>
    Effect.gen(function* () {
      const max = limits.cachedApiKeysMax
      const keys = Array.from({ length: max + 1 }, (_, n) => keyOf("test", n))
      const [first = "", second = ""] = keys
      yield* openSeller(...keys)
      const probe = yield* Probe
      yield* Effect.forEach(keys.slice(0, max), (key) => authenticate(`Bearer ${key}`), { discard: true })
      yield* authenticate(`Bearer ${first}`)
      expect(probe.lookUps).toBe(max)

      yield* authenticate(`Bearer ${keys.at(-1)}`)
      yield* authenticate(`Bearer ${first}`)
      expect(probe.lookUps).toBe(max + 1)
      yield* authenticate(`Bearer ${second}`)
      expect(probe.lookUps).toBe(max + 2)
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("an API key is remembered while it is used, and forgotten when it is not", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(startMillis)
      const [used, unused] = [keyOf("test", 1), keyOf("test", 2)]
      yield* openSeller(used, unused)
      const probe = yield* Probe
      for (const key of [used, unused]) yield* authenticate(`Bearer ${key}`)
      for (let period = 0; period < 3; period++) {
        yield* TestClock.adjust(limits.actorIdleMillis)
        yield* authenticate(`Bearer ${used}`)
      }
      expect(probe.lookUps).toBe(2)
      yield* authenticate(`Bearer ${unused}`)
      expect(probe.lookUps).toBe(3)
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect(
    "an API key that is bound to addresses works from them alone, and is not used from elsewhere",
    () =>
      Effect.gen(function* () {
        const [bound, free] = [keyOf("test", 1), keyOf("test", 2)]
        yield* openSeller(free)
        const allowedIps = ["203.0.113.0/24", "2001:db8::/32"]
        yield* (yield* ApiKeyStore).create(sellerId, {
          ...recordOf(bound),
          scopes: ["events:read"],
          allowedIps,
        })
        yield* TestClock.setTime(startMillis)
        expect(yield* authenticate(`Bearer ${bound}`)).toMatchObject({
          scopeBits: scopeBits(["events:read"]),
          allowedIps,
        })
        const outside = ["203.0.112.255", "2001:db9::1", "", "unknown"]
        for (const address of outside) expect([address, yield* use(bound, address)]).toEqual([address, false])
        yield* TestClock.adjust(2_000)
        expect((yield* Probe).touches).toEqual([])
        for (const address of ["203.0.113.255", "::ffff:203.0.113.1", "2001:db8::1"])
          expect([address, yield* use(bound, address)]).toEqual([address, true])
        for (const address of outside) expect(yield* use(free, address)).toBe(true)
        yield* TestClock.adjust(2_000)
        const uses = (yield* Probe).touches.flatMap((touch) => touch.uses)
        expect(uses.map(({ keyHash, ipAddress }) => [keyHash, ipAddress])).toEqual([
          [hashApiKey(bound), "203.0.113.255"],
          [hashApiKey(free), "203.0.112.255"],
        ])
      }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("the address of an API key's client is asked for only where it matters", () =>
    Effect.gen(function* () {
      const key = keyOf("test", 1)
      const { apiKeys, principal } = yield* openWith(key)
      let asked = 0
      const address = () => {
        asked += 1
        return "203.0.113.7"
      }
      for (let i = 0; i < 5; i++) apiKeys.admits(principal, address)
      expect(asked).toBe(1)
      yield* TestClock.adjust(limits.lastSeenStepMillis)
      apiKeys.admits(principal, address)
      expect(asked).toBe(2)
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect(
    "API keys' last uses are written once a minute, after the requests, all of a partition at once",
    () =>
      Effect.gen(function* () {
        const keys = [keyOf("test", 1), keyOf("live", 2)]
        yield* openSeller(...keys)
        const { touches } = yield* Probe
        yield* TestClock.setTime(startMillis)
        const usedAtMillis = startMillis
        for (const key of [...keys, ...keys]) yield* use(key)
        expect(touches).toEqual([])
        yield* TestClock.adjust(2_000)
        const ipAddress = "203.0.113.7"
        const uses = keys.map((key) => ({ keyHash: hashApiKey(key), usedAtMillis, ipAddress }))
        expect(touches).toEqual([{ partition, uses }])

        yield* TestClock.setTime(startMillis + limits.lastSeenStepMillis - 1)
        for (const key of keys) yield* use(key, "203.0.113.8")
        yield* TestClock.setTime(startMillis + limits.lastSeenStepMillis)
        yield* use(keys[0] ?? "", "")
        yield* TestClock.adjust(2_000)
        expect(touches.slice(1)).toEqual([
          {
            partition,
            uses: [
              {
                keyHash: hashApiKey(keys[0] ?? ""),
                usedAtMillis: startMillis + limits.lastSeenStepMillis,
                ipAddress: undefined,
              },
            ],
          },
        ])
      }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("an API key's last use is written again a minute after a write that failed", () =>
    Effect.gen(function* () {
      const key = keyOf("test", 1)
      yield* openSeller(key)
      const probe = yield* Probe
      const lastUse = Effect.map(MemoryStore, (state) => state.apiKeys.get(hashApiKey(key))?.lastUsedAtMillis)
      yield* TestClock.setTime(startMillis)
      yield* use(key)
      probe.isAway = true
      yield* TestClock.adjust(2_000)
      expect([probe.touches.length, yield* lastUse]).toEqual([1, undefined])
      probe.isAway = false
      yield* TestClock.adjust(limits.lastSeenStepMillis)
      yield* use(key)
      yield* TestClock.adjust(2_000)
      expect(yield* lastUse).toBe(startMillis + 2_000 + limits.lastSeenStepMillis)
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("the use of a refused API key is not written", () =>
    Effect.gen(function* () {
      const key = keyOf("test", 1)
      const { apiKeys, principal } = yield* openWith(key)
      expect(apiKeys.admits(principal, () => "203.0.113.7")).toBe(true)
      yield* revoke(key)
      yield* refusalOf(apiKeys.confirm(principal))
      yield* refusalOf(authenticate(`Bearer ${key}`))
      yield* refusalOf(authenticate(`Bearer ${keyOf("live", 7)}`))
      yield* TestClock.adjust(2_000)
      expect((yield* Probe).touches).toEqual([])
    }).pipe(Effect.provide(TestLayer)),
  )
})
