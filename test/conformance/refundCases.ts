import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { EventLog } from "../../actors/ports/eventLog.ts"
import { type CreateRefundCommit, RefundStore } from "../../actors/ports/refundStore.ts"
import { SellerStore } from "../../actors/ports/sellerStore.ts"
import { TimerQueue } from "../../actors/ports/timerQueue.ts"
import { TransactionStore } from "../../actors/ports/transactionStore.ts"
import { limits } from "../../schema/limits.ts"
import { claimAll } from "./attempts.ts"
import { eventsOf, freshIdBeside, move, openCharge, openEndpoint, openShop, unique } from "./fixtures.ts"
import {
  amount,
  type Counter,
  changed,
  chargeOf,
  fromAvailable,
  fromReserve,
  gained,
  openCounter,
  openRefund,
  openRefundable,
  pass,
  preconditionsOf,
  refundScope,
  request,
  requestOf,
  reserved,
} from "./refunds.ts"
import { elapse, Stage, type StoreCase, storeCase, timedCase } from "./stage.ts"
import { balance, balanceOf, credit, entriesOf, writingNothing } from "./withdrawals.ts"

const dayMillis = limits.idempotencyRetentionMillis
const created = { kind: "created" } as const
const stale = { kind: "stale" } as const
const replayOf = (body: string) => ({ kind: "replay", status: 201, body }) as const
const firstBalance = { available: gained - reserved, reserve: reserved }
const heldBalance = {
  available: firstBalance.available - fromAvailable,
  reserve: reserved - fromReserve,
  pendingRefund: amount,
}

/** The same request again, by another execution. */
const again = ({ idempotency, ...commit }: CreateRefundCommit): CreateRefundCommit => ({
  ...commit,
  idempotency: { ...idempotency, executionId: unique("execution") },
})

const creation: StoreCase = storeCase(
  "a refund is written as version 1 with its charge, its held money and its internal event",
  Effect.gen(function* () {
    const [store, transactions] = [yield* RefundStore, yield* TransactionStore]
    const counter = yield* openCounter()
    const { live, charge } = counter
    const endpoint = yield* openEndpoint(live)
    const account = "api-pix:0123456789abcdef"
    const commit = yield* requestOf(counter, {}, { account })
    const seventh = { ...commit, refund: { ...commit.refund, version: 7 } }
    assert.deepStrictEqual(yield* request(seventh), created)
    assert.deepStrictEqual(yield* store.load(commit.refund.id), commit.refund)
    assert.deepStrictEqual(yield* transactions.load(charge.id), changed(commit.charge))
    assert.deepStrictEqual(yield* balanceOf(live), balance(heldBalance))
    const event = (yield* eventsOf(live)).at(-1)
    assert.deepStrictEqual(event, {
      entryId: event?.entryId,
      ...{ seq: 3, type: "refund.created", resourceId: commit.refund.id, internal: true },
      data: commit.refund.document,
    } as typeof event)
    const log = yield* EventLog
    assert.deepStrictEqual(yield* log.entriesOfResource(live, commit.refund.id), [event?.entryId ?? ""])
    assert.deepStrictEqual(yield* claimAll(endpoint.id), [], "internal events are owed to nobody")
    const entry = (yield* entriesOf(live)).at(-1)
    assert.deepStrictEqual(entry, {
      ...commit.movement,
      ...{ entryId: entry?.entryId, seq: 2, eventEntryId: event?.entryId, balance: balance(heldBalance) },
    } as typeof entry)
  }),
)

