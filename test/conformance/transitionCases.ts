import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { destinationIdOfPostback } from "../../actors/delivery/destinationId.ts"
import { TransactionStore } from "../../actors/ports/transactionStore.ts"
import { claimAll, claimOne, record, succeeded } from "./attempts.ts"
import {
  creationOf,
  eventsOf,
  move,
  newCharge,
  openCharge,
  openEndpoint,
  openPaidCharge,
  openShop,
  transitionOf,
} from "./fixtures.ts"
import { type StoreCase, storeCase } from "./stage.ts"

const url = "https://shop.example/postback?a=1&b=%C3%A7"

const guards: StoreCase = storeCase(
  "a charge transition writes nothing if the charge has moved on or does not exist",
  Effect.gen(function* () {
    const store = yield* TransactionStore
    const shop = yield* openShop()
    const { live } = shop
    const endpoint = yield* openEndpoint(live)
    const pending = yield* openCharge(live)
    const paid = yield* move(pending, "paid")
    yield* record(yield* claimOne(endpoint.id), succeeded)
    const before = yield* eventsOf(live)
    const stale = { kind: "stale" } as const
    assert.deepStrictEqual(yield* store.transition(transitionOf(pending, "expired")), stale)
    const rightVersion = transitionOf({ ...pending, version: paid.version }, "expired")
    assert.deepStrictEqual(yield* store.transition(rightVersion), stale, "another status")
    const rightStatus = transitionOf({ ...paid, version: paid.version - 1 }, "refunded")
    assert.deepStrictEqual(yield* store.transition(rightStatus), stale, "an older version")
    const ahead = transitionOf({ ...paid, version: paid.version + 1 }, "refunded")
    assert.deepStrictEqual(yield* store.transition(ahead), stale, "a version to come")
    const unwritten = yield* newCharge(live)
    const missing = { kind: "missing" } as const
    assert.deepStrictEqual(yield* store.transition(transitionOf(unwritten, "paid")), missing)
    const other = yield* openShop()
    for (const { sellerId, mode } of [shop.test, other.live]) {
      const foreign = transitionOf(paid, "refunded", { sellerId, mode })
      assert.deepStrictEqual(yield* store.transition(foreign), missing, "another seller's or mode's")
    }
    assert.deepStrictEqual(yield* store.load(pending.id), paid)
    assert.isUndefined(yield* store.load(unwritten.id))
    assert.deepStrictEqual(yield* eventsOf(live), before)
    assert.deepStrictEqual(yield* claimAll(endpoint.id), [])
  }),
)

const acquirerAccount: StoreCase = storeCase(
  "a charge keeps its acquirer account through its transitions, or has none",
  Effect.gen(function* () {
    const store = yield* TransactionStore
    const { live } = yield* openShop()
    const timer = { name: "expire", dueMillis: 1_795_000_000_000 }
    const charge = { ...(yield* newCharge(live)), account: "api-pix:0123456789abcdef" }
    const creation = creationOf(live, charge, { timers: [{ ...timer, resourceId: charge.id }] })
    assert.deepStrictEqual(yield* store.create(creation), { kind: "created" })
    assert.deepStrictEqual(yield* store.load(charge.id), charge)
    const paid = yield* move(charge, "paid")
    assert.deepStrictEqual(yield* store.load(charge.id), paid)
    assert.deepStrictEqual(yield* store.get(live, charge.id), paid)
    const old = yield* openCharge(live, [timer])
    assert.deepStrictEqual(yield* store.load(old.id), old)
  }),
)

const postbackClaim: StoreCase = storeCase(
  "a charge's event is owed to its postback URL, under the seller's postback secret",
  Effect.gen(function* () {
    const { live } = yield* openShop({ postbackSecret: "ciphertext" })
    const charge = yield* openPaidCharge(live, { postback: { url } })
    const id = destinationIdOfPostback(live.sellerId, "live", url)
    const delivery = yield* claimOne(id)
    assert.deepStrictEqual(delivery.destination, {
      ...{ id, sellerId: live.sellerId, mode: "live", target: "postback", url },
      ...{
        enabled: true,
        isDeleted: false,
        headers: undefined,
        urlPassword: undefined,
        secrets: ["ciphertext"],
      },
    })
    assert.strictEqual(delivery.entry.type, "transaction.paid")
    assert.strictEqual(delivery.entry.data, charge.document)
    assert.deepStrictEqual(yield* claimAll(id), [])
  }),
)

