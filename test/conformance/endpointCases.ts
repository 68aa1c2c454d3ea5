import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { DeliveryQueue } from "../../actors/ports/deliveryQueue.ts"
import { EndpointStore } from "../../actors/ports/endpointStore.ts"
import { type NewEndpoint, SellerStore } from "../../actors/ports/sellerStore.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { limits } from "../../schema/limits.ts"
import { claimAll, claimOne, dead, record, recordOf } from "./attempts.ts"
import { eventsOf, freshIdBeside, newEndpoint, openEndpoint, openPaidCharge, openShop } from "./fixtures.ts"
import { elapse, nowMillis, type StoreCase, storeCase, timedCase } from "./stage.ts"

const grace = limits.rotationGraceMillis
const scopeOf = ({ id, sellerId, mode }: NewEndpoint) => ({ feed: { sellerId, mode }, endpointId: id })
const scopesThatMiss = (endpoint: NewEndpoint, stranger: Principal) => {
  const { sellerId } = endpoint
  return [
    { ...scopeOf(endpoint), feed: { sellerId, mode: "test" as const } },
    { ...scopeOf(endpoint), feed: { sellerId: stranger.sellerId, mode: "live" as const } },
  ]
}

const changing: StoreCase = storeCase(
  "an endpoint update changes only the given fields, and only for its own seller and mode",
  Effect.gen(function* () {
    const endpoints = yield* EndpointStore
    const { live } = yield* openShop()
    const { live: stranger } = yield* openShop()
    const endpoint = yield* openEndpoint(live, ["transaction.paid"])
    const scope = scopeOf(endpoint)
    const before = yield* endpoints.get(scope)
    assert.strictEqual(before?.url, endpoint.url)
    assert.notProperty(before, "secret")
    assert.deepStrictEqual(yield* endpoints.update(scope, {}), before)
    const url = "https://shop.example/moved"
    const moved = yield* endpoints.update(scope, { url, description: `"ação"` })
    assert.deepStrictEqual(moved, { ...before, url, description: `"ação"` })
    const listed = yield* endpoints.update(scope, { events: ["*", "ping"], description: "" })
    assert.deepStrictEqual([listed?.events, listed?.description, listed?.url], ["*,ping", "", url])
    assert.deepStrictEqual(yield* endpoints.get(scope), listed)
    for (const missing of scopesThatMiss(endpoint, stranger)) {
      assert.isUndefined(yield* endpoints.get(missing))
      assert.isUndefined(yield* endpoints.update(missing, { url: "https://other.example" }))
      assert.isUndefined(yield* endpoints.stats(missing))
      assert.strictEqual((yield* endpoints.delete(missing, "op")).kind, "missing")
      assert.strictEqual((yield* endpoints.rotateSecret(missing, "sealed", "whsec_")).kind, "missing")
      assert.strictEqual(
        (yield* endpoints.ping(missing, { deliveryId: "whd_1", data: "{}" })).kind,
        "missing",
      )
    }
    assert.deepStrictEqual(yield* endpoints.get(scope), listed)
  }),
)

const passwords: StoreCase = storeCase(
  "the password of an endpoint's URL is claimed with what it is owed, shown nowhere, changed with the URL, and ends with the endpoint",
  Effect.gen(function* () {
    const endpoints = yield* EndpointStore
    const sellers = yield* SellerStore
    const { live } = yield* openShop()
    const urlPassword = "sealed password"
    const endpoint = { ...(yield* newEndpoint(live, ["transaction.paid"])), urlPassword }
    yield* sellers.createEndpoint(endpoint)
    const claimedWith = Effect.gen(function* () {
      yield* openPaidCharge(live)
      return (yield* claimOne(endpoint.id)).destination.urlPassword
    })
    assert.strictEqual(yield* claimedWith, urlPassword)
    const scope = scopeOf(endpoint)
    const [listed] = yield* sellers.listEndpoints(live.sellerId, live.mode)
    for (const shown of [listed, yield* endpoints.get(scope), yield* endpoints.update(scope, {})]) {
      assert.notInclude(JSON.stringify(shown), urlPassword)
    }
    yield* endpoints.update(scope, { url: "rediss://a.example:6379/?stream=b" })
    assert.strictEqual(yield* claimedWith, urlPassword)
    yield* endpoints.update(scope, { urlPassword: "another" })
    assert.strictEqual(yield* claimedWith, "another")
    yield* endpoints.update(scope, { url: "https://shop.example", urlPassword: "" })
    assert.isUndefined(yield* claimedWith)
    yield* endpoints.update(scope, { urlPassword })
    yield* openPaidCharge(live)
    yield* endpoints.delete(scope, "operation")
    const { destination } = yield* claimOne(endpoint.id)
    assert.deepStrictEqual([destination.isDeleted, destination.urlPassword], [true, undefined])
  }),
)

