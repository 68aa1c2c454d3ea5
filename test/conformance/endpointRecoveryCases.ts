import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { EndpointStore } from "../../actors/ports/endpointStore.ts"
import type { NewEndpoint } from "../../actors/ports/sellerStore.ts"
import { timeOfId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { claimAll, claimOne, dead, failedForGood, failedToRetry, record, succeeded } from "./attempts.ts"
import { freshIdBeside, openEndpoint, openPaidCharge, openShop, outliveEvents } from "./fixtures.ts"
import { elapse, nowMillis, type StoreCase, shortRetentionMillis, storeCase, timedCase } from "./stage.ts"

const hourMillis = 60 * 60 * 1000
const scopeOf = ({ id, sellerId, mode }: NewEndpoint) => ({ feed: { sellerId, mode }, endpointId: id })
const ever = { fromMillis: 0, toMillis: 8_000_000_000_000 }

const counting: StoreCase = storeCase(
  "an endpoint's statistics count its attempts and their successes",
  Effect.gen(function* () {
    const endpoints = yield* EndpointStore
    const { live } = yield* openShop()
    const [endpoint, other] = [yield* openEndpoint(live), yield* openEndpoint(live)]
    yield* openPaidCharge(live)
    yield* record(yield* claimOne(endpoint.id), failedToRetry)
    yield* elapse(2)
    yield* record(yield* claimOne(endpoint.id), succeeded)
    yield* openPaidCharge(live)
    yield* record(yield* claimOne(endpoint.id), dead)
    const shown = yield* endpoints.stats(scopeOf(endpoint))
    assert.deepStrictEqual([shown?.attempts, shown?.successes], [3, 1])
    assert.strictEqual((yield* endpoints.stats(scopeOf(other)))?.attempts, 0)
  }),
)

const sevenDays: StoreCase = timedCase(
  "an endpoint's statistics drop attempts after seven days, by the hour",
  Effect.gen(function* () {
    const endpoints = yield* EndpointStore
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    yield* openPaidCharge(live)
    yield* record(yield* claimOne(endpoint.id), succeeded)
    const attempts = Effect.map(endpoints.stats(scopeOf(endpoint)), (shown) => shown?.attempts)
    const sinceHour = (yield* nowMillis) % hourMillis
    yield* elapse((limits.endpointStatsHours + 1) * hourMillis - sinceHour - 1)
    assert.strictEqual(yield* attempts, 1)
    yield* elapse(1)
    assert.strictEqual(yield* attempts, 0)
  }),
)

const recovering: StoreCase = storeCase(
  "recovering an endpoint owes each failed or dead delivery once more, and nothing else",
  Effect.gen(function* () {
    const endpoints = yield* EndpointStore
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    const outcomes = [failedForGood, dead, succeeded]
    for (const outcome of outcomes) {
      yield* openPaidCharge(live)
      yield* record(yield* claimOne(endpoint.id), failedToRetry)
      yield* elapse(2)
      yield* record(yield* claimOne(endpoint.id), outcome)
    }
    yield* openPaidCharge(live)
    yield* record(yield* claimOne(endpoint.id), { status: "failed", retryInMillis: 3_600_000 })
    const deliveryId = yield* freshIdBeside("whd_", live.sellerId)
    yield* endpoints.ping(scopeOf(endpoint), { deliveryId, data: "{}" })
    yield* record(yield* claimOne(endpoint.id), failedForGood)
    const [first, second] = yield* Effect.all(
      [endpoints.recover(scopeOf(endpoint), ever), endpoints.recover(scopeOf(endpoint), ever)],
      { concurrency: 2 },
    )
    assert.strictEqual(first + second, 2)
    const claimed = yield* claimAll(endpoint.id)
    assert.deepStrictEqual(
      claimed.map(({ attempt, manual, deliveryId: promised }) => [attempt, manual, promised]),
      [
        [3, true, undefined],
        [3, true, undefined],
      ],
    )
    assert.strictEqual(yield* endpoints.recover(scopeOf(endpoint), ever), 0)
    for (const delivery of claimed) yield* record(delivery, dead)
    yield* endpoints.delete(scopeOf(endpoint), "operation")
    assert.strictEqual(yield* endpoints.recover(scopeOf(endpoint), ever), 0)
  }),
)

const window: StoreCase = storeCase(
  "recovering an endpoint looks only at the attempts of its window, both ends included",
  Effect.gen(function* () {
    const endpoints = yield* EndpointStore
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    const scope = scopeOf(endpoint)
    const fail = Effect.gen(function* () {
      yield* elapse(5)
      yield* openPaidCharge(live)
      const id = yield* record(yield* claimOne(endpoint.id), failedForGood)
      yield* elapse(5)
      return timeOfId(id)
    })
    const [first, second] = [yield* fail, yield* fail]
    assert.strictEqual(yield* endpoints.recover(scope, { fromMillis: 0, toMillis: first - 1 }), 0)
    assert.strictEqual(yield* endpoints.recover(scope, { fromMillis: second + 1, toMillis: second + 2 }), 0)
    assert.strictEqual(yield* endpoints.recover(scope, { fromMillis: first + 1, toMillis: second - 1 }), 0)
    assert.strictEqual(yield* endpoints.recover(scope, { fromMillis: first, toMillis: first }), 1)
    assert.strictEqual(yield* endpoints.recover(scope, { fromMillis: second, toMillis: second }), 1)
  }),
)

const many: StoreCase = storeCase(
  "recovering an endpoint covers more attempts than one step reads",
  Effect.gen(function* () {
    const endpoints = yield* EndpointStore
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    const attempts = limits.recoverBatchMax + 1
    yield* openPaidCharge(live)
    for (let i = 0; i < attempts - 2; i++) yield* record(yield* claimOne(endpoint.id), failedToRetry)
    yield* record(yield* claimOne(endpoint.id), failedForGood)
    yield* elapse(2)
    yield* openPaidCharge(live)
    yield* record(yield* claimOne(endpoint.id), dead)
    assert.strictEqual((yield* endpoints.stats(scopeOf(endpoint)))?.attempts, attempts)
    assert.strictEqual(yield* endpoints.recover(scopeOf(endpoint), ever), 2)
  }),
)

const forgotten: StoreCase = storeCase(
  "recovering an endpoint skips events that are no longer kept",
  Effect.gen(function* () {
    const endpoints = yield* EndpointStore
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live, ["transaction.paid"])
    yield* openPaidCharge(live)
    yield* record(yield* claimOne(endpoint.id), failedForGood)
    assert.strictEqual(yield* endpoints.recover(scopeOf(endpoint), ever), 1)
    yield* record(yield* claimOne(endpoint.id), failedForGood)
    yield* outliveEvents(live)
    assert.strictEqual(yield* endpoints.recover(scopeOf(endpoint), ever), 0)
  }),
  { settings: { eventRetentionMillis: shortRetentionMillis } },
)

/** An endpoint's statistics, and the recovery of failed deliveries (`docs/contract/endpoints.md#recover`). */
export const endpointRecoveryCases: ReadonlyArray<StoreCase> = [
  counting,
  sevenDays,
  recovering,
  window,
  many,
  forgotten,
]
