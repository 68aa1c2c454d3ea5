import { assert } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { EventLog } from "../../actors/ports/eventLog.ts"
import { FeedHints } from "../../actors/ports/feedHints.ts"
import { Partitions, type Wake } from "../../actors/ports/partitions.ts"
import { TimerQueue } from "../../actors/ports/timerQueue.ts"
import { WithdrawalStore } from "../../actors/ports/withdrawalStore.ts"
import {
  chargeReturned,
  withdrawalHeld,
  withdrawalReturned,
  withdrawalSettled,
} from "../../actors/seller/decisions/movements.ts"
import { claimAll, claimOne, record, succeeded } from "./attempts.ts"
import { eventsOf, freshIdBeside, listenToHints, move, openEndpoint } from "./fixtures.ts"
import { nowMillis, type StoreCase, storeCase } from "./stage.ts"
import {
  amount,
  balance,
  balanceOf,
  credit,
  day,
  entriesOf,
  fee,
  openTill,
  openWithdrawal,
  pass,
  preconditionsOf,
  request,
  requestOf,
  total,
  transition,
  withdrawalTransitionOf,
  writingNothing,
} from "./withdrawals.ts"

const hourMillis = 60 * 60 * 1000
const applied = { kind: "applied" } as const
const stale = { kind: "stale" } as const
const times = (count: number) => Array.from({ length: count }, (_, index) => index)

const wholeLife: StoreCase = storeCase(
  "each withdrawal transition moves status, version and document together, with event and deliveries",
  Effect.gen(function* () {
    const store = yield* WithdrawalStore
    const till = yield* openTill()
    const { live } = till
    const endpoint = yield* openEndpoint(live, ["withdrawal.processing"])
    const awaiting = yield* openWithdrawal(till)
    const approved = yield* pass(awaiting, "approved")
    assert.deepStrictEqual(yield* store.get(live, awaiting.id), approved)
    const processing = yield* pass(approved, "processing")
    const successful = yield* pass(processing, "successful")
    assert.deepStrictEqual(yield* store.load(awaiting.id), successful)
    assert.strictEqual(successful.version, 4)
    const events = (yield* eventsOf(live)).slice(2)
    assert.deepStrictEqual(
      events.map(({ seq, type, resourceId, internal, data }) => [seq, type, resourceId, internal, data]),
      [awaiting, approved, processing, successful].map(({ id, status, document }, index) => [
        ...[index + 3, `withdrawal.${status}`, id, false, document],
      ]),
    )
    const entryIds = events.map(({ entryId }) => entryId)
    assert.deepStrictEqual(yield* (yield* EventLog).entriesOfResource(live, awaiting.id), entryIds)
    const { entry } = yield* claimOne(endpoint.id)
    assert.deepStrictEqual([entry.type, entry.data], ["withdrawal.processing", processing.document])
  }),
)

const settled: StoreCase = storeCase(
  "a successful withdrawal pays out the held amount, earns the fee and leaves its day as it is",
  Effect.gen(function* () {
    const till = yield* openTill(5_000)
    const { live } = till
    const { id, ...withdrawal } = yield* openWithdrawal(till)
    const processing = yield* pass(yield* pass({ id, ...withdrawal }, "approved"), "processing")
    const held = balance({ available: 5_000 - total, pendingWithdraw: total })
    assert.deepStrictEqual(yield* balanceOf(live), held)
    assert.strictEqual((yield* entriesOf(live)).length, 2, "nothing moves before the end")
    yield* pass(processing, "successful")
    const left = balance({ available: 5_000 - total })
    assert.deepStrictEqual(yield* balanceOf(live), left)
    const events = yield* eventsOf(live)
    const amounts = { id, amount, fee, total }
    const entries = (yield* entriesOf(live)).slice(1)
    assert.deepStrictEqual(
      entries.map(({ entryId: _, ...entry }) => entry),
      [
        { ...withdrawalHeld(amounts), seq: 2, eventEntryId: events[2]?.entryId, balance: held },
        { ...withdrawalSettled(amounts), seq: 3, eventEntryId: events[5]?.entryId, balance: left },
      ],
    )
    const { day: spent, openWithdrawalId } = yield* preconditionsOf(live, till.pixKey.id)
    assert.deepStrictEqual([spent, openWithdrawalId], [{ value: amount, count: 1 }, undefined])
  }),
)

