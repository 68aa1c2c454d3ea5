import { assert } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { type SellerHint, SellerHints } from "../../actors/ports/sellerHints.ts"
import { SellerRecords } from "../../actors/ports/sellerRecords.ts"
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
  "changes all that may change of a seller, and nothing else",
  Effect.gen(function* () {
    const records = yield* SellerRecords
    const { sellerId, live } = yield* openShop()
    const before = yield* sellerOf(sellerId)
    const seller: StoredSeller = {
      ...before,
      name: "Outra Loja",
      status: "suspended",
      kycStatus: "rejected",
      document: "sealed",
      legalName: "Outra Loja Ltda.",
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
    assert.deepStrictEqual(yield* records.update(changeOf(seller)), { kind: "updated" })
    assert.deepStrictEqual(yield* sellerOf(sellerId), { ...seller, version: before.version + 1 })
    // And back: what was there may be taken away again.
    const back = { ...before, version: before.version + 1 }
    assert.deepStrictEqual(yield* records.update(changeOf(back)), { kind: "updated" })
    assert.deepStrictEqual(yield* sellerOf(sellerId), { ...before, version: before.version + 2 })
    assert.isTrue(yield* (yield* SellerStore).isValid(live))
    assert.deepStrictEqual(yield* records.postbackSecret(sellerId), postbackOf("secret-of-postbacks"))
  }),
)

const bothFeeds: StoreCase = storeCase(
  "tells both modes' feeds of a change and owes it to the endpoints that want it",
  Effect.gen(function* () {
    const records = yield* SellerRecords
    const { sellerId, live, test } = yield* openShop()
    yield* openPaidCharge(live)
    const inLive = yield* openEndpoint(live, ["seller.kyc_approved"])
    const inTest = yield* openEndpoint(test)
    const another = yield* openEndpoint(test, ["seller.updated"])
    const change = changeOf({ ...(yield* sellerOf(sellerId)), kycStatus: "approved" }, "seller.kyc_approved")
    yield* records.update(change)
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
  "tells every process which seller was changed, and nothing of a change that was not made",
  Effect.gen(function* () {
    const records = yield* SellerRecords
    const { sellerId } = yield* openShop()
    const { sellerId: anotherId } = yield* openShop()
    const before = yield* sellerOf(sellerId)
    const heard = yield* Queue.unbounded<SellerHint>()
    yield* (yield* SellerHints).listen((hint) => {
      const isOurs = hint.kind === "changed" && [sellerId, anotherId].includes(hint.sellerId)
      if (isOurs) Queue.offerUnsafe(heard, hint)
    })
    yield* records.update(changeOf({ ...before, version: before.version + 1 }))
    yield* records.update(changeOf(before))
    yield* records.update(changeOf(yield* sellerOf(anotherId)))
    const hints = [yield* Queue.take(heard), yield* Queue.take(heard)]
    assert.deepStrictEqual(
      hints,
      [sellerId, anotherId].map((id) => ({ kind: "changed", sellerId: id })),
    )
  }),
)

const staleChange: StoreCase = storeCase(
  "writes no change that was decided on a seller that has changed since",
  Effect.gen(function* () {
    const records = yield* SellerRecords
    const { sellerId } = yield* openShop()
    const first = yield* sellerOf(sellerId)
    assert.deepStrictEqual(yield* records.update(changeOf({ ...first, name: "One" })), { kind: "updated" })
    assert.deepStrictEqual(yield* records.update(changeOf({ ...first, name: "Two" })), { kind: "stale" })
    assert.strictEqual((yield* sellerOf(sellerId)).name, "One")
    assert.strictEqual((yield* eventsOf({ sellerId, mode: "live" })).length, 1)

    const second = yield* sellerOf(sellerId)
    yield* records.update(changeOf({ ...second, recoveryLockedUntilMillis: 1_900_000_000_000 }))
    assert.deepStrictEqual(yield* records.update(changeOf({ ...second, name: "Two" })), { kind: "stale" })
    assert.strictEqual((yield* sellerOf(sellerId)).recoveryLockedUntilMillis, 1_900_000_000_000)
  }),
)

const nobody: StoreCase = storeCase(
  "changes nothing of a seller that is not there",
  Effect.gen(function* () {
    const records = yield* SellerRecords
    const { seller } = yield* newSeller()
    assert.deepStrictEqual(yield* records.update(changeOf(seller)), { kind: "noSeller" })
    assert.deepStrictEqual(yield* eventsOf({ sellerId: seller.id, mode: "test" }), [])
    const secret = postbackOf("another")
    assert.deepStrictEqual(yield* records.rotatePostbackSecret(seller.id, secret), { kind: "noSeller" })
    assert.isUndefined(yield* records.postbackSecret(seller.id))
    assert.isUndefined(yield* (yield* SellerStore).get(seller.id))
  }),
)

const rotation: StoreCase = storeCase(
  "puts a postback secret in the place of the one before, or gives a first one",
  Effect.gen(function* () {
    const records = yield* SellerRecords
    for (const postbackSecret of ["", "first"]) {
      const { sellerId, live } = yield* openShop({ postbackSecret })
      const known = postbackSecret === "" ? undefined : postbackOf(postbackSecret)
      assert.deepStrictEqual(yield* records.postbackSecret(sellerId), known)
      const secret = { ...postbackOf("second"), rotatedAt: "2026-11-22T00:00:00.000Z" }
      for (const _again of [1, 2]) {
        assert.deepStrictEqual(yield* records.rotatePostbackSecret(sellerId, secret), { kind: "rotated" })
        assert.deepStrictEqual(yield* records.postbackSecret(sellerId), secret)
      }
      const url = "https://shop.example/postback"
      yield* openPaidCharge(live, { postback: { url } })
      assert.strictEqual((yield* sellerOf(sellerId)).version, 1)
    }
  }),
)

const everySeller = { status: undefined, kycStatus: undefined, beforeId: undefined, limit: 100 }

const listing: StoreCase = storeCase(
  "lists the sellers of all partitions, newest first, page by page",
  Effect.gen(function* () {
    const records = yield* SellerRecords
    assert.deepStrictEqual(yield* records.list(everySeller), { sellers: [], nextBeforeId: undefined })
    const store = yield* SellerStore
    const made: Array<StoredSeller> = []
    // Five of the same millisecond or not: their ids alone say which is newer.
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
    assert.deepStrictEqual(yield* records.list({ ...everySeller, limit: 5 }), {
      sellers: made,
      nextBeforeId: undefined,
    })
    const first = yield* records.list({ ...everySeller, limit: 2 })
    assert.deepStrictEqual(first, { sellers: made.slice(0, 2), nextBeforeId: made[1]?.id })
    const second = yield* records.list({ ...everySeller, limit: 3, beforeId: first.nextBeforeId })
    assert.deepStrictEqual(second, { sellers: made.slice(2), nextBeforeId: undefined })

    const found = (filter: Partial<typeof everySeller> | object) =>
      Effect.map(records.list({ ...everySeller, ...filter }), ({ sellers }) => sellers)
    assert.deepStrictEqual(
      yield* found({ status: "suspended" }),
      made.filter(({ status }) => status === "suspended"),
    )
    assert.deepStrictEqual(
      yield* found({ status: "active", kycStatus: "pending" }),
      made.filter(({ status, kycStatus }) => status === "active" && kycStatus === "pending"),
    )
    const approved = made.filter(({ kycStatus }) => kycStatus === "approved")
    const one = yield* records.list({ ...everySeller, kycStatus: "approved", limit: 1 })
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