const ofCharge: StoreCase = storeCase(
  "a refund's creation can change its charge's status, with event and postback after the refund's own",
  Effect.gen(function* () {
    const counter = yield* openCounter()
    const { live } = counter
    const commit = yield* requestOf(counter)
    const postback = { url: "https://shop.example/postback" }
    const end = { to: "refunded", eventType: "transaction.refunded", postback } as const
    const charge = { ...commit.charge, ...end }
    assert.deepStrictEqual(yield* request({ ...commit, charge }), created)
    const transactions = yield* TransactionStore
    const { id } = counter.charge
    assert.deepStrictEqual(yield* transactions.get(live, id), changed(charge))
    const page = { fromMillis: undefined, toMillis: undefined, beforeId: undefined, limit: 9 }
    assert.deepStrictEqual(yield* transactions.list(live, { ...page, status: "refunded" }), [changed(charge)])
    assert.deepStrictEqual(yield* transactions.list(live, { ...page, status: "paid" }), [])
    const events = (yield* eventsOf(live)).slice(-2)
    assert.deepStrictEqual(
      events.map(({ type, resourceId }) => [type, resourceId]),
      [
        ["refund.created", commit.refund.id],
        ["transaction.refunded", id],
      ],
    )
    const entryIds = yield* (yield* EventLog).entriesOfResource(live, id)
    assert.strictEqual(entryIds.at(-1), events[1]?.entryId)
    assert.strictEqual((yield* entriesOf(live)).at(-1)?.eventEntryId, events[0]?.entryId)
  }),
)

const timers: StoreCase = storeCase(
  "a refund request sets its timers, and sets and drops those of its charge",
  Effect.gen(function* () {
    const { shop, live } = yield* openCounter()
    const paid = yield* openCharge(live, [
      { name: "release", dueMillis: 1_000 },
      { name: "ask", dueMillis: 1_000 },
    ])
    const charge = yield* move(paid, "paid")
    yield* credit(live, gained)
    const id = yield* freshIdBeside("rfd_", live.sellerId)
    const timer = (resourceId: string, name: string) => ({ name, resourceId, dueMillis: 1_000 })
    const change = { timers: [timer(charge.id, "other")], timersDone: ["ask"] }
    yield* openRefund(
      { live, charge },
      {
        heldFromAvailable: 0,
        timers: [timer(id, "send_refund"), timer(id, "poll_refund")],
        charge: chargeOf(charge, amount, change),
      },
      { id },
    )
    const { due } = yield* (yield* TimerQueue).claim(shop.partition, 10)
    assert.sameDeepMembers(
      due.map(({ name, resourceId }) => `${resourceId}:${name}`),
      [`${id}:send_refund`, `${id}:poll_refund`, `${charge.id}:release`, `${charge.id}:other`],
    )
  }),
)

const preconditions: StoreCase = storeCase(
  "a refund's preconditions have seller, own charge, balance, and how much and how many refunds it has",
  Effect.gen(function* () {
    const store = yield* RefundStore
    const counter = yield* openCounter()
    const { shop, live, charge } = counter
    const seller = yield* (yield* SellerStore).get(shop.sellerId)
    const found = { kind: "open", seller, transaction: charge, refunding: 0, refunds: 0 } as const
    const before = yield* preconditionsOf(live, charge.id)
    assert.deepStrictEqual(before, { ...found, ...firstBalance } as typeof before)
    const foreign = yield* openRefundable((yield* openShop()).live)
    const ofTest = yield* openRefundable(shop.test)
    const unwritten = yield* freshIdBeside("txn_", live.sellerId)
    for (const id of [foreign.id, ofTest.id, unwritten, "txn_nothing-like-an-id", "", live.sellerId]) {
      const answer = yield* store.readPreconditions(live, refundScope(), id)
      assert.deepStrictEqual(answer, { kind: "missing" }, id)
    }
    const first = yield* openRefund(counter)
    const second = yield* openRefund(counter)
    const twice = yield* preconditionsOf(live, charge.id)
    assert.deepStrictEqual([twice.refunding, twice.refunds], [2 * amount, 2])
    assert.deepStrictEqual(twice.transaction, second.charge)
    yield* pass({ ...first, charge: second.charge }, "failed")
    const left = yield* preconditionsOf(live, charge.id)
    assert.deepStrictEqual([left.refunding, left.refunds], [amount, 2])
    const other = yield* preconditionsOf(live, (yield* openRefundable(live)).id)
    assert.deepStrictEqual([other.refunding, other.refunds], [0, 0], "another charge of the seller")
  }),
)

