import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import { lockPayouts, patchProfile, setStatus } from "../../../actors/seller/decisions/sellerDecisions.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { defaultSellerSettings } from "../../../schema/resources/seller.ts"
import { SellerChanges, SellerChangesLive } from "../../../src/accounts/sellers/sellerChanges.ts"
import { MemoryStoreLive } from "../../model/memoryStore.ts"
import { cipher, eventsOf, freshSellerId, openSeller, SecretsLive } from "./sellerFixture.ts"

const Store = MemoryStoreLive()
const TestLayer = SellerChangesLive.pipe(Layer.provide(SecretsLive), Layer.provideMerge(Store))

/** The changes on a store with another `update`; `change` gets the real one. */
const withUpdate = (change: (update: SellerStore["Service"]["update"]) => SellerStore["Service"]["update"]) =>
  SellerChangesLive.pipe(
    Layer.provide(
      Layer.effect(
        SellerStore,
        Effect.map(SellerStore, (sellers) => ({ ...sellers, update: change(sellers.update) })),
      ),
    ),
    Layer.provide(SecretsLive),
    Layer.provideMerge(Store),
  )

const nowMillis = Date.parse("2026-11-21T00:00:00Z")
const dayMillis = 24 * 60 * 60 * 1000

const rename = (name: string) => patchProfile({ name }, cipher)

