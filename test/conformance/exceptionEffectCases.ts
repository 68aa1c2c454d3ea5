import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type ExceptionEffect, ExceptionStore } from "../../actors/ports/exceptionStore.ts"
import { TransactionStore, type TransitionCommit } from "../../actors/ports/transactionStore.ts"
import type { WithdrawalTransition } from "../../actors/ports/withdrawalStore.ts"
import { changed, changeOf, idsOf, load, newExceptionBeside, openException, opened } from "./exceptions.ts"
import { eventsOf, freshIdBeside, move, openCharge, openShop, transitionOf } from "./fixtures.ts"
import {
  openCounter,
  openRefund,
  pass as passRefund,
  refundTransitionOf,
  transition as transitionRefund,
} from "./refunds.ts"
import { type StoreCase, storeCase } from "./stage.ts"
import {
  amount,
  balanceOf,
  entriesOf,
  openTill,
  openWithdrawal,
  pass,
  transition,
  withdrawalTransitionOf,
  writingNothing,
} from "./withdrawals.ts"

const stale = { kind: "stale" } as const
const applied = { kind: "applied" } as const

const transitionCharge = (commit: TransitionCommit) =>
  Effect.flatMap(TransactionStore, (store) => store.transition(commit))

/** A change of the exception, decided on a version that it does not have. */
const staleChange = (partition: number) =>
  Effect.map(openException(partition), (exception): ExceptionEffect => {
    return { kind: "change", change: changeOf({ ...exception, version: 2 }) }
  })

const withCharge: StoreCase = storeCase(
  "a charge's commit records an exception and changes it, the money in the same step",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const charge = yield* move(yield* openCharge(live), "paid")
    const exception = yield* newExceptionBeside(charge.id, {
      kind: "double_payment",
      sellerId: live.sellerId,
    })
    const paidTwice = yield* move(charge, "paid", {
      eventType: "transaction.exception",
      exception: { kind: "open", exception },
    })
    assert.deepStrictEqual(yield* load(exception.id), opened(exception))
    const change = changeOf(opened(exception))
    yield* move(paidTwice, "paid", {
      eventType: "transaction.exception",
      movement: {
        ...{ kind: "payment_credited", resourceType: "exception", resourceId: exception.id },
        postings: [
          { bucket: "external", amount: -700 },
          { bucket: "available", amount: 700 },
        ],
      },
      exception: { kind: "change", change },
    })
    assert.deepStrictEqual(yield* load(exception.id), changed(change))
    assert.strictEqual((yield* balanceOf(live)).available, 700)
    const [entry] = yield* entriesOf(live)
    const { type, resourceId, entryId } = (yield* eventsOf(live)).at(-1) ?? {}
    assert.deepStrictEqual([type, resourceId], ["transaction.exception", charge.id])
    assert.deepStrictEqual(
      [entry?.kind, entry?.resourceType, entry?.resourceId, entry?.eventEntryId],
      ["payment_credited", "exception", exception.id, entryId],
    )
  }),
)

const besideRefund: StoreCase = storeCase(
  "a charge's commit books a refund and records an exception at once",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const charge = yield* move(yield* openCharge(live), "paid")
    const exception = yield* newExceptionBeside(charge.id)
    const id = yield* freshIdBeside("rfd_", charge.id)
    yield* move(charge, "refunded", {
      refund: { id, document: "{}", eventType: "refund.succeeded" },
      exception: { kind: "open", exception },
    })
    assert.deepStrictEqual(yield* load(exception.id), opened(exception))
    assert.deepStrictEqual(
      (yield* eventsOf(live)).slice(-2).map(({ type, resourceId }) => [type, resourceId]),
      [
        ["refund.succeeded", id],
        ["transaction.refunded", charge.id],
      ],
    )
  }),
)

const knownFact: StoreCase = storeCase(
  "a commit that records a fact which is known changes all but its exception",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const charge = yield* openCharge(live)
    const first = yield* newExceptionBeside(charge.id)
    const paid = yield* move(charge, "paid", { exception: { kind: "open", exception: first } })
    const again = yield* newExceptionBeside(charge.id, { fact: first.fact })
    const reported = yield* move(paid, "paid", { exception: { kind: "open", exception: again } })
    assert.deepStrictEqual(yield* (yield* TransactionStore).load(charge.id), reported)
    assert.deepStrictEqual(yield* idsOf(), [first.id])
    assert.deepStrictEqual(yield* (yield* ExceptionStore).findFact(charge.id, first.fact), opened(first))
  }),
)

const withWithdrawal: StoreCase = storeCase(
  "a withdrawal's commit records an exception and changes it, its end as well",
  Effect.gen(function* () {
    const till = yield* openTill()
    const processing = yield* pass(yield* openWithdrawal(till), "processing")
    const exception = yield* newExceptionBeside(processing.id, { kind: "payout_stuck" })
    const paid = yield* pass(processing, "successful", { exception: { kind: "open", exception } })
    assert.deepStrictEqual(yield* load(exception.id), opened(exception))
    const change = changeOf(opened(exception))
    yield* pass(paid, "successful", { movement: undefined, exception: { kind: "change", change } })
    assert.deepStrictEqual(yield* load(exception.id), changed(change))
  }),
)

