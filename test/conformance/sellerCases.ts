import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SellerStore } from "../../actors/ports/sellerStore.ts"
import { limits } from "../../schema/limits.ts"
import { claimAll } from "./attempts.ts"
import {
  freshId,
  hashOf,
  keyPrincipalOf,
  newEndpoint,
  newSeller,
  openEndpoint,
  openPaidCharge,
  openShop,
  postbackOf,
} from "./fixtures.ts"
import { Stage, type StoreCase, storeCase } from "./stage.ts"

const creation: StoreCase = storeCase(
  "a seller is written with its API keys in one step, and only once",
  Effect.gen(function* () {
    const store = yield* SellerStore
    const { seller, keys, partition } = yield* newSeller({ name: "Padaria São João", kycStatus: "approved" })
    assert.isUndefined(yield* store.get(seller.id))
    assert.deepStrictEqual(yield* store.create(seller, keys, postbackOf("secret")), { kind: "created" })
    assert.deepStrictEqual(yield* store.get(seller.id), seller)
    for (const key of keys) {
      const principal = keyPrincipalOf(seller.id, key)
      assert.deepStrictEqual(yield* store.principalOf(partition, key.keyHash), principal)
      assert.isTrue(yield* store.isValid(principal))
    }
    const stranger = { ...keys[0], keyHash: hashOf(`another key of ${seller.id}`) }
    const changed = { ...seller, name: "Another" }
    assert.deepStrictEqual(yield* store.create(changed, [stranger], undefined), { kind: "exists" })
    assert.deepStrictEqual(yield* store.get(seller.id), seller)
    assert.isUndefined(yield* store.principalOf(partition, stranger.keyHash))
  }),
)

const unknownKeys: StoreCase = storeCase(
  "an API key is found only in its own partition",
  Effect.gen(function* () {
    const store = yield* SellerStore
    const { live, partition } = yield* openShop()
    assert.isUndefined(yield* store.principalOf(partition, hashOf("no such key")))
    assert.isUndefined(yield* store.principalOf(partition === 0 ? 1 : 0, live.keyHash))
    assert.isFalse(yield* store.isValid({ ...live, keyHash: hashOf("no such key") }))
  }),
)

const endpointLimit: StoreCase = storeCase(
  `a mode takes ${limits.endpointsPerModeMax} endpoints, and not one more`,
  Effect.gen(function* () {
    const store = yield* SellerStore
    const { live, test } = yield* openShop()
    for (let i = 0; i < limits.endpointsPerModeMax; i++) yield* openEndpoint(live)
    const sixth = yield* newEndpoint(live, ["*"])
    assert.deepStrictEqual(yield* store.createEndpoint(sixth), { kind: "limit" })
    const ids = (yield* store.listEndpoints(live.sellerId, "live")).map((endpoint) => endpoint.id)
    assert.strictEqual(ids.length, limits.endpointsPerModeMax)
    assert.notInclude(ids, sixth.id)
    yield* openPaidCharge(live)
    assert.deepStrictEqual(yield* claimAll(sixth.id), [])
    assert.deepStrictEqual(yield* store.createEndpoint(yield* newEndpoint(test, ["*"])), { kind: "created" })
  }),
)

const withoutSecret: StoreCase = storeCase(
  "a new seller keeps all its fields, also without a postback secret",
  Effect.gen(function* () {
    const store = yield* SellerStore
    const { seller, keys } = yield* newSeller({
      status: "suspended",
      kycStatus: "pending",
      document: "sealed document",
      legalName: "Padaria São João Ltda.",
      payoutLockedUntilMillis: 1_800_000_000_000,
      recoveryLockedUntilMillis: 1_800_000_000_001,
      brandLogo: "iVBORw0KGgo=",
      brandColor: "#0b6b58",
      payerName: "Padaria & Café",
      settings: {
        chargeFeeBps: 1,
        chargeFeeFixed: 2,
        reserveBps: 3,
        reserveDays: 4,
        withdrawalFee: 0,
        withdrawalDailyValue: 6,
        withdrawalDailyCount: 7,
        withdrawalAutoApproval: true,
      },
    })
    assert.deepStrictEqual(yield* store.create(seller, keys.slice(0, 1), undefined), { kind: "created" })
    assert.deepStrictEqual(yield* store.get(seller.id), seller)
  }),
)

