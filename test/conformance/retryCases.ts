import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { DeliveryQueue } from "../../actors/ports/deliveryQueue.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { limits } from "../../schema/limits.ts"
import {
  allAttempts,
  claimAll,
  claimOne,
  dead,
  failedForGood,
  failedToRetry,
  record,
  succeeded,
} from "./attempts.ts"
import { freshIdBeside, hashOf, openCharge, openEndpoint, openPaidCharge, openShop } from "./fixtures.ts"
import { elapse, Stage, type StoreCase, storeCase, timedCase } from "./stage.ts"

/** Asks for a retry of a delivery under a fresh id. */
const retry = (owner: Principal, deliveryId: string) =>
  Effect.gen(function* () {
    const newId = yield* freshIdBeside("whd_", owner.sellerId)
    const { kind } = yield* (yield* DeliveryQueue).retry(owner, deliveryId, newId)
    return { kind, newId }
  })

const askedFor: StoreCase = storeCase(
  "a manual retry owes an ended delivery once more, at once, under the promised id, as the next attempt",
  Effect.gen(function* () {
    const { live, partition } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    for (const [index, outcome] of [failedForGood, dead].entries()) {
      yield* openPaidCharge(live)
      const first = yield* claimOne(endpoint.id)
      const ended = yield* record(first, outcome)
      const { kind, newId } = yield* retry(live, ended)
      assert.strictEqual(kind, "queued")
      const due = yield* (yield* DeliveryQueue).dueDestinations(partition, 0)
      assert.deepStrictEqual(due.destinationIds, [endpoint.id])
      const second = yield* claimOne(endpoint.id)
      assert.deepStrictEqual([second.attempt, second.deliveryId, second.manual], [2, newId, true])
      assert.isAbove(second.fence, first.fence)
      assert.deepStrictEqual(second.entry, first.entry)
      assert.strictEqual(yield* record(second, failedForGood), newId)
      assert.strictEqual((yield* allAttempts(live)).length, 2 * (index + 1))
    }
  }),
)

const goesOn: StoreCase = storeCase(
  "after a failed manual retry the schedule goes on, and the next attempt is not manual",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    yield* openPaidCharge(live)
    const { kind } = yield* retry(live, yield* record(yield* claimOne(endpoint.id), failedForGood))
    assert.strictEqual(kind, "queued")
    yield* record(yield* claimOne(endpoint.id), failedToRetry)
    const third = yield* claimOne(endpoint.id)
    assert.deepStrictEqual([third.attempt, third.deliveryId, third.manual], [3, undefined, false])
  }),
)

const refusals: StoreCase = storeCase(
  "a manual retry is refused while the delivery waits or is in flight, and after it has succeeded",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    yield* openPaidCharge(live)
    const first = yield* record(yield* claimOne(endpoint.id), failedToRetry)
    assert.strictEqual((yield* retry(live, first)).kind, "scheduled")
    const delivery = yield* claimOne(endpoint.id)
    assert.isUndefined(delivery.deliveryId, "the refused retry promised nothing")
    assert.strictEqual((yield* retry(live, first)).kind, "scheduled")
    const second = yield* record(delivery, dead)
    assert.strictEqual(
      (yield* retry(live, first)).kind,
      "queued",
      "an older row stands for the same delivery",
    )
    assert.strictEqual((yield* retry(live, second)).kind, "scheduled")
    const third = yield* record(yield* claimOne(endpoint.id), succeeded)
    for (const id of [first, second, third]) assert.strictEqual((yield* retry(live, id)).kind, "succeeded")
    assert.deepStrictEqual(yield* claimAll(endpoint.id), [])
  }),
)

const strangers: StoreCase = storeCase(
  "a delivery that is unknown or of another seller or mode can be neither read nor retried",
  Effect.gen(function* () {
    const queue = yield* DeliveryQueue
    const shop = yield* openShop()
    const other = yield* openShop()
    const endpoint = yield* openEndpoint(shop.live)
    yield* openPaidCharge(shop.live)
    const id = yield* record(yield* claimOne(endpoint.id), failedForGood)
    for (const owner of [shop.test, other.live]) {
      assert.strictEqual((yield* retry(owner, id)).kind, "missing")
      assert.isUndefined(yield* queue.get(owner, id))
      assert.deepStrictEqual(yield* allAttempts(owner), [])
    }
    const unwritten = yield* freshIdBeside("whd_", shop.sellerId)
    for (const unknown of [unwritten, "whd_nothing-like-an-id"]) {
      assert.strictEqual((yield* retry(shop.live, unknown)).kind, "missing")
      assert.isUndefined(yield* queue.get(shop.live, unknown))
    }
    const stranger = { ...shop.live, keyHash: hashOf("no such key") }
    assert.strictEqual((yield* retry(stranger, id)).kind, "keyInvalid")
    assert.deepStrictEqual(yield* queue.get(stranger, id), { kind: "keyInvalid" })
    assert.deepStrictEqual(yield* claimAll(endpoint.id), [])
  }),
)

/** Manual retries (`docs/contract/deliveries.md#replay`). */
export const retryCases: ReadonlyArray<StoreCase> = [
  askedFor,
  goesOn,
  refusals,
  strangers,
  timedCase(
    "a manual retry keeps its promised id and its mark when its claimer's lease ends",
    Effect.gen(function* () {
      const { live } = yield* openShop()
      const endpoint = yield* openEndpoint(live)
      yield* openPaidCharge(live)
      const { newId } = yield* retry(live, yield* record(yield* claimOne(endpoint.id), dead))
      yield* claimOne(endpoint.id)
      yield* elapse(limits.deliveryLeaseMillis)
      const again = yield* claimOne(endpoint.id)
      assert.deepStrictEqual([again.attempt, again.deliveryId, again.manual], [2, newId, true])
    }),
  ),
  timedCase(
    "retrying a delivery whose event is no longer kept answers expired",
    Effect.gen(function* () {
      const { live } = yield* openShop()
      const endpoint = yield* openEndpoint(live, ["transaction.paid"])
      yield* openPaidCharge(live)
      yield* openPaidCharge(live)
      const [one, two] = yield* claimAll(endpoint.id)
      if (one === undefined || two === undefined) return assert.fail("expected two due deliveries")
      yield* elapse(600)
      const ended = yield* record(one, dead)
      const waits = yield* record(two, { status: "failed", retryInMillis: 100 })
      yield* elapse(500)
      yield* openCharge(live)
      assert.strictEqual((yield* retry(live, ended)).kind, "expired")
      yield* record(yield* claimOne(endpoint.id), dead)
      assert.strictEqual((yield* retry(live, waits)).kind, "expired")
      assert.deepStrictEqual(yield* claimAll(endpoint.id), [])
    }),
    { eventRetentionMillis: 1_000 },
  ),
  storeCase(
    "a manual retry to a deleted endpoint is queued and claimed as disabled",
    Effect.gen(function* () {
      const { live } = yield* openShop()
      const endpoint = yield* openEndpoint(live)
      yield* openPaidCharge(live)
      const id = yield* record(yield* claimOne(endpoint.id), dead)
      const { deleteEndpoint } = yield* Stage
      yield* deleteEndpoint(endpoint.id)
      assert.strictEqual((yield* retry(live, id)).kind, "queued")
      assert.isFalse((yield* claimOne(endpoint.id)).destination.enabled)
    }),
    { needs: ["deleteEndpoint"] },
  ),
]
