import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { PayoutReport } from "../../../actors/ports/acquirer.ts"
import { limits } from "../../../schema/limits.ts"
import { actsOfKind, exceptionActs, exceptionKinds } from "../../../schema/resources/exception.ts"
import { makeBank, notPaid, paid, processing } from "../support/bank.ts"
import {
  exceptionsNow,
  first,
  kindsNow,
  onlyException,
  openUnknown,
  resolve,
  second,
} from "../support/exceptions.ts"
import { automatic } from "../support/payout.ts"
import { type ProcessOptions, startProcess } from "../support/process.ts"
import { balanceNow, movementsOf, withdraw, withdrawalNow } from "../support/purse.ts"
import { paidCharge, refund, refundNow, refundsOf, requestRefund } from "../support/refunds.ts"
import { pass, settle } from "../support/settle.ts"
import { chargeNow, createCharge, eventsOf, eventTypesOf, openShop, timersOf } from "../support/shop.ts"
import { onStore, StoreFaults } from "../support/store.ts"

const stuckMillis = 10_000
/** By then a payout is asked about that has been processing for longer than allowed. */
const stuckWithinMillis = 2 * stuckMillis
const rules = { payoutStuckMillis: stuckMillis, operatorApprovals: 1 }
const expiring = { body: { pix: { expires_in_seconds: 10 } } }
const two = { rules: { ...rules, operatorApprovals: 2 } }

/** A live withdrawal of 1,000 centavos and a fee of 100 that was sent. */
const openPayout = (options: ProcessOptions & { readonly said?: PayoutReport } = {}) =>
  Effect.gen(function* () {
    let report = options.said ?? processing
    const bank = makeBank({ query: () => Effect.sync(() => report) })
    const shop = yield* openShop(automatic)
    const process = yield* startProcess({ acquirer: bank.acquirer, rules, ...options })
    const { id } = yield* withdraw(process, shop.live)
    yield* settle
    const says = (next: PayoutReport) => {
      report = next
    }
    return { bank, shop, process, id, says }
  })

describe("a payout that is processing for too long", () => {
  it.effect("a payout becomes an exception once it is processing for longer than allowed", () =>
    onStore(
      Effect.gen(function* () {
        const { id } = yield* openPayout({ rules: { payoutStuckMillis: 122_000 } })
        // It is asked about 2, 4, 8, 16, 32 and 64 s after it was sent, and then each minute.
        yield* pass(122_000)
        assert.deepStrictEqual(yield* exceptionsNow(), [])
        yield* pass(120_000)
        assert.deepInclude(yield* onlyException, { kind: "payout_stuck", amount: 1_000, resource_id: id })
      }),
    ),
  )

  for (const [act, status, movement] of [
    ["settle", "successful", "withdrawal_settled"],
    ["fail", "failed", "withdrawal_returned"],
  ] as const) {
    it.effect(`an operator's ${act} ends it as ${status}`, () =>
      onStore(
        Effect.gen(function* () {
          const { shop, process, id } = yield* openPayout()
          yield* pass(stuckWithinMillis)
          const answer = yield* resolve(process, (yield* onlyException).id, act)

          assert.strictEqual(answer.kind, "resolved")
          assert.deepInclude(yield* withdrawalNow(id), {
            ...{ status, failure_reason: act === "fail" ? "to fail" : null },
          })
          assert.strictEqual((yield* movementsOf(shop.live, id)).at(-1), movement)
          assert.strictEqual((yield* eventTypesOf(shop.live, id)).at(-1), `withdrawal.${status}`)
          assert.deepStrictEqual(yield* timersOf(id), [])
          assert.deepInclude(yield* onlyException, { state: "resolved", act, resolved_by: first })
        }),
      ),
    )
  }

  for (const [report, act] of [
    [paid, "settle"],
    [notPaid, "fail"],
  ] as const) {
    it.effect(`the end that the acquirer tells of (${report.status}) resolves it without an operator`, () =>
      onStore(
        Effect.gen(function* () {
          const { process, says } = yield* openPayout()
          yield* pass(stuckWithinMillis)
          says(report)
          yield* pass(limits.payoutPollMillisMax)

          const exception = yield* onlyException
          assert.deepInclude(exception, { state: "resolved", act, resolved_by: null })
          const late = yield* Effect.flip(resolve(process, exception.id, act))
          assert.deepInclude(late, { code: "invalid_state", details: { state: "resolved" } })
        }),
      ),
    )
  }
})

