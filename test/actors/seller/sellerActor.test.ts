import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { TestClock, TestConsole } from "effect/testing"
import { SellerStore, type StoredSeller } from "../../../actors/ports/sellerStore.ts"
import { initialSettings } from "../../../actors/seller/decisions/newSeller.ts"
import { advanceClock } from "../../../actors/seller/operations/advanceClock.ts"
import { makeSellerActors } from "../../../actors/seller/sellerActor.ts"
import type { AccessRefusal } from "../../../actors/values/principal.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { limits } from "../../../schema/limits.ts"
import { MemoryStore } from "../../model/state.ts"
import { cipher, identifiers, startProcess } from "../support/process.ts"
import { pass, settle } from "../support/settle.ts"
import {
  chargeNow,
  createCharge,
  eventsOf,
  openShop,
  overloaded,
  requestCharge,
  type Shop,
} from "../support/shop.ts"
import { onStore, StoreFaults, startMillis } from "../support/store.ts"

const open = Effect.gen(function* () {
  const shop = yield* openShop()
  const process = yield* startProcess()
  return { shop, process }
})

/** Changes a seller's record, as an operator does. */
const changeSeller = (shop: Shop, changes: Partial<StoredSeller>) =>
  Effect.gen(function* () {
    const { sellers } = yield* MemoryStore
    const record = sellers.get(shop.sellerId)
    if (record !== undefined)
      sellers.set(shop.sellerId, { ...record, seller: { ...record.seller, ...changes } })
  })

const finalizersOf = ({ state }: Scope.Scope): number =>
  state._tag === "Open" ? (state.finalizers?.size ?? 1) : 0

describe("the end of a seller's actor", () => {
  it.effect("a seller's actor leaves no finalizer in its registry's scope when it leaves memory", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process } = yield* open
        const scope = yield* Scope.make()
        const actors = yield* makeSellerActors.pipe(Scope.provide(scope), Effect.provide(process.services))
        const before = finalizersOf(scope)
        yield* actors.ask(advanceClock, { sellerId: shop.sellerId, seconds: 0 })
        yield* settle
        assert.strictEqual(actors.size(), 1)

        yield* TestClock.adjust(limits.actorIdleMillis)
        yield* settle
        assert.strictEqual(actors.size(), 0)
        assert.strictEqual(finalizersOf(scope), before)
      }),
    ),
  )
})

describe("a requested charge", () => {
  it.effect("a charge is stored and announced as it is answered, with its document sealed", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process } = yield* open
        const charge = yield* createCharge(process, shop.test)

        assert.deepStrictEqual(yield* chargeNow(charge.id), charge)
        assert.strictEqual(
          cipher.open(charge.customer.document, sealedPlaces.customerDocument(charge.id)),
          "52998224725",
        )
        assert.deepStrictEqual(JSON.parse((yield* eventsOf(shop.test))[0]?.data ?? ""), charge)
      }),
    ),
  )

  it.effect("a charge names its location in its code and has a txid of its own", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process } = yield* open
        const one = yield* createCharge(process, shop.test)
        const two = yield* createCharge(process, shop.test)

        assert.match(one.pix.payload, /pix\.corrente\.test\/qr\/v2\/[0-9a-f]{32}/)
        assert.match(one.pix.txid, /^[a-zA-Z0-9]{32}$/)
        assert.notStrictEqual(one.pix.txid, two.pix.txid)
        assert.isTrue(one.id < two.id)
      }),
    ),
  )
})

