import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { DeliveryQueue } from "../../actors/ports/deliveryQueue.ts"
import { EndpointStore } from "../../actors/ports/endpointStore.ts"
import type { EventEntry } from "../../actors/ports/eventLog.ts"
import type { NewEndpoint } from "../../actors/ports/sellerStore.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { limits } from "../../schema/limits.ts"
import {
  claimAll,
  claimOne,
  dead,
  failedForGood,
  failedToRetry,
  record,
  recordOf,
  succeeded,
} from "./attempts.ts"
import {
  eventsOf,
  freshIdBeside,
  openCharge,
  openEndpoint,
  openPaidCharge,
  openShop,
  outliveEvents,
} from "./fixtures.ts"
import { elapse, type StoreCase, shortRetentionMillis, storeCase } from "./stage.ts"

const ever = { fromMillis: 0, toMillis: 8_000_000_000_000 }
const scopeOf = ({ id, sellerId, mode }: NewEndpoint) => ({ feed: { sellerId, mode }, endpointId: id })
const enable = (endpoint: NewEndpoint, enabled: boolean) =>
  Effect.flatMap(EndpointStore, (store) => store.update(scopeOf(endpoint), { enabled }))
const recoverMissed = (endpoint: NewEndpoint, window = ever, pause: Effect.Effect<void> = Effect.void) =>
  Effect.flatMap(EndpointStore, (store) =>
    Effect.map(store.recoverMissed(scopeOf(endpoint), window, pause), ({ missed }) => missed),
  )

/** The newest event of a feed. */
const newestOf = (owner: Principal) => Effect.map(eventsOf(owner), (events) => events.at(-1) as EventEntry)
/** The event of a charge that was just paid. */
const paid = (owner: Principal) => Effect.andThen(openPaidCharge(owner), newestOf(owner))
/** Disables an endpoint, lets charges be paid meanwhile, and enables it; returns the events that it missed. */
const missing = (owner: Principal, endpoint: NewEndpoint, count = 1) =>
  Effect.gen(function* () {
    yield* enable(endpoint, false)
    const missed = yield* Effect.forEach(Array.from({ length: count }), () => paid(owner))
    yield* enable(endpoint, true)
    return missed
  })
const idsOf = (entries: ReadonlyArray<{ readonly entryId: string }>) => entries.map(({ entryId }) => entryId)
const claimedIds = (endpoint: NewEndpoint) =>
  Effect.map(claimAll(endpoint.id), (claimed) => idsOf(claimed.map(({ entry }) => entry)).sort())

const once: StoreCase = storeCase(
  "what an endpoint missed while it was disabled is owed once, however often and at once it is asked for",
  Effect.gen(function* () {
    const { live, test } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    const other = yield* openEndpoint(live)
    yield* paid(live)
    const succeededBefore = yield* claimOne(endpoint.id)
    yield* record(succeededBefore, succeeded)
    const waiting = yield* paid(live)
    const missed = yield* missing(live, endpoint, 3)
    yield* paid(test)
    const after = yield* paid(live)
    const counts = yield* Effect.all([recoverMissed(endpoint), recoverMissed(endpoint)], { concurrency: 2 })
    assert.strictEqual(counts[0] + counts[1], 3)
    assert.strictEqual(yield* recoverMissed(endpoint), 0)
    assert.strictEqual(yield* recoverMissed(other), 0)
    yield* elapse(2)
    const claimed = yield* claimAll(endpoint.id)
    const expected = idsOf([waiting, ...missed, after]).sort()
    assert.deepStrictEqual(idsOf(claimed.map(({ entry }) => entry)).sort(), expected)
    assert.deepStrictEqual(
      claimed.map(({ attempt, manual, deliveryId }) => [attempt, manual, deliveryId]),
      claimed.map(() => [1, false, undefined]),
    )
    // Whatever became of them, they are owed, and no longer missed.
    assert.strictEqual(yield* recoverMissed(endpoint), 0)
    const outcomes = [succeeded, failedForGood, dead, failedToRetry, succeeded]
    for (const [at, delivery] of claimed.entries()) yield* record(delivery, outcomes[at] ?? dead)
    assert.strictEqual(yield* recoverMissed(endpoint), 0)
  }),
)

