import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { EventLog } from "../../actors/ports/eventLog.ts"
import { PixKeyStore } from "../../actors/ports/pixKeyStore.ts"
import { SellerStore } from "../../actors/ports/sellerStore.ts"
import { TimerQueue } from "../../actors/ports/timerQueue.ts"
import { TransactionStore } from "../../actors/ports/transactionStore.ts"
import { type CreateWithdrawalCommit, WithdrawalStore } from "../../actors/ports/withdrawalStore.ts"
import type { IdempotencyScope } from "../../actors/values/idempotency.ts"
import { limits } from "../../schema/limits.ts"
import { type PixKeyStatus, pixKeyStatuses } from "../../schema/resources/pixKey.ts"
import { claimAll, claimOne } from "./attempts.ts"
import { eventsOf, freshIdBeside, openEndpoint, openShop, unique } from "./fixtures.ts"
import { elapse, Stage, type StoreCase, storeCase, timedCase } from "./stage.ts"
import {
  amount,
  balance,
  balanceOf,
  credit,
  day,
  entriesOf,
  openPixKey,
  openTill,
  openWithdrawal,
  pass,
  preconditionsOf,
  request,
  requestOf,
  type Till,
  total,
  withdrawalScope,
  writingNothing,
} from "./withdrawals.ts"

const inParallel = { concurrency: "unbounded" } as const
const times = (count: number) => Array.from({ length: count }, (_, index) => index)
const dayMillis = limits.idempotencyRetentionMillis
const created = { kind: "created" } as const
const stale = { kind: "stale" } as const
const replayOf = (body: string) => ({ kind: "replay", status: 201, body }) as const

/** The same request again, by another execution. */
const again = ({ idempotency, ...commit }: CreateWithdrawalCommit): CreateWithdrawalCommit => ({
  ...commit,
  idempotency: { ...idempotency, executionId: unique("execution") },
})

const creation: StoreCase = storeCase(
  "a withdrawal is written as version 1, with its held money, its day and its event",
  Effect.gen(function* () {
    const store = yield* WithdrawalStore
    const till = yield* openTill(5_000)
    const endpoint = yield* openEndpoint(till.live, ["withdrawal.awaiting"])
    const { live } = till
    const { withdrawal, movement, ...commit } = yield* requestOf(till)
    const seventh = { ...commit, movement, withdrawal: { ...withdrawal, version: 7 } }
    assert.deepStrictEqual(yield* request(seventh), created)
    assert.deepStrictEqual(yield* store.load(withdrawal.id), withdrawal)
    const missing = yield* freshIdBeside("wd_", live.sellerId)
    assert.deepStrictEqual(yield* store.loadMany([missing, withdrawal.id]), [withdrawal])
    assert.deepStrictEqual(yield* store.loadMany([]), [])
    const held = { available: 5_000 - total, pendingWithdraw: total }
    assert.deepStrictEqual(yield* balanceOf(live), balance(held))
    const event = (yield* eventsOf(live)).at(-1)
    assert.deepStrictEqual(event, {
      entryId: event?.entryId,
      ...{ seq: 3, type: "withdrawal.awaiting", resourceId: withdrawal.id, internal: false },
      data: withdrawal.document,
    } as typeof event)
    const log = yield* EventLog
    assert.deepStrictEqual(yield* log.entriesOfResource(live, withdrawal.id), [event?.entryId ?? ""])
    assert.strictEqual((yield* claimOne(endpoint.id)).entry.entryId, event?.entryId)
    const entry = (yield* entriesOf(live)).at(-1)
    assert.deepStrictEqual(entry, {
      ...movement,
      ...{ entryId: entry?.entryId, seq: 2, eventEntryId: event?.entryId, balance: balance(held) },
    } as typeof entry)
    const { openWithdrawalId, day: spent, available } = yield* preconditionsOf(live, till.pixKey.id)
    assert.deepStrictEqual([openWithdrawalId, available], [withdrawal.id, 5_000 - total])
    assert.deepStrictEqual(spent, { value: amount, count: 1 })
  }),
)