describe("a seller's profile", () => {
  it.effect("a seller's profile has every field of the contract, and the default settings", () =>
    Effect.gen(function* () {
      const seller = yield* openSeller()
      expect(yield* (yield* SellerChanges).profile(seller.id)).toEqual({
        id: seller.id,
        object: "seller",
        name: "Loja da Ana",
        document: null,
        status: "active",
        kyc_status: "none",
        payout_locked_until: null,
        settings: defaultSellerSettings,
        created_at: "2026-11-21T00:07:35.123Z",
      })
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect.each([
    ["12345678909", "***.456.789-**"],
    ["12345678000195", "**.345.678/0001-**"],
    ["12ABC34501DE35", "**.ABC.345/01DE-**"],
  ] as const)("a seller's profile shows the document %s as %s", ([document, shown]) =>
    Effect.gen(function* () {
      const { id } = yield* openSeller({ plainDocument: document })
      expect((yield* (yield* SellerChanges).profile(id)).document).toBe(shown)
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("a seller's profile has no document where the ciphertext does not open", () =>
    Effect.gen(function* () {
      const { id } = yield* openSeller({ document: "enc:v2:0:bm90IG91cnM" })
      expect((yield* (yield* SellerChanges).profile(id)).document).toBeNull()
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect.each([
    { lock: 2 * dayMillis, recovery: dayMillis },
    { lock: dayMillis, recovery: 2 * dayMillis },
    { lock: undefined, recovery: 2 * dayMillis },
    { lock: 2 * dayMillis, recovery: undefined },
  ])("a seller's profile shows the later of two locks until it ends: %o", ({ lock, recovery }) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(nowMillis)
      const at = (millis: number | undefined) => (millis === undefined ? undefined : nowMillis + millis)
      const { id } = yield* openSeller({
        payoutLockedUntilMillis: at(lock),
        recoveryLockedUntilMillis: at(recovery),
      })
      const lockedUntil = Effect.map(
        Effect.flatMap(SellerChanges, (changes) => changes.profile(id)),
        (profile) => profile.payout_locked_until,
      )
      yield* TestClock.adjust(2 * dayMillis - 1)
      expect(yield* lockedUntil).toBe("2026-11-23T00:00:00.000Z")
      yield* TestClock.adjust(1)
      expect(yield* lockedUntil).toBeNull()
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect.each([
    ["a bare prefix", "sel_"],
    ["a short id", "sel_01"],
    ["a charge's id", "txn_01M7YB3GPJ00ZDW30TDVX0QWK5"],
    ["an empty id", ""],
    ["an id that no seller has", freshSellerId()],
  ] as const)("a seller's profile and changes of it are 404 under %s", ([, id]) =>
    Effect.gen(function* () {
      const changes = yield* SellerChanges
      const gone = { code: "resource_not_found" }
      expect(yield* Effect.flip(changes.profile(id))).toMatchObject(gone)
      expect(yield* Effect.flip(changes.change(id, rename("Other")))).toMatchObject(gone)
    }).pipe(Effect.provide(TestLayer)),
  )
})

describe("a change of a seller", () => {
  it.effect("a change of a seller is written, and put in both modes' feeds as it is answered", () =>
    Effect.gen(function* () {
      const changes = yield* SellerChanges
      const { id } = yield* openSeller({ plainDocument: "12345678909" })
      const profile = yield* changes.change(id, rename("Padaria São João"))
      expect(profile).toMatchObject({ name: "Padaria São João", document: "***.456.789-**" })
      expect(yield* changes.profile(id)).toEqual(profile)
      for (const mode of ["live", "test"] as const) {
        expect(yield* eventsOf(id, mode)).toEqual([{ type: "seller.updated", resourceId: id, data: profile }])
      }
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect(
    "a change of a seller that changes nothing is neither written nor put on record nor in the feeds",
    () =>
      Effect.gen(function* () {
        const changes = yield* SellerChanges
        const seller = yield* openSeller()
        let acts = 0
        const profile = yield* changes.change(seller.id, setStatus("active"), () =>
          Effect.sync(() => void acts++),
        )
        expect(profile.status).toBe("active")
        expect(acts).toBe(0)
        expect(yield* eventsOf(seller.id, "live")).toEqual([])
        expect((yield* (yield* SellerStore).get(seller.id))?.version).toBe(seller.version)
      }).pipe(Effect.provide(TestLayer)),
  )

  it.effect(
    "a change of a seller is put on record once, before it is written, and not written where that fails",
    () =>
      Effect.gen(function* () {
        const changes = yield* SellerChanges
        const { id } = yield* openSeller()
        const seen: Array<unknown> = []
        const onRecord = Effect.map(Effect.orDie(changes.profile(id)), ({ status }) => void seen.push(status))
        yield* changes.change(id, setStatus("suspended"), () => onRecord)
        expect(seen).toEqual(["active"])

        const away = new StoreUnavailable({ operation: "XADD", reason: "test" })
        const failed = yield* Effect.flip(changes.change(id, setStatus("active"), () => Effect.fail(away)))
        expect(failed).toBe(away)
        expect((yield* changes.profile(id)).status).toBe("suspended")
      }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("changes of a seller at once are decided again on the newest version, and none is lost", () =>
    Effect.gen(function* () {
      const changes = yield* SellerChanges
      const { id } = yield* openSeller()
      yield* TestClock.setTime(nowMillis)
      yield* Effect.all(
        [
          changes.change(id, rename("Other")),
          changes.change(id, setStatus("suspended")),
          changes.change(id, lockPayouts(nowMillis + dayMillis)),
        ],
        { concurrency: "unbounded" },
      )
      const after = yield* changes.profile(id)
      expect(after).toMatchObject({
        name: "Other",
        status: "suspended",
        payout_locked_until: "2026-11-22T00:00:00.000Z",
      })
      const events = yield* eventsOf(id, "test")
      expect(events).toHaveLength(3)
      expect(events.at(-1)?.data).toEqual(after)
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("a change of a seller whose answer was lost makes one event", () => {
    let lost = 0
    const losing = withUpdate(
      (update) => (change) =>
        Effect.flatMap(update(change), (answer) =>
          lost++ === 0
            ? Effect.fail(new StoreUnavailable({ operation: "update_seller", reason: "test" }))
            : Effect.succeed(answer),
        ),
    )
    return Effect.gen(function* () {
      const changes = yield* SellerChanges
      const { id } = yield* openSeller()
      expect((yield* changes.change(id, rename("Other"))).name).toBe("Other")
      expect(lost).toBe(2)
      expect(yield* eventsOf(id, "live")).toHaveLength(1)
    }).pipe(Effect.provide(losing), TestClock.withLive)
  })

  it.effect("a change of a seller gives up with 503 where others always come first", () => {
    let rounds = 0
    const outrun = withUpdate(() => () => Effect.sync(() => ({ kind: rounds++ < 100 ? "stale" : "updated" })))
    return Effect.gen(function* () {
      const changes = yield* SellerChanges
      const { id } = yield* openSeller()
      const error = yield* Effect.flip(changes.change(id, rename("Other")))
      expect(error).toMatchObject({ code: "service_unavailable", retryAfterSeconds: 1 })
      expect(rounds).toBeLessThan(10)
    }).pipe(Effect.provide(outrun))
  })
})

describe("an identification", () => {
  const kyc = { document: "123.456.789-09", legalName: "Ana Souza" }

  it.effect("an identification is stored as ciphertext and waits for an operator", () =>
    Effect.gen(function* () {
      const changes = yield* SellerChanges
      const { id } = yield* openSeller()
      const profile = yield* changes.submitKyc(id, kyc)
      expect(profile).toMatchObject({ kyc_status: "pending", document: "***.456.789-**" })
      const stored = yield* (yield* SellerStore).get(id)
      expect(stored?.legalName).toBe("Ana Souza")
      expect(JSON.stringify([stored, yield* eventsOf(id, "live")])).not.toContain("12345678909")
      expect(cipher.open(stored?.document ?? "", sealedPlaces.sellerDocument(id))).toBe("12345678909")
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("an identification handed in twice makes one event, and each change of it another", () =>
    Effect.gen(function* () {
      const changes = yield* SellerChanges
      const { id } = yield* openSeller()
      yield* changes.submitKyc(id, kyc)
      yield* changes.submitKyc(id, { ...kyc, document: "12345678909" })
      expect(yield* eventsOf(id, "test")).toHaveLength(1)
      yield* changes.submitKyc(id, { ...kyc, legalName: "Ana Lima Souza" })
      yield* changes.submitKyc(id, { ...kyc, document: "529.982.247-25", legalName: "Ana Lima Souza" })
      expect((yield* eventsOf(id, "test")).map(({ type }) => type)).toEqual(Array(3).fill("seller.updated"))
    }).pipe(Effect.provide(TestLayer)),
  )
})