/** Changes the seller, which raises its version. */
const changeSeller = ({ shop }: Counter) =>
  Effect.gen(function* () {
    const seller = yield* (yield* SellerStore).get(shop.sellerId)
    if (seller === undefined) return yield* Effect.die(new Error("no seller"))
    const event = { type: "seller.updated", data: "{}" }
    assert.deepStrictEqual(yield* (yield* SellerStore).update({ seller, event }), { kind: "updated" })
  })

/** Asserts that a request is stale: it writes nothing, and its Idempotency-Key stays free. */
const assertStale = (commit: CreateRefundCommit, what?: string) =>
  writingNothing(
    Effect.gen(function* () {
      const store = yield* RefundStore
      assert.deepStrictEqual(yield* request(commit), stale, what)
      assert.isUndefined(yield* store.load(commit.refund.id), what)
      const peeked = yield* (yield* TransactionStore).peek(commit.principal, commit.idempotency)
      assert.deepStrictEqual(peeked, { kind: "none" }, what)
    }),
  )

/** A case of a guard, which compares all that the store holds. */
const guardCase = (name: string, run: StoreCase["run"]): StoreCase =>
  storeCase(name, run, { needs: ["contents"] })

const sellerGuard: StoreCase = guardCase(
  "a refund request is stale if the seller has changed since, and writes nothing",
  Effect.gen(function* () {
    const counter = yield* openCounter()
    const commit = yield* requestOf(counter)
    const next = { ...commit, decidedOn: { sellerVersion: commit.decidedOn.sellerVersion + 1 } }
    yield* assertStale(next, "a version to come")
    yield* changeSeller(counter)
    yield* assertStale(commit)
    assert.deepStrictEqual(yield* request(next), created)
  }),
)

const chargeGuard: StoreCase = guardCase(
  "a refund request is stale if its charge has changed since, if only by another refund, or is not there",
  Effect.gen(function* () {
    const counter = yield* openCounter()
    const { live, charge } = counter
    const commit = yield* requestOf(counter)
    const decidedOn = (transaction: Partial<typeof charge>): CreateRefundCommit => ({
      ...commit,
      charge: { ...commit.charge, transaction: { ...commit.charge.transaction, ...transaction } },
    })
    yield* assertStale(decidedOn({ version: charge.version + 1 }), "a version to come")
    yield* assertStale(decidedOn({ version: charge.version - 1 }), "an older version")
    yield* assertStale(decidedOn({ status: "pending" }), "another status")
    const unwritten = yield* freshIdBeside("txn_", live.sellerId)
    const missing = decidedOn({ id: unwritten })
    yield* assertStale({ ...missing, refund: { ...commit.refund, transactionId: unwritten } }, "missing")
    yield* openRefund(counter)
    yield* assertStale(commit, "another refund")
    assert.deepStrictEqual(yield* request(decidedOn({ version: charge.version + 1 })), created)
    const { refunding } = yield* preconditionsOf(live, charge.id)
    assert.strictEqual(refunding, 2 * amount)
  }),
)

const foreignGuard: StoreCase = guardCase(
  "a refund request for a charge of another seller or mode is stale and writes nothing",
  Effect.gen(function* () {
    const counter = yield* openCounter()
    const commit = yield* requestOf(counter)
    const ofOther = yield* openRefundable((yield* openShop()).live)
    const ofTest = yield* openRefundable(counter.shop.test)
    for (const foreign of [ofOther, ofTest]) {
      const charge = chargeOf(foreign, amount)
      const refund = { ...commit.refund, transactionId: foreign.id }
      yield* assertStale({ ...commit, refund, charge }, foreign.mode)
    }
    assert.deepStrictEqual(yield* request(commit), created)
  }),
)