const timers: StoreCase = storeCase(
  "a withdrawal request sets its timers",
  Effect.gen(function* () {
    const till = yield* openTill()
    const id = yield* freshIdBeside("wd_", till.live.sellerId)
    const timer = (name: string) => ({ name, resourceId: id, dueMillis: 1_000 })
    yield* openWithdrawal(till, { timers: [timer("decide"), timer("other")] }, { id })
    const { due } = yield* (yield* TimerQueue).claim(till.shop.partition, 10)
    const named = due.map(({ name, resourceId }) => ({ name, resourceId }))
    assert.sameDeepMembers(named, [
      { name: "decide", resourceId: id },
      { name: "other", resourceId: id },
    ])
  }),
)

const preconditions: StoreCase = storeCase(
  "a withdrawal's preconditions have seller, own PIX key, balance, open withdrawal and day",
  Effect.gen(function* () {
    const till = yield* openTill(2_345)
    const { shop, live, pixKey } = till
    const seller = yield* (yield* SellerStore).get(shop.sellerId)
    const found = { kind: "open", seller, pixKey, available: 2_345, openWithdrawalId: undefined } as const
    const nothing = { value: 0, count: 0 }
    assert.deepStrictEqual(yield* preconditionsOf(live, pixKey.id), { ...found, day: nothing } as never)
    const foreign = yield* openPixKey((yield* openShop()).live)
    const ofTest = yield* openPixKey(shop.test)
    for (const id of [foreign.id, ofTest.id, "pk_nothing-like-an-id", "", live.sellerId]) {
      assert.isUndefined((yield* preconditionsOf(live, id)).pixKey, id)
    }
    const inTest = yield* preconditionsOf(shop.test, ofTest.id)
    assert.deepStrictEqual([inTest.available, inTest.pixKey], [0, ofTest])
    yield* openWithdrawal(till)
    assert.deepStrictEqual((yield* preconditionsOf(live, pixKey.id)).day, { value: amount, count: 1 })
    assert.deepStrictEqual((yield* preconditionsOf(live, pixKey.id, "2026-11-22")).day, nothing)
    assert.isUndefined((yield* preconditionsOf(shop.test, ofTest.id)).openWithdrawalId)
    const pending = yield* openPixKey(live, { status: "pending_approval", verifiedAt: undefined })
    assert.deepStrictEqual((yield* preconditionsOf(live, pending.id)).pixKey, pending)
  }),
)

/** Changes the seller, which raises its version. */
const changeSeller = ({ shop }: Till) =>
  Effect.gen(function* () {
    const seller = yield* (yield* SellerStore).get(shop.sellerId)
    if (seller === undefined) return yield* Effect.die(new Error("no seller"))
    const event = { type: "seller.updated", data: "{}" }
    assert.deepStrictEqual(yield* (yield* SellerStore).update({ seller, event }), { kind: "updated" })
  })

/** Changes the till's PIX key to a state. */
const changePixKey = ({ pixKey }: Till, to: PixKeyStatus) =>
  Effect.gen(function* () {
    const store = yield* PixKeyStore
    const found = yield* store.load(pixKey.id)
    if (found === undefined) return yield* Effect.die(new Error("no PIX key"))
    const change = { pixKey: found, to, verifiedAt: undefined }
    assert.deepStrictEqual(yield* store.transition(change), { kind: "applied" })
  })

type DecidedOn = CreateWithdrawalCommit["decidedOn"]
const decidedOn = (commit: CreateWithdrawalCommit, changed: Partial<DecidedOn>): CreateWithdrawalCommit => ({
  ...commit,
  decidedOn: { ...commit.decidedOn, ...changed },
})

/** Asserts that a request is stale: it writes nothing, and its Idempotency-Key stays free. */
const assertStale = (commit: CreateWithdrawalCommit, what?: string) =>
  writingNothing(
    Effect.gen(function* () {
      const store = yield* WithdrawalStore
      assert.deepStrictEqual(yield* request(commit), stale, what)
      assert.isUndefined(yield* store.load(commit.withdrawal.id), what)
      const peeked = yield* (yield* TransactionStore).peek(commit.principal, commit.idempotency)
      assert.deepStrictEqual(peeked, { kind: "none" }, what)
    }),
  )

