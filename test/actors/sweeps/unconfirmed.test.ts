import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { ReceivedPix, SentPayout } from "../../../actors/ports/acquirer.ts"
import { ExceptionStore } from "../../../actors/ports/exceptionStore.ts"
import { SweepStore } from "../../../actors/ports/sweepStore.ts"
import { readException } from "../../../actors/seller/decisions/exceptionDocument.ts"
import type { QueryStatus } from "../../../actors/seller/decisions/noticeAnswer.ts"
import { makeSweep } from "../../../actors/sweeps/sweep.ts"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { makeId, payoutIdOf, txidOf } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { freezingKinds } from "../../../schema/resources/exception.ts"
import { MemoryStore } from "../../model/state.ts"
import { acquirerWith, type Door, emptyScript, sweepWorld } from "../support/books.ts"
import { nowMillis, storedCharge } from "../support/charges.ts"
import { pass } from "../support/settle.ts"
import { storedWithdrawal } from "../support/withdrawals.ts"

const window = { fromMillis: nowMillis - 1_000, toMillis: nowMillis }
const withdrawalId = makeId("wd_", nowMillis, 6, new Uint8Array(14))
const chargeId = makeId("txn_", nowMillis, 5, new Uint8Array(14))
const account = "elsewhere:1"

const payout = (changes: Partial<SentPayout> = {}): SentPayout => ({
  ...{
    payoutId: payoutIdOf(withdrawalId),
    endToEndId: "S1",
    amount: 1_000,
    status: "paid",
    reason: undefined,
  },
  ...{ returnedAmount: 0, sentMillis: nowMillis, ...changes },
})
const pix = (changes: Partial<ReceivedPix> = {}): ReceivedPix => ({
  ...{ endToEndId: "E1", amount: 1_000, refunds: [], txid: txidOf(chargeId), receivedMillis: nowMillis },
  ...changes,
})

const allExceptions = Effect.gen(function* () {
  const page = { state: undefined, kind: undefined, beforeId: undefined, limit: 100 }
  return (yield* (yield* ExceptionStore).list(page)).map(readException)
})
const areFrozen = Effect.map(
  Effect.flatMap(ExceptionStore, (store) => store.countOpen(freezingKinds)),
  (open) => open > 0,
)

/** A sweeper that may begin anew, as after a restart, on books and answers that the test writes. */
const open = Effect.gen(function* () {
  const script = emptyScript()
  const state = yield* MemoryStore
  const acquirer = acquirerWith(script)
  const makeRun = Effect.map(makeSweep(acquirer, acquirer.books), (sweep) =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(sweep({ window }))
      for (let i = 0; i < 100 && fiber.pollUnsafe() === undefined; i++) yield* pass(100)
      return yield* Fiber.join(fiber)
    }),
  )
  const world = {
    run: yield* makeRun,
    restart: Effect.map(makeRun, (run) => {
      world.run = run
    }),
    script,
    withdrawal: (status: Parameters<typeof storedWithdrawal>[0], changes = {}) =>
      state.withdrawals.set(withdrawalId, {
        ...storedWithdrawal(status, changes),
        ...{ id: withdrawalId, mode: "live", account },
      }),
    charge: (status: Parameters<typeof storedCharge>[0], changes = {}) =>
      state.transactions.set(chargeId, {
        ...storedCharge(status, changes),
        ...{ id: chargeId, mode: "live", account },
      }),
  }
  return world
})

/** Sweeps so often, so long apart; answers the failures of each. */
const sweeps = Effect.fnUntraced(function* (
  world: Effect.Success<typeof open>,
  times: number,
  apartMillis = 150_000,
) {
  const failures: Array<number> = []
  for (let i = 0; i < times; i++) {
    if (i > 0) yield* TestClock.adjust(apartMillis)
    failures.push((yield* world.run).failures)
  }
  return failures
})

