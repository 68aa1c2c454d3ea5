import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { ClosingStore } from "../../actors/ports/closingStore.ts"
import { ExceptionStore } from "../../actors/ports/exceptionStore.ts"
import { NoteStore } from "../../actors/ports/noteStore.ts"
import { RefundStore } from "../../actors/ports/refundStore.ts"
import { Retention, type TrimmedTestStep } from "../../actors/ports/retention.ts"
import { TimerQueue } from "../../actors/ports/timerQueue.ts"
import { type StoredTransaction, TransactionStore } from "../../actors/ports/transactionStore.ts"
import { WithdrawalStore } from "../../actors/ports/withdrawalStore.ts"
import { chargePaid } from "../../actors/seller/decisions/movements.ts"
import { noAmounts } from "../../actors/values/closing.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { dayAfter, dayOf } from "../../actors/values/saoPauloDays.ts"
import { partitionOfId } from "../../schema/ids.ts"
import { exampleException } from "../../schema/resources/exception.ts"
import { apply, changeOf, newExceptionBeside, opened } from "./exceptions.ts"
import {
  creationOf,
  eventsOf,
  move,
  newCharge,
  newScope,
  openCharge,
  openPaidCharge,
  openShop,
} from "./fixtures.ts"
import { openRefund, openRefundable, pass as passRefund } from "./refunds.ts"
import { elapse, nowMillis, type StoreCase, storeCase, timedCase } from "./stage.ts"
import { balanceOf, credit, entriesOf, openPixKey, openWithdrawal, pass } from "./withdrawals.ts"

/** On real time too, what a case writes must be younger than these until it lets time pass. */
const short = { eventRetentionMillis: 1_000, testRetentionMillis: 3_000 }
const past = elapse(short.testRetentionMillis + 20)

/** Closes the days of test mode up to tomorrow. */
const closeDays = Effect.gen(function* () {
  const store = yield* ClosingStore
  const lease = yield* store.claim("closer", 60_000)
  if (lease === undefined) return yield* Effect.die(new Error("the lease is taken"))
  const day = dayAfter(dayOf(yield* nowMillis))
  const nothing = { movements: {}, closing: noAmounts, partner: undefined }
  yield* store.closeWhole(lease, "test", { day, ...nothing })
})

/** Trims a partition as the hourly run does, all steps, and returns what of test mode was deleted. */
const trim = Effect.fnUntraced(function* ({ sellerId }: Pick<Principal, "sellerId">) {
  const retention = yield* Retention
  const partition = partitionOfId(sellerId) ?? 0
  let from: string | undefined
  do from = (yield* retention.trim(partition, from)).next
  while (from !== undefined)
  const deleted = { resources: 0, ledgerEntries: 0 }
  do {
    const step: TrimmedTestStep = yield* retention.trimTest(partition, from)
    deleted.resources += step.resources
    deleted.ledgerEntries += step.ledgerEntries
    from = step.next
  } while (from !== undefined)
  return deleted
})

/** The ids that a seller's lists show. */
const listed = Effect.fnUntraced(function* (owner: Principal) {
  const page = {
    status: undefined,
    fromMillis: undefined,
    toMillis: undefined,
    beforeId: undefined,
    limit: 100,
  }
  const [charges, withdrawals, refunds] = [
    yield* (yield* TransactionStore).list(owner, page),
    yield* (yield* WithdrawalStore).list(owner, page),
    yield* (yield* RefundStore).list(owner, { ...page, transactionId: undefined }),
  ]
  return [charges, withdrawals, refunds].map((found) => ("kind" in found ? [] : found.map(({ id }) => id)))
})

/** A charge of 1,000 that was paid, with a refund of 300 that has ended, and a withdrawal of 1,000 that has ended. */
const trade = Effect.fnUntraced(function* (owner: Principal) {
  const charge = yield* openRefundable(owner)
  const { refund } = yield* passRefund(yield* openRefund({ live: owner, charge }), "succeeded")
  yield* credit(owner, 5_000)
  const pixKey = yield* openPixKey(owner)
  const withdrawal = yield* openWithdrawal({ live: owner, pixKey })
  yield* pass(withdrawal, "rejected")
  return { charge, refund, withdrawal }
})

const seqs = (owner: Principal) => Effect.map(entriesOf(owner), (entries) => entries.map(({ seq }) => seq))