/** A case of a guard, which compares all that the store holds. */
const guardCase = (name: string, run: StoreCase["run"]): StoreCase =>
  storeCase(name, run, { needs: ["contents"] })

const sellerGuard: StoreCase = guardCase(
  "a withdrawal request is stale if the seller has changed since, and writes nothing",
  Effect.gen(function* () {
    const till = yield* openTill()
    const commit = yield* requestOf(till)
    const { sellerVersion } = commit.decidedOn
    yield* assertStale(decidedOn(commit, { sellerVersion: sellerVersion + 1 }), "a version to come")
    yield* changeSeller(till)
    yield* assertStale(commit)
    const now = decidedOn(commit, { sellerVersion: sellerVersion + 1 })
    assert.deepStrictEqual(yield* request(now), created)
  }),
)

const pixKeyGuard: StoreCase = guardCase(
  "a withdrawal request is stale if the PIX key has changed since, even if it is verified again",
  Effect.gen(function* () {
    const till = yield* openTill()
    const commit = yield* requestOf(till)
    const { pixKeyVersion } = commit.decidedOn
    yield* assertStale(decidedOn(commit, { pixKeyVersion: pixKeyVersion + 1 }), "a version to come")
    yield* changePixKey(till, "pending_approval")
    yield* changePixKey(till, "verified")
    yield* assertStale(commit)
    const now = decidedOn(commit, { pixKeyVersion: pixKeyVersion + 2 })
    assert.deepStrictEqual(yield* request(now), created)
  }),
)

const unverified: StoreCase = guardCase(
  "a withdrawal request to an unverified, unknown or foreign PIX key is stale and writes nothing",
  Effect.gen(function* () {
    const till = yield* openTill()
    const commit = yield* requestOf(till)
    for (const status of pixKeyStatuses.filter((one) => one !== "verified")) {
      const other = yield* openPixKey(till.live, { status })
      yield* assertStale(decidedOn(commit, { pixKeyId: other.id }), status)
    }
    const missing = yield* freshIdBeside("pk_", till.live.sellerId)
    yield* assertStale(decidedOn(commit, { pixKeyId: missing }), "missing")
    const foreign = yield* openPixKey((yield* openShop()).live)
    yield* assertStale(decidedOn(commit, { pixKeyId: foreign.id }), "another seller's")
    const ofTest = yield* openPixKey(till.shop.test)
    yield* assertStale(decidedOn(commit, { pixKeyId: ofTest.id }), "another mode's")
    assert.deepStrictEqual(yield* request(commit), created)
  }),
)

const dayGuard: StoreCase = guardCase(
  "a withdrawal request is stale if the day's value or count has changed since",
  Effect.gen(function* () {
    const till = yield* openTill()
    const first = yield* requestOf(till)
    for (const changed of [
      { value: 1, count: 0 },
      { value: 0, count: 1 },
    ]) {
      yield* assertStale(decidedOn(first, { day: changed }), JSON.stringify(changed))
    }
    const withdrawal = yield* openWithdrawal(till)
    yield* pass(withdrawal, "cancelled")
    yield* assertStale(first, "the count has changed")
    yield* assertStale(decidedOn(first, { day: { value: amount, count: 1 } }), "the value has changed")
    assert.deepStrictEqual(yield* request(decidedOn(first, { day: { value: 0, count: 1 } })), created)
  }),
)

const openGuard: StoreCase = guardCase(
  "a withdrawal request is stale while another withdrawal of the mode is open",
  Effect.gen(function* () {
    const till = yield* openTill()
    const ofTest = { live: till.shop.test, pixKey: yield* openPixKey(till.shop.test) }
    yield* credit(ofTest.live, total)
    const first = yield* openWithdrawal(till)
    yield* assertStale(yield* requestOf(till), "awaiting")
    yield* openWithdrawal(ofTest)
    const approved = yield* pass(first, "approved")
    yield* assertStale(yield* requestOf(till), "approved")
    const processing = yield* pass(approved, "processing")
    yield* assertStale(yield* requestOf(till), "processing")
    yield* pass(processing, "successful")
    assert.deepStrictEqual(yield* request(yield* requestOf(till)), created)
  }),
)

