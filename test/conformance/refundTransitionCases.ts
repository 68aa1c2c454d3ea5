import { assert } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { destinationIdOfPostback } from "../../actors/delivery/destinationId.ts"
import { EventLog } from "../../actors/ports/eventLog.ts"
import { Partitions, type Wake } from "../../actors/ports/partitions.ts"
import { RefundStore, type RefundTransition } from "../../actors/ports/refundStore.ts"
import { TimerQueue } from "../../actors/ports/timerQueue.ts"
import { TransactionStore } from "../../actors/ports/transactionStore.ts"
import { partiallyRefundedEventType } from "../../schema/events.ts"
import { claimAll, claimOne } from "./attempts.ts"
import { eventsOf, freshIdBeside, move, openCharge, openEndpoint, openShop } from "./fixtures.ts"
import {
  amount,
  chargeOf,
  fromAvailable,
  fromReserve,
  gained,
  openCounter,
  openRefund,
  openRefundable,
  pass,
  preconditionsOf,
  refundHeld,
  refundReturned,
  refundSettled,
  refundTransitionOf,
  reserved,
  transition,
} from "./refunds.ts"
import { nowMillis, type StoreCase, storeCase } from "./stage.ts"
import { balance, balanceOf, entriesOf, writingNothing } from "./withdrawals.ts"

const hourMillis = 60 * 60 * 1000
const postbackUrl = "https://shop.example/postback"
const stale = { kind: "stale" } as const
const missing = { kind: "missing" } as const
const times = (count: number) => Array.from({ length: count }, (_, index) => index)
const first = { available: gained - reserved, reserve: reserved }
const held = balance({
  available: first.available - fromAvailable,
  reserve: reserved - fromReserve,
  pendingRefund: amount,
})

const wholeLife: StoreCase = storeCase(
  "each refund transition moves status, version and document together; only its end has an event",
  Effect.gen(function* () {
    const store = yield* RefundStore
    const counter = yield* openCounter()
    const { live, charge } = counter
    const endpoint = yield* openEndpoint(live, ["refund.succeeded"])
    const pending = yield* openRefund(counter)
    const processing = yield* pass(pending, "processing")
    assert.deepStrictEqual(yield* store.get(live, pending.refund.id), processing.refund)
    assert.deepStrictEqual(processing.charge, pending.charge, "the charge stays as it is")
    assert.strictEqual((yield* eventsOf(live)).length, 3, "no event of processing")
    const succeeded = yield* pass(processing, "succeeded")
    assert.deepStrictEqual(yield* store.load(pending.refund.id), succeeded.refund)
    assert.strictEqual(succeeded.refund.version, 3)
    assert.deepStrictEqual(yield* (yield* TransactionStore).load(charge.id), succeeded.charge)
    const events = (yield* eventsOf(live)).slice(2)
    assert.deepStrictEqual(
      events.map(({ seq, type, resourceId, internal, data }) => [seq, type, resourceId, internal, data]),
      [
        [3, "refund.created", pending.refund.id, true, pending.refund.document],
        [4, "refund.succeeded", pending.refund.id, false, succeeded.refund.document],
      ],
    )
    const entryIds = events.map(({ entryId }) => entryId)
    assert.deepStrictEqual(yield* (yield* EventLog).entriesOfResource(live, pending.refund.id), entryIds)
    const { entry } = yield* claimOne(endpoint.id)
    assert.deepStrictEqual([entry.type, entry.data], ["refund.succeeded", succeeded.refund.document])
  }),
)

const settled: StoreCase = storeCase(
  "a refund's success posts its hold to external, and the charge's refunding loses it",
  Effect.gen(function* () {
    const counter = yield* openCounter()
    const { live, charge } = counter
    const processing = yield* pass(yield* openRefund(counter), "processing")
    const { id } = processing.refund
    assert.deepStrictEqual(yield* balanceOf(live), held)
    assert.strictEqual((yield* preconditionsOf(live, charge.id)).refunding, amount)
    yield* pass(processing, "succeeded")
    const left = { ...held, pendingRefund: 0 }
    assert.deepStrictEqual(yield* balanceOf(live), left)
    const events = yield* eventsOf(live)
    assert.deepStrictEqual(
      (yield* entriesOf(live)).slice(1).map(({ entryId: _, ...entry }) => entry),
      [
        { ...refundHeld(id), seq: 2, eventEntryId: events[2]?.entryId, balance: held },
        { ...refundSettled(id), seq: 3, eventEntryId: events[3]?.entryId, balance: left },
      ],
    )
    const { refunding, refunds } = yield* preconditionsOf(live, charge.id)
    assert.deepStrictEqual([refunding, refunds], [0, 1])
  }),
)

