import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { destinationIdOfTracker } from "../../actors/delivery/destinationId.ts"
import { type StoredTracker, TrackerStore } from "../../actors/ports/trackerStore.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { claimAll, claimOne, failedToRetry, record } from "./attempts.ts"
import { freshId, openCharge, openEndpoint, openPaidCharge, openShop } from "./fixtures.ts"
import { type StoreCase, storeCase } from "./stage.ts"

const paid = ["transaction.paid", "transaction.expired"]

const trackerOf = ({ sellerId, mode }: Principal, overrides: Partial<StoredTracker> = {}): StoredTracker => ({
  id: destinationIdOfTracker(sellerId, mode),
  sellerId,
  mode,
  url: "https://tracker.example/in",
  headers: "sealed headers",
  createdAt: "2026-11-21T00:07:35.123Z",
  ...overrides,
})

/** A written tracker. */
const openTracker = (owner: Principal, overrides: Partial<StoredTracker> = {}) =>
  Effect.gen(function* () {
    const tracker = trackerOf(owner, overrides)
    assert.strictEqual((yield* (yield* TrackerStore).put(tracker, paid)).kind, "put")
    return tracker
  })

const putting: StoreCase = storeCase(
  "a mode keeps one tracker, and replacing it keeps its creation time",
  Effect.gen(function* () {
    const trackers = yield* TrackerStore
    const { sellerId, live } = yield* openShop()
    assert.isUndefined(yield* trackers.get(sellerId, "live"))
    const first = yield* openTracker(live)
    assert.deepStrictEqual(yield* trackers.get(sellerId, "live"), first)
    assert.isUndefined(yield* trackers.get(sellerId, "test"))

    const { createdAt } = first
    const later = "2026-11-22T00:00:00.000Z"
    const changed = { ...first, url: "https://other.example/in", headers: "other", createdAt: later }
    assert.deepStrictEqual(yield* trackers.put(changed, paid), { kind: "put", createdAt })
    assert.deepStrictEqual(yield* trackers.get(sellerId, "live"), { ...changed, createdAt })

    yield* trackers.delete(sellerId, "live", "one")
    assert.isUndefined(yield* trackers.get(sellerId, "live"))
    assert.deepStrictEqual(yield* trackers.put(changed, paid), { kind: "put", createdAt: later })
    assert.deepStrictEqual(yield* trackers.get(sellerId, "live"), changed)
  }),
)

const fanOut: StoreCase = storeCase(
  "a tracker is owed its mode's events of its types, beside the endpoints",
  Effect.gen(function* () {
    const { sellerId, live, test } = yield* openShop({ postbackSecret: "secret" })
    const endpoint = yield* openEndpoint(live)
    const tracker = yield* openTracker(live)
    yield* openCharge(live)
    yield* openPaidCharge(test)
    assert.deepStrictEqual(yield* claimAll(tracker.id), [])
    const charge = yield* openPaidCharge(live)
    const { destination, entry } = yield* claimOne(tracker.id)
    assert.deepInclude(destination, {
      id: tracker.id,
      sellerId,
      mode: "live",
      target: "tracker",
      url: tracker.url,
      enabled: true,
      secrets: ["secret"],
      headers: tracker.headers,
    })
    assert.strictEqual(entry.resourceId, charge.id)
    const atEndpoint = yield* claimOne(endpoint.id)
    assert.strictEqual(atEndpoint.entry.entryId, entry.entryId)
    assert.isUndefined(atEndpoint.destination.headers)
  }),
)

const unsigned: StoreCase = storeCase(
  "a tracker's deliveries have no secret if its seller has none",
  Effect.gen(function* () {
    const { test } = yield* openShop({ postbackSecret: "" })
    const tracker = yield* openTracker(test)
    yield* openPaidCharge(test)
    assert.deepStrictEqual((yield* claimOne(tracker.id)).destination.secrets, [])
  }),
)

const ending: StoreCase = storeCase(
  "a deleted tracker is owed nothing more, and what it was owed is claimed as disabled",
  Effect.gen(function* () {
    const trackers = yield* TrackerStore
    const { sellerId, live } = yield* openShop()
    const tracker = yield* openTracker(live)
    yield* openPaidCharge(live)
    yield* record(yield* claimOne(tracker.id), failedToRetry)
    assert.deepStrictEqual(yield* trackers.delete(sellerId, "live", "one"), { kind: "deleted" })
    yield* openPaidCharge(live)
    const { destination, attempt } = yield* claimOne(tracker.id)
    assert.deepInclude(destination, {
      enabled: false,
      target: "tracker",
      url: tracker.url,
      headers: undefined,
      urlPassword: undefined,
    })
    assert.strictEqual(attempt, 2)
  }),
)

const endingOnce: StoreCase = storeCase(
  "a tracker is deleted once; the operation that deleted it gets the same answer again",
  Effect.gen(function* () {
    const trackers = yield* TrackerStore
    const { sellerId, live, test } = yield* openShop()
    assert.deepStrictEqual(yield* trackers.delete(sellerId, "live", "one"), { kind: "missing" })
    yield* openTracker(live)
    const inTest = yield* openTracker(test)
    assert.deepStrictEqual(yield* trackers.delete(sellerId, "live", "one"), { kind: "deleted" })
    assert.deepStrictEqual(yield* trackers.delete(sellerId, "live", "one"), { kind: "deleted" })
    assert.deepStrictEqual(yield* trackers.delete(sellerId, "live", "two"), { kind: "missing" })
    assert.deepStrictEqual(yield* trackers.get(sellerId, "test"), inTest)
  }),
)

const nobody: StoreCase = storeCase(
  "a tracker of an unknown seller is not stored",
  Effect.gen(function* () {
    const trackers = yield* TrackerStore
    const { live } = yield* openShop()
    const tracker = trackerOf({ ...live, sellerId: yield* freshId("sel_", 0) })
    assert.deepStrictEqual(yield* trackers.put(tracker, paid), { kind: "noSeller" })
    assert.isUndefined(yield* trackers.get(tracker.sellerId, "live"))
  }),
)

/** Trackers (`docs/contract/deliveries.md#trackers`). */
export const trackerCases: ReadonlyArray<StoreCase> = [putting, fanOut, unsigned, ending, endingOnce, nobody]
