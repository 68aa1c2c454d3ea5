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
  "a due timer is leased to one claimer, and the claim says when the lease ends",
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
  "a charge's timer comes with the charge and its seller's clock offset; a claim of none takes none",
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
  "a timer is not given before its time, and the claim says how long that is",
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
  "due timers come soonest first, up to the count asked for, the rest with the next claim",
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
  "setting a resource's timer again under its name moves it, earlier or later",
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
  "a charge transition drops the timers it names and sets its own, also under the same name",
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
  "a charge transition that is not applied leaves the timers alone",
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

/** Timers. Due times in the past let most cases run on real time too. */
export const timerCases: ReadonlyArray<StoreCase> = [
  withCharge,
  leasing,
  future,
  soonestFirst,
  rescheduling,
  endings,
  guarded,
  storeCase(
    "timers of different resources and names are independent",
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
    "dropping a timer removes it, leased or not, and does nothing for an unknown one",
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
    "dropping a leased timer keeps it if it was set anew since its lease",
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
    "a leased timer can be postponed, unless it was set anew since its lease",
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
      // From now on the new lease holds it; the old one no longer does.
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
    "a partition's claim gives only its own timers",
    Effect.gen(function* () {
      const { live, partition } = yield* openShop()
      const charge = yield* openCharge(live, [{ name: "expire", dueMillis: 1_000 }])
      assert.deepStrictEqual(yield* claim(partition === 0 ? 1 : 0), { due: [], nextInMillis: undefined })
      assert.deepStrictEqual((yield* claim(partition)).due, [{ name: "expire", resourceId: charge.id }])
    }),
  ),
  timedCase(
    "a timer fires at its exact millisecond, and again when its lease has ended",
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
