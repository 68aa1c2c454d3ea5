import { assert } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { destinationIdOfPostback, destinationIdOfTracker } from "../../actors/delivery/destinationId.ts"
import { DeliveryQueue } from "../../actors/ports/deliveryQueue.ts"
import { EndpointStore } from "../../actors/ports/endpointStore.ts"
import { Partitions, type Wake } from "../../actors/ports/partitions.ts"
import { SellerClock } from "../../actors/ports/sellerClock.ts"
import { TimerQueue } from "../../actors/ports/timerQueue.ts"
import { TrackerStore } from "../../actors/ports/trackerStore.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { refundTimers } from "../../actors/values/refundTimers.ts"
import { limits } from "../../schema/limits.ts"
import { claimAll, claimOne, type Outcome, record } from "./attempts.ts"
import {
  eventsOf,
  freshIdBeside,
  move,
  openCharge,
  openEndpoint,
  openPaidCharge,
  openShop,
} from "./fixtures.ts"
import { openWithdrawal } from "./openWithdrawal.ts"
import { openRefund, openRefundable, pass } from "./refunds.ts"
import { elapse, nowMillis, type StoreCase, storeCase } from "./stage.ts"

const hourMillis = 60 * 60 * 1000
const retryLater: Outcome = { status: "failed", retryInMillis: hourMillis }
const postbackUrl = "https://shop.example/postback"

/** How far ahead entries say that the clock was, in ms. */
const aheadOf = (entries: ReadonlyArray<{ readonly aheadMillis?: number | undefined }>) =>
  entries.map(({ aheadMillis = 0 }) => aheadMillis)

/** Longer than a millisecond: a step counts for what is written in the same one. */
const soonMillis = 5

const keptTimes: StoreCase = storeCase(
  "what is written in test mode keeps how far ahead the clock was then, in the feed and in what is claimed",
  Effect.gen(function* () {
    const shop = yield* openShop()
    const endpoint = yield* openEndpoint(shop.test, ["transaction.paid"])
    for (const owner of [shop.test, shop.live]) yield* openPaidCharge(owner)
    yield* elapse(soonMillis)
    yield* advance(shop.sellerId, hourMillis)
    yield* elapse(soonMillis)
    for (const owner of [shop.test, shop.live]) yield* openPaidCharge(owner)
    const ahead = [0, 0, hourMillis, hourMillis]
    assert.deepStrictEqual(aheadOf(yield* eventsOf(shop.test)), ahead)
    assert.deepStrictEqual(aheadOf(yield* eventsOf(shop.live)), [0, 0, 0, 0])
    const claimed = yield* claimAll(endpoint.id)
    assert.deepStrictEqual(aheadOf(claimed.map(({ entry }) => entry)), [0, hourMillis])
    const [step] = yield* (yield* SellerClock).steps(shop.sellerId)
    assert.strictEqual(step?.aheadMillis, hourMillis)
    assert.deepStrictEqual(yield* (yield* SellerClock).steps((yield* openShop()).sellerId), [])
  }),
  { settings: { partitions: 1 } },
)

const advance = (sellerId: string, millis: number) =>
  Effect.flatMap(SellerClock, (clock) => clock.advance(sellerId, millis))

/** The timers of partition 0 that are due, as `<resource id>:<name>`. */
const dueTimers = Effect.gen(function* () {
  const { due } = yield* (yield* TimerQueue).claim(0, 10 * limits.clockAdvanceBatch)
  return due.map(({ resourceId, name }) => `${resourceId}:${name}`)
})

/** The destinations of partition 0 where something is due. */
const dueDestinations = Effect.gen(function* () {
  const queue = yield* DeliveryQueue
  return [...(yield* queue.dueDestinations(0, 0)).destinationIds].sort()
})