const subscribed: StoreCase = storeCase(
  "an endpoint missed what it subscribes to now: nothing internal, no ping, and nothing from while it was enabled",
  Effect.gen(function* () {
    const endpoints = yield* EndpointStore
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live, ["transaction.refunded"])
    const scope = scopeOf(endpoint)
    yield* paid(live)
    yield* enable(endpoint, false)
    const missed = yield* paid(live)
    yield* openCharge(live)
    const deliveryId = yield* freshIdBeside("whd_", live.sellerId)
    yield* endpoints.ping(scope, { deliveryId, data: "{}" })
    yield* record(yield* claimOne(endpoint.id), succeeded)
    yield* enable(endpoint, true)
    assert.strictEqual(yield* recoverMissed(endpoint), 0)
    yield* paid(live)
    yield* endpoints.update(scope, { events: ["*"] })
    assert.strictEqual(yield* recoverMissed(endpoint), 1)
    assert.deepStrictEqual(yield* claimedIds(endpoint), [missed.entryId])
  }),
)

const disabled: StoreCase = storeCase(
  "an endpoint that is disabled or deleted, or another feed's, is owed nothing that it missed",
  Effect.gen(function* () {
    const endpoints = yield* EndpointStore
    const { live, test } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    yield* missing(live, endpoint)
    const foreign = { ...scopeOf(endpoint), feed: { sellerId: test.sellerId, mode: test.mode } }
    assert.deepStrictEqual(yield* endpoints.recoverMissed(foreign, ever, Effect.void), {
      queued: 0,
      missed: 0,
    })
    yield* enable(endpoint, false)
    assert.strictEqual(yield* recoverMissed(endpoint), 0)
    yield* endpoints.delete(scopeOf(endpoint), "operation")
    assert.strictEqual(yield* recoverMissed(endpoint), 0)
    assert.deepStrictEqual(yield* claimAll(endpoint.id), [])
  }),
)

const disabledMeanwhile: StoreCase = storeCase(
  "a recovery whose endpoint is disabled meanwhile ends with what it has done so far, missed and failed",
  Effect.gen(function* () {
    const endpoints = yield* EndpointStore
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    const fail = Effect.gen(function* () {
      yield* openPaidCharge(live)
      yield* record(yield* claimOne(endpoint.id), failedForGood)
    })
    yield* fail
    // Its event is internal, so the disabled period does not begin with an attempted one: a step of its own.
    yield* openCharge(live)
    yield* missing(live, endpoint)
    yield* elapse(5)
    yield* Effect.all([fail, fail])
    yield* elapse(5)
    const scope = scopeOf(endpoint)
    const disable = Effect.orDie(Effect.asVoid(endpoints.update(scope, { enabled: false })))
    const answer = yield* endpoints.recoverMissed(scope, ever, disable, ever)
    assert.deepStrictEqual(answer, { queued: 1, missed: 1 })
    assert.strictEqual(yield* endpoints.recover(scope, ever), 0)
    assert.strictEqual((yield* claimAll(endpoint.id)).length, 2)
    yield* enable(endpoint, true)
    const rest = yield* endpoints.recoverMissed(scope, ever, Effect.void, ever)
    assert.deepStrictEqual(rest, { queued: 2, missed: 0 })
  }),
)

const periods: StoreCase = storeCase(
  "an endpoint that was disabled twice, by itself and by its seller, missed what happened in both periods",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    const disablingEvent = { type: "seller.webhook_endpoint_disabled", data: "{}" }
    for (let i = 0; i < limits.deadStreakMax; i++) {
      yield* paid(live)
      const attempt = yield* recordOf(yield* claimOne(endpoint.id), { ...dead, disablingEvent })
      yield* (yield* DeliveryQueue).record(attempt)
    }
    const disabling = yield* newestOf(live)
    assert.strictEqual(disabling.type, disablingEvent.type)
    const first = yield* paid(live)
    yield* enable(endpoint, true)
    yield* paid(live)
    yield* record(yield* claimOne(endpoint.id), succeeded)
    const [second] = yield* missing(live, endpoint)
    assert.strictEqual(yield* recoverMissed(endpoint), 3)
    assert.deepStrictEqual(
      yield* claimedIds(endpoint),
      idsOf([disabling, first, second as EventEntry]).sort(),
    )
  }),
)