const world = <A, E, R>(
  program: (
    opened: Effect.Success<typeof open> & {
      readonly says: (queryStatus: QueryStatus) => void
      readonly answers: Door["answers"]
    },
  ) => Effect.Effect<A, E, R>,
) => {
  const { door, layer } = sweepWorld()
  const says = (queryStatus: QueryStatus) => {
    for (const id of [withdrawalId, chargeId]) door.answers.set(id, { kind: "pending", queryStatus })
  }
  return Effect.andThen(
    TestClock.setTime(nowMillis),
    Effect.flatMap(open, (opened) => program(Object.assign(opened, { says, answers: door.answers }))),
  ).pipe(Effect.provide(layer))
}

const statuses = ["unknown", "processing", "silent"] as const

describe("a payout that the list shows as paid and the query does not confirm", () => {
  it.effect.each(statuses)(
    "of a withdrawal that failed here it becomes a payout_contradicted, and payouts freeze (the query is %s)",
    (queryStatus) =>
      world((opened) =>
        Effect.gen(function* () {
          opened.withdrawal("failed")
          opened.script.sent = [[payout()]]
          opened.says(queryStatus)
          // Until then the sweep is not complete, so that a start hands over nothing.
          assert.deepStrictEqual(yield* sweeps(opened, 4), [1, 1, 1, 1])
          assert.deepStrictEqual([yield* allExceptions, yield* areFrozen], [[], false])
          yield* TestClock.adjust(150_000)
          assert.deepStrictEqual(yield* sweeps(opened, 2), [0, 0])

          const [exception, ...others] = yield* allExceptions
          assert.deepStrictEqual(others, [])
          assert.deepInclude(exception, { kind: "payout_contradicted", state: "open", amount: 1_000 })
          assert.deepInclude(exception?.details ?? {}, {
            ...{ list_status: "paid", query_status: queryStatus, amount_there: 1_000, end_to_end_id: "S1" },
          })
          assert.isTrue(yield* areFrozen)
        }),
      ),
  )

  it.effect("neither fewer than five sweeps nor less than ten minutes are enough", () =>
    world((opened) =>
      Effect.gen(function* () {
        opened.withdrawal("failed")
        opened.script.sent = [[payout()]]
        opened.says("unknown")
        yield* sweeps(opened, limits.unconfirmedSweepsMin - 1, limits.unconfirmedMillisMin)
        assert.deepStrictEqual(yield* allExceptions, [])
        yield* opened.run
        assert.strictEqual((yield* allExceptions).length, 1)
      }),
    ),
  )

  it.effect("five sweeps within ten minutes are not enough", () =>
    world((opened) =>
      Effect.gen(function* () {
        opened.withdrawal("failed")
        opened.script.sent = [[payout()]]
        opened.says("unknown")
        yield* sweeps(opened, 8, 1_000)
        assert.deepStrictEqual(yield* allExceptions, [])
        const [entry] = yield* (yield* SweepStore).unconfirmed(account)
        yield* TestClock.setTime((entry?.sinceMillis ?? 0) + limits.unconfirmedMillisMin)
        yield* opened.run
        assert.strictEqual((yield* allExceptions).length, 1)
      }),
    ),
  )

  it.effect("a restart does not begin anew", () =>
    world((opened) =>
      Effect.gen(function* () {
        opened.withdrawal("failed")
        opened.script.sent = [[payout()]]
        opened.says("unknown")
        for (let i = 0; i < limits.unconfirmedSweepsMin; i++) {
          yield* opened.restart
          yield* opened.run
          yield* TestClock.adjust(limits.unconfirmedMillisMin)
        }
        assert.strictEqual((yield* allExceptions).length, 1)
      }),
    ),
  )

  it.effect("it is asked about at each sweep, although the window no longer has it", () =>
    world((opened) =>
      Effect.gen(function* () {
        opened.withdrawal("failed")
        opened.script.sent = [[payout()]]
        opened.says("unknown")
        yield* opened.run
        opened.script.sent = [[]]
        yield* sweeps(opened, limits.unconfirmedSweepsMin, 300_000)
        assert.strictEqual((yield* allExceptions).length, 1)
      }),
    ),
  )

  it.effect("once list and query agree the exception is resolved by itself, and payouts go on", () =>
    world((opened) =>
      Effect.gen(function* () {
        opened.withdrawal("failed")
        opened.script.sent = [[payout()]]
        opened.says("unknown")
        yield* sweeps(opened, limits.unconfirmedSweepsMin)
        assert.isTrue(yield* areFrozen)
        opened.script.sent = [[payout({ status: "notPaid" })]]
        yield* opened.run
        assert.deepInclude((yield* allExceptions)[0], { state: "resolved", resolved_by: null })
        assert.isFalse(yield* areFrozen)
        assert.deepStrictEqual(yield* (yield* SweepStore).unconfirmed(account), [])

        // The list changes its mind once more: that is another exception, after as long.
        opened.script.sent = [[payout()]]
        yield* TestClock.adjust(1)
        yield* sweeps(opened, limits.unconfirmedSweepsMin)
        assert.deepStrictEqual((yield* allExceptions).map(({ state }) => state).sort(), ["open", "resolved"])
      }),
    ),
  )

  it.effect("a sweep that ends before it resolves an exception leaves that to the next one", () =>
    world((opened) =>
      Effect.gen(function* () {
        opened.withdrawal("failed")
        opened.script.sent = [[payout()]]
        opened.says("unknown")
        yield* sweeps(opened, limits.unconfirmedSweepsMin)
        opened.script.sent = [[payout({ status: "notPaid" })]]
        // As a process does that is killed there.
        const exceptions = yield* ExceptionStore
        const commit = () =>
          Effect.fail(new StoreUnavailable({ operation: "commit", reason: "Redis is away" }))
        const sweep = yield* Effect.provideService(
          makeSweep(acquirerWith(opened.script), acquirerWith(opened.script).books),
          ExceptionStore,
          { ...exceptions, commit },
        )
        assert.isTrue(Exit.isFailure(yield* Effect.exit(sweep({ window }))))
        assert.isTrue(yield* areFrozen)

        yield* opened.restart
        yield* opened.run
        assert.deepInclude((yield* allExceptions)[0], { state: "resolved", resolved_by: null })
        assert.isFalse(yield* areFrozen)
      }),
    ),
  )

  it.effect("one that an operator has dismissed does not come back while the list says the same", () =>
    world((opened) =>
      Effect.gen(function* () {
        opened.withdrawal("failed")
        opened.script.sent = [[payout()]]
        opened.says("unknown")
        yield* sweeps(opened, limits.unconfirmedSweepsMin)
        const store = yield* ExceptionStore
        const [shown] = yield* allExceptions
        const exception = yield* store.load(shown?.id ?? "")
        if (exception === undefined) return assert.fail("no exception")
        const document = JSON.stringify({ ...shown, state: "resolved", act: "dismiss" })
        const change = { exception, to: "resolved", document, pending: "" } as const
        yield* store.commit({ change, timers: [], timersDone: [] })
        yield* sweeps(opened, 2 * limits.unconfirmedSweepsMin)
        assert.strictEqual((yield* allExceptions).length, 1)
        assert.isFalse(yield* areFrozen)
      }),
    ),
  )

  it.effect("one that operators have booked, and that differs from our books again, is another", () =>
    world((opened) =>
      Effect.gen(function* () {
        opened.withdrawal("successful", { end_to_end_id: "S1" })
        opened.script.sent = [[payout({ status: "notPaid" })]]
        opened.says("silent")
        yield* sweeps(opened, limits.unconfirmedSweepsMin)
        const store = yield* ExceptionStore
        const [shown] = yield* allExceptions
        const exception = yield* store.load(shown?.id ?? "")
        if (exception === undefined) return assert.fail("no exception")
        const document = JSON.stringify({
          ...shown,
          state: "resolved",
          act: "return",
          resolved_by: "operator",
        })
        const change = { exception, to: "resolved", document, pending: "" } as const
        yield* store.commit({ change, timers: [], timersDone: [] })

        // The query said that it was paid after all, and an operator debited it.
        opened.withdrawal("successful", { returned_amount: 1_000, debited_amount: 1_000 })
        const failures = yield* sweeps(opened, limits.unconfirmedSweepsMin)
        assert.deepStrictEqual(failures, [1, 1, 1, 1, 0])
        assert.deepStrictEqual((yield* allExceptions).map(({ kind, state }) => `${kind} ${state}`).sort(), [
          "payout_returned open",
          "payout_returned resolved",
        ])
      }),
    ),
  )

  it.effect("a query that agrees with our books does not hide what the list says", () =>
    world((opened) =>
      Effect.gen(function* () {
        opened.withdrawal("failed")
        opened.script.sent = [[payout()]]
        opened.answers.set(withdrawalId, { kind: "settled", note: undefined, queryStatus: "not_paid" })
        yield* sweeps(opened, limits.unconfirmedSweepsMin)
        assert.deepInclude((yield* allExceptions)[0]?.details ?? {}, { query_status: "not_paid" })
      }),
    ),
  )

  it.effect("what only the list says came back is a payout_returned, and freezes nothing", () =>
    world((opened) =>
      Effect.gen(function* () {
        opened.withdrawal("successful", { end_to_end_id: "S1" })
        opened.script.sent = [[payout({ status: "returned", returnedAmount: 1_000 })]]
        opened.says("silent")
        yield* sweeps(opened, limits.unconfirmedSweepsMin)
        const [exception] = yield* allExceptions
        assert.deepInclude(exception, { kind: "payout_returned", amount: 1_000 })
        assert.deepInclude(exception?.details ?? {}, { returned_amount: 1_000, list_status: "returned" })
        assert.isFalse(yield* areFrozen)
      }),
    ),
  )

  it.effect("a payout that has not left by the list either is no exception", () =>
    world((opened) =>
      Effect.gen(function* () {
        opened.withdrawal("failed")
        opened.script.sent = [[payout({ status: "processing" })]]
        opened.says("processing")
        yield* sweeps(opened, 2 * limits.unconfirmedSweepsMin)
        assert.deepStrictEqual(yield* allExceptions, [])
      }),
    ),
  )
})