/** Sellers, their keys and their endpoints (`docs/contract/sellers.md#routes`). */
export const sellerCases: ReadonlyArray<StoreCase> = [
  creation,
  withoutSecret,
  unknownKeys,
  storeCase(
    "looking up a revoked API key answers revoked, not unknown",
    Effect.gen(function* () {
      const store = yield* SellerStore
      const { live, test, partition } = yield* openShop()
      const { revokeKey } = yield* Stage
      yield* revokeKey(live)
      assert.deepStrictEqual(yield* store.principalOf(partition, live.keyHash), { kind: "revoked" })
      assert.isFalse(yield* store.isValid(live))
      assert.deepStrictEqual(yield* store.principalOf(partition, test.keyHash), test)
      assert.isTrue(yield* store.isValid(test))
    }),
    { needs: ["revokeKey"] },
  ),
  storeCase(
    "an endpoint list has one mode's endpoints and no secrets",
    Effect.gen(function* () {
      const store = yield* SellerStore
      const { sellerId, live, test } = yield* openShop()
      const endpoints = [
        yield* openEndpoint(live, ["transaction.paid", "seller.updated"]),
        yield* openEndpoint(live),
      ]
      const inTest = yield* openEndpoint(test)
      const listed = yield* store.listEndpoints(sellerId, "live")
      const seen = listed.map(({ id, url, enabled, secret_prefix }) => ({ id, url, enabled, secret_prefix }))
      const wanted = endpoints.map(({ id, url }) => ({ id, url, enabled: "1", secret_prefix: "whsec_" }))
      assert.sameDeepMembers(seen, wanted as typeof seen)
      assert.deepStrictEqual(
        (yield* store.listEndpoints(sellerId, "test")).map(({ id }) => id),
        [inTest.id],
      )
      for (const { secret } of endpoints) assert.notInclude(JSON.stringify(listed), secret)
    }),
  ),
  endpointLimit,
  storeCase(
    "an endpoint created twice is stored once, also at the limit",
    Effect.gen(function* () {
      const store = yield* SellerStore
      const { sellerId, live } = yield* openShop()
      const first = yield* openEndpoint(live)
      for (let i = 1; i < limits.endpointsPerModeMax; i++) yield* openEndpoint(live)
      assert.deepStrictEqual(yield* store.createEndpoint(first), { kind: "created" })
      assert.strictEqual((yield* store.listEndpoints(sellerId, "live")).length, limits.endpointsPerModeMax)
    }),
  ),
  storeCase(
    "an endpoint of an unknown seller is not created",
    Effect.gen(function* () {
      const store = yield* SellerStore
      const { live } = yield* openShop()
      const sellerId = yield* freshId("sel_", 0)
      const endpoint = { ...(yield* newEndpoint(live, ["*"])), sellerId }
      assert.deepStrictEqual(yield* store.createEndpoint(endpoint), { kind: "noSeller" })
      assert.deepStrictEqual(yield* store.listEndpoints(sellerId, "live"), [])
    }),
  ),
  storeCase(
    "a deleted endpoint is not listed and does not count towards the limit",
    Effect.gen(function* () {
      const store = yield* SellerStore
      const { sellerId, live } = yield* openShop()
      const first = yield* openEndpoint(live)
      for (let i = 1; i < limits.endpointsPerModeMax; i++) yield* openEndpoint(live)
      const { deleteEndpoint } = yield* Stage
      yield* deleteEndpoint(first.id)
      const ids = (yield* store.listEndpoints(sellerId, "live")).map((endpoint) => endpoint.id)
      assert.strictEqual(ids.length, limits.endpointsPerModeMax - 1)
      assert.notInclude(ids, first.id)
      assert.isDefined(yield* openEndpoint(live))
    }),
    { needs: ["deleteEndpoint"] },
  ),
]