describe("what belongs to an acquirer account that is not configured any more", () => {
  const elsewhere = { acquirer: { ...makeBank({}).acquirer, account: "elsewhere:2" } }

  /** A process at another account than the one that made what the test makes first. */
  const moved = <A, E, R>(
    make: (process: {
      readonly first: Parameters<typeof withdraw>[0]
      readonly shop: Parameters<typeof withdraw>[1]
    }) => Effect.Effect<A, E, R>,
    isManual = false,
  ) =>
    Effect.gen(function* () {
      const shop = yield* openShop(isManual ? {} : automatic)
      const firstProcess = yield* startProcess({ acquirer: makeBank({}).acquirer })
      const made = yield* make({ first: firstProcess, shop: shop.live })
      yield* firstProcess.kill
      const process = yield* startProcess(elsewhere)
      yield* pass(15_000)
      return { shop, process, made }
    })

  for (const [act, status] of [
    ["settle", "successful"],
    ["fail", "failed"],
  ] as const) {
    it.effect(
      `a withdrawal that was sent waits, is an exception once, and an operator's ${act} ends it`,
      () =>
        onStore(
          Effect.gen(function* () {
            const { process, made } = yield* moved((on) =>
              Effect.tap(withdraw(on.first, on.shop), () => settle),
            )
            yield* pass(limits.otherAccountWaitMillis)
            const exception = yield* onlyException
            assert.deepInclude(exception, { kind: "partner_changed", acquirer: "elsewhere", amount: 1_000 })
            assert.deepInclude(exception.details, {
              ...{ status: "processing", account: "elsewhere:1", configured_account: "elsewhere:2" },
            })
            yield* resolve(process, exception.id, act)
            assert.strictEqual((yield* withdrawalNow(made.id)).status, status)
          }),
        ),
    )

    it.effect(
      `a payout_stuck whose withdrawal ended by another exception's ${act} is resolved by the same`,
      () =>
        onStore(
          Effect.gen(function* () {
            const { shop, process: before, id } = yield* openPayout()
            yield* pass(stuckWithinMillis)
            yield* before.kill
            const process = yield* startProcess({ ...elsewhere, rules })
            yield* pass(limits.payoutPollMillisMax)
            const [stuck, changed] = yield* exceptionsNow("open")
            yield* resolve(process, changed?.id ?? "", act)
            const moved = yield* movementsOf(shop.live, id)
            const other = act === "settle" ? "fail" : "settle"
            const refusal = yield* Effect.flip(resolve(process, stuck?.id ?? "", other))
            assert.deepInclude(refusal, {
              code: "invalid_state",
              details: { reason: "resource_state", status },
            })
            yield* resolve(process, stuck?.id ?? "", act)

            assert.deepStrictEqual(yield* kindsNow, ["partner_changed resolved", "payout_stuck resolved"])
            assert.deepStrictEqual(yield* movementsOf(shop.live, id), moved)
            assert.strictEqual((yield* withdrawalNow(id)).status, status)
          }),
        ),
    )

    it.effect(`a withdrawal that was approved and not sent ends by an operator's ${act}`, () =>
      onStore(
        Effect.gen(function* () {
          const { shop, process, made } = yield* moved((on) => withdraw(on.first, on.shop), true)
          assert.deepStrictEqual(yield* exceptionsNow(), [])
          yield* process.commands.decideWithdrawal(made.id, "approve", undefined)
          yield* settle
          yield* resolve(process, (yield* onlyException).id, act)

          assert.deepInclude(yield* withdrawalNow(made.id), { status, processing_at: null })
          assert.strictEqual((yield* balanceNow(shop.live)).pendingWithdraw, 0)
          assert.deepStrictEqual(yield* timersOf(made.id), [])
        }),
      ),
    )
  }

  for (const [act, status] of [
    ["settle", "paid"],
    ["fail", "failed"],
  ] as const) {
    it.effect(`a charge waits, is an exception once, and an operator's ${act} makes it ${status}`, () =>
      onStore(
        Effect.gen(function* () {
          const { shop, process, made } = yield* moved((on) => createCharge(on.first, on.shop, expiring))
          assert.deepStrictEqual(yield* eventTypesOf(shop.live, made.id), [
            "transaction.created",
            "transaction.exception",
          ])
          yield* resolve(process, (yield* onlyException).id, act)

          assert.deepInclude(yield* chargeNow(made.id), {
            ...{ status, end_to_end_id: null, failure_reason: act === "fail" ? "to fail" : null },
          })
          assert.strictEqual((yield* eventTypesOf(shop.live, made.id)).at(-1), `transaction.${status}`)
        }),
      ),
    )
  }

  it.effect(
    "a charge that an operator settled is not refunded and holds no money: no payment is known to return",
    () =>
      onStore(
        Effect.gen(function* () {
          const { shop, process, made } = yield* moved((on) => createCharge(on.first, on.shop, expiring))
          yield* resolve(process, (yield* onlyException).id, "settle")
          const before = yield* balanceNow(shop.live)
          const answer = yield* requestRefund(process, shop.live, made.id)

          assert.deepInclude(answer, { kind: "answered", status: 409 })
          assert.include(JSON.stringify(answer), "end_to_end_id_unknown")
          assert.deepStrictEqual(yield* refundsOf(shop.live, made.id), [])
          assert.deepStrictEqual(yield* balanceNow(shop.live), before)
        }),
      ),
  )

  for (const [act, status] of [
    ["settle", "succeeded"],
    ["fail", "failed"],
  ] as const) {
    it.effect(`a refund waits, is an exception once, and an operator's ${act} ends it`, () =>
      onStore(
        Effect.gen(function* () {
          const { shop, process, made } = yield* moved((on) =>
            Effect.gen(function* () {
              const transactionId = yield* paidCharge(on.first, on.shop)
              const { id } = yield* refund(on.first, on.shop, transactionId, { body: { amount: 400 } })
              return id
            }),
          )
          assert.deepInclude(yield* onlyException, {
            kind: "partner_changed",
            resource_type: "refund",
            amount: 400,
          })
          yield* resolve(process, (yield* onlyException).id, act)

          assert.strictEqual((yield* refundNow(made)).status, status)
          assert.strictEqual((yield* balanceNow(shop.live)).pendingRefund, 0)
        }),
      ),
    )
  }

  it.effect("an act that its charge's status does not allow is refused, and a dismissal is not", () =>
    onStore(
      Effect.gen(function* () {
        const { process, made } = yield* moved((on) => createCharge(on.first, on.shop, expiring))
        const { id } = yield* onlyException
        yield* process.commands.simulateOutcome(made.id, "paid")
        const refusal = yield* Effect.flip(resolve(process, id, "settle"))
        assert.deepInclude(refusal, {
          code: "invalid_state",
          details: { reason: "resource_state", status: "paid" },
        })
        yield* resolve(process, id, "dismiss")
        assert.deepStrictEqual(yield* kindsNow, ["partner_changed resolved"])
      }),
    ),
  )
})

