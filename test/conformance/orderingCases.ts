import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type ClaimedDelivery, DeliveryQueue } from "../../actors/ports/deliveryQueue.ts"
import { EndpointStore } from "../../actors/ports/endpointStore.ts"
import type { EventEntry } from "../../actors/ports/eventLog.ts"
import type { NewEndpoint } from "../../actors/ports/sellerStore.ts"
import type { StoredTransaction } from "../../actors/ports/transactionStore.ts"
import { goneEventType } from "../../actors/values/goneEvent.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { timeOfId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import type { Ordering } from "../../schema/resources/endpoint.ts"
import {
  claimAll,
  claimOne,
  dead,
  failedForGood,
  failedToRetry,
  type Outcome,
  record,
  recordOf,
  succeeded,
} from "./attempts.ts"
import {
  eventsOf,
  freshIdBeside,
  move,
  openCharge,
  openEndpoint,
  openPaidCharge,
  openShop,
  outliveEvents,
} from "./fixtures.ts"
import { elapse, type StoreCase, shortRetentionMillis, storeCase, timedCase } from "./stage.ts"

const scopeOf = ({ id, sellerId, mode }: NewEndpoint) => ({ feed: { sellerId, mode }, endpointId: id })
const firstPage = { afterPosition: undefined, limit: 100 }
const ever = { fromMillis: 0, toMillis: 8_000_000_000_000 }

const order = (endpoint: NewEndpoint, ordering: Ordering) =>
  Effect.flatMap(EndpointStore, (store) => store.update(scopeOf(endpoint), { ordering }))

/** An endpoint whose deliveries keep the order of a resource's events. */
const openOrdered = (owner: Principal, events?: ReadonlyArray<string>) =>
  Effect.tap(openEndpoint(owner, events), (endpoint) => order(endpoint, "resource"))

/** A charge with two more events than its internal one: paid, refunded. */
const openRefunded = (owner: Principal) =>
  Effect.flatMap(openPaidCharge(owner), (charge) => move(charge, "refunded"))

const refund = (charge: StoredTransaction) => move(charge, "refunded")

const typesOf = (claimed: ReadonlyArray<ClaimedDelivery>) =>
  claimed.map(({ entry }) => `${entry.resourceId} ${entry.type}`)

/** Claims the one delivery that is due, and records its outcome; returns its event. */
const attempt = (endpoint: NewEndpoint, outcome: Outcome) =>
  Effect.gen(function* () {
    const claimed = yield* claimOne(endpoint.id)
    yield* record(claimed, outcome)
    return claimed.entry
  })

const waitsForTurn: StoreCase = storeCase(
  "at an ordered endpoint an event waits until the delivery of the one before it has ended, however it ended",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const endpoint = yield* openOrdered(live)
    const unordered = yield* openEndpoint(live)
    for (const outcome of [succeeded, dead, failedForGood]) {
      const { id } = yield* openRefunded(live)
      assert.strictEqual((yield* claimAll(unordered.id)).length, 2)
      const first = yield* claimOne(endpoint.id)
      assert.deepStrictEqual(typesOf([first]), [`${id} transaction.paid`])
      assert.deepStrictEqual(yield* claimAll(endpoint.id), [])
      yield* record(first, failedToRetry)
      yield* elapse(2)
      const again = yield* claimOne(endpoint.id)
      assert.deepStrictEqual([again.entry.entryId, again.attempt], [first.entry.entryId, 2])
      yield* record(again, outcome)
      const second = yield* claimOne(endpoint.id)
      assert.deepStrictEqual(typesOf([second]), [`${id} transaction.refunded`])
      assert.strictEqual(second.attempt, 1)
      yield* record(second, succeeded)
      assert.deepStrictEqual(yield* claimAll(endpoint.id), [])
    }
  }),
)

const others: StoreCase = storeCase(
  "at an ordered endpoint other resources go on while one waits",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const endpoint = yield* openOrdered(live)
    const stuck = yield* openRefunded(live)
    const first = yield* claimOne(endpoint.id)
    const other = yield* openRefunded(live)
    assert.deepStrictEqual(typesOf([yield* claimOne(endpoint.id)]), [`${other.id} transaction.paid`])
    const third = yield* openPaidCharge(live)
    const claimed = yield* claimOne(endpoint.id)
    assert.deepStrictEqual(typesOf([claimed]), [`${third.id} transaction.paid`])
    yield* record(claimed, succeeded)
    yield* record(first, succeeded)
    assert.deepStrictEqual(typesOf(yield* claimAll(endpoint.id)), [`${stuck.id} transaction.refunded`])
  }),
)

