import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { destinationIdOfPostback } from "../../actors/delivery/destinationId.ts"
import { DeliveryQueue } from "../../actors/ports/deliveryQueue.ts"
import { type NewEndpoint, SellerStore } from "../../actors/ports/sellerStore.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { limits } from "../../schema/limits.ts"
import { claimAll, claimOne, dead, failedForGood, type Outcome, recordOf, succeeded } from "./attempts.ts"
import { eventsOf, freshIdBeside, newEndpoint, openEndpoint, openPaidCharge, openShop } from "./fixtures.ts"
import { elapse, type StoreCase, storeCase, timedCase } from "./stage.ts"

const disablingEvent = {
  type: "seller.webhook_endpoint_disabled",
  data: JSON.stringify({ id: "sel_1", document: "***.456.789-**" }),
}
const deadly: Outcome = { ...dead, disablingEvent }

/** Makes new events one by one, each attempted at the destination with that outcome; returns the records' answers. */
const attempt = (owner: Principal, destinationId: string, count: number, outcome: Outcome) =>
  Effect.forEach(Array.from({ length: count }), () =>
    Effect.gen(function* () {
      yield* openPaidCharge(owner, { postback: { url: "https://shop.example/postback" } })
      const record = yield* recordOf(yield* claimOne(destinationId), outcome)
      return (yield* (yield* DeliveryQueue).record(record)).kind
    }),
  )

/** How many records disabled the endpoint. */
const disablings = (kinds: ReadonlyArray<string>): number =>
  kinds.filter((kind) => kind === "disabledEndpoint").length

const fieldsOf = ({ id, sellerId, mode }: NewEndpoint) =>
  Effect.gen(function* () {
    const endpoints = yield* (yield* SellerStore).listEndpoints(sellerId, mode)
    return endpoints.find((endpoint) => endpoint.id === id)
  })

const isDisabled = (endpoint: NewEndpoint) =>
  Effect.map(fieldsOf(endpoint), (fields) => fields?.disabled_reason === "auto")

const lastStraw: StoreCase = storeCase(
  `the ${limits.deadStreakMax}th dead delivery in a row disables its endpoint, with an event in its feed`,
  Effect.gen(function* () {
    const { live, test } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    assert.strictEqual(disablings(yield* attempt(live, endpoint.id, limits.deadStreakMax - 1, deadly)), 0)
    assert.isFalse(yield* isDisabled(endpoint))
    assert.deepStrictEqual(yield* eventsOf(test), [])
    assert.deepStrictEqual(yield* attempt(live, endpoint.id, 1, deadly), ["disabledEndpoint"])
    const fields = yield* fieldsOf(endpoint)
    assert.strictEqual(fields?.disabled_reason, "auto")
    assert.match(fields?.auto_disabled_at ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const { type, data, resourceId, internal } = (yield* eventsOf(live)).at(-1) ?? {}
    assert.deepStrictEqual({ type, data }, disablingEvent)
    assert.deepStrictEqual([resourceId, internal], [live.sellerId, false])
    assert.deepStrictEqual(yield* eventsOf(test), [])
  }),
)

const afterwards: StoreCase = storeCase(
  "a disabled endpoint is owed nothing new, is claimed as disabled, and is not disabled again",
  Effect.gen(function* () {
    const queue = yield* DeliveryQueue
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    yield* attempt(live, endpoint.id, limits.deadStreakMax - 1, deadly)
    yield* Effect.forEach([1, 2, 3], () => openPaidCharge(live))
    const [straw, inFlight] = yield* claimAll(endpoint.id, 2)
    if (straw === undefined || inFlight === undefined) return assert.fail("expected two due deliveries")
    assert.deepStrictEqual(yield* queue.record(yield* recordOf(straw, deadly)), { kind: "disabledEndpoint" })
    const seen = (yield* eventsOf(live)).length
    assert.deepStrictEqual(yield* queue.record(yield* recordOf(inFlight, deadly)), { kind: "recorded" })
    assert.strictEqual((yield* eventsOf(live)).length, seen)
    yield* openPaidCharge(live)
    const waiting = yield* claimOne(endpoint.id)
    assert.isFalse(waiting.destination.enabled)
    const answer = yield* queue.record(yield* recordOf(waiting, failedForGood))
    assert.deepStrictEqual(answer, { kind: "recorded" })
  }),
)

const owedToOthers: StoreCase = storeCase(
  "the event of a disabled endpoint is owed to the other endpoints of its mode",
  Effect.gen(function* () {
    const { live, test } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    const other = yield* openEndpoint(live, [disablingEvent.type])
    const all = yield* openEndpoint(live, ["seller.webhook_endpoint_disabled", "seller.updated"])
    const inTest = yield* openEndpoint(test, ["*"])
    yield* attempt(live, endpoint.id, limits.deadStreakMax, deadly)
    assert.deepStrictEqual(yield* claimAll(endpoint.id), [])
    assert.deepStrictEqual(yield* claimAll(inTest.id), [])
    for (const { id } of [other, all]) {
      assert.deepStrictEqual((yield* claimOne(id)).entry.data, disablingEvent.data)
    }
  }),
)

const successes: StoreCase = timedCase(
  "an endpoint with a full dead streak is disabled only when its last success is over 7 days old",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    const count = limits.deadStreakMax
    assert.strictEqual(disablings(yield* attempt(live, endpoint.id, count - 1, deadly)), 0)
    yield* attempt(live, endpoint.id, 1, succeeded)
    yield* elapse(limits.deadStreakWindowMillis)
    assert.strictEqual(disablings(yield* attempt(live, endpoint.id, count, deadly)), 0, "exactly 7 days")
    yield* elapse(1)
    assert.deepStrictEqual(yield* attempt(live, endpoint.id, 1, deadly), ["disabledEndpoint"])
  }),
)

