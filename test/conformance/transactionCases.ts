import { randomBytes } from "node:crypto"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type TransactionPage, TransactionStore } from "../../actors/ports/transactionStore.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { makeId, partitionOfId } from "../../schema/ids.ts"
import { creationOf, eventsOf, hashOf, move, newCharge, newScope, openCharge, openShop } from "./fixtures.ts"
import { Stage, type StoreCase, storeCase } from "./stage.ts"

const everything: TransactionPage = {
  status: undefined,
  fromMillis: undefined,
  toMillis: undefined,
  beforeId: undefined,
  limit: 100,
}

/** The ids of a page. */
const listed = (owner: Principal, page: Partial<TransactionPage> = {}) =>
  Effect.gen(function* () {
    const answer = yield* (yield* TransactionStore).list(owner, { ...everything, ...page })
    if ("kind" in answer) return yield* Effect.die(new Error(answer.kind))
    return answer.map((charge) => charge.id)
  })

/** Charges created at chosen times of their ids, 1,000 ms apart, oldest first. */
const chargesAt = (owner: Principal, firstMillis: number, count: number) =>
  Effect.forEach(Array.from({ length: count }), (_, index) =>
    Effect.gen(function* () {
      const drawn = yield* newCharge(owner)
      const partition = partitionOfId(owner.sellerId) ?? 0
      const id = makeId("txn_", firstMillis + index * 1_000, partition, randomBytes(14))
      yield* (yield* TransactionStore).create(creationOf(owner, { ...drawn, id }))
      return { ...drawn, id }
    }),
  )

const isUnknown: StoreCase = storeCase(
  "a charge that was not created, or is of another seller or mode, is neither read nor listed",
  Effect.gen(function* () {
    const store = yield* TransactionStore
    const shop = yield* openShop()
    const other = yield* openShop()
    const charge = yield* openCharge(shop.live)
    const unwritten = yield* newCharge(shop.live)
    assert.isUndefined(yield* store.get(shop.live, unwritten.id))
    assert.isUndefined(yield* store.load(unwritten.id))
    assert.isUndefined(yield* store.get(shop.live, "txn_nothing-like-an-id"))
    assert.isUndefined(yield* store.get(shop.test, charge.id))
    assert.isUndefined(yield* store.get(other.live, charge.id))
    assert.deepStrictEqual(yield* listed(shop.test), [])
    assert.deepStrictEqual(yield* listed(other.live), [])
  }),
)

const unknownKey: StoreCase = storeCase(
  "an unknown API key is refused before the seller's status is checked, and writes nothing",
  Effect.gen(function* () {
    const store = yield* TransactionStore
    const shop = yield* openShop({ status: "suspended" })
    const stranger: Principal = { ...shop.live, keyHash: hashOf("no such key") }
    const charge = yield* newCharge(shop.live)
    const refused = { kind: "keyInvalid" } as const
    const borrowed = { ...shop.live, keyHash: (yield* openShop()).live.keyHash }
    assert.deepStrictEqual(yield* store.create(creationOf(borrowed, charge)), refused, "another seller's key")
    assert.deepStrictEqual(yield* store.create(creationOf(stranger, charge)), refused)
    assert.deepStrictEqual(yield* store.claim(stranger, newScope(), charge.id), refused)
    assert.deepStrictEqual(yield* store.peek(stranger, newScope()), refused)
    assert.deepStrictEqual(yield* store.saveAnswer(stranger, newScope(), 502, "{}"), refused)
    assert.deepStrictEqual(yield* store.get(stranger, charge.id), refused)
    assert.deepStrictEqual(yield* store.list(stranger, everything), refused)
    assert.isUndefined(yield* store.load(charge.id))
    assert.deepStrictEqual(yield* eventsOf(shop.live), [])
  }),
)

const revokedKey: StoreCase = storeCase(
  "a revoked API key gets no replay of its charge, and the seller's other key still works",
  Effect.gen(function* () {
    const store = yield* TransactionStore
    const shop = yield* openShop()
    const charge = yield* newCharge(shop.live)
    const creation = creationOf(shop.live, charge)
    yield* store.create(creation)
    const { revokeKey } = yield* Stage
    yield* revokeKey(shop.live)
    const again = { ...creation, idempotency: { ...creation.idempotency, executionId: "another" } }
    assert.deepStrictEqual(yield* store.create(creation), { kind: "keyInvalid" })
    assert.deepStrictEqual(yield* store.create(again), { kind: "keyInvalid" })
    assert.deepStrictEqual(yield* store.get(shop.live, charge.id), { kind: "keyInvalid" })
    assert.isUndefined(yield* store.get(shop.test, charge.id))
  }),
  { needs: ["revokeKey"] },
)