const ended: StoreCase = storeCase(
  "test mode forgets what ended past its retention, and keeps balance and seq; live keeps everything",
  Effect.gen(function* () {
    const { live, test } = yield* openShop()
    const ofTest = yield* trade(test)
    const notes = yield* NoteStore
    const note = {
      ...{ id: "note_01KA0000000700000000000000", text: "a", author: { id: "u", name: "Ana" } },
      created_at: "2026-11-21T12:00:00.000Z",
    }
    yield* notes.add(test, ofTest.charge.id, note)
    const ofLive = yield* trade(live)
    yield* openPaidCharge(test)
    const [balance, listedLive, ledgerLive] = [
      yield* balanceOf(test),
      yield* listed(live),
      yield* entriesOf(live),
    ]
    yield* closeDays
    assert.deepStrictEqual(yield* trim(test), { resources: 0, ledgerEntries: 0 })
    yield* past
    assert.deepStrictEqual(yield* trim(test), { resources: 5, ledgerEntries: 6 })

    assert.deepStrictEqual(yield* listed(test), [[], [], []])
    assert.isUndefined(yield* (yield* TransactionStore).load(ofTest.charge.id))
    assert.deepStrictEqual(yield* notes.list(ofTest.charge.id), [])
    assert.isUndefined(yield* (yield* RefundStore).load(ofTest.refund.id))
    assert.isUndefined(yield* (yield* WithdrawalStore).load(ofTest.withdrawal.id))
    assert.deepStrictEqual(yield* entriesOf(test), [])
    assert.deepStrictEqual(yield* balanceOf(test), balance)
    assert.deepStrictEqual(yield* trim(test), { resources: 0, ledgerEntries: 0 })

    yield* credit(test, 700)
    assert.deepStrictEqual(yield* seqs(test), [7])
    assert.strictEqual((yield* balanceOf(test)).available, balance.available + 700)
    assert.deepStrictEqual(yield* listed(live), listedLive)
    assert.deepStrictEqual(yield* entriesOf(live), ledgerLive)
    assert.isDefined(yield* (yield* RefundStore).load(ofLive.refund.id))
  }),
  { settings: short },
)

const young: StoreCase = storeCase(
  "test mode keeps what has changed within its retention, and what of other partitions is past it",
  Effect.gen(function* () {
    const one = yield* openShop()
    let other = yield* openShop()
    while (other.partition === one.partition) other = yield* openShop()
    const kept = yield* openPaidCharge(other.test)
    const changed = yield* openCharge(one.test)
    yield* openPaidCharge(one.test)
    yield* past
    yield* move(changed, "expired")
    const fresh = yield* openPaidCharge(one.test)
    assert.deepStrictEqual(yield* trim(one.test), { resources: 1, ledgerEntries: 0 })
    assert.sameMembers((yield* listed(one.test))[0] ?? [], [changed.id, fresh.id])
    assert.deepStrictEqual((yield* listed(other.test))[0], [kept.id])
  }),
  { settings: short },
)

const withReserve = (charge: StoredTransaction, releasedAt: string | null): string => {
  const reserve = { amount: 400, release_at: "2026-12-21T00:00:00.000Z", released_at: releasedAt }
  return JSON.stringify({ id: charge.id, status: "paid", paid_at: "2026-11-21T00:00:00.000Z", reserve })
}

/** The document of an exception about a charge. */
const aboutCharge = (id: string): string =>
  JSON.stringify({ ...exampleException, resource_type: "transaction", resource_id: id })

const open: StoreCase = storeCase(
  "test mode keeps what has not ended, however old: pending, in reserve, being refunded, awaiting, in an open exception",
  Effect.gen(function* () {
    const { test } = yield* openShop()
    const pending = yield* openCharge(test)
    const held = yield* openCharge(test)
    yield* move(held, "paid", { document: withReserve(held, null) })
    const refunding = yield* openRefund({ live: test, charge: yield* openRefundable(test) })
    yield* credit(test, 5_000)
    const withdrawal = yield* openWithdrawal({ live: test, pixKey: yield* openPixKey(test) })
    const odd = yield* openPaidCharge(test)
    const exceptions = yield* ExceptionStore
    const exception = yield* newExceptionBeside(odd.id, {
      ...{ kind: "double_payment", mode: "test", sellerId: test.sellerId },
      document: aboutCharge(odd.id),
    })
    yield* exceptions.open(exception)
    yield* past
    assert.deepStrictEqual(yield* trim(test), { resources: 1, ledgerEntries: 0 })
    const kept = [pending.id, held.id, refunding.charge.id, odd.id]
    assert.sameMembers((yield* listed(test))[0] ?? [], kept)
    assert.deepStrictEqual((yield* listed(test)).slice(1), [[withdrawal.id], [refunding.refund.id]])

    yield* apply(changeOf(opened(exception), { document: aboutCharge(odd.id) }))
    yield* passRefund(refunding, "failed")
    yield* pass(withdrawal, "rejected")
    yield* past
    assert.deepStrictEqual(yield* trim(test), { resources: 4, ledgerEntries: 0 })
    assert.sameMembers((yield* listed(test))[0] ?? [], [pending.id, held.id])
  }),
  { settings: short },
)

