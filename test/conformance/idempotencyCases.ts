import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TransactionStore } from "../../actors/ports/transactionStore.ts"
import type { IdempotencyScope } from "../../actors/values/idempotency.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { limits } from "../../schema/limits.ts"
import { creationOf, eventsOf, move, newCharge, newScope, openShop, unique } from "./fixtures.ts"
import { elapse, type StoreCase, storeCase, timedCase } from "./stage.ts"

const anotherExecution = (scope: IdempotencyScope): IdempotencyScope => ({
  ...scope,
  executionId: unique("execution"),
})
const anotherBody = (scope: IdempotencyScope): IdempotencyScope => ({
  ...anotherExecution(scope),
  fingerprint: unique("fingerprint"),
})

/** Creates a new charge under a scope. */
const createUnder = (owner: Principal, scope: IdempotencyScope) =>
  Effect.gen(function* () {
    const charge = yield* newCharge(owner)
    const answer = yield* (yield* TransactionStore).create(creationOf(owner, charge, { idempotency: scope }))
    return { charge, answer }
  })

const claimUnder = (owner: Principal, scope: IdempotencyScope) =>
  Effect.gen(function* () {
    const { id } = yield* newCharge(owner)
    return { id, answer: yield* (yield* TransactionStore).claim(owner, scope, id) }
  })

const created = { kind: "created" } as const
const inProgress = { kind: "inProgress" } as const
const mismatch = { kind: "mismatch" } as const
const claimedAs = (transactionId: string) => ({ kind: "claimed", transactionId }) as const
const replayOf = (status: number, body: string) => ({ kind: "replay", status, body }) as const

const replays: StoreCase = storeCase(
  "a repeated creation replays the first answer, even when the charge has moved on, and writes nothing",
  Effect.gen(function* () {
    const store = yield* TransactionStore
    const { live } = yield* openShop()
    const scope = newScope()
    const first = yield* createUnder(live, scope)
    assert.deepStrictEqual(first.answer, created)
    yield* move(first.charge, "paid")
    const second = yield* createUnder(live, anotherExecution(scope))
    assert.deepStrictEqual(second.answer, replayOf(201, first.charge.document))
    const claimed = yield* claimUnder(live, anotherExecution(scope))
    assert.deepStrictEqual(claimed.answer, replayOf(201, first.charge.document))
    assert.isUndefined(yield* store.load(second.charge.id))
    assert.strictEqual((yield* eventsOf(live)).length, 2)
  }),
)

const mismatches: StoreCase = storeCase(
  "another body under a used idempotency key is refused, whether the key is done or leased",
  Effect.gen(function* () {
    const store = yield* TransactionStore
    const { live } = yield* openShop()
    const done = newScope()
    yield* createUnder(live, done)
    const leased = newScope()
    yield* claimUnder(live, leased)
    for (const scope of [done, leased]) {
      assert.deepStrictEqual((yield* createUnder(live, anotherBody(scope))).answer, mismatch)
      assert.deepStrictEqual((yield* claimUnder(live, anotherBody(scope))).answer, mismatch)
      assert.deepStrictEqual(yield* store.saveAnswer(live, anotherBody(scope), 502, "{}"), mismatch)
    }
    assert.strictEqual((yield* eventsOf(live)).length, 1)
  }),
)

const resent: StoreCase = storeCase(
  "a creation sent twice by one execution answers created twice and is written once",
  Effect.gen(function* () {
    const store = yield* TransactionStore
    const { live } = yield* openShop()
    const charge = yield* newCharge(live)
    const creation = creationOf(live, charge)
    assert.deepStrictEqual(yield* store.create(creation), created)
    const paid = yield* move(charge, "paid")
    assert.deepStrictEqual(yield* store.create(creation), created)
    assert.deepStrictEqual(yield* store.load(charge.id), paid)
    assert.strictEqual((yield* eventsOf(live)).length, 2)
  }),
)