const returned: StoreCase = storeCase(
  "a refund's failure gives its hold back to where it came from, pending or processing",
  Effect.gen(function* () {
    const counter = yield* openCounter()
    const { live, charge } = counter
    for (const [index, from] of (["pending", "processing"] as const).entries()) {
      const pending = yield* openRefund(counter)
      const last = from === "pending" ? pending : yield* pass(pending, "processing")
      yield* pass(last, "failed")
      assert.deepStrictEqual(yield* balanceOf(live), balance(first), from)
      const entry = (yield* entriesOf(live)).at(-1)
      assert.deepStrictEqual(entry, {
        ...refundReturned(pending.refund.id),
        ...{ entryId: entry?.entryId, seq: 3 + 2 * index, balance: balance(first) },
        eventEntryId: (yield* eventsOf(live)).at(-1)?.entryId,
      } as typeof entry)
      const { refunding, refunds } = yield* preconditionsOf(live, charge.id)
      assert.deepStrictEqual([refunding, refunds], [0, index + 1], from)
    }
  }),
)

const withCharge: StoreCase = storeCase(
  "a refund's end changes its charge in the same step: status, indexes, event and postback",
  Effect.gen(function* () {
    const transactions = yield* TransactionStore
    const counter = yield* openCounter()
    const { live, charge } = counter
    const endpoint = yield* openEndpoint(live, ["transaction.partially_refunded", "transaction.refunded"])
    const postback = { url: postbackUrl }
    const part = yield* openRefund(counter)
    const afterPart = yield* pass(part, "succeeded", {
      charge: chargeOf(part.charge, -amount, { eventType: partiallyRefundedEventType, postback }),
    })
    const whole = yield* openRefund({ live, charge: afterPart.charge })
    const end = { to: "refunded", eventType: "transaction.refunded", postback } as const
    const ended = yield* pass(whole, "succeeded", { charge: chargeOf(whole.charge, -amount, end) })
    assert.deepStrictEqual(yield* transactions.get(live, charge.id), ended.charge)
    const page = { fromMillis: undefined, toMillis: undefined, beforeId: undefined, limit: 9 }
    assert.deepStrictEqual(yield* transactions.list(live, { ...page, status: "refunded" }), [ended.charge])
    assert.deepStrictEqual(yield* transactions.list(live, { ...page, status: "paid" }), [])
    const told = (yield* eventsOf(live)).slice(2)
    assert.deepStrictEqual(
      told.map(({ type, resourceId, data }) => [type, resourceId, data]),
      [
        ["refund.created", part.refund.id, part.refund.document],
        ["refund.succeeded", part.refund.id, afterPart.refund.document],
        ["transaction.partially_refunded", charge.id, afterPart.charge.document],
        ["refund.created", whole.refund.id, whole.refund.document],
        ["refund.succeeded", whole.refund.id, ended.refund.document],
        ["transaction.refunded", charge.id, ended.charge.document],
      ],
    )
    const ofCharge = (yield* (yield* EventLog).entriesOfResource(live, charge.id)).slice(-2)
    assert.deepStrictEqual(ofCharge, [told[2]?.entryId ?? "", told[5]?.entryId ?? ""])
    assert.deepStrictEqual(
      (yield* entriesOf(live)).slice(-2).map(({ kind, eventEntryId }) => [kind, eventEntryId]),
      [
        ["refund_held", told[3]?.entryId],
        ["refund_settled", told[4]?.entryId],
      ],
    )
    const owed = (yield* claimAll(endpoint.id)).map(({ entry }) => entry.type)
    assert.deepStrictEqual(owed, ["transaction.partially_refunded", "transaction.refunded"])
    const posted = yield* claimAll(destinationIdOfPostback(live.sellerId, "live", postbackUrl))
    assert.deepStrictEqual(
      posted.map(({ entry }) => entry.type),
      ["transaction.partially_refunded", "transaction.refunded"],
      "the refund's own events go to no postback",
    )
  }),
)

