import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Effect, Exit, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ApiKeyStore } from "../../../actors/ports/apiKeyStore.ts"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import { newStoredSeller } from "../../../actors/seller/decisions/newSeller.ts"
import { type ApiKeyAccess, fullAccess, scopeBits } from "../../../actors/values/apiKeyAccess.ts"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { apiKeyScopes } from "../../../schema/apiKeyScopes.ts"
import type { ApiError } from "../../../schema/errors.ts"
import { isId, type Mode, makeId, modes, parseApiKey, partitionOfId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import type { KycStatus } from "../../../schema/resources/seller.ts"
import { ApiKeyManagement, ApiKeyManagementLive } from "../../../src/accounts/apiKeys/apiKeyManagement.ts"
import { hashApiKey } from "../../../src/accounts/apiKeys/apiKeySecret.ts"
import { IdentifiersLive } from "../../../src/crypto/identifiers.ts"
import { MemoryStoreLive } from "../../model/memoryStore.ts"

const startMillis = 1_795_219_200_000
const partition = 9
const sellerId = makeId("sel_", startMillis, partition, new Uint8Array(14).fill(5))

/** What happens to the store's writes: how many answers are still to be lost, and whether it is away; and their count. */
class Trouble extends Context.Service<Trouble, { answersLost: number; isAway: boolean; writes: number }>()(
  "test/Trouble",
) {}

/** The store in memory, with writes that are applied and answers that may be lost. */
const TroubledStore = Layer.unwrap(
  Effect.sync(() => {
    const trouble = { answersLost: 0, isAway: false, writes: 0 }
    const away = new StoreUnavailable({ operation: "FCALL", reason: "test" })
    const troubled = <A>(write: Effect.Effect<A, StoreUnavailable>) =>
      Effect.gen(function* () {
        trouble.writes++
        if (trouble.isAway) return yield* away
        const answer = yield* write
        return trouble.answersLost-- > 0 ? yield* away : answer
      })
    const store = Layer.effect(
      ApiKeyStore,
      Effect.map(ApiKeyStore, (inner) =>
        ApiKeyStore.of({
          ...inner,
          create: (...values) => troubled(inner.create(...values)),
          rotate: (...values) => troubled(inner.rotate(...values)),
          delete: (...values) => troubled(inner.delete(...values)),
        }),
      ),
    )
    return store.pipe(Layer.provideMerge(MemoryStoreLive()), Layer.merge(Layer.succeed(Trouble, trouble)))
  }),
)

const TestLayer = ApiKeyManagementLive.pipe(Layer.provideMerge(TroubledStore), Layer.provide(IdentifiersLive))

/** Runs a test with a seller that has no key. */
const onSeller = <A, E>(
  test: Effect.Effect<A, E, ApiKeyManagement | ApiKeyStore | SellerStore | Trouble>,
  kycStatus: KycStatus = "approved",
) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(startMillis)
    const createdAt = new Date(startMillis).toISOString()
    const seller = newStoredSeller({ id: sellerId, name: "Loja", userId: "u", kycStatus, createdAt })
    yield* (yield* SellerStore).create(seller, [], undefined)
    return yield* test
  }).pipe(Effect.provide(TestLayer))

/** Runs a program that may wait for the store, and lets two seconds pass. */
const patiently = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(program)
    yield* TestClock.adjust(2_000)
    return yield* Fiber.join(fiber)
  })

const create = (mode: Mode = "test", name = "Caixa", access = fullAccess) =>
  Effect.gen(function* () {
    yield* TestClock.adjust(1)
    return yield* (yield* ApiKeyManagement).create(sellerId, { mode, name, access })
  })

const refusalOf = <A, R>(program: Effect.Effect<A, ApiError | StoreUnavailable, R>) =>
  Effect.map(Effect.exit(program), (exit) => {
    const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
    return [(error as ApiError | undefined)?.status, (error as ApiError | undefined)?.code]
  })

const principalOf = (key: string) =>
  Effect.flatMap(SellerStore, (store) => store.principalOf(partition, hashApiKey(key)))