const moneyGuard: StoreCase = guardCase(
  "a withdrawal may take exactly what is available, and not one centavo more",
  Effect.gen(function* () {
    const till = yield* openTill(total - 1)
    const { live } = till
    const commit = yield* requestOf(till)
    yield* assertStale(commit)
    yield* credit(live, 1)
    assert.deepStrictEqual(yield* request(commit), created)
    assert.deepStrictEqual(yield* balanceOf(live), balance({ pendingWithdraw: total }))
    const poor = yield* openTill(0)
    yield* assertStale(yield* requestOf(poor), "nothing at all")
  }),
)

const repeated: StoreCase = guardCase(
  "a withdrawal request sent again by its execution answers created, whatever has changed since",
  Effect.gen(function* () {
    const till = yield* openTill()
    const commit = yield* requestOf(till)
    assert.deepStrictEqual(yield* request(commit), created)
    assert.deepStrictEqual(yield* writingNothing(request(commit)), created)
    yield* pass(commit.withdrawal, "cancelled")
    yield* changeSeller(till)
    assert.deepStrictEqual(yield* writingNothing(request(commit)), created)
  }),
)

const replayed: StoreCase = guardCase(
  "a repeated withdrawal request replays the first answer, and another body is a mismatch",
  Effect.gen(function* () {
    const store = yield* WithdrawalStore
    const till = yield* openTill()
    const { live, pixKey } = till
    const commit = yield* requestOf(till)
    yield* request(commit)
    yield* pass(commit.withdrawal, "rejected")
    const replay = replayOf(commit.withdrawal.document)
    const second = again({ ...commit, withdrawal: (yield* requestOf(till)).withdrawal })
    const otherBody = { ...second, idempotency: { ...second.idempotency, fingerprint: "another" } }
    const seen = ({ idempotency }: CreateWithdrawalCommit) =>
      store.readPreconditions(live, idempotency, pixKey.id, day)
    const answers = yield* writingNothing(
      Effect.all([request(second), seen(second), seen(commit), request(otherBody), seen(otherBody)]),
    )
    const mismatch = { kind: "mismatch" } as const
    assert.deepStrictEqual(answers, [replay, replay, replay, mismatch, mismatch])
  }),
)

const inProgress: StoreCase = guardCase(
  "a withdrawal request is in progress while another execution holds its key, then replays its answer",
  Effect.gen(function* () {
    const [store, transactions] = [yield* WithdrawalStore, yield* TransactionStore]
    const till = yield* openTill()
    const { live, pixKey } = till
    const commit = yield* requestOf(till)
    yield* transactions.claim(live, commit.idempotency, "txn_of-another-act")
    const other = again(commit)
    const waits = { kind: "inProgress" } as const
    assert.deepStrictEqual(yield* writingNothing(request(other)), waits)
    assert.deepStrictEqual(yield* store.readPreconditions(live, other.idempotency, pixKey.id, day), waits)
    assert.deepStrictEqual(yield* request(commit), created)
    assert.deepStrictEqual(yield* request(other), replayOf(commit.withdrawal.document))
    const elsewhere: IdempotencyScope = { ...other.idempotency, route: "POST /v1/elsewhere" }
    assert.deepStrictEqual(yield* transactions.peek(live, elsewhere), { kind: "none" })
  }),
)

const lasting: StoreCase = timedCase(
  "a withdrawal's idempotency record lasts while the withdrawal is open, and a day from its end",
  Effect.gen(function* () {
    const { peek } = yield* TransactionStore
    const till = yield* openTill()
    const commit = yield* requestOf(till)
    yield* request(commit)
    const { idempotency } = again(commit)
    const replay = replayOf(commit.withdrawal.document)
    yield* elapse(3 * dayMillis)
    assert.deepStrictEqual(yield* peek(till.live, idempotency), replay)
    const approved = yield* pass(commit.withdrawal, "approved")
    yield* elapse(3 * dayMillis)
    const processing = yield* pass(approved, "processing")
    yield* elapse(3 * dayMillis)
    assert.deepStrictEqual(yield* peek(till.live, idempotency), replay)
    yield* pass(processing, "failed")
    yield* elapse(dayMillis - 1)
    assert.deepStrictEqual(yield* peek(till.live, idempotency), replay)
    yield* elapse(1)
    assert.deepStrictEqual(yield* peek(till.live, idempotency), { kind: "none" })
  }),
)