const suspended: StoreCase = storeCase(
  "a suspended seller can read charges but not create them",
  Effect.gen(function* () {
    const store = yield* TransactionStore
    const shop = yield* openShop({ status: "suspended" })
    const charge = yield* newCharge(shop.live)
    const refused = { kind: "sellerNotAllowed" } as const
    assert.deepStrictEqual(yield* store.create(creationOf(shop.live, charge)), refused)
    assert.deepStrictEqual(yield* store.claim(shop.live, newScope(), charge.id), refused)
    assert.deepStrictEqual(yield* store.peek(shop.live, newScope()), refused)
    assert.deepStrictEqual(yield* store.saveAnswer(shop.live, newScope(), 502, "{}"), refused)
    assert.isUndefined(yield* store.get(shop.live, charge.id))
    assert.deepStrictEqual(yield* store.list(shop.live, everything), [])
    assert.deepStrictEqual(yield* eventsOf(shop.live), [])
  }),
)

const window: StoreCase = storeCase(
  "the charge list has an inclusive window, an exclusive cursor and a limit",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const first = 1_795_000_000_000
    const [a, b, c, d] = (yield* chargesAt(live, first, 4)).map((charge) => charge.id)
    assert.deepStrictEqual(yield* listed(live), [d, c, b, a])
    assert.deepStrictEqual(yield* listed(live, { fromMillis: first + 1_000, toMillis: first + 2_000 }), [
      c,
      b,
    ])
    assert.deepStrictEqual(yield* listed(live, { fromMillis: first + 1_001, toMillis: first + 1_999 }), [])
    assert.deepStrictEqual(yield* listed(live, { beforeId: c }), [b, a])
    assert.deepStrictEqual(yield* listed(live, { beforeId: a }), [])
    assert.deepStrictEqual(yield* listed(live, { limit: 1 }), [d])
    assert.deepStrictEqual(yield* listed(live, { beforeId: d, fromMillis: first, limit: 2 }), [c, b])
  }),
)

/** Charges: creation, access, reading and listing (`docs/contract/transactions.md#routes`). */
export const transactionCases: ReadonlyArray<StoreCase> = [
  storeCase(
    "a charge is written as version 1, for its seller and by its id alone",
    Effect.gen(function* () {
      const store = yield* TransactionStore
      const { live } = yield* openShop()
      const charge = yield* newCharge(live)
      const creation = creationOf(live, { ...charge, version: 7 })
      assert.deepStrictEqual(yield* store.create(creation), { kind: "created" })
      assert.deepStrictEqual(yield* store.get(live, charge.id), charge)
      assert.deepStrictEqual(yield* store.load(charge.id), charge)
      assert.deepStrictEqual(yield* listed(live), [charge.id])
    }),
  ),
  storeCase(
    "many charges are read by their ids alone, in that order and without those that do not exist",
    Effect.gen(function* () {
      const store = yield* TransactionStore
      const [one, other] = [yield* openShop(), yield* openShop()]
      const charges = [
        yield* openCharge(one.live),
        yield* openCharge(other.test),
        yield* openCharge(one.test),
      ]
      const missing = yield* newCharge(one.live)
      const [first, second, third] = charges.map(({ id }) => id)
      const found = yield* store.loadMany([third ?? "", missing.id, first ?? "", second ?? "", first ?? ""])
      assert.deepStrictEqual(
        found.map(({ id }) => id),
        [third, first, second, first],
      )
      assert.deepStrictEqual(found[1], yield* store.load(first ?? ""))
      assert.deepStrictEqual(yield* store.loadMany([]), [])
    }),
  ),
  storeCase(
    "creating a charge appends one event, internal by the catalog, with the document as its data",
    Effect.gen(function* () {
      const { live } = yield* openShop()
      const charge = yield* openCharge(live)
      const [event, ...others] = yield* eventsOf(live)
      assert.deepStrictEqual(others, [])
      assert.deepStrictEqual(event, {
        entryId: event?.entryId,
        seq: 1,
        type: "transaction.created",
        resourceId: charge.id,
        internal: true,
        data: charge.document,
      } as typeof event)
    }),
  ),
  isUnknown,
  unknownKey,
  revokedKey,
  suspended,
  window,
  storeCase(
    "the charge list filters by current status",
    Effect.gen(function* () {
      const { live } = yield* openShop()
      const [old, young] = yield* chargesAt(live, 1_795_000_000_000, 2)
      assert.deepStrictEqual(yield* listed(live, { status: "pending" }), [young?.id, old?.id])
      if (old !== undefined) yield* move(old, "paid")
      assert.deepStrictEqual(yield* listed(live, { status: "pending" }), [young?.id])
      assert.deepStrictEqual(yield* listed(live, { status: "paid" }), [old?.id])
      assert.deepStrictEqual(yield* listed(live, { status: "refunded" }), [])
      assert.deepStrictEqual(yield* listed(live), [young?.id, old?.id])
    }),
  ),
]
