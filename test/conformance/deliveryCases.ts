import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { DeliveryQueue } from "../../actors/ports/deliveryQueue.ts"
import { goneEventType } from "../../actors/values/goneEvent.ts"
import { limits } from "../../schema/limits.ts"
import {
  allAttempts,
  claimAll,
  claimOne,
  dead,
  failedForGood,
  failedToRetry,
  record,
  recordOf,
  succeeded,
} from "./attempts.ts"
import { eventsOf, openCharge, openEndpoint, openPaidCharge, openShop, outliveEvents } from "./fixtures.ts"
import { elapse, Stage, type StoreCase, storeCase, timedCase } from "./stage.ts"

const claim = (destinationId: string, deliveriesMax = 100) =>
  Effect.flatMap(DeliveryQueue, (queue) => queue.claim(destinationId, deliveriesMax))

const fanOut: StoreCase = storeCase(
  "an event is owed at once to the endpoints of its seller and mode that subscribe to its type",
  Effect.gen(function* () {
    const shop = yield* openShop()
    const other = yield* openShop()
    const exact = yield* openEndpoint(shop.live, ["transaction.refunded", "transaction.paid"])
    const every = yield* openEndpoint(shop.live, ["*"])
    const elsewhere = [
      yield* openEndpoint(shop.live, ["transaction.expired", "withdrawal.failed"]),
      yield* openEndpoint(shop.test, ["*"]),
      yield* openEndpoint(other.live, ["*"]),
    ]
    const charge = yield* openPaidCharge(shop.live)
    for (const endpoint of [exact, every]) {
      assert.strictEqual((yield* claimOne(endpoint.id)).entry.data, charge.document)
    }
    for (const endpoint of elsewhere) assert.deepStrictEqual(yield* claimAll(endpoint.id), [])
  }),
)

const claimed: StoreCase = storeCase(
  "a claimed delivery has its destination and its whole event, as attempt 1",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    yield* openPaidCharge(live)
    const delivery = yield* claimOne(endpoint.id)
    const { id, sellerId, url, secret } = endpoint
    const destination = {
      id,
      sellerId,
      mode: "live",
      target: "endpoint",
      url,
      enabled: true,
      isDeleted: false,
      headers: undefined,
      urlPassword: undefined,
      secrets: [secret],
    }
    assert.deepStrictEqual(delivery, {
      destination,
      entry: (yield* eventsOf(live))[1],
      attempt: 1,
      deliveryId: undefined,
      fence: delivery.fence,
      manual: false,
    } as typeof delivery)
  }),
)

const leasing: StoreCase = storeCase(
  "a claim leases each delivery once, up to the count asked for, and says when the next one is due",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    const nothing = { claimed: [], nextInMillis: undefined }
    assert.deepStrictEqual(yield* claim(endpoint.id), nothing)
    assert.deepStrictEqual(yield* claim("we_nothing-like-an-id"), nothing)
    yield* Effect.forEach([1, 2, 3], () => openPaidCharge(live))
    const first = yield* claim(endpoint.id, 2)
    assert.strictEqual(first.nextInMillis, 0, "the third is due")
    const second = yield* claim(endpoint.id, 2)
    const seqs = [first, second].map((page) => page.claimed.map((delivery) => delivery.entry.seq))
    assert.deepStrictEqual(
      seqs.map((page) => page.length),
      [2, 1],
    )
    assert.deepStrictEqual(seqs.flat().sort(), [2, 4, 6])
    const third = yield* claim(endpoint.id, 2)
    assert.deepStrictEqual(third.claimed, [])
    for (const { nextInMillis = -1 } of [second, third]) {
      assert.isAbove(nextInMillis, 0)
      assert.isAtMost(nextInMillis, limits.deliveryLeaseMillis)
    }
  }),
)

const attempts: StoreCase = storeCase(
  "each attempt of a delivery has the next number and a higher fence until the delivery ends",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    yield* openPaidCharge(live)
    let fence = Number.NEGATIVE_INFINITY
    for (let attempt = 1; attempt <= limits.attemptsMax; attempt++) {
      const delivery = yield* claimOne(endpoint.id)
      assert.strictEqual(delivery.attempt, attempt)
      assert.isAbove(delivery.fence, fence)
      fence = delivery.fence
      yield* record(delivery, attempt < limits.attemptsMax ? failedToRetry : succeeded)
    }
    assert.deepStrictEqual(yield* claim(endpoint.id), { claimed: [], nextInMillis: undefined })
    const rows = yield* allAttempts(live)
    assert.deepStrictEqual(rows.map((row) => row.attempt).sort(), [1, 2, 3, 4, 5, 6])
  }),
)