const paidAs = (charge: StoredTransaction, amount: number) =>
  chargePaid({ id: charge.id, amount, fee: 0, net_amount: amount }, null)

const fromOldEnd: StoreCase = storeCase(
  "a test ledger goes from its old end only, up to the first entry of what stays, and of closed days",
  Effect.gen(function* () {
    const { test } = yield* openShop()
    yield* credit(test, 100)
    const held = yield* openCharge(test)
    const kept = yield* move(held, "paid", { document: withReserve(held, null), movement: paidAs(held, 200) })
    yield* credit(test, 300)
    yield* past
    assert.deepStrictEqual(yield* trim(test), { resources: 2, ledgerEntries: 0 })
    yield* closeDays
    assert.deepStrictEqual(yield* trim(test), { resources: 0, ledgerEntries: 1 })
    assert.deepStrictEqual(yield* seqs(test), [2, 3])

    const releasedAt = "2026-11-22T00:00:00.000Z"
    yield* move(kept, "paid", { document: withReserve(held, releasedAt) })
    yield* past
    assert.deepStrictEqual(yield* trim(test), { resources: 1, ledgerEntries: 2 })
    assert.deepStrictEqual(yield* entriesOf(test), [])
    assert.strictEqual((yield* balanceOf(test)).available, 600)
  }),
  { settings: short },
)

const timer: StoreCase = storeCase(
  "test mode keeps a charge while a timer of it is set",
  Effect.gen(function* () {
    const { test } = yield* openShop()
    const charge = yield* openCharge(test)
    const ask = { name: "ask", resourceId: charge.id, dueMillis: 9_000_000_000_000 }
    yield* move(charge, "expired", { timers: [ask] })
    yield* past
    assert.strictEqual((yield* trim(test)).resources, 0)
    yield* (yield* TimerQueue).drop(ask)
    assert.strictEqual((yield* trim(test)).resources, 1)
  }),
  { settings: short },
)

const events: StoreCase = storeCase(
  "test mode keeps a charge while its newest event is in the feed",
  Effect.gen(function* () {
    const { test } = yield* openShop()
    yield* openPaidCharge(test)
    yield* elapse(120)
    assert.strictEqual((yield* trim(test)).resources, 0)
    assert.isAbove((yield* eventsOf(test)).length, 0)
  }),
  { settings: { eventRetentionMillis: 60_000, testRetentionMillis: 100 } },
)

const forEver: StoreCase = storeCase(
  "without a retention of its own test mode keeps everything",
  Effect.gen(function* () {
    const { test } = yield* openShop()
    const charge = yield* openPaidCharge(test)
    yield* past
    assert.deepStrictEqual(yield* trim(test), { resources: 0, ledgerEntries: 0 })
    assert.deepStrictEqual((yield* listed(test))[0], [charge.id])
  }),
  { settings: { eventRetentionMillis: 100 } },
)

const exact: StoreCase = timedCase(
  "test mode keeps a charge for exactly its retention after its last change, and not a millisecond longer",
  Effect.gen(function* () {
    const { test } = yield* openShop()
    const charge = yield* openCharge(test)
    yield* elapse(150)
    yield* move(charge, "paid", { movement: paidAs(charge, 100) })
    yield* closeDays
    yield* elapse(short.testRetentionMillis)
    assert.deepStrictEqual(yield* trim(test), { resources: 0, ledgerEntries: 0 })
    yield* elapse(1)
    assert.deepStrictEqual(yield* trim(test), { resources: 1, ledgerEntries: 1 })
  }),
  short,
)

const dayMillis = 86_400_000

const replay: StoreCase = timedCase(
  "an Idempotency-Key has been free for long when its charge is deleted: it makes another one",
  Effect.gen(function* () {
    const { test } = yield* openShop()
    const store = yield* TransactionStore
    const idempotency = newScope()
    const [first, second] = [yield* newCharge(test), yield* newCharge(test)]
    assert.deepStrictEqual(yield* store.create(creationOf(test, first, { idempotency })), { kind: "created" })
    yield* move(first, "expired")
    yield* elapse(9 * dayMillis + 1)
    assert.strictEqual((yield* trim(test)).resources, 1)
    const again = { idempotency: { ...idempotency, executionId: "another" } }
    assert.deepStrictEqual(yield* store.create(creationOf(test, second, again)), { kind: "created" })
  }),
  { eventRetentionMillis: dayMillis, testRetentionMillis: 9 * dayMillis },
)

/** What ended in test mode goes after its retention (`docs/decisions/0073-test-data-ends.md`). */
export const testDataCases: ReadonlyArray<StoreCase> = [
  ...[ended, young, open, timer, events, fromOldEnd, forEver, exact, replay],
]
