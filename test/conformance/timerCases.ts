import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SellerClock } from "../../actors/ports/sellerClock.ts"
import { TimerQueue } from "../../actors/ports/timerQueue.ts"
import { TransactionStore } from "../../actors/ports/transactionStore.ts"
import { limits } from "../../schema/limits.ts"
import { move, openCharge, openShop, transitionOf } from "./fixtures.ts"
import { elapse, nowMillis, type StoreCase, storeCase, timedCase } from "./stage.ts"

const hourMillis = 60 * 60 * 1000

const lease = (partition: number, timersMax = 100) =>
  Effect.flatMap(TimerQueue, (queue) => queue.claim(partition, timersMax))

/** What is due, without the ends of its leases. */
const claim = (partition: number, timersMax = 100) =>
  Effect.map(lease(partition, timersMax), ({ due, nextInMillis }) => ({
    due: due.map(({ name, resourceId }) => ({ name, resourceId })),
    nextInMillis,
  }))

const leasing: StoreCase = storeCase(
  "leases a due timer to one claimer, and says when the lease ends",
  Effect.gen(function* () {
    const { live, partition } = yield* openShop()
    assert.deepStrictEqual(yield* claim(partition), { due: [], nextInMillis: undefined })
    const charge = yield* openCharge(live, [{ name: "expire", dueMillis: 1_000 }])
    const first = yield* claim(partition)
    assert.deepStrictEqual(first.due, [{ name: "expire", resourceId: charge.id }])
    const second = yield* claim(partition)
    assert.deepStrictEqual(second.due, [])
    for (const { nextInMillis = -1 } of [first, second]) {
      assert.isAbove(nextInMillis, 0)
      assert.isAtMost(nextInMillis, limits.timerLeaseMillis)
    }
  }),
)

const withCharge: StoreCase = storeCase(
  "gives a charge's timer with the charge as it is and its seller's clock, and takes none where none is asked for",
  Effect.gen(function* () {
    const { live, test, partition } = yield* openShop()
    const charge = yield* openCharge(live, [{ name: "expire", dueMillis: 1_000 }])
    const ofTest = yield* openCharge(test, [{ name: "expire", dueMillis: 2_000 }])
    yield* (yield* SellerClock).advance(test.sellerId, hourMillis)
    const none = yield* lease(partition, 0)
    assert.deepStrictEqual([none.due, none.nextInMillis], [[], 0])
    const { due } = yield* lease(partition)
    const store = yield* TransactionStore
    const byId = new Map(due.map((timer) => [timer.resourceId, timer.charge]))
    assert.deepStrictEqual(byId.get(charge.id), {
      transaction: yield* store.load(charge.id),
      offsetMillis: 0,
    })
    assert.deepStrictEqual(byId.get(ofTest.id), {
      transaction: yield* store.load(ofTest.id),
      offsetMillis: hourMillis,
    })
  }),
)

const future: StoreCase = storeCase(
  "does not give a timer before its time, and says how long that is",
  Effect.gen(function* () {
    const { live, partition } = yield* openShop()
    const now = yield* nowMillis
    yield* openCharge(live, [{ name: "expire", dueMillis: now + 2 * hourMillis }])
    yield* openCharge(live, [{ name: "expire", dueMillis: now + hourMillis }])
    const { due, nextInMillis = -1 } = yield* claim(partition)
    assert.deepStrictEqual(due, [])
    assert.isAbove(nextInMillis, hourMillis / 2)
    assert.isBelow(nextInMillis, 1.5 * hourMillis)
  }),
)

const soonestFirst: StoreCase = storeCase(
  "gives the soonest first, no more than asked for, and the rest at once after",
  Effect.gen(function* () {
    const { live, partition } = yield* openShop()
    const charges = yield* Effect.forEach([3_000, 1_000, 2_000], (dueMillis) =>
      openCharge(live, [{ name: "expire", dueMillis }]),
    )
    const [third, first, second] = charges.map((charge) => charge.id)
    const page = yield* claim(partition, 2)
    assert.deepStrictEqual(
      page.due.map((timer) => timer.resourceId),
      [first, second],
    )
    assert.strictEqual(page.nextInMillis, 0)
    assert.deepStrictEqual((yield* claim(partition, 2)).due, [{ name: "expire", resourceId: third ?? "" }])
  }),
)