/** A charge in each status that waits for something, with timers an hour and more from now. */
const openWaitingCharges = (owner: Principal) =>
  Effect.gen(function* () {
    const now = yield* nowMillis
    const at = (name: string, hours: number) => ({ name, dueMillis: now + hours * hourMillis })
    const pending = yield* openCharge(owner, [at("expire", 2), at("ask", 1)])
    const paid = yield* openCharge(owner)
    yield* move(paid, "paid", { timers: [{ ...at("release", 3), resourceId: paid.id }] })
    const expired = yield* openCharge(owner, [at("ask", 4)])
    yield* move(expired, "expired")
    return { pending: pending.id, paid: paid.id, expired: expired.id }
  })

/** Opens an endpoint, a tracker and a postback of a feed, each with a retry an hour from now; returns their ids. */
const openFailingDestinations = (owner: Principal) =>
  Effect.gen(function* () {
    const { sellerId, mode } = owner
    const endpoint = yield* openEndpoint(owner)
    const trackerId = destinationIdOfTracker(sellerId, mode)
    const tracker = { id: trackerId, sellerId, mode, url: "https://tracker.example/in", headers: "" }
    yield* (yield* TrackerStore).put({ ...tracker, createdAt: "2026-11-21T00:07:35.123Z" }, [
      "transaction.paid",
    ])
    yield* openPaidCharge(owner, { postback: { url: postbackUrl } })
    const ids = [endpoint.id, trackerId, destinationIdOfPostback(sellerId, mode, postbackUrl)].sort()
    for (const id of ids) yield* record(yield* claimOne(id), retryLater)
    return ids
  })

const timers: StoreCase = storeCase(
  "advancing a seller's clock moves the timers of its own test charges only, in their order",
  Effect.gen(function* () {
    const shop = yield* openShop()
    const other = yield* openShop()
    const { pending, paid, expired } = yield* openWaitingCharges(shop.test)
    yield* openWaitingCharges(shop.live)
    yield* openWaitingCharges(other.test)
    assert.deepStrictEqual(yield* dueTimers, [])
    assert.strictEqual(yield* advance(shop.sellerId, 3 * hourMillis), 3 * hourMillis)
    assert.deepStrictEqual(yield* dueTimers, [`${pending}:ask`, `${pending}:expire`, `${paid}:release`])
    yield* advance(shop.sellerId, hourMillis)
    assert.include(yield* dueTimers, `${expired}:ask`)
  }),
  { settings: { partitions: 1 } },
)

const refunds: StoreCase = storeCase(
  "advancing a seller's clock moves the timers of its own test refunds that are under way, and of no others",
  Effect.gen(function* () {
    const shop = yield* openShop()
    const other = yield* openShop()
    const dueMillis = (yield* nowMillis) + hourMillis
    const open = (owner: Principal) =>
      Effect.gen(function* () {
        const counter = { live: owner, charge: yield* openRefundable(owner) }
        const id = yield* freshIdBeside("rfd_", owner.sellerId)
        const timer = (name: string) => ({ name, resourceId: id, dueMillis })
        const timers = [timer(refundTimers.send), timer(refundTimers.poll)]
        return yield* openRefund(counter, { timers }, { id })
      })
    const { refund: pending } = yield* open(shop.test)
    const { refund: processing } = yield* pass(yield* open(shop.test), "processing")
    for (const owner of [shop.live, other.test]) yield* open(owner)
    yield* advance(shop.sellerId, hourMillis - 60_000)
    assert.deepStrictEqual(yield* dueTimers, [])
    yield* advance(shop.sellerId, 60_000)
    const names = Object.values(refundTimers)
    const wanted = [pending.id, processing.id].flatMap((id) => names.map((name) => `${id}:${name}`))
    assert.sameMembers(yield* dueTimers, wanted)
  }),
  { settings: { partitions: 1 } },
)