describe("a seller's API keys", () => {
  it.effect(
    "new API keys are all different, lie in the seller's partition, and are stored as their hash alone",
    () =>
      onSeller(
        Effect.gen(function* () {
          const seen = new Set<string>()
          for (const mode of [...modes, ...modes]) {
            const { key, ...shown } = yield* create(mode)
            assert.deepInclude(parseApiKey(key), { mode, partition })
            assert.isTrue(isId("key_", shown.id))
            assert.strictEqual(partitionOfId(shown.id), partition)
            assert.deepStrictEqual(yield* principalOf(key), {
              sellerId,
              mode,
              keyId: shown.id,
              keyHash: hashApiKey(key),
              scopeBits: scopeBits(apiKeyScopes),
              allowedIps: [],
            })
            const stored = yield* (yield* ApiKeyStore).list(sellerId, mode)
            assert.notInclude(JSON.stringify(stored), key.slice(12))
            assert.deepStrictEqual((yield* (yield* ApiKeyManagement).list(sellerId, mode))[0], shown)
            seen.add(key)
          }
          assert.strictEqual(seen.size, 4)
        }),
      ),
  )

  it.effect("API keys are listed by mode, the oldest last, with times as ISO text", () =>
    onSeller(
      Effect.gen(function* () {
        const management = yield* ApiKeyManagement
        const made = [yield* create("test"), yield* create("live"), yield* create("test")]
        const [first, second, third] = made.map(({ id }) => id)
        yield* (yield* ApiKeyStore).touch(partition, [
          {
            keyHash: hashApiKey(made[1]?.key ?? ""),
            usedAtMillis: startMillis + 5_000,
            ipAddress: "203.0.113.7",
          },
        ])
        const { id, old_key_revoke_at } = yield* management.rotate(sellerId, first ?? "")
        const idsOf = (mode: "live" | "test") =>
          Effect.map(management.list(sellerId, mode), (keys) => keys.map((key) => key.id))
        assert.deepStrictEqual(yield* idsOf("live"), [second])
        const inTest = yield* idsOf("test")
        assert.sameMembers([...inTest], [id, third, first])
        assert.strictEqual(inTest.at(-1), first)
        assert.strictEqual(
          old_key_revoke_at,
          new Date(startMillis + 3 + limits.rotationGraceMillis).toISOString(),
        )
        assert.strictEqual((yield* management.list(sellerId, "test")).at(-1)?.revoke_at, old_key_revoke_at)
        const [used] = yield* management.list(sellerId, "live")
        assert.strictEqual(used?.last_used_at, new Date(startMillis + 5_000).toISOString())
        assert.strictEqual(used?.last_used_ip, "203.0.113.7")
      }),
    ),
  )

  it.effect("a rotated API key keeps scopes and addresses, also one that is rotated again", () =>
    onSeller(
      Effect.gen(function* () {
        const management = yield* ApiKeyManagement
        const access: ApiKeyAccess = {
          scopes: ["charges:read", "withdrawals:write"],
          allowedIps: ["203.0.113.7", "2001:db8::/32"],
        }
        const first = yield* create("live", "Caixa", access)
        const second = yield* management.rotate(sellerId, first.id)
        const third = yield* management.rotate(sellerId, second.id)
        for (const { scopes, allowed_ips, key } of [first, second, third]) {
          assert.deepStrictEqual({ scopes, allowedIps: allowed_ips }, access)
          const principal = { scopeBits: scopeBits(access.scopes), allowedIps: access.allowedIps }
          assert.deepInclude(yield* principalOf(key), principal)
        }
      }),
    ),
  )

  it.effect("a live key without KYC, an eleventh key, and an unknown key or seller are refused", () =>
    onSeller(
      Effect.gen(function* () {
        const management = yield* ApiKeyManagement
        const live = yield* Effect.flip(create("live"))
        assert.strictEqual((live as ApiError).code, "kyc_required")
        assert.match(live.message, /POST \/v1\/me\/kyc/)
        for (let i = 0; i < limits.apiKeysPerModeMax; i++) yield* create()
        const eleventh = yield* Effect.flip(create())
        assert.strictEqual((eleventh as ApiError).code, "invalid_state")
        assert.match(eleventh.message, /10 active test keys.* Delete one/)
        const nobody = makeId("sel_", startMillis, partition, new Uint8Array(14).fill(6))
        const [keyOfTest] = yield* management.list(sellerId, "test")
        const refused = [
          management.delete(sellerId, "live", keyOfTest?.id ?? ""),
          management.create(nobody, { mode: "test", name: "x", access: fullAccess }),
          management.rotate(sellerId, "key_1"),
          management.delete(sellerId, "test", "key_1"),
          management.delete(nobody, "test", (yield* management.list(sellerId, "test"))[0]?.id ?? ""),
        ]
        for (const program of refused) {
          assert.deepStrictEqual(yield* refusalOf(program), [404, "resource_not_found"])
        }
        assert.strictEqual((yield* management.list(sellerId, "test")).length, limits.apiKeysPerModeMax)
      }),
      "pending",
    ),
  )

  it.effect("API keys are made, rotated and deleted once, though the store's answers are lost", () =>
    onSeller(
      Effect.gen(function* () {
        const management = yield* ApiKeyManagement
        const trouble = yield* Trouble
        trouble.answersLost = 2
        const made = yield* patiently(
          management.create(sellerId, { mode: "test", name: "Caixa", access: fullAccess }),
        )
        assert.isDefined(yield* principalOf(made.key))
        assert.strictEqual((yield* management.list(sellerId, "test")).length, 1)

        trouble.answersLost = 2
        const rotated = yield* patiently(management.rotate(sellerId, made.id))
        assert.isDefined(yield* principalOf(rotated.key))
        const [newest, old, ...more] = yield* management.list(sellerId, "test")
        assert.deepStrictEqual([newest?.id, old?.id, more], [rotated.id, made.id, []])
        assert.strictEqual(old?.revoke_at, rotated.old_key_revoke_at)

        trouble.answersLost = 2
        yield* patiently(management.delete(sellerId, "test", made.id))
        assert.isUndefined(yield* principalOf(made.key))
        assert.strictEqual((yield* management.list(sellerId, "test")).length, 1)
        assert.strictEqual(trouble.writes, 9)
      }),
    ),
  )

  it.effect(
    "changes of API keys fail as StoreUnavailable while the store stays away, and change nothing",
    () =>
      onSeller(
        Effect.gen(function* () {
          const management = yield* ApiKeyManagement
          const { id } = yield* create()
          const trouble = yield* Trouble
          trouble.isAway = true
          for (const program of [
            management.create(sellerId, { mode: "test", name: "x", access: fullAccess }),
            management.rotate(sellerId, id),
            management.delete(sellerId, "test", id),
          ]) {
            const exit = yield* patiently(
              Effect.exit(program as Effect.Effect<unknown, unknown, ApiKeyManagement>),
            )
            assert.include(String(Exit.isFailure(exit) && Cause.squash(exit.cause)), "StoreUnavailable")
          }
          trouble.isAway = false
          const [only, ...more] = yield* management.list(sellerId, "test")
          assert.deepStrictEqual([only?.id, only?.revoke_at, more], [id, null, []])
        }),
      ),
  )
})