const rescheduling: StoreCase = storeCase(
  "has one timer of a name a resource: setting it again moves it, either way",
  Effect.gen(function* () {
    const { live, partition } = yield* openShop()
    const now = yield* nowMillis
    const [soon, late] = [1_000, now + hourMillis]
    const one = yield* openCharge(live, [{ name: "expire", dueMillis: late }])
    const two = yield* openCharge(live, [{ name: "expire", dueMillis: soon }])
    yield* move(one, "failed", { timers: [{ name: "expire", resourceId: one.id, dueMillis: soon }] })
    yield* move(two, "failed", { timers: [{ name: "expire", resourceId: two.id, dueMillis: late }] })
    assert.deepStrictEqual((yield* claim(partition)).due, [{ name: "expire", resourceId: one.id }])
    assert.deepStrictEqual((yield* claim(partition)).due, [])
  }),
)

const endings: StoreCase = storeCase(
  "ends the timers a transition names and sets its own, also under the same name",
  Effect.gen(function* () {
    const { live, partition } = yield* openShop()
    const timers = ["expire", "simulate", "stays"].map((name) => ({ name, dueMillis: 1_000 }))
    const charge = yield* openCharge(live, timers)
    const again = { name: "simulate", resourceId: charge.id, dueMillis: (yield* nowMillis) + hourMillis }
    yield* move(charge, "paid", { timersDone: ["expire", "simulate", "never-set"], timers: [again] })
    const { due } = yield* claim(partition)
    assert.deepStrictEqual(due, [{ name: "stays", resourceId: charge.id }])
    yield* (yield* TimerQueue).drop({ name: "stays", resourceId: charge.id })
    const { nextInMillis = -1 } = yield* claim(partition)
    assert.isAbove(nextInMillis, hourMillis / 2, "the timer set anew is left")
  }),
)

const guarded: StoreCase = storeCase(
  "leaves the timers alone when a transition or a creation is not applied",
  Effect.gen(function* () {
    const store = yield* TransactionStore
    const { live, partition } = yield* openShop()
    const charge = yield* openCharge(live, [{ name: "expire", dueMillis: 1_000 }])
    const timers = [{ name: "other", resourceId: charge.id, dueMillis: 1_000 }]
    const commit = transitionOf({ ...charge, version: 9 }, "paid", { timersDone: ["expire"], timers })
    assert.deepStrictEqual(yield* store.transition(commit), { kind: "stale" })
    assert.deepStrictEqual((yield* claim(partition)).due, [{ name: "expire", resourceId: charge.id }])
  }),
)