const scopes: StoreCase = storeCase(
  "the same idempotency key is independent in each seller, mode and route",
  Effect.gen(function* () {
    const shop = yield* openShop()
    const other = yield* openShop()
    const scope = newScope()
    const another = anotherBody(scope)
    assert.deepStrictEqual((yield* createUnder(shop.live, scope)).answer, created)
    assert.deepStrictEqual((yield* createUnder(shop.test, another)).answer, created)
    assert.deepStrictEqual((yield* createUnder(other.live, another)).answer, created)
    const elsewhere = { ...another, route: "POST /v1/withdrawals" }
    assert.deepStrictEqual((yield* createUnder(shop.live, elsewhere)).answer, created)
    const nextKey = { ...another, key: `${scope.key}:` }
    assert.deepStrictEqual((yield* createUnder(shop.live, nextKey)).answer, created)
    assert.deepStrictEqual((yield* createUnder(shop.live, another)).answer, mismatch)
  }),
)

const leases: StoreCase = storeCase(
  "a claimed idempotency key serves only its own execution while the lease lasts",
  Effect.gen(function* () {
    const store = yield* TransactionStore
    const { live } = yield* openShop()
    const scope = newScope()
    const first = yield* claimUnder(live, scope)
    assert.deepStrictEqual(first.answer, claimedAs(first.id))
    assert.deepStrictEqual((yield* claimUnder(live, anotherExecution(scope))).answer, inProgress)
    assert.deepStrictEqual((yield* createUnder(live, anotherExecution(scope))).answer, inProgress)
    assert.deepStrictEqual(yield* store.saveAnswer(live, anotherExecution(scope), 502, "{}"), inProgress)
    const again = yield* claimUnder(live, scope)
    assert.deepStrictEqual(again.answer, claimedAs(first.id), "the first id stays")
    assert.deepStrictEqual(yield* eventsOf(live), [])
    const end = yield* createUnder(live, scope)
    assert.deepStrictEqual(end.answer, created)
    const replay = replayOf(201, end.charge.document)
    assert.deepStrictEqual((yield* claimUnder(live, anotherExecution(scope))).answer, replay)
  }),
)

const savedAnswers: StoreCase = storeCase(
  "an error answer is saved once, byte for byte, with or without a claim before it",
  Effect.gen(function* () {
    const store = yield* TransactionStore
    const { live } = yield* openShop()
    const body = `{"error":{"message":"ação \\"recusada\\"","request_id":"req_1"}}\n`
    for (const isClaimed of [true, false]) {
      const scope = newScope()
      if (isClaimed) yield* claimUnder(live, scope)
      assert.deepStrictEqual(yield* store.saveAnswer(live, scope, 502, body), { kind: "saved" })
      assert.deepStrictEqual(yield* store.saveAnswer(live, scope, 502, body), { kind: "saved" }, "sent twice")
      const replay = replayOf(502, body)
      assert.deepStrictEqual(yield* store.saveAnswer(live, anotherExecution(scope), 409, "{}"), replay)
      assert.deepStrictEqual((yield* claimUnder(live, anotherExecution(scope))).answer, replay)
      assert.deepStrictEqual((yield* createUnder(live, anotherExecution(scope))).answer, replay)
    }
    assert.deepStrictEqual(yield* eventsOf(live), [])
  }),
)

const takeOver: StoreCase = timedCase(
  "after the lease another execution takes over, under the id that the first one stored",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const first = newScope()
    const second = anotherExecution(first)
    const { id } = yield* claimUnder(live, first)
    yield* elapse(limits.idempotencyLeaseMillis - 1)
    assert.deepStrictEqual((yield* claimUnder(live, second)).answer, inProgress)
    yield* elapse(1)
    const claimed = claimedAs(id)
    assert.deepStrictEqual((yield* claimUnder(live, second)).answer, claimed)
    assert.deepStrictEqual((yield* claimUnder(live, second)).answer, claimed, "the same when sent again")
    assert.deepStrictEqual((yield* createUnder(live, first)).answer, inProgress, "the first has lost it")
    yield* elapse(limits.idempotencyLeaseMillis)
    const third = anotherExecution(first)
    assert.deepStrictEqual((yield* claimUnder(live, third)).answer, claimed, "handed on once more")
    const { charge, answer } = yield* createUnder(live, third)
    assert.deepStrictEqual(answer, created)
    const replay = replayOf(201, charge.document)
    assert.deepStrictEqual((yield* createUnder(live, first)).answer, replay)
    assert.strictEqual((yield* eventsOf(live)).length, 1)
  }),
)