const ends: StoreCase = storeCase(
  "a delivery ends on success, when dead, and on a failure without a next attempt",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    for (const outcome of [succeeded, failedForGood, { status: "dead" } as const]) {
      yield* openPaidCharge(live)
      yield* record(yield* claimOne(endpoint.id), outcome)
      assert.deepStrictEqual(yield* claim(endpoint.id), { claimed: [], nextInMillis: undefined })
    }
  }),
)

const stale: StoreCase = storeCase(
  "an attempt is recorded only under the fence of its lease, and only once",
  Effect.gen(function* () {
    const queue = yield* DeliveryQueue
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    yield* openPaidCharge(live)
    const delivery = yield* claimOne(endpoint.id)
    const attempt = yield* recordOf(delivery, succeeded)
    const refused = { kind: "stale" } as const
    assert.deepStrictEqual(yield* queue.record({ ...attempt, fence: attempt.fence - 1 }), refused)
    assert.deepStrictEqual(yield* queue.record({ ...attempt, fence: attempt.fence + 1 }), refused)
    assert.deepStrictEqual(yield* allAttempts(live), [])
    assert.deepStrictEqual(yield* queue.record(attempt), { kind: "recorded" })
    const another = { ...(yield* recordOf(delivery, failedToRetry)), fence: attempt.fence }
    assert.deepStrictEqual(yield* queue.record(another), refused, "the delivery has ended")
    assert.deepStrictEqual(yield* claimAll(endpoint.id), [])
    assert.deepStrictEqual(
      (yield* allAttempts(live)).map((row) => row.id),
      [attempt.deliveryId],
    )
  }),
)

const requeued: StoreCase = storeCase(
  "an attempt is not recorded again while its next one waits",
  Effect.gen(function* () {
    const queue = yield* DeliveryQueue
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    yield* openPaidCharge(live)
    const attempt = yield* recordOf(yield* claimOne(endpoint.id), failedToRetry)
    assert.deepStrictEqual(yield* queue.record(attempt), { kind: "recorded" })
    assert.deepStrictEqual(yield* queue.record(attempt), { kind: "stale" })
    assert.strictEqual((yield* claimOne(endpoint.id)).attempt, 2)
  }),
)

const overtaken: StoreCase = timedCase(
  "after its lease an attempt goes to the next claimer, and the first claimer's record is refused",
  Effect.gen(function* () {
    const queue = yield* DeliveryQueue
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    yield* openPaidCharge(live)
    const first = yield* claimOne(endpoint.id)
    yield* elapse(limits.deliveryLeaseMillis - 1)
    assert.deepStrictEqual(yield* claim(endpoint.id), { claimed: [], nextInMillis: 1 })
    yield* elapse(1)
    const second = yield* claimOne(endpoint.id)
    assert.strictEqual(second.attempt, 1, "no attempt was recorded")
    assert.isAbove(second.fence, first.fence)
    assert.deepStrictEqual(yield* queue.record(yield* recordOf(first, succeeded)), { kind: "stale" })
    assert.deepStrictEqual(yield* allAttempts(live), [])
    yield* record(second, succeeded)
    assert.strictEqual((yield* allAttempts(live)).length, 1)
  }),
)

const schedule: StoreCase = timedCase(
  "next attempts are due at their exact milliseconds, soonest first",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    yield* Effect.forEach([1, 2, 3], () => openPaidCharge(live))
    const waits = [3_000, 1_000, 2_000]
    const seqs: Array<number> = []
    for (const [index, delivery] of (yield* claimAll(endpoint.id)).entries()) {
      seqs[index] = delivery.entry.seq
      yield* record(delivery, { status: "failed", retryInMillis: waits[index] ?? 0 })
    }
    yield* elapse(999)
    assert.deepStrictEqual(yield* claim(endpoint.id), { claimed: [], nextInMillis: 1 })
    yield* elapse(1)
    const due = yield* claim(endpoint.id)
    assert.deepStrictEqual(
      due.claimed.map((delivery) => delivery.entry.seq),
      [seqs[1]],
    )
    assert.strictEqual(due.nextInMillis, 1_000)
    yield* elapse(2_000)
    const rest = yield* claimAll(endpoint.id)
    assert.deepStrictEqual(
      rest.map((delivery) => [delivery.entry.seq, delivery.attempt]),
      [
        [seqs[2], 2],
        [seqs[0], 2],
      ],
    )
  }),
)