const window: StoreCase = storeCase(
  "recovering what was missed looks only at the events of its window, both ends included",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    yield* enable(endpoint, false)
    const times: Array<number> = []
    for (let i = 0; i < 3; i++) {
      yield* elapse(5)
      times.push(Number((yield* paid(live)).entryId.split("-")[0]))
    }
    yield* elapse(5)
    yield* enable(endpoint, true)
    const [first = 0, second = 0, third = 0] = times
    assert.strictEqual(yield* recoverMissed(endpoint, { fromMillis: 0, toMillis: first - 1 }), 0)
    assert.strictEqual(yield* recoverMissed(endpoint, { fromMillis: third + 1, toMillis: ever.toMillis }), 0)
    assert.strictEqual(yield* recoverMissed(endpoint, { fromMillis: first + 1, toMillis: second - 1 }), 0)
    assert.strictEqual(yield* recoverMissed(endpoint, { fromMillis: second, toMillis: second }), 1)
    assert.strictEqual(yield* recoverMissed(endpoint, { fromMillis: first, toMillis: second }), 1)
    assert.strictEqual(yield* recoverMissed(endpoint, { fromMillis: third, toMillis: ever.toMillis }), 1)
    assert.strictEqual((yield* claimAll(endpoint.id)).length, 3)
  }),
)

const steps: StoreCase = storeCase(
  "recovering what was missed covers more events than one step looks at, and a repeat does what an interrupted one left",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live, ["transaction.paid"])
    yield* enable(endpoint, false)
    yield* Effect.forEach(Array.from({ length: limits.missedEventsPerStep }), () => openPaidCharge(live), {
      concurrency: 20,
    })
    yield* enable(endpoint, true)
    yield* Effect.exit(recoverMissed(endpoint, ever, Effect.die(new Error("the process ends"))))
    yield* recoverMissed(endpoint)
    assert.strictEqual(yield* recoverMissed(endpoint), 0)
    const claimed = yield* claimAll(endpoint.id, limits.missedEventsPerStep + 1)
    assert.strictEqual(new Set(claimed.map(({ entry }) => entry.entryId)).size, limits.missedEventsPerStep)
  }),
)

const manyPeriods: StoreCase = storeCase(
  `an endpoint knows its last ${limits.endpointOutagesMax} disabled periods apart; where there are more, the oldest two count as one`,
  Effect.gen(function* () {
    const endpoints = yield* EndpointStore
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live, ["transaction.refunded"])
    const scope = scopeOf(endpoint)
    // The event between two periods was not subscribed to, so it was neither owed nor missed.
    for (let i = 1; i < limits.endpointOutagesMax; i++) {
      yield* missing(live, endpoint)
      yield* paid(live)
    }
    // A period without events counts for nothing.
    yield* missing(live, endpoint, 0)
    yield* missing(live, endpoint)
    yield* endpoints.update(scope, { events: ["transaction.paid"] })
    assert.strictEqual(yield* recoverMissed(endpoint), limits.endpointOutagesMax)
    yield* endpoints.update(scope, { events: ["transaction.refunded"] })
    yield* missing(live, endpoint)
    yield* endpoints.update(scope, { events: ["transaction.paid"] })
    assert.strictEqual(yield* recoverMissed(endpoint), 2)
  }),
)

const forgotten: StoreCase = storeCase(
  "what an endpoint missed is no longer owed once its event is past retention",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live, ["transaction.paid"])
    yield* missing(live, endpoint, 2)
    yield* outliveEvents(live)
    assert.strictEqual(yield* recoverMissed(endpoint), 0)
    const [last] = yield* missing(live, endpoint)
    assert.strictEqual(yield* recoverMissed(endpoint), 1)
    assert.deepStrictEqual(yield* claimedIds(endpoint), [last?.entryId])
  }),
  { settings: { eventRetentionMillis: shortRetentionMillis } },
)

/** The recovery of events that an endpoint missed (`docs/contract/endpoints.md#missed-events`). */
export const missedEventCases: ReadonlyArray<StoreCase> = [
  once,
  subscribed,
  disabled,
  disabledMeanwhile,
  periods,
  window,
  steps,
  manyPeriods,
  forgotten,
]