const staleRecord: StoreCase = timedCase(
  "a turn survives the end of a lease: only the record of the newest claim passes it on",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const endpoint = yield* openOrdered(live)
    yield* openRefunded(live)
    const lost = yield* claimOne(endpoint.id)
    yield* elapse(limits.deliveryLeaseMillis + 1)
    const taken = yield* claimOne(endpoint.id)
    assert.strictEqual(taken.entry.entryId, lost.entry.entryId)
    const queue = yield* DeliveryQueue
    assert.strictEqual((yield* queue.record(yield* recordOf(lost, succeeded))).kind, "stale")
    assert.deepStrictEqual(yield* claimAll(endpoint.id), [])
    yield* record(taken, succeeded)
    assert.strictEqual((yield* attempt(endpoint, succeeded)).type, "transaction.refunded")
  }),
)

const byHand: StoreCase = storeCase(
  "a delivery that is retried by hand waits while a later event of its resource is under way, and goes before those that wait",
  Effect.gen(function* () {
    const queue = yield* DeliveryQueue
    const { live } = yield* openShop()
    const endpoint = yield* openOrdered(live)
    const charge = yield* openRefunded(live)
    const first = yield* claimOne(endpoint.id)
    const id = yield* record(first, dead)
    const second = yield* claimOne(endpoint.id)
    yield* move(charge, "chargeback")
    const promised = yield* freshIdBeside("whd_", live.sellerId)
    assert.strictEqual((yield* queue.retry(live, id, promised)).kind, "queued")
    assert.strictEqual((yield* queue.retry(live, id, promised)).kind, "queued", "the same call again")
    const other = yield* freshIdBeside("whd_", live.sellerId)
    assert.strictEqual((yield* queue.retry(live, id, other)).kind, "scheduled")
    assert.deepStrictEqual(yield* claimAll(endpoint.id), [])
    yield* record(second, succeeded)
    const manual = yield* claimOne(endpoint.id)
    assert.deepStrictEqual(
      [manual.entry.entryId, manual.attempt, manual.deliveryId, manual.manual],
      [first.entry.entryId, 2, promised, true],
    )
    yield* record(manual, dead)
    assert.strictEqual((yield* attempt(endpoint, succeeded)).type, "transaction.chargeback")
    // Nothing is under way: it is sent at once.
    const again = yield* freshIdBeside("whd_", live.sellerId)
    assert.strictEqual((yield* queue.retry(live, promised, again)).kind, "queued")
    assert.strictEqual((yield* claimOne(endpoint.id)).deliveryId, again)
  }),
)

const recovered: StoreCase = storeCase(
  "what is recovered at an ordered endpoint goes in order, unless its ordering was turned off or it was owed before that",
  Effect.gen(function* () {
    const endpoints = yield* EndpointStore
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    const scope = scopeOf(endpoint)
    yield* openRefunded(live)
    for (const delivery of yield* claimAll(endpoint.id)) yield* record(delivery, dead)
    yield* order(endpoint, "resource")
    assert.strictEqual(yield* endpoints.recover(scope, ever), 2)
    for (const delivery of yield* claimAll(endpoint.id)) yield* record(delivery, succeeded)
    yield* openRefunded(live)
    const types = ["transaction.paid", "transaction.refunded"]
    for (const type of types) assert.strictEqual((yield* attempt(endpoint, dead)).type, type)
    assert.strictEqual(yield* endpoints.recover(scope, ever), 2)
    assert.strictEqual(yield* endpoints.recover(scope, ever), 0)
    for (const type of types) assert.strictEqual((yield* attempt(endpoint, dead)).type, type)
    yield* order(endpoint, "none")
    assert.strictEqual(yield* endpoints.recover(scope, ever), 2)
    assert.strictEqual((yield* claimAll(endpoint.id)).length, 2)
  }),
)