const returned: StoreCase = storeCase(
  "a rejected, cancelled or failed withdrawal returns its money and its day's value, not the day's count",
  Effect.gen(function* () {
    const till = yield* openTill(5_000)
    const { live, pixKey } = till
    for (const [index, end] of (["rejected", "cancelled", "failed"] as const).entries()) {
      const { id, ...rest } = yield* openWithdrawal(till)
      assert.strictEqual((yield* preconditionsOf(live, pixKey.id)).openWithdrawalId, id)
      const awaiting = { id, ...rest }
      const last = end === "failed" ? yield* pass(yield* pass(awaiting, "approved"), "processing") : awaiting
      yield* pass(last, end)
      assert.deepStrictEqual(yield* balanceOf(live), balance({ available: 5_000 }))
      const entry = (yield* entriesOf(live)).at(-1)
      assert.deepStrictEqual(entry, {
        ...withdrawalReturned({ id, amount, fee, total }),
        ...{ entryId: entry?.entryId, seq: 3 + 2 * index, balance: balance({ available: 5_000 }) },
        eventEntryId: (yield* eventsOf(live)).at(-1)?.entryId,
      } as typeof entry)
      const { day: spent, openWithdrawalId } = yield* preconditionsOf(live, pixKey.id)
      assert.deepStrictEqual([spent, openWithdrawalId], [{ value: 0, count: index + 1 }, undefined], end)
    }
  }),
)

const ownDay: StoreCase = storeCase(
  "a cancelled withdrawal returns its value to the day it counts in, and to no other",
  Effect.gen(function* () {
    const till = yield* openTill()
    const { live, pixKey } = till
    const first = yield* openWithdrawal(till)
    yield* pass(yield* pass(yield* pass(first, "approved"), "processing"), "successful")
    const nextDay = "2026-11-22"
    yield* pass(yield* openWithdrawal(till, {}, { day: nextDay }), "cancelled")
    const spentOn = (ofDay: string) =>
      Effect.map(preconditionsOf(live, pixKey.id, ofDay), (found) => found.day)
    assert.deepStrictEqual(yield* spentOn(day), { value: amount, count: 1 })
    assert.deepStrictEqual(yield* spentOn(nextDay), { value: 0, count: 1 })
  }),
)

const ofSeller: StoreCase = storeCase(
  "a withdrawal transition decided on its seller is applied only if the seller is unchanged",
  Effect.gen(function* () {
    const till = yield* openTill()
    const awaiting = yield* openWithdrawal(till)
    const { seller } = yield* preconditionsOf(till.live, till.pixKey.id)
    for (const version of [seller.version + 1, seller.version - 1]) {
      const attempt = withdrawalTransitionOf(awaiting, "approved", { sellerVersion: version })
      assert.deepStrictEqual(yield* transition(attempt), stale)
    }
    yield* pass(awaiting, "approved", { sellerVersion: seller.version })
  }),
)

const ofBalance: StoreCase = storeCase(
  "a withdrawal transition that needs a balance is applied from that centavo on, and writes nothing below it",
  Effect.gen(function* () {
    const till = yield* openTill(0)
    const { live } = till
    const charge = yield* credit(live, total)
    const awaiting = yield* openWithdrawal(till)
    const gone = { kind: "chargeback", amount: total, isWhole: true } as const
    yield* move(charge, "chargeback", { movement: chargeReturned({ id: charge.id, reserve: null }, gone) })
    yield* credit(live, total - 1)
    const approved = yield* pass(awaiting, "approved", { availableMin: -1 })
    const processing = withdrawalTransitionOf(approved, "processing", { availableMin: 0 })
    assert.deepStrictEqual(yield* writingNothing(transition(processing)), stale)
    yield* credit(live, 1)
    assert.deepStrictEqual(yield* transition(processing), applied)
  }),
  { needs: ["contents"] },
)