describe("a refused charge", () => {
  const refusals: ReadonlyArray<
    readonly [string, (shop: Shop) => Effect.Effect<void, never, MemoryStore>, AccessRefusal["kind"]]
  > = [
    [
      "a revoked key",
      (shop) =>
        Effect.map(MemoryStore, ({ apiKeys }) => {
          const key = apiKeys.get(shop.test.keyHash)
          if (key !== undefined) key.revokeAtMillis = startMillis
        }),
      "keyInvalid",
    ],
    [
      "an unknown key",
      (shop) => Effect.map(MemoryStore, ({ apiKeys }) => void apiKeys.delete(shop.test.keyHash)),
      "keyInvalid",
    ],
    ["a suspended seller", (shop) => changeSeller(shop, { status: "suspended" }), "sellerNotAllowed"],
  ]
  for (const [what, arrange, kind] of refusals) {
    for (const [latency, chargeLatencyMillis] of [
      ["a local", 0],
      ["a remote", 100],
    ] as const) {
      it.effect(`a charge is refused to ${what} at once with ${latency} acquirer; nothing is written`, () =>
        onStore(
          Effect.gen(function* () {
            const shop = yield* openShop()
            const process = yield* startProcess({ simulator: { chargeLatencyMillis } })
            const before = yield* Effect.forkChild(requestCharge(process, shop.test))
            yield* pass(chargeLatencyMillis)
            assert.strictEqual((yield* Fiber.join(before)).kind, "answered")
            yield* arrange(shop)

            for (const amount of [1_000, 103]) {
              assert.deepStrictEqual(yield* requestCharge(process, shop.test, { body: { amount } }), {
                kind,
              })
            }
            assert.strictEqual((yield* eventsOf(shop.test)).length, 1)
          }),
        ),
      )
    }
  }

  it.effect("a key that is scheduled to end is refused from that very millisecond on", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process } = yield* open
        const { apiKeys } = yield* MemoryStore
        const key = apiKeys.get(shop.test.keyHash)
        if (key !== undefined) key.revokeAtMillis = startMillis + 1_000
        yield* pass(999)
        assert.strictEqual((yield* requestCharge(process, shop.test)).kind, "answered")
        yield* pass(1)

        assert.deepStrictEqual(yield* requestCharge(process, shop.test), { kind: "keyInvalid" })
        assert.strictEqual((yield* requestCharge(process, shop.live)).kind, "answered")
      }),
    ),
  )

  it.effect("a charge for a seller that does not exist is answered 503", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process } = yield* open
        const sellerId = identifiers.id("sel_", 0, startMillis)
        const failure = yield* Effect.flip(requestCharge(process, { ...shop.test, sellerId }))

        assert.deepInclude(failure, overloaded)
      }),
    ),
  )
})

describe("a seller's settings", () => {
  const fees = { settings: { ...initialSettings, chargeFeeBps: 100, chargeFeeFixed: 5 } }
  const feeNow = (shop: Shop, process: Parameters<typeof createCharge>[0]) =>
    Effect.map(createCharge(process, shop.test), ({ amount, fee, net_amount }) => {
      assert.strictEqual(net_amount, amount - fee)
      return fee
    })

  it.effect("a seller's settings are read again once they are older than their bound, and not before", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process } = yield* open
        assert.strictEqual(yield* feeNow(shop, process), 0)
        yield* changeSeller(shop, fees)
        yield* pass(limits.sellerSettingsMaxAgeMillis)
        assert.strictEqual(yield* feeNow(shop, process), 0)
        yield* pass(1)

        assert.strictEqual(yield* feeNow(shop, process), 15)
      }),
    ),
  )

  it.effect("a seller's changed settings apply to the next charge after a hint", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process } = yield* open
        const seller = yield* (yield* SellerStore).get(shop.sellerId)
        assert.isDefined(seller)
        assert.strictEqual(yield* feeNow(shop, process), 0)
        yield* pass(1)
        const event = { type: "seller.updated", data: "{}" }
        yield* (yield* SellerStore).update({ seller: { ...seller, ...fees }, event })

        assert.strictEqual(yield* feeNow(shop, process), 15)
      }),
    ),
  )

  it.effect("a seller's settings are read once after a hint, not before every charge", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process } = yield* open
        const { calls } = yield* StoreFaults
        const seller = yield* (yield* SellerStore).get(shop.sellerId)
        assert.isDefined(seller)
        yield* feeNow(shop, process)
        yield* pass(1)
        yield* (yield* SellerStore).update({ seller, event: { type: "seller.updated", data: "{}" } })
        yield* pass(1)
        const before = calls.get("getSeller") ?? 0
        for (let i = 0; i < 3; i++) yield* feeNow(shop, process)

        assert.strictEqual(calls.get("getSeller"), before + 1)
      }),
    ),
  )

  it.effect("a seller's last known settings apply while the store is away", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process } = yield* open
        const faults = yield* StoreFaults
        yield* changeSeller(shop, fees)
        assert.strictEqual(yield* feeNow(shop, process), 15)
        faults.away.add("getSeller")
        yield* pass(limits.sellerSettingsMaxAgeMillis + 1)

        assert.strictEqual(yield* feeNow(shop, process), 15)
      }),
    ),
  )
})