const fanOut: StoreCase = storeCase(
  "an updated endpoint is owed events by its new subscription, at its new URL",
  Effect.gen(function* () {
    const endpoints = yield* EndpointStore
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live, ["transaction.refunded"])
    const scope = scopeOf(endpoint)
    yield* openPaidCharge(live)
    assert.deepStrictEqual(yield* claimAll(endpoint.id), [])
    yield* endpoints.update(scope, { events: ["transaction.paid"], url: "https://shop.example/new" })
    yield* openPaidCharge(live)
    const { destination } = yield* claimOne(endpoint.id)
    assert.strictEqual(destination.url, "https://shop.example/new")
    yield* endpoints.update(scope, { enabled: false })
    yield* openPaidCharge(live)
    yield* endpoints.update(scope, { enabled: true, events: ["*"] })
    assert.deepStrictEqual(yield* claimAll(endpoint.id), [])
    yield* openPaidCharge(live)
    assert.isTrue((yield* claimOne(endpoint.id)).destination.enabled)
  }),
)

const enabling: StoreCase = storeCase(
  "an endpoint that its seller disables says so until it is enabled again",
  Effect.gen(function* () {
    const endpoints = yield* EndpointStore
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    const scope = scopeOf(endpoint)
    const state = (fields: Readonly<Record<string, string>> | undefined) => [
      fields?.enabled,
      fields?.disabled_reason || undefined,
      fields?.auto_disabled_at || undefined,
    ]
    assert.deepStrictEqual(state(yield* endpoints.update(scope, { enabled: true })), [
      "1",
      undefined,
      undefined,
    ])
    const off = ["0", "manual", undefined]
    assert.deepStrictEqual(state(yield* endpoints.update(scope, { enabled: false })), off)
    assert.deepStrictEqual(state(yield* endpoints.update(scope, { enabled: false })), off)
    assert.deepStrictEqual(state(yield* endpoints.update(scope, { enabled: true })), [
      "1",
      undefined,
      undefined,
    ])
  }),
)

const streak: StoreCase = storeCase(
  "enabling a disabled endpoint restarts its dead streak; enabling an enabled one does not",
  Effect.gen(function* () {
    const endpoints = yield* EndpointStore
    const queue = yield* DeliveryQueue
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    const scope = scopeOf(endpoint)
    const disablingEvent = { type: "seller.webhook_endpoint_disabled", data: "{}" }
    const die = Effect.gen(function* () {
      yield* openPaidCharge(live)
      const deadly = yield* recordOf(yield* claimOne(endpoint.id), { ...dead, disablingEvent })
      return (yield* queue.record(deadly)).kind
    })
    const dieOften = Effect.gen(function* () {
      for (let i = 1; i < limits.deadStreakMax; i++) assert.strictEqual(yield* die, "recorded")
    })
    yield* dieOften
    yield* endpoints.update(scope, { enabled: false })
    yield* endpoints.update(scope, { enabled: true })
    yield* dieOften
    // It is already enabled, so this changes nothing.
    yield* endpoints.update(scope, { enabled: true })
    assert.strictEqual(yield* die, "disabledEndpoint")
    assert.strictEqual((yield* endpoints.get(scope))?.disabled_reason, "auto")
    const enabled = yield* endpoints.update(scope, { enabled: true })
    assert.deepStrictEqual(
      [enabled?.enabled, enabled?.disabled_reason ?? "", enabled?.auto_disabled_at ?? ""],
      ["1", "", ""],
    )
  }),
)