const anew: StoreCase = timedCase(
  `after a success, an endpoint needs ${limits.deadStreakMax} dead deliveries to be disabled, however old the success`,
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    yield* attempt(live, endpoint.id, limits.deadStreakMax - 1, deadly)
    yield* attempt(live, endpoint.id, 1, succeeded)
    yield* elapse(limits.deadStreakWindowMillis + 1)
    const kinds = yield* attempt(live, endpoint.id, limits.deadStreakMax, deadly)
    assert.strictEqual(kinds.indexOf("disabledEndpoint"), limits.deadStreakMax - 1)
  }),
)

/** Automatic disabling of endpoints (`docs/contract/endpoints.md#disabling`). */
export const deadStreakCases: ReadonlyArray<StoreCase> = [
  lastStraw,
  afterwards,
  owedToOthers,
  successes,
  anew,
  storeCase(
    "an endpoint with a recent success is not disabled",
    Effect.gen(function* () {
      const { live } = yield* openShop()
      const endpoint = yield* openEndpoint(live)
      yield* attempt(live, endpoint.id, 1, succeeded)
      assert.strictEqual(disablings(yield* attempt(live, endpoint.id, limits.deadStreakMax + 1, deadly)), 0)
      assert.isFalse(yield* isDisabled(endpoint))
    }),
  ),
  storeCase(
    "a failed attempt that is not dead neither extends nor resets a dead streak",
    Effect.gen(function* () {
      const { live } = yield* openShop()
      const endpoint = yield* openEndpoint(live)
      yield* attempt(live, endpoint.id, limits.deadStreakMax - 1, deadly)
      yield* attempt(live, endpoint.id, 2, { ...failedForGood, disablingEvent })
      assert.isFalse(yield* isDisabled(endpoint))
      assert.deepStrictEqual(yield* attempt(live, endpoint.id, 1, deadly), ["disabledEndpoint"])
    }),
  ),
  storeCase(
    "a delivery counts once towards a dead streak, however often it is retried by hand",
    Effect.gen(function* () {
      const queue = yield* DeliveryQueue
      const { live } = yield* openShop()
      const endpoint = yield* openEndpoint(live)
      yield* attempt(live, endpoint.id, limits.deadStreakMax - 2, deadly)
      yield* openPaidCharge(live)
      let record = yield* recordOf(yield* claimOne(endpoint.id), deadly)
      yield* queue.record(record)
      for (let i = 0; i < 3; i++) {
        const newId = yield* freshIdBeside("whd_", live.sellerId)
        assert.deepStrictEqual(yield* queue.retry(live, record.deliveryId, newId), { kind: "queued" })
        record = yield* recordOf(yield* claimOne(endpoint.id), deadly)
        assert.deepStrictEqual(yield* queue.record(record), { kind: "recorded" })
      }
      assert.deepStrictEqual(yield* attempt(live, endpoint.id, 1, deadly), ["disabledEndpoint"])
    }),
  ),
  storeCase(
    "each endpoint has its own dead streak",
    Effect.gen(function* () {
      const { live } = yield* openShop()
      const [one, two] = [yield* openEndpoint(live), yield* openEndpoint(live)]
      yield* attempt(live, one.id, limits.deadStreakMax - 1, deadly)
      const rest = yield* claimAll(two.id)
      for (const delivery of rest) yield* (yield* DeliveryQueue).record(yield* recordOf(delivery, deadly))
      assert.deepStrictEqual(yield* attempt(live, two.id, 1, deadly), ["disabledEndpoint"])
      assert.isFalse(yield* isDisabled(one))
      assert.isTrue(yield* isDisabled(two))
    }),
  ),
  storeCase(
    "a dead record without a disabling event does not disable the endpoint",
    Effect.gen(function* () {
      const { live } = yield* openShop()
      const endpoint = yield* openEndpoint(live)
      assert.strictEqual(disablings(yield* attempt(live, endpoint.id, limits.deadStreakMax + 1, dead)), 0)
      assert.isFalse(yield* isDisabled(endpoint))
      assert.deepStrictEqual(yield* attempt(live, endpoint.id, 1, deadly), ["disabledEndpoint"])
    }),
  ),
  storeCase(
    "a postback is never disabled, however many of its deliveries are dead",
    Effect.gen(function* () {
      const { live } = yield* openShop()
      const id = destinationIdOfPostback(live.sellerId, "live", "https://shop.example/postback")
      assert.strictEqual(disablings(yield* attempt(live, id, limits.deadStreakMax + 1, deadly)), 0)
    }),
  ),
  storeCase(
    "an automatically disabled endpoint still counts towards the endpoint limit",
    Effect.gen(function* () {
      const store = yield* SellerStore
      const { live } = yield* openShop()
      const endpoint = yield* openEndpoint(live)
      yield* Effect.forEach(Array.from({ length: limits.endpointsPerModeMax - 1 }), () =>
        openEndpoint(live, ["seller.updated"]),
      )
      yield* attempt(live, endpoint.id, limits.deadStreakMax, deadly)
      const sixth = yield* newEndpoint(live, ["*"])
      assert.deepStrictEqual(yield* store.createEndpoint(sixth), { kind: "limit" })
    }),
  ),
]