const withdrawals: StoreCase = storeCase(
  "advancing a seller's clock moves the timers of its own open test withdrawal only",
  Effect.gen(function* () {
    const shop = yield* openShop()
    const other = yield* openShop()
    const decideLater = [{ name: "decide", dueMillis: (yield* nowMillis) + hourMillis }]
    const id = yield* openWithdrawal(shop.test, decideLater)
    yield* openWithdrawal(shop.live, decideLater)
    yield* openWithdrawal(other.test, decideLater)
    assert.deepStrictEqual(yield* dueTimers, [])
    yield* advance(shop.sellerId, hourMillis)
    assert.deepStrictEqual(yield* dueTimers, [`${id}:decide`])
  }),
  { settings: { partitions: 1 } },
)

const shortened: StoreCase = storeCase(
  "advancing a seller's clock shortens the wait of a timer that lies beyond the advance",
  Effect.gen(function* () {
    const { sellerId, test } = yield* openShop()
    const timer = { name: "expire", dueMillis: (yield* nowMillis) + 4 * hourMillis }
    const charge = yield* openCharge(test, [timer])
    yield* advance(sellerId, 3 * hourMillis)
    const { due, nextInMillis = -1 } = yield* (yield* TimerQueue).claim(0, 100)
    assert.deepStrictEqual(due, [])
    assert.isAtMost(nextInMillis, hourMillis)
    assert.isAbove(nextInMillis, hourMillis / 2)
    yield* advance(sellerId, hourMillis)
    assert.deepStrictEqual(yield* dueTimers, [`${charge.id}:expire`])
  }),
  { settings: { partitions: 1 } },
)

const many: StoreCase = storeCase(
  "advancing a seller's clock moves more timers and deliveries than one step takes, each once",
  Effect.gen(function* () {
    const { sellerId, test } = yield* openShop()
    const endpoint = yield* openEndpoint(test, ["transaction.paid"])
    const count = limits.clockAdvanceBatch + 20
    const dueMillis = (yield* nowMillis) + 4 * hourMillis
    const each = Array.from({ length: count })
    const step = Effect.gen(function* () {
      yield* move(yield* openCharge(test, [{ name: "release", dueMillis }]), "paid")
    })
    yield* Effect.forEach(each, () => step, { concurrency: 20 })
    const claimed = yield* claimAll(endpoint.id, count)
    assert.strictEqual(claimed.length, count)
    const retryInMillis = 4 * hourMillis
    yield* Effect.forEach(claimed, (delivery) => record(delivery, { status: "failed", retryInMillis }), {
      concurrency: 20,
    })
    yield* advance(sellerId, 3 * hourMillis)
    assert.deepStrictEqual(yield* dueTimers, [])
    assert.strictEqual((yield* claimAll(endpoint.id, count)).length, 0)
    yield* advance(sellerId, hourMillis)
    assert.strictEqual((yield* dueTimers).length, count)
    assert.strictEqual((yield* claimAll(endpoint.id, count)).length, count)
  }),
  { settings: { partitions: 1 } },
)

const deliveries: StoreCase = storeCase(
  "advancing a seller's clock moves the deliveries to its test endpoints, tracker and postbacks only",
  Effect.gen(function* () {
    const shop = yield* openShop()
    const other = yield* openShop()
    const ours = yield* openFailingDestinations(shop.test)
    const theirs = [
      ...(yield* openFailingDestinations(shop.live)),
      ...(yield* openFailingDestinations(other.test)),
    ]
    assert.deepStrictEqual(yield* dueDestinations, [])
    yield* advance(shop.sellerId, hourMillis / 2)
    assert.deepStrictEqual(yield* dueDestinations, [])
    yield* advance(shop.sellerId, hourMillis / 2)
    assert.deepStrictEqual(yield* dueDestinations, ours)
    for (const id of ours) assert.strictEqual((yield* claimOne(id)).attempt, 2)
    for (const id of theirs) assert.deepStrictEqual(yield* claimAll(id), [])
  }),
  { settings: { partitions: 1 } },
)