/** Deliveries: how they are owed, claimed and recorded (`docs/contract/deliveries.md#claims`). */
export const deliveryCases: ReadonlyArray<StoreCase> = [
  fanOut,
  storeCase(
    "an internal event is owed to no endpoint, and no event to an endpoint created after it",
    Effect.gen(function* () {
      const { live } = yield* openShop()
      const endpoint = yield* openEndpoint(live)
      yield* openCharge(live)
      assert.deepStrictEqual(yield* claim(endpoint.id), { claimed: [], nextInMillis: undefined })
      yield* openPaidCharge(live)
      const young = yield* openEndpoint(live)
      assert.deepStrictEqual(yield* claimAll(young.id), [])
      assert.strictEqual((yield* claimAll(endpoint.id)).length, 1)
    }),
  ),
  claimed,
  leasing,
  attempts,
  ends,
  stale,
  requeued,
  storeCase(
    "a claim leaves a delivery whose next attempt is not due yet, and says when it is",
    Effect.gen(function* () {
      const { live } = yield* openShop()
      const endpoint = yield* openEndpoint(live)
      yield* openPaidCharge(live)
      yield* record(yield* claimOne(endpoint.id), { status: "failed", retryInMillis: 3_600_000 })
      const { claimed: none, nextInMillis = -1 } = yield* claim(endpoint.id)
      assert.deepStrictEqual(none, [])
      assert.isAbove(nextInMillis, 1_800_000)
      assert.isAtMost(nextInMillis, 3_600_000)
    }),
  ),
  overtaken,
  timedCase(
    "a record that comes after its lease is accepted if nobody has claimed the delivery since",
    Effect.gen(function* () {
      const { live } = yield* openShop()
      const endpoint = yield* openEndpoint(live)
      yield* openPaidCharge(live)
      const delivery = yield* claimOne(endpoint.id)
      yield* elapse(2 * limits.deliveryLeaseMillis)
      yield* record(delivery, succeeded)
      assert.deepStrictEqual(yield* claim(endpoint.id), { claimed: [], nextInMillis: undefined })
    }),
  ),
  schedule,
  storeCase(
    "a delivery whose event is no longer kept is claimed as gone, recorded, and not claimed again",
    Effect.gen(function* () {
      const { live } = yield* openShop()
      const endpoint = yield* openEndpoint(live, ["transaction.paid"])
      yield* openPaidCharge(live)
      yield* outliveEvents(live)
      const delivery = yield* claimOne(endpoint.id)
      const { entry } = delivery
      assert.deepStrictEqual(
        [entry.type, entry.resourceId, entry.data, delivery.attempt],
        [goneEventType, "", "", 1],
      )
      const deliveryId = yield* record(delivery, dead)
      const rows = (yield* allAttempts(live, { endpointId: endpoint.id })).map(({ id, status }) => [
        id,
        status,
      ])
      assert.deepStrictEqual(rows, [[deliveryId, "dead"]])
      assert.deepStrictEqual(yield* claim(endpoint.id), { claimed: [], nextInMillis: undefined })
    }),
    { settings: { eventRetentionMillis: 400 } },
  ),
  storeCase(
    "a deleted endpoint's deliveries are claimed as disabled, and it is owed nothing new",
    Effect.gen(function* () {
      const { live } = yield* openShop()
      const endpoint = yield* openEndpoint(live)
      yield* openPaidCharge(live)
      const { deleteEndpoint } = yield* Stage
      yield* deleteEndpoint(endpoint.id)
      yield* openPaidCharge(live)
      const delivery = yield* claimOne(endpoint.id)
      assert.isFalse(delivery.destination.enabled)
      assert.strictEqual(delivery.entry.seq, 2)
      yield* record(delivery, failedForGood)
    }),
    { needs: ["deleteEndpoint"] },
  ),
]