const deletion: StoreCase = storeCase(
  "a deleted endpoint leaves lists, limit and fan-out; what it is still owed is claimed as deleted",
  Effect.gen(function* () {
    const endpoints = yield* EndpointStore
    const sellers = yield* SellerStore
    const { live } = yield* openShop()
    const made = yield* Effect.forEach(Array.from({ length: limits.endpointsPerModeMax }), () =>
      openEndpoint(live),
    )
    const [gone] = made
    if (gone === undefined) return assert.fail("no endpoint")
    yield* openPaidCharge(live)
    const another = yield* newEndpoint(live, ["*"])
    assert.deepStrictEqual(yield* sellers.createEndpoint(another), { kind: "limit" })
    assert.deepStrictEqual(yield* endpoints.delete(scopeOf(gone), "first"), { kind: "deleted" })
    assert.deepStrictEqual(yield* endpoints.delete(scopeOf(gone), "first"), { kind: "deleted" })
    assert.deepStrictEqual(yield* endpoints.delete(scopeOf(gone), "second"), { kind: "missing" })
    assert.isUndefined(yield* endpoints.get(scopeOf(gone)))
    assert.isUndefined(yield* endpoints.update(scopeOf(gone), { enabled: true }))
    const ids = (yield* sellers.listEndpoints(live.sellerId, "live")).map(({ id }) => id)
    assert.deepStrictEqual(
      [...ids].sort(),
      made
        .slice(1)
        .map(({ id }) => id)
        .sort(),
    )
    yield* openPaidCharge(live)
    const { destination } = yield* claimOne(gone.id)
    assert.deepStrictEqual([destination.enabled, destination.isDeleted], [false, true])
    assert.deepStrictEqual(yield* sellers.createEndpoint(another), { kind: "created" })
    const scope = scopeOf(gone)
    assert.isUndefined(yield* endpoints.stats(scope))
    assert.strictEqual((yield* endpoints.rotateSecret(scope, "sealed", "whsec_")).kind, "missing")
    assert.strictEqual((yield* endpoints.ping(scope, { deliveryId: "whd_1", data: "{}" })).kind, "missing")
  }),
)

const rotation: StoreCase = storeCase(
  "an endpoint whose secret was rotated has its newest two secrets, the newest first",
  Effect.gen(function* () {
    const endpoints = yield* EndpointStore
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    const scope = scopeOf(endpoint)
    const secrets = Effect.gen(function* () {
      yield* openPaidCharge(live)
      return (yield* claimOne(endpoint.id)).destination.secrets
    })
    assert.deepStrictEqual(yield* secrets, [endpoint.secret])
    const before = yield* nowMillis
    const first = yield* endpoints.rotateSecret(scope, "sealed-2", "whsec2")
    if (first.kind === "missing") return assert.fail("missing")
    assert.isAtLeast(first.previousUntilMillis, before + grace - 5_000)
    assert.isAtMost(first.previousUntilMillis, before + grace + 60_000)
    yield* elapse(2)
    assert.deepStrictEqual(yield* endpoints.rotateSecret(scope, "sealed-2", "whsec2"), first)
    assert.deepStrictEqual(yield* secrets, ["sealed-2", endpoint.secret])
    yield* endpoints.rotateSecret(scope, "sealed-3", "whsec3")
    assert.deepStrictEqual(yield* secrets, ["sealed-3", "sealed-2"])
    const fields = yield* endpoints.get(scope)
    assert.strictEqual(fields?.secret_prefix, "whsec3")
    assert.notInclude(JSON.stringify(fields), "sealed")
  }),
)