/** Timers: expiry and simulator. Past due times make most cases run on real time too. */
export const timerCases: ReadonlyArray<StoreCase> = [
  withCharge,
  leasing,
  future,
  soonestFirst,
  rescheduling,
  endings,
  guarded,
  storeCase(
    "keeps timers apart by resource and name",
    Effect.gen(function* () {
      const { live, partition } = yield* openShop()
      const names = ["expire", "simulate"]
      const timers = names.map((name) => ({ name, dueMillis: 1_000 }))
      const [one, two] = [yield* openCharge(live, timers), yield* openCharge(live, timers)]
      const { due } = yield* claim(partition)
      const seen = due.map((timer) => `${timer.resourceId} ${timer.name}`).sort()
      const wanted = [one, two].flatMap(({ id }) => names.map((name) => `${id} ${name}`)).sort()
      assert.deepStrictEqual(seen, wanted)
    }),
  ),
  storeCase(
    "drops a timer, leased or not, and forgives one that is not there",
    Effect.gen(function* () {
      const queue = yield* TimerQueue
      const { live, partition } = yield* openShop()
      const timers = ["expire", "simulate"].map((name) => ({ name, dueMillis: 1_000 }))
      const { id } = yield* openCharge(live, timers)
      yield* queue.drop({ name: "expire", resourceId: id })
      yield* queue.drop({ name: "unknown", resourceId: id })
      assert.deepStrictEqual((yield* claim(partition)).due, [{ name: "simulate", resourceId: id }])
      yield* queue.drop({ name: "simulate", resourceId: id })
      assert.deepStrictEqual(yield* claim(partition), { due: [], nextInMillis: undefined })
    }),
  ),
  storeCase(
    "keeps a timer that was set anew since its lease, and drops one that was not",
    Effect.gen(function* () {
      const queue = yield* TimerQueue
      const { live, partition } = yield* openShop()
      const charge = yield* openCharge(live, [{ name: "ask", dueMillis: 1_000 }])
      const [leased] = (yield* lease(partition)).due
      assert.isDefined(leased)
      if (leased === undefined) return
      const again = { name: "ask", resourceId: charge.id, dueMillis: 2_000 }
      yield* move(charge, "paid", { timersDone: [], timers: [again] })
      yield* queue.drop(leased)
      const [setAnew] = (yield* lease(partition)).due
      assert.strictEqual(setAnew?.name, "ask")
      if (setAnew !== undefined) yield* queue.drop(setAnew)
      assert.deepStrictEqual(yield* claim(partition), { due: [], nextInMillis: undefined })
    }),
  ),
  storeCase(
    "lets a leased timer fire again later, unless it was set anew since",
    Effect.gen(function* () {
      const queue = yield* TimerQueue
      const { live, partition } = yield* openShop()
      const charge = yield* openCharge(live, [{ name: "ask", dueMillis: 1_000 }])
      const [leased] = (yield* lease(partition)).due
      if (leased === undefined) return assert.fail("nothing was due")
      const postponed = yield* queue.postpone(leased, hourMillis)
      if (postponed === undefined) return assert.fail("not postponed")
      const { due, nextInMillis = -1 } = yield* claim(partition)
      assert.deepStrictEqual(due, [])
      assert.isAbove(nextInMillis, hourMillis / 2)
      // It is held by its new lease from then on, and no longer by the old one.
      assert.isUndefined(yield* queue.postpone(leased, 1))
      const held = yield* queue.postpone(postponed, 2 * hourMillis)
      assert.isAbove((yield* claim(partition)).nextInMillis ?? -1, hourMillis)
      yield* move(charge, "paid", {
        timersDone: [],
        timers: [{ name: "ask", resourceId: charge.id, dueMillis: 2_000 }],
      })
      if (held !== undefined) assert.isUndefined(yield* queue.postpone(held, hourMillis))
      assert.deepStrictEqual((yield* claim(partition)).due, [{ name: "ask", resourceId: charge.id }])
    }),
  ),
  storeCase(
    "gives a partition its own timers alone",
    Effect.gen(function* () {
      const { live, partition } = yield* openShop()
      const charge = yield* openCharge(live, [{ name: "expire", dueMillis: 1_000 }])
      assert.deepStrictEqual(yield* claim(partition === 0 ? 1 : 0), { due: [], nextInMillis: undefined })
      assert.deepStrictEqual((yield* claim(partition)).due, [{ name: "expire", resourceId: charge.id }])
    }),
  ),
  timedCase(
    "fires at its millisecond, and again when the lease has ended",
    Effect.gen(function* () {
      const { live, partition } = yield* openShop()
      const now = yield* nowMillis
      const { id } = yield* openCharge(live, [{ name: "expire", dueMillis: now + hourMillis }])
      const expire = [{ name: "expire", resourceId: id }]
      yield* elapse(hourMillis - 1)
      assert.deepStrictEqual(yield* claim(partition), { due: [], nextInMillis: 1 })
      yield* elapse(1)
      assert.deepStrictEqual(yield* claim(partition), { due: expire, nextInMillis: limits.timerLeaseMillis })
      yield* elapse(limits.timerLeaseMillis - 1)
      assert.deepStrictEqual(yield* claim(partition), { due: [], nextInMillis: 1 })
      yield* elapse(1)
      assert.deepStrictEqual(yield* claim(partition), { due: expire, nextInMillis: limits.timerLeaseMillis })
    }),
  ),
]