const postbacksApart: StoreCase = storeCase(
  "a postback URL has one queue per seller and mode",
  Effect.gen(function* () {
    const shop = yield* openShop()
    const other = yield* openShop()
    yield* openPaidCharge(shop.live, { postback: { url } })
    yield* openPaidCharge(shop.live, { postback: { url } })
    yield* openPaidCharge(shop.live, { postback: { url: `${url}&c` } })
    yield* openPaidCharge(shop.test, { postback: { url } })
    yield* openPaidCharge(other.live, { postback: { url } })
    const owed = (owner: { readonly sellerId: string }, mode: "live" | "test", to: string) =>
      Effect.map(claimAll(destinationIdOfPostback(owner.sellerId, mode, to)), (claimed) => claimed.length)
    assert.strictEqual(yield* owed(shop, "live", url), 2)
    assert.strictEqual(yield* owed(shop, "live", `${url}&c`), 1)
    assert.strictEqual(yield* owed(shop, "test", url), 1)
    assert.strictEqual(yield* owed(other, "live", url), 1)
    assert.strictEqual(yield* owed(other, "test", url), 0)
  }),
)

/** Transitions of a charge: one atomic step, guarded by status and version (`docs/contract/transactions.md#states`). */
export const transitionCases: ReadonlyArray<StoreCase> = [
  storeCase(
    "a charge transition moves status, version and document together",
    Effect.gen(function* () {
      const store = yield* TransactionStore
      const { test } = yield* openShop()
      const pending = yield* openCharge(test)
      const paid = yield* move(pending, "paid")
      assert.deepStrictEqual(yield* store.get(test, pending.id), paid)
      assert.strictEqual(paid.version, 2)
      const refunded = yield* move(paid, "refunded")
      assert.deepStrictEqual(yield* store.get(test, pending.id), refunded)
      assert.strictEqual(refunded.version, 3)
    }),
  ),
  storeCase(
    "each charge transition appends one event with the document of that moment",
    Effect.gen(function* () {
      const { live } = yield* openShop()
      const pending = yield* openCharge(live)
      const paid = yield* move(pending, "paid")
      const chargedBack = yield* move(paid, "chargeback")
      const events = yield* eventsOf(live)
      assert.deepStrictEqual(
        events.map(({ seq, type, resourceId, internal, data }) => [seq, type, resourceId, internal, data]),
        [
          [1, "transaction.created", pending.id, true, pending.document],
          [2, "transaction.paid", pending.id, false, paid.document],
          [3, "transaction.chargeback", pending.id, false, chargedBack.document],
        ],
      )
    }),
  ),
  guards,
  acquirerAccount,
  storeCase(
    "a charge transition sent twice is applied once",
    Effect.gen(function* () {
      const store = yield* TransactionStore
      const { live } = yield* openShop()
      const endpoint = yield* openEndpoint(live)
      const commit = transitionOf(yield* openCharge(live), "paid")
      assert.deepStrictEqual(yield* store.transition(commit), { kind: "applied" })
      assert.deepStrictEqual(yield* store.transition(commit), { kind: "stale" })
      assert.strictEqual((yield* eventsOf(live)).length, 2)
      assert.strictEqual((yield* claimAll(endpoint.id)).length, 1)
    }),
  ),
  postbackClaim,
  postbacksApart,
  storeCase(
    "a postback has no secret if its seller has none",
    Effect.gen(function* () {
      const { live } = yield* openShop({ postbackSecret: "" })
      yield* openPaidCharge(live, { postback: { url } })
      const { destination } = yield* claimOne(destinationIdOfPostback(live.sellerId, "live", url))
      assert.deepStrictEqual(destination.secrets, [])
      assert.isTrue(destination.enabled)
    }),
  ),
  storeCase(
    "an event is owed to an endpoint and a postback separately, even at the same URL",
    Effect.gen(function* () {
      const { live } = yield* openShop()
      const endpoint = yield* openEndpoint(live)
      yield* openPaidCharge(live, { postback: { url: endpoint.url } })
      const toEndpoint = yield* claimOne(endpoint.id)
      const toPostback = yield* claimOne(destinationIdOfPostback(live.sellerId, "live", endpoint.url))
      assert.deepStrictEqual(toEndpoint.entry, toPostback.entry)
      yield* record(toEndpoint, succeeded)
      yield* record(toPostback, succeeded)
    }),
  ),
  storeCase(
    "an internal event is owed to no postback",
    Effect.gen(function* () {
      const { live } = yield* openShop()
      const charge = yield* openCharge(live)
      yield* move(charge, "paid", { eventType: "transaction.created", postback: { url } })
      assert.deepStrictEqual(yield* claimAll(destinationIdOfPostback(live.sellerId, "live", url)), [])
    }),
  ),
]