const toDeleted: StoreCase = storeCase(
  "advancing a seller's clock moves the deliveries to its deleted test endpoints, not to live ones",
  Effect.gen(function* () {
    const endpoints = yield* EndpointStore
    const shop = yield* openShop()
    const fail = (owner: Principal) =>
      Effect.gen(function* () {
        const { id } = yield* openEndpoint(owner)
        yield* openPaidCharge(owner)
        yield* record(yield* claimOne(id), retryLater)
        const scope = { feed: { sellerId: owner.sellerId, mode: owner.mode }, endpointId: id }
        assert.deepStrictEqual(yield* endpoints.delete(scope, `deletion of ${id}`), { kind: "deleted" })
        return id
      })
    const ours = yield* fail(shop.test)
    yield* fail(shop.live)
    yield* advance(shop.sellerId, hourMillis - 60_000)
    assert.deepStrictEqual(yield* dueDestinations, [])
    yield* advance(shop.sellerId, 60_000)
    assert.deepStrictEqual(yield* dueDestinations, [ours])
  }),
  { settings: { partitions: 1 } },
)

const leased: StoreCase = storeCase(
  "advancing a seller's clock leaves a leased delivery to its claimer and moves the others",
  Effect.gen(function* () {
    const { sellerId, test } = yield* openShop()
    const endpoint = yield* openEndpoint(test)
    yield* openPaidCharge(test)
    yield* record(yield* claimOne(endpoint.id), retryLater)
    yield* openPaidCharge(test)
    const underWay = yield* claimOne(endpoint.id)
    yield* advance(sellerId, hourMillis)
    const [moved, ...more] = yield* claimAll(endpoint.id)
    assert.deepStrictEqual(more, [])
    assert.strictEqual(moved?.attempt, 2)
    yield* record(underWay, { status: "success" })
    if (moved !== undefined) yield* record(moved, { status: "success" })
    assert.deepStrictEqual(yield* claimAll(endpoint.id), [])
  }),
  { settings: { partitions: 1 } },
)

const waking: StoreCase = storeCase(
  "advancing a seller's clock wakes its partition for the timers and deliveries that it moves",
  Effect.gen(function* () {
    const { sellerId, test } = yield* openShop()
    const endpoint = yield* openEndpoint(test)
    yield* openPaidCharge(test)
    yield* record(yield* claimOne(endpoint.id), retryLater)
    const dueMillis = (yield* nowMillis) + 2 * hourMillis
    yield* openCharge(test, [{ name: "expire", dueMillis }])
    const partitions = yield* Partitions
    const heard = yield* Queue.unbounded<Wake>()
    yield* partitions.listen((wake) => Queue.offerUnsafe(heard, wake))
    yield* partitions.rebalance
    yield* advance(sellerId, hourMillis)
    // Between the nodes of a cluster, earlier wakes may still be on their way; they arrive first.
    yield* Effect.repeat(Queue.take(heard), {
      until: (wake) =>
        wake.kind === "timer" && wake.partition === 0 && wake.dueMillis === dueMillis - hourMillis,
    })
    assert.deepStrictEqual(yield* Queue.take(heard), {
      kind: "delivery",
      partition: 0,
      destinationId: endpoint.id,
    })
  }),
  { settings: { partitions: 1 } },
)

/** The clock of test mode (`docs/contract/test-controls.md#clock`). */
export const sellerClockCases: ReadonlyArray<StoreCase> = [
  storeCase(
    "a seller's clock starts at the true time and adds up its own advances only",
    Effect.gen(function* () {
      const clock = yield* SellerClock
      const [one, other] = [yield* openShop(), yield* openShop()]
      assert.strictEqual(yield* clock.offsetMillis(one.sellerId), 0)
      assert.strictEqual(yield* clock.advance(one.sellerId, 1_000), 1_000)
      assert.strictEqual(yield* clock.advance(one.sellerId, 500), 1_500)
      assert.strictEqual(yield* clock.offsetMillis(one.sellerId), 1_500)
      assert.strictEqual(yield* clock.offsetMillis(other.sellerId), 0)
    }),
  ),
  keptTimes,
  timers,
  withdrawals,
  refunds,
  shortened,
  many,
  deliveries,
  toDeleted,
  leased,
  waking,
]