const graceEnd: StoreCase = timedCase(
  "an endpoint's previous secret ends exactly at the end of the grace period",
  Effect.gen(function* () {
    const endpoints = yield* EndpointStore
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    yield* endpoints.rotateSecret(scopeOf(endpoint), "sealed-2", "whsec2")
    yield* openPaidCharge(live)
    yield* openPaidCharge(live)
    yield* elapse(grace - 1)
    const [last] = yield* claimAll(endpoint.id, 1)
    assert.deepStrictEqual(last?.destination.secrets, ["sealed-2", endpoint.secret])
    yield* elapse(1)
    const [first] = yield* claimAll(endpoint.id, 1)
    assert.deepStrictEqual(first?.destination.secrets, ["sealed-2"])
  }),
)

const pinging: StoreCase = storeCase(
  "a ping goes to its endpoint alone, even if disabled, under the promised id, as an event of the feed",
  Effect.gen(function* () {
    const endpoints = yield* EndpointStore
    const { live } = yield* openShop()
    const [pinged, other] = [yield* openEndpoint(live), yield* openEndpoint(live)]
    yield* endpoints.update(scopeOf(pinged), { enabled: false })
    const ping = { deliveryId: yield* recordId(pinged), data: `{"id":"${pinged.id}"}` }
    assert.deepStrictEqual(yield* endpoints.ping(scopeOf(pinged), ping), { kind: "queued" })
    assert.deepStrictEqual(yield* endpoints.ping(scopeOf(pinged), ping), { kind: "queued" })
    const claimed = yield* claimOne(pinged.id)
    assert.strictEqual(claimed.deliveryId, ping.deliveryId)
    assert.deepStrictEqual([claimed.destination.enabled, claimed.destination.isDeleted], [false, false])
    const { type, data, seq, internal } = claimed.entry
    assert.deepStrictEqual([type, data, seq, internal], ["ping", ping.data, 1, false])
    assert.deepStrictEqual(yield* claimAll(other.id), [])
    assert.strictEqual((yield* eventsOf(live)).length, 1)
    const none = { attempts: 0, successes: 0, lastPingAtMillis: undefined, lastPingSucceeded: undefined }
    assert.deepStrictEqual(yield* endpoints.stats(scopeOf(pinged)), none)
    const before = yield* nowMillis
    yield* record(claimed, { status: "failed" })
    const stats = yield* endpoints.stats(scopeOf(pinged))
    assert.deepStrictEqual([stats?.attempts, stats?.lastPingSucceeded], [0, false])
    assert.isAtLeast(stats?.lastPingAtMillis ?? 0, before - 5_000)
  }),
)

/** A delivery id of an endpoint's seller. */
const recordId = ({ sellerId }: NewEndpoint) => freshIdBeside("whd_", sellerId)

const pingOutcome: StoreCase = storeCase(
  "a successful ping does not reset an endpoint's dead streak",
  Effect.gen(function* () {
    const endpoints = yield* EndpointStore
    const queue = yield* DeliveryQueue
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    const disablingEvent = { type: "seller.webhook_endpoint_disabled", data: "{}" }
    const die = Effect.gen(function* () {
      yield* openPaidCharge(live)
      const deadly = yield* recordOf(yield* claimOne(endpoint.id), { ...dead, disablingEvent })
      return (yield* queue.record(deadly)).kind
    })
    for (let i = 1; i < limits.deadStreakMax; i++) assert.strictEqual(yield* die, "recorded")
    const deliveryId = yield* recordId(endpoint)
    yield* endpoints.ping(scopeOf(endpoint), { deliveryId, data: "{}" })
    yield* record(yield* claimOne(endpoint.id), { status: "success" })
    assert.isTrue((yield* endpoints.stats(scopeOf(endpoint)))?.lastPingSucceeded)
    assert.strictEqual(yield* die, "disabledEndpoint")
  }),
)

/** Webhook endpoints after their creation: changes, deletion, secrets, pings (`docs/contract/endpoints.md#routes`). */
export const endpointCases: ReadonlyArray<StoreCase> = [
  changing,
  passwords,
  fanOut,
  enabling,
  streak,
  deletion,
  rotation,
  graceEnd,
  pinging,
  pingOutcome,
]