const moneyGuard: StoreCase = guardCase(
  "a refund may take exactly what is available, and not one centavo more",
  Effect.gen(function* () {
    const counter = yield* openCounter()
    const { live } = counter
    const { available } = firstBalance
    const commit = yield* requestOf(counter, { heldFromAvailable: available + 1 })
    yield* assertStale(commit)
    yield* credit(live, 1)
    assert.deepStrictEqual(yield* request(commit), created)
    const bare = yield* openCounter()
    const owing = yield* openRefund(bare, { heldFromAvailable: available })
    const left = firstBalance.available - fromAvailable
    yield* assertStale(yield* requestOf(bare, { heldFromAvailable: left + 1 }), "one more than what is left")
    assert.deepStrictEqual(yield* request(yield* requestOf(bare, { heldFromAvailable: left })), created)
    assert.strictEqual(owing.refund.status, "pending")
  }),
)

const debtGuard: StoreCase = guardCase(
  "what a refund of a seller in debt leaves of the reserve covers the debt, to the centavo",
  Effect.gen(function* () {
    const counter = yield* openCounter()
    const { live } = counter
    const other = yield* openRefundable(live)
    // Twice the first balance now; the refund leaves 500 of the 800 in reserve.
    const held = { kind: "refund_held", resourceType: "refund", resourceId: "rfd_x" } as const
    const postings = [
      { bucket: "reserve", amount: -amount },
      { bucket: "pending_refund", amount },
    ] as const
    const taken = 2 * firstBalance.available + 501
    yield* move(other, "chargeback", {
      movement: {
        ...{ kind: "charge_chargeback", resourceType: "transaction", resourceId: other.id },
        postings: [
          { bucket: "available", amount: -taken },
          { bucket: "external", amount: taken },
        ],
      },
    })
    const commit = yield* requestOf(counter, { heldFromAvailable: -501, movement: { ...held, postings } })
    yield* assertStale(commit)
    yield* credit(live, 1)
    assert.deepStrictEqual(yield* request(commit), created)
    assert.deepInclude(yield* balanceOf(live), { available: -500, reserve: 500 })
  }),
)

const overflow: StoreCase = guardCase(
  "a refund request whose hold would pass 2^53 - 1 centavos is stale and writes nothing",
  Effect.gen(function* () {
    const counter = yield* openCounter()
    const most = Number.MAX_SAFE_INTEGER
    const hold = (held: number) => ({
      ...({ kind: "refund_held", resourceType: "refund", resourceId: "rfd_x" } as const),
      postings: [
        { bucket: "external", amount: -held },
        { bucket: "pending_refund", amount: held },
      ] as const,
    })
    yield* openRefund(counter, { movement: hold(1) })
    // `external` has paid the charge already.
    yield* assertStale(yield* requestOf(counter, { movement: hold(most - gained) }))
    const commit = yield* requestOf(counter, { movement: hold(most - gained - 1) })
    assert.deepStrictEqual(yield* request(commit), created)
  }),
)

const repeated: StoreCase = guardCase(
  "a refund request sent again by its execution answers created, whatever has changed since",
  Effect.gen(function* () {
    const counter = yield* openCounter()
    const commit = yield* requestOf(counter)
    assert.deepStrictEqual(yield* request(commit), created)
    assert.deepStrictEqual(yield* writingNothing(request(commit)), created)
    yield* pass({ refund: commit.refund, charge: changed(commit.charge) }, "failed")
    yield* changeSeller(counter)
    assert.deepStrictEqual(yield* writingNothing(request(commit)), created)
  }),
)

const replayed: StoreCase = guardCase(
  "a repeated refund request replays the first answer, and another body is a mismatch",
  Effect.gen(function* () {
    const store = yield* RefundStore
    const counter = yield* openCounter()
    const { live, charge } = counter
    const commit = yield* requestOf(counter)
    yield* request(commit)
    yield* pass({ refund: commit.refund, charge: changed(commit.charge) }, "failed")
    const replay = replayOf(commit.refund.document)
    const second = again({ ...commit, refund: (yield* requestOf(counter)).refund })
    const otherBody = { ...second, idempotency: { ...second.idempotency, fingerprint: "another" } }
    const seen = ({ idempotency }: CreateRefundCommit, id = charge.id) =>
      store.readPreconditions(live, idempotency, id)
    const answers = yield* writingNothing(
      Effect.all([
        request(second),
        seen(second),
        seen(commit),
        seen(second, "txn_nothing-like-an-id"),
        request(otherBody),
        seen(otherBody),
      ]),
    )
    const mismatch = { kind: "mismatch" } as const
    assert.deepStrictEqual(answers, [replay, replay, replay, replay, mismatch, mismatch])
  }),
)