const guards: StoreCase = storeCase(
  "a withdrawal transition writes nothing if the withdrawal has moved on or does not exist",
  Effect.gen(function* () {
    const till = yield* openTill()
    const awaiting = yield* openWithdrawal(till)
    const approved = yield* pass(awaiting, "approved")
    const timers = [{ name: "pay", resourceId: awaiting.id, dueMillis: 1_000 }]
    const attempts = [
      withdrawalTransitionOf(awaiting, "cancelled", { timers }),
      withdrawalTransitionOf({ ...awaiting, version: approved.version }, "cancelled", { timers }),
      withdrawalTransitionOf({ ...approved, version: awaiting.version }, "failed", { timers }),
      withdrawalTransitionOf({ ...approved, version: approved.version + 1 }, "failed", { timers }),
    ]
    for (const attempt of attempts) {
      assert.deepStrictEqual(yield* writingNothing(transition(attempt)), stale)
    }
    const id = yield* freshIdBeside("wd_", till.live.sellerId)
    const missing = withdrawalTransitionOf({ ...approved, id }, "processing", { timers })
    assert.deepStrictEqual(yield* writingNothing(transition(missing)), { kind: "missing" })
    const commit = withdrawalTransitionOf(approved, "processing")
    assert.deepStrictEqual(yield* transition(commit), applied)
    assert.deepStrictEqual(yield* writingNothing(transition(commit)), stale, "the same once more")
  }),
  { needs: ["contents"] },
)

const timers: StoreCase = storeCase(
  "a withdrawal transition drops the timers it names and sets its own, also under the same name",
  Effect.gen(function* () {
    const queue = yield* TimerQueue
    const till = yield* openTill()
    const { partition } = till.shop
    const id = yield* freshIdBeside("wd_", till.live.sellerId)
    const timer = (name: string, dueMillis = 1_000) => ({ name, resourceId: id, dueMillis })
    const due = Effect.map(queue.claim(partition, 10), (claimed) => claimed.due.map(({ name }) => name))
    const awaiting = yield* openWithdrawal(
      till,
      { timers: ["decide", "pay", "stays"].map((name) => timer(name)) },
      { id },
    )
    const later = timer("pay", (yield* nowMillis) + hourMillis)
    const approved = yield* pass(awaiting, "approved", {
      timersDone: ["decide", "pay", "never-set"],
      timers: [later],
    })
    assert.deepStrictEqual(yield* due, ["stays"])
    yield* queue.drop({ name: "stays", resourceId: id })
    const { nextInMillis = -1 } = yield* queue.claim(partition, 10)
    assert.isAbove(nextInMillis, hourMillis / 2, "the timer set anew is left")
    yield* pass(approved, "processing", { timers: [timer("pay"), timer("poll")] })
    assert.sameMembers(yield* due, ["pay", "poll"])
    for (const name of ["pay", "poll"]) yield* queue.drop({ name, resourceId: id })
    const nothing = { due: [], nextInMillis: undefined }
    assert.deepStrictEqual(yield* queue.claim(partition, 10), nothing)
  }),
)

const told: StoreCase = storeCase(
  "a withdrawal's commits give hints of its feed and wakes for deliveries and the soonest timer",
  Effect.gen(function* () {
    const [hints, partitions] = [yield* FeedHints, yield* Partitions]
    const till = yield* openTill()
    const { live } = till
    const { partition } = till.shop
    const endpoint = yield* openEndpoint(live)
    const grown = yield* listenToHints(live)
    yield* hints.watch({ sellerId: live.sellerId, mode: live.mode })
    const woken = yield* Queue.unbounded<Wake>()
    yield* partitions.listen((wake) => Queue.offerUnsafe(woken, wake))
    yield* partitions.rebalance
    const id = yield* freshIdBeside("wd_", live.sellerId)
    const timersAt = (millis: ReadonlyArray<number>) => ({
      timers: millis.map((dueMillis) => ({ name: `at-${dueMillis}`, resourceId: id, dueMillis })),
    })
    const awaiting = yield* openWithdrawal(till, timersAt([3_000, 2_000]), { id })
    yield* pass(awaiting, "approved", timersAt([1_000, 4_000]))
    for (const dueMillis of [2_000, 1_000]) {
      const delivery = { kind: "delivery", partition, destinationId: endpoint.id } as const
      const timer = { kind: "timer", partition, dueMillis } as const
      assert.sameDeepMembers([yield* Queue.take(woken), yield* Queue.take(woken)], [delivery, timer])
    }
    const entryIds = (yield* eventsOf(live)).map(({ entryId }) => entryId)
    for (const index of [2, 3]) {
      const hint = yield* Queue.take(grown)
      const [previousEntryId = "", entryId = ""] = entryIds.slice(index - 1)
      const feed = { sellerId: live.sellerId, mode: live.mode }
      assert.deepStrictEqual(hint, { kind: "appended", feed, entryId, previousEntryId })
    }
  }),
)

