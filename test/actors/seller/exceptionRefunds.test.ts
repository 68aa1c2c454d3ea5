import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Acquirer } from "../../../actors/ports/acquirer.ts"
import { limits } from "../../../schema/limits.ts"
import { noNews } from "../support/acquirer.ts"
import { exceptionsNow, kindsNow, onlyException, openUnknown, resolve } from "../support/exceptions.ts"
import { type ProcessOptions, startProcess } from "../support/process.ts"
import { balanceNow } from "../support/purse.ts"
import {
  away,
  done,
  failed,
  makeRefundBank,
  processing,
  type RefundScript,
  refused,
  unknown,
} from "../support/refunds.ts"
import { pass, settle } from "../support/settle.ts"
import { chargeNow, createCharge, eventTypesOf, openShop, timersOf } from "../support/shop.ts"
import { onStore, StoreFaults } from "../support/store.ts"

const account = "elsewhere:1"

/** A payment of 500 centavos that names no charge, at a bank that refunds as scripted. */
const openPayment = (script: RefundScript = {}, options: ProcessOptions = {}) =>
  Effect.gen(function* () {
    const bank = makeRefundBank(script)
    const start = (more: ProcessOptions = {}) =>
      startProcess({ acquirer: bank.acquirer, ...options, ...more })
    const process = yield* start()
    const id = yield* openUnknown()
    return { bank, process, id, start }
  })

const refundId = (id: string, attempt = "") => `${id.slice(4)}${attempt}`

describe("the refund of a payment that names no charge", () => {
  it.effect(
    "a refund is sent once under the exception's own id, and resolves it once the bank has made it",
    () =>
      onStore(
        Effect.gen(function* () {
          const { bank, process, id } = yield* openPayment({ query: () => Effect.succeed(done) })
          const answer = yield* resolve(process, id, "refund")
          assert.strictEqual(answer.kind, "underWay")
          yield* settle
          assert.deepInclude(bank.sent[0], { endToEndId: "E9", refundId: refundId(id), amount: 500 })
          assert.deepStrictEqual(yield* kindsNow, ["payment_unknown open"])
          yield* pass(limits.payoutPollMillisMin)

          assert.deepInclude(yield* onlyException, {
            ...{ state: "resolved", act: "refund", reason: "to refund", resolved_by: "operator-1" },
          })
          assert.strictEqual(bank.sent.length, 1)
          assert.deepStrictEqual(yield* timersOf(id), [])
        }),
      ),
  )

  it.effect("no other act is possible while a refund is under way", () =>
    onStore(
      Effect.gen(function* () {
        const { process, id } = yield* openPayment()
        yield* resolve(process, id, "refund")
        for (const act of ["refund", "dismiss", "credit"] as const) {
          const refusal = yield* Effect.flip(resolve(process, id, act))
          assert.deepInclude(refusal, {
            code: "invalid_state",
            details: { reason: "act_under_way", act: "refund" },
          })
        }
      }),
    ),
  )

  for (const [what, script] of [
    ["refuses outright", { send: () => Effect.fail(refused) }],
    ["could not make", { query: () => Effect.succeed(failed) }],
  ] as const) {
    it.effect(
      `a refund that the bank ${what} leaves the exception open, and the next has an id of its own`,
      () =>
        onStore(
          Effect.gen(function* () {
            const { bank, process, id } = yield* openPayment(script)
            yield* resolve(process, id, "refund")
            yield* pass(limits.payoutPollMillisMin)
            const exception = yield* onlyException
            assert.deepInclude(exception, { state: "open", act: null })
            assert.deepInclude(exception.details, {
              ...{ end_to_end_id: "E9", refund_attempts: 1 },
              refund_failure: what === "refuses outright" ? "out of time" : "too much",
            })
            assert.deepStrictEqual(yield* timersOf(id), [])
            yield* resolve(process, id, "refund")
            yield* settle

            assert.deepStrictEqual(
              bank.sent.map((sent) => sent.refundId),
              [refundId(id), refundId(id, "1")],
            )
          }),
        ),
    )
  }

  it.effect(
    "a refund without an answer is asked about, and sent again only where the bank never heard of it",
    () =>
      onStore(
        Effect.gen(function* () {
          const { bank, process, id } = yield* openPayment({
            send: (call) => (call === 0 ? Effect.fail(away) : Effect.succeed(done)),
            query: () => Effect.succeed(unknown),
          })
          yield* resolve(process, id, "refund")
          yield* pass(limits.payoutResendAfterMillis - 1)
          assert.strictEqual(bank.sent.length, 1)
          yield* pass(limits.payoutPollMillisMax)

          assert.deepStrictEqual(
            bank.sent.map((sent) => sent.refundId),
            [refundId(id), refundId(id)],
          )
          assert.deepStrictEqual(yield* kindsNow, ["payment_unknown resolved"])
        }),
      ),
  )

  it.effect("a refund that was sent again and refused stays under way", () =>
    onStore(
      Effect.gen(function* () {
        const { process, id } = yield* openPayment({
          send: (call) => Effect.fail(call === 0 ? away : refused),
          query: () => Effect.succeed(unknown),
        })
        yield* resolve(process, id, "refund")
        yield* pass(limits.payoutResendAfterMillis + limits.payoutPollMillisMax)
        assert.deepInclude(yield* Effect.flip(resolve(process, id, "refund")), {
          details: { reason: "act_under_way", act: "refund" },
        })
      }),
    ),
  )

  it.effect("a refund is sent neither while refunds are frozen nor to another account", () =>
    onStore(
      Effect.gen(function* () {
        let reason: string | undefined = "no sweep yet"
        const gate = { frozen: () => Effect.sync(() => reason) }
        const { bank, process, id, start } = yield* openPayment({}, { gate })
        yield* resolve(process, id, "refund")
        yield* pass(3 * limits.frozenWaitMillis)
        assert.deepStrictEqual(bank.sent, [])
        yield* process.kill
        reason = undefined
        const other: Acquirer = { ...bank.acquirer, account: "elsewhere:2" }
        const elsewhere = yield* start({ acquirer: other })
        yield* pass(limits.acquirerTimerLeaseMillis)
        assert.deepStrictEqual(bank.sent, [])
        yield* elsewhere.kill
        yield* start({ acquirer: { ...bank.acquirer, account } })
        yield* pass(limits.otherAccountWaitMillis)
        assert.strictEqual(bank.sent.length, 1)
      }),
    ),
  )

  it.effect("a process that dies between storing a refund as sent and sending it leaves it to the next", () =>
    onStore(
      Effect.gen(function* () {
        let isSent = false
        const { bank, process, id, start } = yield* openPayment({
          send: () =>
            Effect.sync(() => {
              isSent = true
              return processing
            }),
          query: () => Effect.sync(() => (isSent ? done : unknown)),
        })
        const { delaysAfterMillis } = yield* StoreFaults
        delaysAfterMillis.set("commitException", 1_000)
        yield* Effect.forkChild(Effect.ignore(resolve(process, id, "refund")))
        // The act is stored at 0 s; its timer fires, stores it as sent, and the process dies before it is sent.
        yield* pass(500)
        yield* process.kill
        delaysAfterMillis.clear()
        assert.deepStrictEqual(bank.sent, [])
        yield* start()
        yield* pass(limits.acquirerTimerLeaseMillis + limits.payoutResendAfterMillis)
        yield* pass(2 * limits.payoutPollMillisMax)

        assert.deepStrictEqual(yield* kindsNow, ["payment_unknown resolved"])
        assert.deepStrictEqual(
          bank.sent.map((sent) => sent.refundId),
          [refundId(id)],
        )
      }),
    ),
  )
})