const kept: StoreCase = storeCase(
  "a withdrawal's idempotency record has no expiry until the withdrawal ends, and then one of a day",
  Effect.gen(function* () {
    const { keptMillis } = yield* Stage
    const till = yield* openTill(10_000)
    const { live } = till
    for (const end of ["rejected", "cancelled", "failed", "successful"] as const) {
      const commit = yield* requestOf(till)
      yield* (yield* TransactionStore).claim(live, commit.idempotency, "txn_of-another-act")
      assert.isAtMost((yield* keptMillis(live, commit.idempotency)) ?? Number.NaN, dayMillis)
      yield* request(commit)
      assert.isUndefined(yield* keptMillis(live, commit.idempotency))
      const isPaidOut = end === "failed" || end === "successful"
      const approved = isPaidOut ? yield* pass(commit.withdrawal, "approved") : commit.withdrawal
      const last = isPaidOut ? yield* pass(approved, "processing") : approved
      assert.isUndefined(yield* keptMillis(live, commit.idempotency))
      yield* pass(last, end)
      const left = (yield* keptMillis(live, commit.idempotency)) ?? Number.NaN
      assert.isAtMost(left, dayMillis)
      assert.isAbove(left, dayMillis - 60_000)
    }
  }),
  { needs: ["keptMillis"] },
)

const underOneKey: StoreCase = storeCase(
  "of 50 concurrent withdrawal requests under one key, one creates it and the others replay it",
  Effect.gen(function* () {
    const till = yield* openTill(50 * total)
    const scope = withdrawalScope()
    const commits = yield* Effect.forEach(times(50), () =>
      requestOf(till, { idempotency: { ...scope, executionId: unique("execution") } }),
    )
    const answers = yield* Effect.forEach(commits, request, inParallel)
    const winners = commits.filter((_, index) => answers[index]?.kind === "created")
    assert.strictEqual(winners.length, 1)
    const replay = replayOf(winners[0]?.withdrawal.document ?? "")
    for (const answer of answers) if (answer.kind !== "created") assert.deepStrictEqual(answer, replay)
    const held = { available: 49 * total, pendingWithdraw: total }
    assert.deepStrictEqual(yield* balanceOf(till.live), balance(held))
    assert.strictEqual((yield* entriesOf(till.live)).length, 2)
  }),
)

const underManyKeys: StoreCase = storeCase(
  "of 50 concurrent withdrawal requests under different keys, one is created",
  Effect.gen(function* () {
    const store = yield* WithdrawalStore
    const till = yield* openTill(50 * total)
    const endpoint = yield* openEndpoint(till.live, ["withdrawal.awaiting"])
    const commits = yield* Effect.forEach(times(50), () => requestOf(till))
    const answers = yield* Effect.forEach(commits, request, inParallel)
    const kinds = answers.map(({ kind }) => kind)
    assert.deepStrictEqual(
      kinds.filter((kind) => kind !== "stale"),
      ["created"],
    )
    for (const [index, { withdrawal }] of commits.entries()) {
      const wanted = kinds[index] === "created" ? withdrawal : undefined
      assert.deepStrictEqual(yield* store.load(withdrawal.id), wanted)
    }
    const held = { available: 49 * total, pendingWithdraw: total }
    assert.deepStrictEqual(yield* balanceOf(till.live), balance(held))
    assert.deepStrictEqual((yield* preconditionsOf(till.live, till.pixKey.id)).day, {
      value: amount,
      count: 1,
    })
    assert.strictEqual((yield* claimAll(endpoint.id)).length, 1)
  }),
)

/** Requests for withdrawals: what they write, their guards and their Idempotency-Keys (`docs/contract/withdrawals.md#create`). */
export const withdrawalCases: ReadonlyArray<StoreCase> = [
  creation,
  timers,
  preconditions,
  sellerGuard,
  pixKeyGuard,
  unverified,
  dayGuard,
  openGuard,
  moneyGuard,
  repeated,
  replayed,
  inProgress,
  lasting,
  kept,
  underOneKey,
  underManyKeys,
]