const recoveredByEvents: StoreCase = storeCase(
  "what is recovered at an ordered endpoint goes in the order of the events, whenever each had failed or was missed",
  Effect.gen(function* () {
    const endpoints = yield* EndpointStore
    const queue = yield* DeliveryQueue
    const { live } = yield* openShop()
    const endpoint = yield* openOrdered(live)
    const scope = scopeOf(endpoint)
    // In the window the later event failed first, and so often that the earlier one's attempt is not read in the same step.
    const charge = yield* openRefunded(live)
    const first = yield* record(yield* claimOne(endpoint.id), dead)
    yield* elapse(2)
    const from = yield* record(yield* claimOne(endpoint.id), failedToRetry)
    for (let i = 1; i < limits.recoverBatchMax; i++) yield* attempt(endpoint, failedToRetry)
    yield* attempt(endpoint, dead)
    const again = yield* freshIdBeside("whd_", live.sellerId)
    assert.strictEqual((yield* queue.retry(live, first, again)).kind, "queued")
    yield* attempt(endpoint, dead)
    assert.strictEqual(yield* endpoints.recover(scope, { ...ever, fromMillis: timeOfId(from) }), 2)
    for (const type of ["transaction.paid", "transaction.refunded"]) {
      const { resourceId, type: found } = yield* attempt(endpoint, succeeded)
      assert.deepStrictEqual([resourceId, found], [charge.id, type])
    }
    // What was missed lies between events that failed.
    const later = yield* openPaidCharge(live)
    yield* attempt(endpoint, dead)
    yield* endpoints.update(scope, { enabled: false })
    const back = yield* refund(later)
    yield* endpoints.update(scope, { enabled: true })
    yield* move(back, "chargeback")
    yield* attempt(endpoint, dead)
    const recovered = yield* endpoints.recoverMissed(scope, ever, Effect.void, ever)
    assert.deepStrictEqual(recovered, { queued: 2, missed: 1 })
    for (const type of ["transaction.paid", "transaction.refunded", "transaction.chargeback"]) {
      assert.strictEqual((yield* attempt(endpoint, succeeded)).type, type)
    }
  }),
)

const turnedOff: StoreCase = storeCase(
  "a change of ordering applies from the next event on: what waits then keeps its order, and is delivered",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    const charge = yield* openPaidCharge(live)
    const before = yield* claimOne(endpoint.id)
    yield* order(endpoint, "resource")
    const refunded = yield* refund(charge)
    // What was owed before the change has no turn, so the event after it does not wait.
    const ordered = yield* claimOne(endpoint.id)
    assert.strictEqual(ordered.entry.type, "transaction.refunded")
    yield* move(refunded, "chargeback")
    assert.deepStrictEqual(yield* claimAll(endpoint.id), [])
    yield* order(endpoint, "none")
    const { id } = yield* openRefunded(live)
    assert.deepStrictEqual(typesOf(yield* claimAll(endpoint.id)), [
      `${id} transaction.paid`,
      `${id} transaction.refunded`,
    ])
    yield* record(before, succeeded)
    yield* record(ordered, dead)
    assert.strictEqual((yield* attempt(endpoint, succeeded)).type, "transaction.chargeback")
    yield* openRefunded(live)
    assert.strictEqual((yield* claimAll(endpoint.id)).length, 2)
    yield* order(endpoint, "resource")
    yield* openRefunded(live)
    assert.strictEqual((yield* claimAll(endpoint.id)).length, 1)
  }),
)

const ends: StoreCase = storeCase(
  "what waits at an ordered endpoint that is disabled or deleted is claimed in turn, as disabled",
  Effect.gen(function* () {
    const endpoints = yield* EndpointStore
    const { live } = yield* openShop()
    const [off, gone] = [yield* openOrdered(live), yield* openOrdered(live)]
    const charge = yield* openRefunded(live)
    yield* endpoints.update(scopeOf(off), { enabled: false })
    yield* endpoints.delete(scopeOf(gone), "operation")
    for (const { id } of [off, gone]) {
      for (const type of ["transaction.paid", "transaction.refunded"]) {
        const claimed = yield* claimOne(id)
        assert.deepStrictEqual(typesOf([claimed]), [`${charge.id} ${type}`])
        assert.isFalse(claimed.destination.enabled)
        yield* record(claimed, failedForGood)
      }
      assert.deepStrictEqual(yield* claimAll(id), [])
    }
    yield* endpoints.update(scopeOf(off), { enabled: true })
    yield* openRefunded(live)
    assert.strictEqual((yield* claimAll(off.id)).length, 1)
  }),
)