describe("a payment that names no charge", () => {
  it.effect(
    "a credit books it to the seller that the operator names, in whatever partition, and tells it",
    () =>
      onStore(
        Effect.gen(function* () {
          const shop = yield* openShop({ partition: 1 })
          const process = yield* startProcess()
          const id = yield* openUnknown("payment_unknown", 500, 1)
          const answer = yield* resolve(process, id, "credit", { sellerId: shop.sellerId })

          assert.strictEqual(answer.kind, "resolved")
          assert.deepInclude(yield* onlyException, {
            ...{ state: "resolved", act: "credit", seller_id: shop.sellerId, resolved_by: first },
          })
          assert.strictEqual((yield* balanceNow(shop.live)).available, 500)
          const told = (yield* eventsOf(shop.live)).at(-1)
          assert.deepInclude(told, { type: "exception.credited", resourceId: id })
          assert.deepInclude(JSON.parse(told?.data ?? "{}"), {
            ...{ amount: 500, seller_id: shop.sellerId, resolved_by: null, reason: null },
          })
          assert.deepStrictEqual(yield* timersOf(id), [])
        }),
        2,
      ),
  )

  for (const moment of ["before", "after"] as const) {
    it.effect(`a credit whose process dies ${moment} the booking is made once, by the timer`, () =>
      onStore(
        Effect.gen(function* () {
          const { away, answersLost } = yield* StoreFaults
          const faults = moment === "before" ? away : answersLost
          const shop = yield* openShop()
          const process = yield* startProcess()
          const id = yield* openUnknown()
          faults.add("credit")
          yield* Effect.flip(resolve(process, id, "credit", { sellerId: shop.sellerId }))
          yield* process.kill
          faults.clear()
          assert.strictEqual((yield* balanceNow(shop.live)).available, moment === "before" ? 0 : 500)
          yield* startProcess()
          yield* pass(2 * limits.acquirerTimerLeaseMillis)

          assert.strictEqual((yield* balanceNow(shop.live)).available, 500)
          assert.deepStrictEqual(yield* movementsOf(shop.live, id), ["payment_credited"])
          assert.deepStrictEqual(yield* timersOf(id), [])
          assert.deepStrictEqual(yield* kindsNow, ["payment_unknown resolved"])
        }),
      ),
    )
  }

  it.effect("a credit needs a seller that exists", () =>
    onStore(
      Effect.gen(function* () {
        const process = yield* startProcess()
        const id = yield* openUnknown()
        for (const sellerId of [undefined, "sel_00000000000000000000000000", "nobody"]) {
          const asked = resolve(process, id, "credit", sellerId === undefined ? {} : { sellerId })
          assert.deepInclude(yield* Effect.flip(asked), { code: "validation_failed", param: "seller_id" })
        }
        assert.deepStrictEqual(yield* kindsNow, ["payment_unknown open"])
      }),
    ),
  )
})