describe("a seller's actor", () => {
  it.effect("a seller's actor creates a charge without waiting for the ones before", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process } = yield* open
        const { delaysMillis } = yield* StoreFaults
        delaysMillis.set("createTransaction", 10)
        const first = yield* Effect.forkChild(requestCharge(process, shop.test))
        yield* pass(5)
        const second = yield* Effect.forkChild(requestCharge(process, shop.test))
        yield* pass(5)
        assert.isDefined(first.pollUnsafe())
        assert.isUndefined(second.pollUnsafe())
        yield* pass(5)

        assert.isDefined(second.pollUnsafe())
      }),
    ),
  )

  it.effect("a seller's actor creates a bounded number of charges at once; the next ones wait", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process } = yield* open
        const { delaysMillis } = yield* StoreFaults
        delaysMillis.set("createTransaction", 10)
        const ask = Effect.forkChild(requestCharge(process, shop.test))
        const fibers = yield* Effect.forEach(Array.from({ length: limits.commitBatchMax }), () => ask)
        yield* settle
        // The actor itself makes this one.
        fibers.push(yield* ask)
        yield* settle
        fibers.push(yield* ask)
        const answered = () => fibers.filter((fiber) => fiber.pollUnsafe() !== undefined).length
        yield* pass(10)
        assert.strictEqual(answered(), limits.commitBatchMax + 1)
        yield* pass(10)

        assert.strictEqual(answered(), limits.commitBatchMax + 2)
      }),
    ),
  )

  it.effect("a seller's actor that cannot read its seller answers 503 and serves the next request", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process } = yield* open
        const faults = yield* StoreFaults
        faults.away.add("getSeller")
        assert.deepInclude(yield* Effect.flip(requestCharge(process, shop.test)), overloaded)
        faults.away.clear()

        assert.strictEqual((yield* requestCharge(process, shop.test)).kind, "answered")
      }),
    ),
  )

  it.effect("a defect in one command of a seller's actor fails that command alone", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process } = yield* open
        const faults = yield* StoreFaults
        faults.broken.add("createTransaction")
        const broken = yield* Effect.forkChild(requestCharge(process, shop.test, { body: { amount: 100 } }))
        // Refused charges are saved by another operation.
        const refused = yield* Effect.forkChild(requestCharge(process, shop.test, { body: { amount: 103 } }))
        yield* settle

        assert.isTrue(Exit.hasDies(yield* Fiber.await(broken)))
        assert.deepInclude(yield* Fiber.join(refused), { kind: "answered", status: 502 })
        assert.strictEqual(process.sellers.size(), 1)
      }),
    ),
  )

  it.effect("a timer's defect does not break a seller's actor; the timer fires again after its lease", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process } = yield* open
        const faults = yield* StoreFaults
        const charge = yield* createCharge(process, shop.test)
        faults.broken.add("transition")
        faults.delaysMillis.set("createTransaction", 10)
        // Both wait while the actor works, and come to it as one batch.
        yield* pass(2_995)
        yield* Effect.forkChild(requestCharge(process, shop.test))
        yield* pass(5)
        const asker = yield* Effect.forkChild(requestCharge(process, shop.test))
        yield* pass(15)
        faults.broken.clear()

        assert.strictEqual((yield* Fiber.join(asker)).kind, "answered")
        assert.include((yield* TestConsole.logLines).join("\n"), charge.id)
        yield* pass(limits.timerLeaseMillis - 16)
        assert.strictEqual((yield* chargeNow(charge.id)).status, "pending")
        yield* pass(1)
        assert.strictEqual((yield* chargeNow(charge.id)).status, "paid")
      }),
    ),
  )
})