describe("the refund of a second payment of a charge", () => {
  it.effect("its charge says that it went back, its seller is told, and no balance moves", () =>
    onStore(
      Effect.gen(function* () {
        const payments = ["E1", "E2"].map((endToEndId) => ({ endToEndId, amount: 1_000, refunds: [] }))
        const bank = makeRefundBank({
          report: () => ({ ...noNews, payments }),
          send: () => Effect.succeed(processing),
          query: () => Effect.succeed(done),
        })
        const shop = yield* openShop()
        const process = yield* startProcess({ acquirer: bank.acquirer })
        const { id } = yield* createCharge(process, shop.live)
        yield* process.commands.reconcileCharge(id, { endToEndId: "E1", refundId: undefined })
        const before = yield* balanceNow(shop.live)
        const [exception] = yield* exceptionsNow("open")
        yield* resolve(process, exception?.id ?? "", "refund")
        yield* pass(2 * limits.payoutPollMillisMin)

        assert.deepStrictEqual(yield* kindsNow, ["double_payment resolved"])
        assert.deepInclude((yield* chargeNow(id)).exceptions[0], { end_to_end_id: "E2", act: "refund" })
        assert.strictEqual((yield* eventTypesOf(shop.live, id)).at(-1), "transaction.exception")
        assert.deepStrictEqual(yield* balanceNow(shop.live), before)
        assert.deepStrictEqual(yield* timersOf(exception?.id ?? ""), [])
      }),
    ),
  )

  for (const operation of [
    "loadException",
    "commitException",
    "load",
    "transition",
    "dropTimer",
    "postpone",
  ]) {
    for (const fault of ["away", "answersLost"] as const) {
      const what = fault === "away" ? "fails" : "is applied without an answer"
      it.effect(`it ends once where ${operation} ${what} and the process dies`, () =>
        onStore(
          Effect.gen(function* () {
            const payments = ["E1", "E2"].map((endToEndId) => ({ endToEndId, amount: 1_000, refunds: [] }))
            let frozen: string | undefined = "no sweep yet"
            const bank = makeRefundBank({
              report: () => ({ ...noNews, payments }),
              send: () => Effect.succeed(processing),
              query: () => Effect.sync(() => (bank.sent.length > 0 ? done : unknown)),
            })
            const options = {
              acquirer: bank.acquirer,
              gate: { frozen: () => Effect.sync(() => frozen) },
            }
            const shop = yield* openShop()
            const process = yield* startProcess(options)
            const { id } = yield* createCharge(process, shop.live)
            yield* process.commands.reconcileCharge(id, { endToEndId: "E1", refundId: undefined })
            const exception = yield* onlyException
            yield* resolve(process, exception.id, "refund")
            yield* settle
            const faults = (yield* StoreFaults)[fault]
            faults.add(operation)
            frozen = undefined
            yield* pass(limits.frozenWaitMillis + limits.payoutPollMillisMin)
            yield* process.kill
            faults.clear()
            yield* startProcess(options)
            yield* pass(limits.acquirerTimerLeaseMillis + limits.payoutResendAfterMillis)
            yield* pass(2 * limits.payoutPollMillisMax)

            assert.deepStrictEqual(yield* kindsNow, ["double_payment resolved"])
            assert.deepStrictEqual(
              [...new Set(bank.sent.map((sent) => sent.refundId))],
              [refundId(exception.id)],
            )
            const told = (yield* eventTypesOf(shop.live, id)).filter(
              (type) => type === "transaction.exception",
            )
            assert.strictEqual(told.length, 2)
            assert.deepStrictEqual(yield* timersOf(exception.id), [])
          }),
        ),
      )
    }
  }
})