describe("two operators", () => {
  it.effect(
    "an act that moves live money is done by the same call of another operator, and by no other",
    () =>
      onStore(
        Effect.gen(function* () {
          const shop = yield* openShop()
          const process = yield* startProcess(two)
          const id = yield* openUnknown()
          const credit = (operatorId: string, sellerId = shop.sellerId) =>
            Effect.map(resolve(process, id, "credit", { sellerId, operatorId }), ({ kind }) => kind)

          assert.strictEqual(yield* credit(first), "awaitingSecondOperator")
          assert.strictEqual(yield* credit(first), "awaitingSecondOperator")
          const refunding = yield* resolve(process, id, "refund", { operatorId: second })
          assert.strictEqual(refunding.kind, "awaitingSecondOperator")
          assert.strictEqual(yield* credit(second), "awaitingSecondOperator")
          const another = yield* openShop()
          assert.strictEqual(yield* credit(first, another.sellerId), "awaitingSecondOperator")
          assert.strictEqual((yield* balanceNow(shop.live)).available, 0)
          assert.strictEqual(yield* credit(first), "awaitingSecondOperator")
          assert.strictEqual(yield* credit(second), "resolved")

          assert.strictEqual((yield* balanceNow(shop.live)).available, 500)
          assert.deepInclude(yield* onlyException, { resolved_by: `${first},${second}` })
        }),
      ),
  )

  it.effect("a dismissal needs one operator, also while another act awaits its second", () =>
    onStore(
      Effect.gen(function* () {
        const process = yield* startProcess(two)
        const id = yield* openUnknown()
        yield* resolve(process, id, "refund")
        assert.strictEqual((yield* resolve(process, id, "dismiss")).kind, "resolved")
      }),
    ),
  )

  it.effect("an act in test mode needs one operator", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop(automatic)
        const process = yield* startProcess(two)
        const { id } = yield* withdraw(process, shop.test, { body: { amount: 1_001 } })
        yield* pass(5 * 60_000)
        const answer = yield* resolve(process, (yield* onlyException).id, "fail")
        assert.strictEqual(answer.kind, "resolved")
        assert.strictEqual((yield* withdrawalNow(id)).status, "failed")
      }),
    ),
  )

  it.effect("a payout that ends by itself ends the act that awaited a second operator", () =>
    onStore(
      Effect.gen(function* () {
        const { process, says } = yield* openPayout(two)
        yield* pass(stuckWithinMillis)
        const { id } = yield* onlyException
        assert.strictEqual((yield* resolve(process, id, "fail")).kind, "awaitingSecondOperator")
        says(paid)
        yield* pass(limits.payoutPollMillisMax)
        assert.deepInclude(yield* onlyException, { state: "resolved", act: "settle" })
        const late = yield* Effect.flip(resolve(process, id, "fail", { operatorId: second }))
        assert.deepInclude(late, { code: "invalid_state" })
      }),
    ),
  )
})

describe("the acts of each kind", () => {
  it.effect("each kind refuses the acts that it does not have", () =>
    onStore(
      Effect.gen(function* () {
        const process = yield* startProcess()
        for (const kind of ["payment_unknown", "payout_unknown"] as const) {
          const id = yield* openUnknown(kind)
          for (const act of exceptionActs.filter((one) => !actsOfKind[kind].includes(one))) {
            const refusal = yield* Effect.flip(resolve(process, id, act))
            assert.deepInclude(refusal, { code: "invalid_state", details: { kind, acts: actsOfKind[kind] } })
          }
          assert.strictEqual((yield* resolve(process, id, "dismiss")).kind, "resolved")
        }
        assert.strictEqual(exceptionKinds.length, 11)
      }),
    ),
  )
})