const missed: StoreCase = storeCase(
  "what an ordered endpoint missed takes its resource's turns in the order of the events, before later ones that wait",
  Effect.gen(function* () {
    const endpoints = yield* EndpointStore
    const { live } = yield* openShop()
    const endpoint = yield* openOrdered(live)
    const charge = yield* openCharge(live)
    yield* endpoints.update(scopeOf(endpoint), { enabled: false })
    const paid = yield* move(charge, "paid")
    const refunded = yield* refund(paid)
    yield* endpoints.update(scopeOf(endpoint), { enabled: true })
    const third = yield* move(refunded, "chargeback")
    const inTurn = yield* claimOne(endpoint.id)
    yield* move(third, "failed")
    const ids: ReadonlyArray<EventEntry> = (yield* eventsOf(live)).filter(({ internal }) => !internal)
    assert.strictEqual((yield* endpoints.recoverMissed(scopeOf(endpoint), ever, Effect.void)).missed, 2)
    assert.strictEqual((yield* endpoints.recoverMissed(scopeOf(endpoint), ever, Effect.void)).missed, 0)
    assert.deepStrictEqual(yield* claimAll(endpoint.id), [])
    yield* record(inTurn, succeeded)
    const order: Array<string> = []
    for (let i = 0; i < 3; i++) order.push((yield* attempt(endpoint, succeeded)).entryId)
    assert.deepStrictEqual(order, [ids[0]?.entryId, ids[1]?.entryId, ids[3]?.entryId])
    assert.deepStrictEqual(yield* claimAll(endpoint.id), [])
  }),
)

const forgotten: StoreCase = storeCase(
  "what waits past its retention ends in its turn, as an event that is no longer kept",
  Effect.gen(function* () {
    const endpoints = yield* EndpointStore
    const { live } = yield* openShop()
    const endpoint = yield* openOrdered(live)
    yield* openRefunded(live)
    yield* outliveEvents(live)
    const { events = [] } = (yield* endpoints.waiting(scopeOf(endpoint), firstPage)) ?? {}
    assert.deepStrictEqual(
      events.map(({ type }) => type),
      [goneEventType],
    )
    for (let i = 0; i < 2; i++) assert.strictEqual((yield* attempt(endpoint, dead)).type, goneEventType)
    assert.deepStrictEqual(yield* claimAll(endpoint.id), [])
    const { id } = yield* openRefunded(live)
    assert.deepStrictEqual(typesOf([yield* claimOne(endpoint.id)]), [`${id} transaction.paid`])
  }),
  { settings: { eventRetentionMillis: shortRetentionMillis } },
)

const listed: StoreCase = storeCase(
  "what waits is listed by resource and in order, page by page, with the event that has the turn",
  Effect.gen(function* () {
    const endpoints = yield* EndpointStore
    const { live, test } = yield* openShop()
    const endpoint = yield* openOrdered(live)
    const scope = scopeOf(endpoint)
    yield* openPaidCharge(live)
    const charges = [yield* openRefunded(live), yield* openRefunded(live)]
    for (const charge of charges) yield* move(charge, "chargeback")
    const events = yield* eventsOf(live)
    const entryOf = (resourceId: string, type: string) =>
      events.find((entry) => entry.resourceId === resourceId && entry.type === type)?.entryId ?? ""
    const wanted = charges
      .map(({ id }) => id)
      .sort()
      .flatMap((resourceId) =>
        ["transaction.refunded", "transaction.chargeback"].map((type) => ({
          ...{ resourceId, type, entryId: entryOf(resourceId, type) },
          turnEntryId: entryOf(resourceId, "transaction.paid"),
        })),
      )
    const first = yield* endpoints.waiting(scope, { afterPosition: undefined, limit: 3 })
    assert.deepStrictEqual(first?.events, wanted.slice(0, 3))
    const afterPosition = first?.nextAfterPosition
    assert.deepStrictEqual(yield* endpoints.waiting(scope, { afterPosition, limit: 1 }), {
      events: wanted.slice(3),
      nextAfterPosition: undefined,
    })
    const foreign = { ...scope, feed: { sellerId: test.sellerId, mode: test.mode } }
    assert.isUndefined(yield* endpoints.waiting(foreign, firstPage))
  }),
)

const pinged: StoreCase = storeCase(
  "a ping of an ordered endpoint waits for nothing",
  Effect.gen(function* () {
    const endpoints = yield* EndpointStore
    const { live } = yield* openShop()
    const endpoint = yield* openOrdered(live)
    yield* openRefunded(live)
    yield* claimOne(endpoint.id)
    for (let i = 0; i < 2; i++) {
      const deliveryId = yield* freshIdBeside("whd_", live.sellerId)
      yield* endpoints.ping(scopeOf(endpoint), { deliveryId, data: "{}" })
    }
    assert.strictEqual((yield* claimAll(endpoint.id)).length, 2)
  }),
)

/** Deliveries in the order of a resource's events (`docs/contract/deliveries.md#ordering`). */
export const orderingCases: ReadonlyArray<StoreCase> = [
  waitsForTurn,
  others,
  staleRecord,
  byHand,
  recovered,
  recoveredByEvents,
  turnedOff,
  ends,
  missed,
  forgotten,
  listed,
  pinged,
]