const refundGuard: StoreCase = storeCase(
  "a refund transition writes nothing if the refund has moved on or does not exist",
  Effect.gen(function* () {
    const counter = yield* openCounter()
    const pending = yield* openRefund(counter)
    const processing = yield* pass(pending, "processing")
    const { refund, charge } = processing
    const failing = (changed: Partial<typeof refund>) =>
      refundTransitionOf({ refund: { ...refund, ...changed }, charge }, "failed")
    const unwritten = yield* freshIdBeside("rfd_", refund.sellerId)
    const other = yield* openShop()
    yield* writingNothing(
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* transition(refundTransitionOf(pending, "failed")), stale)
        assert.deepStrictEqual(yield* transition(failing({ status: "pending" })), stale, "another status")
        assert.deepStrictEqual(yield* transition(failing({ version: 1 })), stale, "an older version")
        assert.deepStrictEqual(yield* transition(failing({ version: 3 })), stale, "a version to come")
        assert.deepStrictEqual(yield* transition(failing({ id: unwritten })), missing)
        assert.deepStrictEqual(yield* transition(failing({ mode: "test" })), missing, "another mode's")
        const foreign = failing({ sellerId: other.sellerId })
        assert.deepStrictEqual(yield* transition(foreign), missing, "another seller's")
      }),
    )
    const succeeded = yield* pass(processing, "succeeded")
    const twice = refundTransitionOf(succeeded, "succeeded")
    assert.deepStrictEqual(yield* transition({ ...twice, refund }), stale, "the same end again")
  }),
  { needs: ["contents"] },
)

const chargeGuard: StoreCase = storeCase(
  "a refund transition that changes its charge writes nothing if the charge has changed since",
  Effect.gen(function* () {
    const counter = yield* openCounter()
    const { live } = counter
    const one = yield* pass(yield* openRefund(counter), "processing")
    const two = yield* openRefund(counter)
    const ends = (charge: typeof one.charge) => refundTransitionOf({ ...one, charge }, "failed")
    const unwritten = yield* freshIdBeside("txn_", live.sellerId)
    const lost = { ...one.refund, transactionId: unwritten }
    yield* writingNothing(
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* transition(ends(one.charge)), stale, "another refund since")
        const ahead = { ...two.charge, version: two.charge.version + 1 }
        assert.deepStrictEqual(yield* transition(ends(ahead)), stale, "a version to come")
        assert.deepStrictEqual(yield* transition(ends({ ...two.charge, status: "pending" })), stale)
        const orphan = refundTransitionOf(
          { refund: lost, charge: { ...two.charge, id: unwritten } },
          "failed",
        )
        assert.deepStrictEqual(yield* transition(orphan), missing)
      }),
    )
    // A transition without a change of the charge asks nothing of it.
    const sent = yield* pass({ ...two, charge: one.charge }, "processing")
    yield* pass({ refund: sent.refund, charge: two.charge }, "succeeded")
  }),
  { needs: ["contents"] },
)

const overflow: StoreCase = storeCase(
  "a refund transition that would pass 2^53 - 1 centavos is refused as overflow and writes nothing",
  Effect.gen(function* () {
    const counter = yield* openCounter()
    const processing = yield* pass(yield* openRefund(counter), "processing")
    const most = Number.MAX_SAFE_INTEGER
    const movement = (into: number): RefundTransition["movement"] => ({
      ...refundReturned(processing.refund.id),
      postings: [
        { bucket: "available", amount: into },
        { bucket: "external", amount: -into },
      ],
    })
    const available = first.available - fromAvailable
    const over = refundTransitionOf(processing, "failed", { movement: movement(most - available + 1) })
    assert.deepStrictEqual(yield* writingNothing(transition(over)), { kind: "overflow" })
  }),
  { needs: ["contents"] },
)

const timers: StoreCase = storeCase(
  "a refund transition drops and sets its own timers and its charge's, a dropped one anew as well",
  Effect.gen(function* () {
    const { shop, live } = yield* openCounter()
    const open = yield* openCharge(live, [
      { name: "release", dueMillis: 1_000 },
      { name: "ask", dueMillis: 1_000 },
    ])
    const charge = yield* move(open, "paid")
    yield* openRefundable(live)
    const id = yield* freshIdBeside("rfd_", live.sellerId)
    const timer = (resourceId: string, name: string) => ({ name, resourceId, dueMillis: 1_000 })
    const pending = yield* openRefund(
      { live, charge },
      { timers: [timer(id, "send_refund"), timer(id, "poll_refund")] },
      { id },
    )
    const changes = { timers: [timer(charge.id, "release")], timersDone: ["release", "ask"] }
    yield* pass(pending, "failed", {
      timers: [timer(id, "poll_refund")],
      timersDone: ["send_refund", "poll_refund"],
      charge: chargeOf(pending.charge, -amount, changes),
    })
    const { due } = yield* (yield* TimerQueue).claim(shop.partition, 10)
    assert.sameDeepMembers(
      due.map(({ name, resourceId }) => `${resourceId}:${name}`),
      [`${id}:poll_refund`, `${charge.id}:release`],
    )
  }),
)

