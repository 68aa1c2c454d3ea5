import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { DeliveryQueue } from "../../actors/ports/deliveryQueue.ts"
import { SellerStore } from "../../actors/ports/sellerStore.ts"
import { TimerQueue } from "../../actors/ports/timerQueue.ts"
import { TransactionStore } from "../../actors/ports/transactionStore.ts"
import { limits } from "../../schema/limits.ts"
import { allAttempts, claimAll, claimOne, dead, recordOf, succeeded } from "./attempts.ts"
import {
  creationOf,
  eventsOf,
  freshIdBeside,
  newCharge,
  newEndpoint,
  newScope,
  openCharge,
  openEndpoint,
  openPaidCharge,
  openShop,
  takeSlot,
  transitionOf,
  unique,
} from "./fixtures.ts"
import { type StoreCase, storeCase } from "./stage.ts"

const inParallel = { concurrency: "unbounded" } as const
const times = (count: number) => Array.from({ length: count }, (_, index) => index)
const countOf = (kinds: ReadonlyArray<string>, kind: string): number =>
  kinds.filter((one) => one === kind).length

const creations: StoreCase = storeCase(
  "of 50 concurrent creations under one idempotency key, one creates the charge and the others replay it",
  Effect.gen(function* () {
    const store = yield* TransactionStore
    const { live } = yield* openShop()
    const scope = newScope()
    const answers = yield* Effect.forEach(
      times(50),
      () =>
        Effect.gen(function* () {
          const idempotency = { ...scope, executionId: unique("execution") }
          const charge = yield* newCharge(live)
          return { charge, answer: yield* store.create(creationOf(live, charge, { idempotency })) }
        }),
      inParallel,
    )
    const winners = answers.filter(({ answer }) => answer.kind === "created")
    assert.strictEqual(winners.length, 1)
    for (const { answer } of answers) {
      if (answer.kind === "created") continue
      assert.deepStrictEqual(answer, { kind: "replay", status: 201, body: winners[0]?.charge.document ?? "" })
    }
    assert.strictEqual((yield* eventsOf(live)).length, 1)
  }),
)

const idempotencyClaims: StoreCase = storeCase(
  "of 50 concurrent claims of an idempotency key, one gets it",
  Effect.gen(function* () {
    const store = yield* TransactionStore
    const { live } = yield* openShop()
    const scope = newScope()
    const kinds = yield* Effect.forEach(
      times(50),
      () =>
        Effect.gen(function* () {
          const { id } = yield* newCharge(live)
          return (yield* store.claim(live, { ...scope, executionId: unique("execution") }, id)).kind
        }),
      inParallel,
    )
    assert.deepStrictEqual([countOf(kinds, "claimed"), countOf(kinds, "inProgress")], [1, 49])
  }),
)

const transitions: StoreCase = storeCase(
  "of 30 concurrent transitions of a charge, one is applied",
  Effect.gen(function* () {
    const store = yield* TransactionStore
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    const charge = yield* openCharge(live)
    const targets = times(30).map((index) => (["paid", "expired", "failed"] as const)[index % 3] ?? "paid")
    const kinds = yield* Effect.forEach(
      targets,
      (to) => Effect.map(store.transition(transitionOf(charge, to)), ({ kind }) => kind),
      inParallel,
    )
    assert.deepStrictEqual([countOf(kinds, "applied"), countOf(kinds, "stale")], [1, 29])
    const winner = targets[kinds.indexOf("applied")]
    assert.strictEqual((yield* store.load(charge.id))?.status, winner)
    assert.deepStrictEqual(
      (yield* eventsOf(live)).map((event) => event.type),
      ["transaction.created", `transaction.${winner}`],
    )
    assert.strictEqual((yield* claimAll(endpoint.id)).length, 1)
  }),
)

const numbering: StoreCase = storeCase(
  "60 concurrent events are numbered without a gap",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    yield* Effect.forEach(times(60), () => openCharge(live), inParallel)
    assert.deepStrictEqual(
      (yield* eventsOf(live)).map((event) => event.seq),
      times(60).map((index) => index + 1),
    )
  }),
)

const deliveryClaims: StoreCase = storeCase(
  "20 concurrent claimers lease each delivery once",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    yield* Effect.forEach(times(40), () => openPaidCharge(live), inParallel)
    const claims = yield* Effect.forEach(times(20), () => claimAll(endpoint.id, 3), inParallel)
    const entryIds = claims.flat().map((delivery) => delivery.entry.entryId)
    assert.deepStrictEqual([entryIds.length, new Set(entryIds).size], [40, 40])
  }),
)