const overAlready: StoreCase = storeCase(
  "an act on a withdrawal that is over moves its money, and leaves the next withdrawal and the day alone",
  Effect.gen(function* () {
    const till = yield* openTill()
    const { live } = till
    const failed = yield* pass(yield* pass(yield* openWithdrawal(till), "processing"), "failed")
    const next = yield* openWithdrawal(till)
    const before = yield* balanceOf(live)
    const debit: Partial<WithdrawalTransition> = {
      eventType: "withdrawal.debited",
      movement: {
        ...{ kind: "payout_debited", resourceType: "withdrawal", resourceId: failed.id },
        postings: [
          { bucket: "available", amount: -9_000 },
          { bucket: "external", amount: 9_000 },
        ],
      },
      dayValueBack: amount,
    }
    yield* pass(failed, "failed", debit)
    assert.strictEqual((yield* balanceOf(live)).available, before.available - 9_000)
    assert.isBelow((yield* balanceOf(live)).available, 0)
    // Its money is still held: it ends as if nothing had been.
    yield* pass(yield* pass(next, "processing"), "failed")
    assert.strictEqual((yield* balanceOf(live)).available, before.available - 9_000 + 1_100)
    assert.strictEqual((yield* balanceOf(live)).pendingWithdraw, 0)
  }),
)

const withRefund: StoreCase = storeCase(
  "a refund's commit records an exception and changes it, beside what it changes of its charge",
  Effect.gen(function* () {
    const pending = yield* openRefund(yield* openCounter())
    const exception = yield* newExceptionBeside(pending.refund.id, { kind: "partner_changed" })
    const processing = yield* passRefund(pending, "processing", { exception: { kind: "open", exception } })
    assert.deepStrictEqual(yield* load(exception.id), opened(exception))
    const change = changeOf(opened(exception))
    yield* passRefund(processing, "succeeded", { exception: { kind: "change", change } })
    assert.deepStrictEqual(yield* load(exception.id), changed(change))
  }),
)

const guard: StoreCase = storeCase(
  "a commit decided on another version of an exception is stale and writes nothing, whatever it is a commit of",
  Effect.gen(function* () {
    const till = yield* openTill()
    const charge = yield* openCharge(till.live)
    const withdrawal = yield* openWithdrawal(till)
    const refunding = yield* openRefund(yield* openCounter())
    const ofSeller = yield* staleChange(till.shop.partition)
    const beside = yield* newExceptionBeside(refunding.refund.id)
    const unwritten: ExceptionEffect = { kind: "change", change: changeOf(opened(beside)) }
    yield* writingNothing(
      Effect.gen(function* () {
        const ofCharge = transitionOf(charge, "paid", { exception: ofSeller })
        assert.deepStrictEqual(yield* transitionCharge(ofCharge), stale)
        const ofWithdrawal = withdrawalTransitionOf(withdrawal, "approved", { exception: ofSeller })
        assert.deepStrictEqual(yield* transition(ofWithdrawal), stale)
        const ofRefund = refundTransitionOf(refunding, "processing", { exception: unwritten })
        assert.deepStrictEqual(yield* transitionRefund(ofRefund), stale, "no such exception")
      }),
    )
    const allowed = transitionOf(charge, "paid")
    assert.deepStrictEqual(yield* transitionCharge(allowed), applied)
  }),
  { needs: ["contents"] },
)

const refused: StoreCase = storeCase(
  "a commit that is refused records no exception",
  Effect.gen(function* () {
    const till = yield* openTill()
    const charge = yield* openCharge(till.live)
    const exception = yield* newExceptionBeside(charge.id)
    const effect: ExceptionEffect = { kind: "open", exception }
    const most = Number.MAX_SAFE_INTEGER
    const movement: TransitionCommit["movement"] = {
      ...{ kind: "payment_credited", resourceType: "exception", resourceId: exception.id },
      postings: [
        { bucket: "available", amount: most },
        { bucket: "external", amount: -most },
      ],
    }
    yield* writingNothing(
      Effect.gen(function* () {
        const over = transitionOf(charge, "paid", { movement, exception: effect })
        assert.deepStrictEqual(yield* transitionCharge(over), { kind: "overflow" })
        const late = transitionOf({ ...charge, version: 2 }, "paid", { exception: effect })
        assert.deepStrictEqual(yield* transitionCharge(late), stale)
      }),
    )
  }),
  { needs: ["contents"] },
)

const elsewhere: StoreCase = storeCase(
  "a commit cannot reach an exception of another partition: it dies and writes nothing",
  Effect.gen(function* () {
    const { live, partition } = yield* openShop()
    const charge = yield* openCharge(live)
    const exception = yield* newExceptionBeside(yield* freshIdBeside("exc_", charge.id))
    const id = (yield* openException((partition + 1) % 64)).id
    const effect: ExceptionEffect = { kind: "open", exception: { ...exception, id } }
    yield* writingNothing(
      Effect.gen(function* () {
        const commit = Effect.suspend(() =>
          transitionCharge(transitionOf(charge, "paid", { exception: effect })),
        )
        const exit = yield* Effect.exit(commit)
        assert.strictEqual(exit._tag, "Failure")
      }),
    )
  }),
  { needs: ["contents"] },
)

/** What commits of charges, withdrawals and refunds do to exceptions (docs/architecture.md#rule-1). */
export const exceptionEffectCases: ReadonlyArray<StoreCase> = [
  withCharge,
  besideRefund,
  knownFact,
  withWithdrawal,
  overAlready,
  withRefund,
  guard,
  refused,
  elsewhere,
]