const atOnce: StoreCase = storeCase(
  "of 50 concurrent transitions of a withdrawal's version, one is applied",
  Effect.gen(function* () {
    const store = yield* WithdrawalStore
    const till = yield* openTill(5_000)
    const { live } = till
    const endpoint = yield* openEndpoint(live)
    const awaiting = yield* openWithdrawal(till)
    yield* record(yield* claimOne(endpoint.id), succeeded)
    const targets = times(50).map((index) => (["cancelled", "approved"] as const)[index % 2] ?? "approved")
    const kinds = yield* Effect.forEach(
      targets,
      (to) => Effect.map(transition(withdrawalTransitionOf(awaiting, to)), ({ kind }) => kind),
      { concurrency: "unbounded" },
    )
    assert.deepStrictEqual(
      kinds.filter((kind) => kind !== "stale"),
      ["applied"],
    )
    const winner = targets[kinds.indexOf("applied")]
    const stored = yield* store.load(awaiting.id)
    assert.deepStrictEqual([stored?.status, stored?.version], [winner, 2])
    const isBack = winner === "cancelled"
    const left = isBack ? { available: 5_000 } : { available: 5_000 - total, pendingWithdraw: total }
    assert.deepStrictEqual(yield* balanceOf(live), balance(left))
    assert.strictEqual((yield* entriesOf(live)).length, isBack ? 3 : 2)
    assert.strictEqual((yield* eventsOf(live)).length, 4)
    assert.strictEqual((yield* claimAll(endpoint.id)).length, 1)
    const { day: spent } = yield* preconditionsOf(live, till.pixKey.id)
    assert.deepStrictEqual(spent, { value: isBack ? 0 : amount, count: 1 })
  }),
)

const endsAtOnce: StoreCase = storeCase(
  "of 50 concurrent ends of a withdrawal one is applied, and one of the next requests is created",
  Effect.gen(function* () {
    const till = yield* openTill(2 * total)
    const { live } = till
    const processing = yield* pass(yield* pass(yield* openWithdrawal(till), "approved"), "processing")
    const next = yield* Effect.forEach(times(10), () => requestOf(till))
    const ends = times(50).map((index) => (index % 2 === 0 ? "successful" : "failed"))
    yield* Effect.forEach(ends, (to) => transition(withdrawalTransitionOf(processing, to)), {
      concurrency: "unbounded",
    })
    const { day: spent, available } = yield* preconditionsOf(live, till.pixKey.id)
    const isSettled = available === total
    assert.strictEqual(available, isSettled ? total : 2 * total)
    assert.deepStrictEqual(spent, { value: isSettled ? amount : 0, count: 1 })
    assert.deepStrictEqual(yield* balanceOf(live), balance({ available }))
    const kinds = yield* Effect.forEach(
      next.map((commit) => ({ ...commit, decidedOn: { ...commit.decidedOn, day: spent } })),
      (commit) => Effect.map(request(commit), ({ kind }) => kind),
      { concurrency: "unbounded" },
    )
    assert.deepStrictEqual(
      kinds.filter((kind) => kind !== "stale"),
      ["created"],
    )
    yield* credit(live, 1)
    const seqs = (yield* entriesOf(live)).map(({ seq }) => seq)
    assert.deepStrictEqual(seqs, [1, 2, 3, 4, 5])
  }),
)

const acquirerAccount: StoreCase = storeCase(
  "a withdrawal keeps its acquirer account through its transitions",
  Effect.gen(function* () {
    const store = yield* WithdrawalStore
    const till = yield* openTill()
    const timer = { name: "pay", dueMillis: 1_795_000_000_000 }
    const id = yield* freshIdBeside("wd_", till.live.sellerId)
    const account = "api-pix:0123456789abcdef"
    const timersOfOwn = [{ ...timer, resourceId: id }]
    const withdrawal = yield* openWithdrawal(till, { timers: timersOfOwn }, { id, account })
    assert.deepStrictEqual(yield* store.load(id), withdrawal)
    const approved = yield* pass(withdrawal, "approved")
    assert.strictEqual((yield* store.load(id))?.account, account)
    assert.deepStrictEqual(yield* store.get(till.live, id), approved)
  }),
)

/** Transitions of a withdrawal: one atomic step, guarded by status and version (`docs/contract/withdrawals.md#states`). */
export const withdrawalTransitionCases: ReadonlyArray<StoreCase> = [
  wholeLife,
  acquirerAccount,
  settled,
  returned,
  ownDay,
  ofSeller,
  ofBalance,
  guards,
  timers,
  told,
  atOnce,
  endsAtOnce,
]
