import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { PixKeyStore } from "../../../actors/ports/pixKeyStore.ts"
import { type Principal, sessionPrincipal } from "../../../actors/values/principal.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { Mode } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { PixKeys, PixKeysLive } from "../../../src/accounts/sellers/pixKeys.ts"
import { IdentifiersLive } from "../../../src/crypto/identifiers.ts"
import { MemoryStoreLive } from "../../model/memoryStore.ts"
import { cipher, freshSellerId, openSeller, SecretsLive } from "./sellerFixture.ts"

const Store = MemoryStoreLive()
const Needs = Layer.mergeAll(SecretsLive, IdentifiersLive)
const TestLayer = PixKeysLive.pipe(Layer.provide(Needs), Layer.provideMerge(Store))

type StoreShape = PixKeyStore["Service"]

/** The PIX keys on a changed store; `change` gets the real one. */
const withStore = (change: (store: StoreShape) => Partial<StoreShape>) =>
  PixKeysLive.pipe(
    Layer.provide(
      Layer.effect(
        PixKeyStore,
        Effect.map(PixKeyStore, (store) => ({ ...store, ...change(store) })),
      ),
    ),
    Layer.provide(Needs),
    Layer.provideMerge(Store),
  )

const away = new StoreUnavailable({ operation: "FCALL", reason: "the reply was lost" })

/** Makes every write, and loses the first reply. */
const losingFirst = <A, B>(write: (input: A) => Effect.Effect<B, StoreUnavailable>) => {
  let calls = 0
  return (input: A) =>
    Effect.flatMap(write(input), (answer) => (calls++ === 0 ? away : Effect.succeed(answer)))
}

const cpf = "52998224725"
const email = { type: "email", value: "Ana.Secret@Example.com" } as const

/** A new seller that may have live keys, as the principal of its session. */
const openOwner = (mode: Mode) =>
  Effect.map(openSeller({ kycStatus: "approved", plainDocument: cpf }), ({ id }) =>
    sessionPrincipal(id, mode, "a-user"),
  )

const listOf = (principal: Principal) => Effect.flatMap(PixKeyStore, (store) => store.list(principal))
const nothing = () => Effect.void