describe("a Pix that the list has and the query does not confirm", () => {
  it.effect.each(statuses)(
    "it is a payment_unconfirmed of its charge, and the sweep is complete meanwhile (the query is %s)",
    (queryStatus) =>
      world((opened) =>
        Effect.gen(function* () {
          opened.charge("expired")
          opened.script.received = [[pix()]]
          opened.says(queryStatus)
          assert.deepStrictEqual(yield* sweeps(opened, 5), [0, 0, 0, 0, 0])
          const [exception, ...others] = yield* allExceptions
          assert.deepStrictEqual(others, [])
          assert.deepInclude(exception, {
            ...{ kind: "payment_unconfirmed", resource_id: chargeId, amount: 1_000, state: "open" },
          })
          assert.deepInclude(exception?.details ?? {}, {
            ...{ end_to_end_id: "E1", list_status: "received", query_status: queryStatus, status: "expired" },
          })
          assert.isFalse(yield* areFrozen)

          opened.charge("paid", { end_to_end_id: "E1" })
          yield* opened.run
          assert.deepInclude((yield* allExceptions)[0], { state: "resolved", resolved_by: null })
        }),
      ),
  )

  it.effect("a return that only the list has of its charge's own Pix is a payment_returned", () =>
    world((opened) =>
      Effect.gen(function* () {
        opened.charge("paid", { end_to_end_id: "E1" })
        const back = { id: "D1", amount: 400, kind: "chargeback", status: "done" } as const
        opened.script.received = [[pix({ refunds: [back] })]]
        opened.says("unknown")
        yield* sweeps(opened, 5)
        const [exception] = yield* allExceptions
        assert.deepInclude(exception, { kind: "payment_returned", amount: 400, resource_id: chargeId })
        assert.deepInclude(exception?.details ?? {}, { return_id: "D1", list_status: "returned" })
      }),
    ),
  )
})
