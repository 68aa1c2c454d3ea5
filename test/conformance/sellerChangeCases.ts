import { assert } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { type SellerHint, SellerHints } from "../../actors/ports/sellerHints.ts"
import { SellerStore, type StoredSeller } from "../../actors/ports/sellerStore.ts"
import { modes } from "../../schema/ids.ts"
import { claimAll, claimOne } from "./attempts.ts"
import {
  eventsOf,
  freshId,
  newSeller,
  openEndpoint,
  openPaidCharge,
  openShop,
  postbackOf,
} from "./fixtures.ts"
import { type StoreCase, storeCase } from "./stage.ts"

const sellerOf = (sellerId: string) =>
  Effect.flatMap(
    Effect.flatMap(SellerStore, (store) => store.get(sellerId)),
    (seller) =>
      seller === undefined ? Effect.die(new Error(`no seller ${sellerId}`)) : Effect.succeed(seller),
  )

const changeOf = (seller: StoredSeller, type = "seller.updated") => ({
  seller,
  event: { type, data: JSON.stringify({ id: seller.id, name: seller.name, note: `"quoted"\n` }) },
})

const changeAll: StoreCase = storeCase(
  "a seller update changes every changeable field and nothing else",
  Effect.gen(function* () {
    const sellers = yield* SellerStore
    const { sellerId, live } = yield* openShop()
    const before = yield* sellerOf(sellerId)
    const seller: StoredSeller = {
      ...before,
      name: "Outra Loja",
      status: "suspended",
      kycStatus: "rejected",
      document: "sealed",
      legalName: "Outra Loja Ltda.",
      brandColor: "#7a3cff",
      payerName: "A Outra",
      payoutLockedUntilMillis: 1_900_000_000_000,
      recoveryLockedUntilMillis: 1_900_000_000_001,
      settings: {
        chargeFeeBps: 8,
        chargeFeeFixed: 7,
        reserveBps: 6,
        reserveDays: 5,
        withdrawalFee: 4,
        withdrawalDailyValue: 3,
        withdrawalDailyCount: 2,
        withdrawalAutoApproval: true,
      },
    }
    assert.deepStrictEqual(yield* sellers.update(changeOf(seller)), { kind: "updated" })
    assert.deepStrictEqual(yield* sellerOf(sellerId), { ...seller, version: before.version + 1 })
    // And back: fields that were set can be cleared again.
    const back = { ...before, version: before.version + 1 }
    assert.deepStrictEqual(yield* sellers.update(changeOf(back)), { kind: "updated" })
    assert.deepStrictEqual(yield* sellerOf(sellerId), { ...before, version: before.version + 2 })
    assert.isTrue(yield* (yield* SellerStore).isValid(live))
    assert.deepStrictEqual(yield* sellers.postbackSecret(sellerId), postbackOf("secret-of-postbacks"))
  }),
)

const bothFeeds: StoreCase = storeCase(
  "a seller update is an event in both modes' feeds, owed to the endpoints that subscribe to it",
  Effect.gen(function* () {
    const sellers = yield* SellerStore
    const { sellerId, live, test } = yield* openShop()
    yield* openPaidCharge(live)
    const inLive = yield* openEndpoint(live, ["seller.kyc_approved"])
    const inTest = yield* openEndpoint(test)
    const another = yield* openEndpoint(test, ["seller.updated"])
    const change = changeOf({ ...(yield* sellerOf(sellerId)), kycStatus: "approved" }, "seller.kyc_approved")
    yield* sellers.update(change)
    for (const mode of modes) {
      const newest = (yield* eventsOf({ sellerId, mode })).at(-1)
      assert.deepStrictEqual(
        { ...newest, entryId: "" },
        {
          entryId: "",
          seq: mode === "live" ? 3 : 1,
          type: "seller.kyc_approved",
          resourceId: sellerId,
          internal: false,
          data: change.event.data,
        },
      )
    }
    for (const endpoint of [inLive, inTest]) {
      assert.strictEqual((yield* claimOne(endpoint.id)).entry.data, change.event.data)
    }
    assert.deepStrictEqual(yield* claimAll(another.id), [])
  }),
)

const hintOfChange: StoreCase = storeCase(
  "an applied seller update gives a hint, and a stale one does not",
  Effect.gen(function* () {
    const sellers = yield* SellerStore
    const { sellerId } = yield* openShop()
    const { sellerId: anotherId } = yield* openShop()
    const before = yield* sellerOf(sellerId)
    const heard = yield* Queue.unbounded<SellerHint>()
    yield* (yield* SellerHints).listen((hint) => {
      const isOurs = hint.kind === "changed" && [sellerId, anotherId].includes(hint.sellerId)
      if (isOurs) Queue.offerUnsafe(heard, hint)
    })
    yield* sellers.update(changeOf({ ...before, version: before.version + 1 }))
    yield* sellers.update(changeOf(before))
    yield* sellers.update(changeOf(yield* sellerOf(anotherId)))
    const hints = [yield* Queue.take(heard), yield* Queue.take(heard)]
    // Two sellers' hints may come from two servers, in any order.
    assert.sameDeepMembers(
      hints,
      [sellerId, anotherId].map((id) => ({ kind: "changed", sellerId: id })),
    )
  }),
)