const wakes: StoreCase = storeCase(
  "a refund's timer wakes its partition",
  Effect.gen(function* () {
    const counter = yield* openCounter()
    const pending = yield* openRefund(counter)
    const woken = yield* Queue.unbounded<Wake>()
    const partitions = yield* Partitions
    yield* partitions.listen((wake) => Queue.offerUnsafe(woken, wake))
    yield* partitions.rebalance
    const dueMillis = (yield* nowMillis) + hourMillis
    const { id } = pending.refund
    yield* pass(pending, "processing", { timers: [{ name: "poll_refund", resourceId: id, dueMillis }] })
    const { partition } = counter.shop
    assert.deepStrictEqual(yield* Queue.take(woken), { kind: "timer", partition, dueMillis })
  }),
)

const concurrent: StoreCase = storeCase(
  "of 30 concurrent ends of a refund, one is applied",
  Effect.gen(function* () {
    const counter = yield* openCounter()
    const { live } = counter
    const processing = yield* pass(yield* openRefund(counter), "processing")
    const kinds = yield* Effect.forEach(
      times(30),
      (index) =>
        Effect.map(
          transition(refundTransitionOf(processing, index % 2 === 0 ? "succeeded" : "failed")),
          ({ kind }) => kind,
        ),
      { concurrency: "unbounded" },
    )
    assert.strictEqual(kinds.filter((kind) => kind === "applied").length, 1)
    assert.strictEqual(kinds.filter((kind) => kind === "stale").length, 29)
    assert.strictEqual((yield* entriesOf(live)).length, 3)
    assert.strictEqual((yield* balanceOf(live)).pendingRefund, 0)
    assert.strictEqual((yield* preconditionsOf(live, counter.charge.id)).refunding, 0)
  }),
)

const stuck: StoreCase = storeCase(
  "a live refund is stuck once it is noted to be processing for long, until it ends; no other refund is",
  Effect.gen(function* () {
    const store = yield* RefundStore
    const counter = yield* openCounter()
    const found = () => Effect.map(store.stuck(), (all) => [all.count - before.count, all.oldest])
    const before = yield* store.stuck()
    const pending = yield* openRefund(counter)
    assert.strictEqual(yield* store.noteStuck(pending.refund, 2), "ended", "it is not processing yet")
    const processing = yield* pass(pending, "processing")
    assert.deepStrictEqual(yield* found(), [0, before.oldest])

    assert.strictEqual(yield* store.noteStuck(processing.refund, 2), "noted")
    assert.strictEqual(yield* store.noteStuck(processing.refund, 3), "known")
    const { id } = processing.refund
    assert.deepStrictEqual(yield* found(), [1, { id, sinceMillis: 2 }])
    const other = yield* pass(yield* openRefund(yield* openCounter()), "processing")
    assert.strictEqual(yield* store.noteStuck(other.refund, 1), "noted")
    assert.deepStrictEqual(yield* found(), [2, { id: other.refund.id, sinceMillis: 1 }])

    yield* pass(other, "failed")
    assert.deepStrictEqual(yield* found(), [1, { id, sinceMillis: 2 }])
    yield* pass(processing, "succeeded")
    assert.deepStrictEqual(yield* found(), [0, before.oldest])
    assert.strictEqual(yield* store.noteStuck(processing.refund, 2), "ended")
    assert.deepStrictEqual(yield* found(), [0, before.oldest])
  }),
)

/** Transitions of refunds, each with what it changes of the charge (`docs/contract/refunds.md#states`). */
export const refundTransitionCases: ReadonlyArray<StoreCase> = [
  wholeLife,
  settled,
  returned,
  withCharge,
  refundGuard,
  chargeGuard,
  overflow,
  timers,
  wakes,
  stuck,
  concurrent,
]