const inProgress: StoreCase = guardCase(
  "a refund request is in progress while another execution holds its key, then replays its answer",
  Effect.gen(function* () {
    const [store, transactions] = [yield* RefundStore, yield* TransactionStore]
    const counter = yield* openCounter()
    const { live, charge } = counter
    const commit = yield* requestOf(counter)
    yield* transactions.claim(live, commit.idempotency, "txn_of-another-act")
    const other = again(commit)
    const waits = { kind: "inProgress" } as const
    assert.deepStrictEqual(yield* writingNothing(request(other)), waits)
    assert.deepStrictEqual(yield* store.readPreconditions(live, other.idempotency, charge.id), waits)
    assert.deepStrictEqual(yield* request(commit), created)
    assert.deepStrictEqual(yield* request(other), replayOf(commit.refund.document))
  }),
)

const lasting: StoreCase = timedCase(
  "a refund's idempotency record lasts while the refund is under way, and a day from its end",
  Effect.gen(function* () {
    const { peek } = yield* TransactionStore
    const counter = yield* openCounter()
    const commit = yield* requestOf(counter)
    yield* request(commit)
    const { idempotency } = again(commit)
    const replay = replayOf(commit.refund.document)
    yield* elapse(3 * dayMillis)
    assert.deepStrictEqual(yield* peek(counter.live, idempotency), replay)
    const pending = { refund: commit.refund, charge: changed(commit.charge) }
    const processing = yield* pass(pending, "processing")
    yield* elapse(3 * dayMillis)
    assert.deepStrictEqual(yield* peek(counter.live, idempotency), replay)
    yield* pass(processing, "succeeded")
    yield* elapse(dayMillis - 1)
    assert.deepStrictEqual(yield* peek(counter.live, idempotency), replay)
    yield* elapse(1)
    assert.deepStrictEqual(yield* peek(counter.live, idempotency), { kind: "none" })
  }),
)

const kept: StoreCase = storeCase(
  "a refund's idempotency record has no expiry until the refund ends, and then one of a day",
  Effect.gen(function* () {
    const { keptMillis } = yield* Stage
    const { live } = yield* openCounter()
    for (const end of ["failed", "succeeded"] as const) {
      const charge = yield* openRefundable(live)
      const commit = yield* requestOf({ live, charge })
      yield* (yield* TransactionStore).claim(live, commit.idempotency, "txn_of-another-act")
      assert.isAtMost((yield* keptMillis(live, commit.idempotency)) ?? Number.NaN, dayMillis)
      yield* request(commit)
      assert.isUndefined(yield* keptMillis(live, commit.idempotency))
      const pending = { refund: commit.refund, charge: changed(commit.charge) }
      const processing = yield* pass(pending, "processing")
      assert.isUndefined(yield* keptMillis(live, commit.idempotency))
      yield* pass(processing, end)
      const left = (yield* keptMillis(live, commit.idempotency)) ?? Number.NaN
      assert.isAtMost(left, dayMillis)
      assert.isAbove(left, dayMillis - 60_000)
    }
  }),
  { needs: ["keptMillis"] },
)

/** Requests for refunds: what they write, their guards and their Idempotency-Keys (`docs/contract/refunds.md#create`). */
export const refundCases: ReadonlyArray<StoreCase> = [
  creation,
  ofCharge,
  timers,
  preconditions,
  sellerGuard,
  chargeGuard,
  foreignGuard,
  moneyGuard,
  debtGuard,
  overflow,
  repeated,
  replayed,
  inProgress,
  lasting,
  kept,
]