const staleChange: StoreCase = storeCase(
  "a seller update decided on an outdated version writes nothing",
  Effect.gen(function* () {
    const sellers = yield* SellerStore
    const { sellerId } = yield* openShop()
    const first = yield* sellerOf(sellerId)
    assert.deepStrictEqual(yield* sellers.update(changeOf({ ...first, name: "One" })), { kind: "updated" })
    assert.deepStrictEqual(yield* sellers.update(changeOf({ ...first, name: "Two" })), { kind: "stale" })
    assert.strictEqual((yield* sellerOf(sellerId)).name, "One")
    assert.strictEqual((yield* eventsOf({ sellerId, mode: "live" })).length, 1)

    const second = yield* sellerOf(sellerId)
    yield* sellers.update(changeOf({ ...second, recoveryLockedUntilMillis: 1_900_000_000_000 }))
    assert.deepStrictEqual(yield* sellers.update(changeOf({ ...second, name: "Two" })), { kind: "stale" })
    assert.strictEqual((yield* sellerOf(sellerId)).recoveryLockedUntilMillis, 1_900_000_000_000)
  }),
)

const nobody: StoreCase = storeCase(
  "updating an unknown seller or rotating its postback secret writes nothing",
  Effect.gen(function* () {
    const sellers = yield* SellerStore
    const { seller } = yield* newSeller()
    assert.deepStrictEqual(yield* sellers.update(changeOf(seller)), { kind: "noSeller" })
    assert.deepStrictEqual(yield* eventsOf({ sellerId: seller.id, mode: "test" }), [])
    const secret = postbackOf("another")
    assert.deepStrictEqual(yield* sellers.rotatePostbackSecret(seller.id, secret), { kind: "noSeller" })
    assert.isUndefined(yield* sellers.postbackSecret(seller.id))
    assert.isUndefined(yield* (yield* SellerStore).get(seller.id))
  }),
)

const rotation: StoreCase = storeCase(
  "rotating a postback secret replaces the one before, or sets a first one",
  Effect.gen(function* () {
    const sellers = yield* SellerStore
    for (const postbackSecret of ["", "first"]) {
      const { sellerId, live } = yield* openShop({ postbackSecret })
      const known = postbackSecret === "" ? undefined : postbackOf(postbackSecret)
      assert.deepStrictEqual(yield* sellers.postbackSecret(sellerId), known)
      const secret = { ...postbackOf("second"), rotatedAt: "2026-11-22T00:00:00.000Z" }
      for (const _again of [1, 2]) {
        assert.deepStrictEqual(yield* sellers.rotatePostbackSecret(sellerId, secret), { kind: "rotated" })
        assert.deepStrictEqual(yield* sellers.postbackSecret(sellerId), secret)
      }
      const url = "https://shop.example/postback"
      yield* openPaidCharge(live, { postback: { url } })
      assert.strictEqual((yield* sellerOf(sellerId)).version, 1)
    }
  }),
)

const everySeller = { status: undefined, kycStatus: undefined, beforeId: undefined, limit: 100 }

const listing: StoreCase = storeCase(
  "the seller list covers all partitions, newest first, with filters and pages",
  Effect.gen(function* () {
    const sellers = yield* SellerStore
    assert.deepStrictEqual(yield* sellers.list(everySeller), { sellers: [], nextBeforeId: undefined })
    const store = yield* SellerStore
    const made: Array<StoredSeller> = []
    // Some may share a millisecond: only their ids say which is newer.
    for (let i = 0; i < 5; i++) {
      const { seller, keys } = yield* newSeller({
        id: yield* freshId("sel_", i * 7),
        name: `Loja ${i}`,
        status: i % 2 === 0 ? "active" : "suspended",
        kycStatus: i < 3 ? "pending" : "approved",
      })
      yield* store.create(seller, keys, undefined)
      made.push(seller)
    }
    made.sort((left, right) => (left.id < right.id ? 1 : -1))
    assert.deepStrictEqual(yield* sellers.list({ ...everySeller, limit: 5 }), {
      sellers: made,
      nextBeforeId: undefined,
    })
    const first = yield* sellers.list({ ...everySeller, limit: 2 })
    assert.deepStrictEqual(first, { sellers: made.slice(0, 2), nextBeforeId: made[1]?.id })
    const second = yield* sellers.list({ ...everySeller, limit: 3, beforeId: first.nextBeforeId })
    assert.deepStrictEqual(second, { sellers: made.slice(2), nextBeforeId: undefined })

    const found = (filter: Partial<typeof everySeller> | object) =>
      Effect.map(sellers.list({ ...everySeller, ...filter }), ({ sellers }) => sellers)
    assert.deepStrictEqual(
      yield* found({ status: "suspended" }),
      made.filter(({ status }) => status === "suspended"),
    )
    assert.deepStrictEqual(
      yield* found({ status: "active", kycStatus: "pending" }),
      made.filter(({ status, kycStatus }) => status === "active" && kycStatus === "pending"),
    )
    const approved = made.filter(({ kycStatus }) => kycStatus === "approved")
    const one = yield* sellers.list({ ...everySeller, kycStatus: "approved", limit: 1 })
    assert.deepStrictEqual(one.sellers, approved.slice(0, 1))
    assert.isDefined(one.nextBeforeId)
    const rest = yield* found({ kycStatus: "approved", limit: 1, beforeId: one.nextBeforeId })
    assert.deepStrictEqual(rest, approved.slice(1))
  }),
)

/** Changes of sellers, and their list (`docs/contract/admin.md#sellers`). */
export const sellerChangeCases: ReadonlyArray<StoreCase> = [
  changeAll,
  bothFeeds,
  staleChange,
  hintOfChange,
  nobody,
  rotation,
  listing,
]