const timerClaims: StoreCase = storeCase(
  "20 concurrent claimers lease each timer once",
  Effect.gen(function* () {
    const queue = yield* TimerQueue
    const { live, partition } = yield* openShop()
    yield* Effect.forEach(
      times(40),
      () => openCharge(live, [{ name: "expire", dueMillis: 1_000 }]),
      inParallel,
    )
    const claims = yield* Effect.forEach(times(20), () => queue.claim(partition, 3), inParallel)
    const resources = claims.flatMap(({ due }) => due.map((timer) => timer.resourceId))
    assert.deepStrictEqual([resources.length, new Set(resources).size], [40, 40])
  }),
)

const records: StoreCase = storeCase(
  "of 20 concurrent records of one attempt, one is recorded",
  Effect.gen(function* () {
    const queue = yield* DeliveryQueue
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    yield* openPaidCharge(live)
    const delivery = yield* claimOne(endpoint.id)
    const kinds = yield* Effect.forEach(
      times(20),
      () =>
        Effect.flatMap(recordOf(delivery, succeeded), (record) =>
          Effect.map(queue.record(record), (a) => a.kind),
        ),
      inParallel,
    )
    assert.deepStrictEqual([countOf(kinds, "recorded"), countOf(kinds, "stale")], [1, 19])
    assert.strictEqual((yield* allAttempts(live)).length, 1)
  }),
)

const disablings: StoreCase = storeCase(
  "concurrent dead deliveries disable an endpoint once",
  Effect.gen(function* () {
    const queue = yield* DeliveryQueue
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    const count = 2 * limits.deadStreakMax
    yield* Effect.forEach(times(count), () => openPaidCharge(live), inParallel)
    const outcome = { ...dead, disablingEvent: { type: "seller.webhook_endpoint_disabled", data: "{}" } }
    const kinds = yield* Effect.forEach(
      yield* claimAll(endpoint.id, count),
      (delivery) =>
        Effect.flatMap(recordOf(delivery, outcome), (record) =>
          Effect.map(queue.record(record), (a) => a.kind),
        ),
      inParallel,
    )
    assert.deepStrictEqual([countOf(kinds, "disabledEndpoint"), countOf(kinds, "recorded")], [1, count - 1])
    const notices = (yield* eventsOf(live)).filter(({ type }) => type === outcome.disablingEvent.type)
    assert.strictEqual(notices.length, 1)
  }),
)

/** Concurrent callers: every step is atomic (`docs/architecture.md#rule-1`). */
export const concurrencyCases: ReadonlyArray<StoreCase> = [
  creations,
  idempotencyClaims,
  transitions,
  numbering,
  deliveryClaims,
  timerClaims,
  records,
  disablings,
  storeCase(
    "of 20 concurrent retries of a delivery, one is queued",
    Effect.gen(function* () {
      const queue = yield* DeliveryQueue
      const { live } = yield* openShop()
      const endpoint = yield* openEndpoint(live)
      yield* openPaidCharge(live)
      const attempt = yield* recordOf(yield* claimOne(endpoint.id), dead)
      yield* queue.record(attempt)
      const kinds = yield* Effect.forEach(
        times(20),
        () =>
          Effect.flatMap(freshIdBeside("whd_", live.sellerId), (newId) =>
            Effect.map(queue.retry(live, attempt.deliveryId, newId), ({ kind }) => kind),
          ),
        inParallel,
      )
      assert.deepStrictEqual([countOf(kinds, "queued"), countOf(kinds, "scheduled")], [1, 19])
      assert.strictEqual((yield* claimAll(endpoint.id)).length, 1)
    }),
  ),
  storeCase(
    "concurrent requests stay within the limits of endpoints and streams",
    Effect.gen(function* () {
      const sellers = yield* SellerStore
      const { live } = yield* openShop()
      const endpoints = yield* Effect.forEach(times(20), () => newEndpoint(live, ["*"]))
      const created = yield* Effect.forEach(
        endpoints,
        (endpoint) => Effect.map(sellers.createEndpoint(endpoint), ({ kind }) => kind),
        inParallel,
      )
      assert.strictEqual(countOf(created, "created"), limits.endpointsPerModeMax)
      const taken = yield* Effect.forEach(
        times(30),
        (index) => Effect.map(takeSlot(live, `connection-${index}`), ({ kind }) => kind),
        inParallel,
      )
      assert.strictEqual(countOf(taken, "taken"), limits.streamsPerSellerMax)
    }),
  ),
]