const expiry: StoreCase = timedCase(
  "an idempotency record is forgotten after its retention, and not a millisecond before",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const scope = newScope()
    yield* createUnder(live, scope)
    const saved = newScope()
    yield* (yield* TransactionStore).saveAnswer(live, saved, 502, "{}")
    const leased = newScope()
    const { id } = yield* claimUnder(live, leased)
    yield* elapse(limits.idempotencyRetentionMillis - 1)
    assert.strictEqual((yield* createUnder(live, anotherExecution(scope))).answer.kind, "replay")
    assert.strictEqual((yield* createUnder(live, anotherExecution(saved))).answer.kind, "replay")
    assert.deepStrictEqual((yield* createUnder(live, anotherBody(leased))).answer, mismatch)
    yield* elapse(1)
    assert.deepStrictEqual((yield* createUnder(live, anotherBody(scope))).answer, created)
    assert.deepStrictEqual((yield* createUnder(live, anotherBody(saved))).answer, created)
    const anew = yield* claimUnder(live, anotherBody(leased))
    assert.deepStrictEqual(anew.answer, claimedAs(anew.id))
    assert.notStrictEqual(anew.id, id)
  }),
)

const looking: StoreCase = storeCase(
  "peeking at an idempotency key shows its state without taking it",
  Effect.gen(function* () {
    const store = yield* TransactionStore
    const { live } = yield* openShop()
    const scope = newScope()
    const none = { kind: "none" } as const
    assert.deepStrictEqual(yield* store.peek(live, scope), none)
    assert.deepStrictEqual(
      yield* store.peek(live, anotherBody(scope)),
      none,
      "looking binds the key to no body",
    )
    yield* claimUnder(live, scope)
    assert.deepStrictEqual(yield* store.peek(live, scope), none, "our own lease")
    assert.deepStrictEqual(yield* store.peek(live, anotherExecution(scope)), inProgress)
    assert.deepStrictEqual(yield* store.peek(live, anotherBody(scope)), mismatch)
    const { charge } = yield* createUnder(live, scope)
    assert.deepStrictEqual(yield* store.peek(live, anotherExecution(scope)), replayOf(201, charge.document))
    assert.deepStrictEqual(yield* store.peek(live, anotherBody(scope)), mismatch)
    const saved = newScope()
    yield* store.saveAnswer(live, saved, 502, "{}")
    assert.deepStrictEqual(yield* store.peek(live, anotherExecution(saved)), replayOf(502, "{}"))
  }),
)

/** Records of an `Idempotency-Key` (`docs/contract/README.md#idempotency`). */
export const idempotencyCases: ReadonlyArray<StoreCase> = [
  replays,
  mismatches,
  resent,
  scopes,
  leases,
  savedAnswers,
  looking,
  takeOver,
  timedCase(
    "a creation or an error answer takes over an idempotency lease that has ended",
    Effect.gen(function* () {
      const store = yield* TransactionStore
      const { live } = yield* openShop()
      const [one, two] = [newScope(), newScope()]
      yield* claimUnder(live, one)
      yield* claimUnder(live, two)
      yield* elapse(limits.idempotencyLeaseMillis)
      assert.deepStrictEqual(yield* store.peek(live, anotherExecution(one)), { kind: "none" })
      assert.deepStrictEqual((yield* createUnder(live, anotherExecution(one))).answer, created)
      assert.deepStrictEqual(yield* store.saveAnswer(live, anotherExecution(two), 502, "{}"), {
        kind: "saved",
      })
    }),
  ),
  timedCase(
    "an idempotency key stays bound to its first body after its lease has ended",
    Effect.gen(function* () {
      const store = yield* TransactionStore
      const { live } = yield* openShop()
      const scope = newScope()
      yield* claimUnder(live, scope)
      yield* elapse(limits.idempotencyLeaseMillis)
      assert.deepStrictEqual((yield* claimUnder(live, anotherBody(scope))).answer, mismatch)
      assert.deepStrictEqual((yield* createUnder(live, anotherBody(scope))).answer, mismatch)
      assert.deepStrictEqual(yield* store.saveAnswer(live, anotherBody(scope), 502, "{}"), mismatch)
    }),
  ),
  expiry,
]