describe("registering a PIX key", () => {
  it.effect("a PIX key's value is stored as ciphertext, and nothing else stored gives it away", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-11-21T00:07:35.123Z"))
      const owner = yield* openOwner("test")
      const pixKey = yield* (yield* PixKeys).register(owner, email)
      expect(pixKey).toMatchObject({
        status: "verified",
        maskedValue: "a***@example.com",
        createdAt: "2026-11-21T00:07:35.123Z",
        verifiedAt: "2026-11-21T00:07:35.123Z",
      })
      expect(cipher.open(pixKey.value, sealedPlaces.pixKeyValue(pixKey.id))).toBe("ana.secret@example.com")
      expect(JSON.stringify(pixKey)).not.toMatch(/secret/i)
      expect(yield* listOf(owner)).toEqual([pixKey])
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("a PIX key registered in live waits for an operator", () =>
    Effect.gen(function* () {
      const owner = yield* openOwner("live")
      const pixKey = yield* (yield* PixKeys).register(owner, { type: "cpf", value: "529.982.247-25" })
      expect([pixKey.status, pixKey.verifiedAt, pixKey.maskedValue]).toEqual([
        "pending_approval",
        undefined,
        "***.982.247-**",
      ])
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("the same PIX key in another spelling is refused, and the refusal does not repeat it", () =>
    Effect.gen(function* () {
      const owner = yield* openOwner("test")
      const pixKeys = yield* PixKeys
      yield* pixKeys.register(owner, email)
      const again = { ...email, value: email.value.toLowerCase() }
      const refused = yield* Effect.flip(pixKeys.register(owner, again))
      expect(refused).toMatchObject({ code: "invalid_state" })
      expect(JSON.stringify(refused)).not.toMatch(/secret/i)
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("one PIX key more than a mode may have is refused", () =>
    Effect.gen(function* () {
      const owner = yield* openOwner("test")
      const pixKeys = yield* PixKeys
      const nth = (n: number) => pixKeys.register(owner, { type: "email", value: `ana${n}@example.com` })
      for (let n = 0; n < limits.pixKeysPerModeMax; n++) yield* nth(n)
      expect(yield* Effect.flip(nth(limits.pixKeysPerModeMax))).toMatchObject({ code: "invalid_state" })
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("a registration whose reply was lost succeeds, and makes one PIX key", () =>
    Effect.gen(function* () {
      const owner = yield* openOwner("test")
      const pixKey = yield* (yield* PixKeys).register(owner, email)
      expect(yield* listOf(owner)).toEqual([pixKey])
    }).pipe(
      Effect.provide(withStore((store) => ({ create: losingFirst(store.create) }))),
      TestClock.withLive,
    ),
  )
})

describe("an operator's decision on a PIX key", () => {
  const openPending = Effect.gen(function* () {
    const owner = yield* openOwner("live")
    return { owner, pixKey: yield* (yield* PixKeys).register(owner, email) }
  })

  it.effect.each(["verified", "refused"] as const)("an operator decides a PIX key once: %s", (to) =>
    Effect.gen(function* () {
      const pixKeys = yield* PixKeys
      const { owner, pixKey } = yield* openPending
      const decided = yield* pixKeys.decide(pixKey.id, to, nothing)
      expect([decided.status, decided.version]).toEqual([to, 2])
      expect(yield* listOf(owner)).toEqual([decided])
      for (const other of ["verified", "refused"] as const) {
        expect(yield* Effect.flip(pixKeys.decide(pixKey.id, other, nothing))).toMatchObject({
          code: "invalid_state",
        })
      }
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect(
    "a decision on a PIX key is put on record once, before it is written, and not written where that fails",
    () =>
      Effect.gen(function* () {
        const pixKeys = yield* PixKeys
        const store = yield* PixKeyStore
        const { pixKey } = yield* openPending
        expect(yield* Effect.flip(pixKeys.decide(pixKey.id, "verified", () => Effect.fail(away)))).toBe(away)
        expect(yield* store.load(pixKey.id)).toEqual(pixKey)

        const seen: Array<unknown> = []
        const onRecord = Effect.map(store.load(pixKey.id), (found) => void seen.push(found?.status))
        yield* pixKeys.decide(pixKey.id, "verified", () => onRecord)
        yield* Effect.flip(pixKeys.decide(pixKey.id, "refused", () => onRecord))
        expect(seen).toEqual(["pending_approval"])
      }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("only one of 20 decisions on a PIX key at once is made, and the others are refused", () =>
    Effect.gen(function* () {
      const pixKeys = yield* PixKeys
      const { pixKey } = yield* openPending
      const outcomes = yield* Effect.forEach(
        Array.from(
          { length: 20 },
          (_, i) => (i % 2 === 0 ? "verified" : "refused") as "verified" | "refused",
        ),
        (to) =>
          Effect.match(
            pixKeys.decide(pixKey.id, to, () => Effect.yieldNow),
            {
              onFailure: (error) => ("code" in error ? error.code : error._tag),
              onSuccess: () => "decided",
            },
          ),
        { concurrency: "unbounded" },
      )
      expect(outcomes.toSorted()).toEqual(["decided", ...Array.from({ length: 19 }, () => "invalid_state")])
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect.each(["verified", "refused"] as const)(
    "a decision on a PIX key whose reply was lost succeeds: %s",
    (to) =>
      Effect.gen(function* () {
        const { pixKey } = yield* openPending
        const decided = yield* (yield* PixKeys).decide(pixKey.id, to, nothing)
        expect(yield* (yield* PixKeyStore).load(pixKey.id)).toEqual(decided)
      }).pipe(
        Effect.provide(withStore((store) => ({ transition: losingFirst(store.transition) }))),
        TestClock.withLive,
      ),
  )

  it.effect.each([
    { ours: "verified", others: "refused" },
    { ours: "refused", others: "verified" },
  ] as const)(
    "a decision on a PIX key is refused where another ($others) came first and the reply was lost",
    ({ ours, others }) =>
      Effect.gen(function* () {
        const { pixKey } = yield* openPending
        const refused = yield* Effect.flip((yield* PixKeys).decide(pixKey.id, ours, nothing))
        expect(refused).toMatchObject({ code: "invalid_state", details: { status: others } })
      }).pipe(
        Effect.provide(
          withStore((store) => {
            let calls = 0
            const verifiedAt = others === "verified" ? "2026-11-21T00:07:35.123Z" : undefined
            return {
              transition: (change) =>
                Effect.suspend(() =>
                  calls++ === 0
                    ? Effect.andThen(store.transition({ ...change, to: others, verifiedAt }), away)
                    : store.transition(change),
                ),
            }
          }),
        ),
        TestClock.withLive,
      ),
  )

  it.effect("a decision on a PIX key gives up with 503 where others always come first", () =>
    Effect.gen(function* () {
      const { pixKey } = yield* openPending
      expect(yield* Effect.flip((yield* PixKeys).decide(pixKey.id, "verified", nothing))).toMatchObject({
        code: "service_unavailable",
      })
    }).pipe(Effect.provide(withStore(() => ({ transition: () => Effect.succeed({ kind: "stale" }) })))),
  )

  it.effect("a decision on an unknown PIX key is refused with 404", () =>
    Effect.gen(function* () {
      const pixKeys = yield* PixKeys
      for (const id of ["", "pk_1", freshSellerId(), `pk_${freshSellerId().slice(4)}`]) {
        expect(yield* Effect.flip(pixKeys.decide(id, "verified", nothing))).toMatchObject({
          code: "resource_not_found",
        })
      }
    }).pipe(Effect.provide(TestLayer)),
  )
})

describe("removing a PIX key", () => {
  const gone = { code: "resource_not_found" }

  it.effect(
    "a PIX key is removed by its own seller, in its own mode, once, and may be registered again",
    () =>
      Effect.gen(function* () {
        const pixKeys = yield* PixKeys
        const owner = yield* openOwner("test")
        const stranger = yield* openOwner("test")
        const { id } = yield* pixKeys.register(owner, email)
        expect(yield* Effect.flip(pixKeys.remove(stranger, id))).toMatchObject(gone)
        expect(yield* Effect.flip(pixKeys.remove({ ...owner, mode: "live" }, id))).toMatchObject(gone)
        expect(yield* listOf(owner)).toHaveLength(1)
        yield* pixKeys.remove(owner, id)
        expect(yield* listOf(owner)).toEqual([])
        expect(yield* Effect.flip(pixKeys.remove(owner, id))).toMatchObject(gone)
        yield* pixKeys.register(owner, email)
      }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("the removal of a PIX key whose reply was lost succeeds", () =>
    Effect.gen(function* () {
      const pixKeys = yield* PixKeys
      const owner = yield* openOwner("test")
      const { id } = yield* pixKeys.register(owner, email)
      yield* pixKeys.remove(owner, id)
      expect(yield* listOf(owner)).toEqual([])
    }).pipe(
      Effect.provide(withStore((store) => ({ transition: losingFirst(store.transition) }))),
      TestClock.withLive,
    ),
  )
})
