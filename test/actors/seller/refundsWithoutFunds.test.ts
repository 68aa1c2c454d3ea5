import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { AcquirerRefused } from "../../../actors/ports/acquirer.ts"
import { refundsWithoutFunds } from "../../../actors/seller/programs/withoutFunds.ts"
import { acquirerRefundIdOf } from "../../../schema/ids.ts"
import { paidBy } from "../support/acquirer.ts"
import { kindsNow, onlyException, openUnknown, resolve } from "../support/exceptions.ts"
import { secondsOf } from "../support/payout.ts"
import { startProcess } from "../support/process.ts"
import { balanceNow } from "../support/purse.ts"
import {
  away,
  done,
  makeRefundBank,
  openRefund,
  type RefundScript,
  refundNow,
  unknown,
} from "../support/refunds.ts"
import { pass, settle } from "../support/settle.ts"
import { chargeNow, eventTypesOf } from "../support/shop.ts"
import { onStore } from "../support/store.ts"

const refusedWithoutFunds = new AcquirerRefused({ reason: "Saldo insuficiente", isWithoutFunds: true })
const failedWithoutFunds = { status: "failed", failureCode: "AM04", isWithoutFunds: true } as const

const statusNow = (id: string) => Effect.map(refundNow(id), ({ status }) => status)
const alarms = Effect.map(Metric.value(refundsWithoutFunds), ({ count }) => Number(count))
const sentAt = (sent: ReadonlyArray<{ readonly atMillis: number }>) =>
  secondsOf(sent.map(({ atMillis }) => atMillis))
const isHeld = { available: 600, reserve: 0, pendingWithdraw: 0, pendingRefund: 400 }
const isGone = { ...isHeld, pendingRefund: 0 }

describe("a refund that our account at the acquirer cannot pay for", () => {
  it.effect("it is sent again under its id, less and less often, until the bank accepts it", () =>
    onStore(
      Effect.gen(function* () {
        const before = yield* alarms
        const { bank, shop, id } = yield* openRefund({
          send: (call) => (call < 4 ? Effect.fail(refusedWithoutFunds) : Effect.succeed(done)),
          query: () => Effect.succeed(unknown),
        })
        assert.strictEqual(yield* statusNow(id), "processing")
        assert.strictEqual((yield* alarms) - before, 1)
        yield* pass(495_999)
        assert.deepStrictEqual(sentAt(bank.sent), [0, 62, 124, 248])
        assert.strictEqual(yield* statusNow(id), "processing")
        assert.deepStrictEqual(yield* balanceNow(shop.live), isHeld)
        assert.strictEqual((yield* alarms) - before, 4)
        yield* pass(1)

        assert.deepStrictEqual([...new Set(bank.sent.map((sent) => sent.refundId))], [acquirerRefundIdOf(id)])
        assert.strictEqual(yield* statusNow(id), "succeeded")
        assert.deepStrictEqual(yield* balanceNow(shop.live), isGone)
        assert.deepStrictEqual(yield* eventTypesOf(shop.live, id), ["refund.created", "refund.succeeded"])
      }),
    ),
  )

  it.effect("it is not sent again while the bank may have it after all", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, id } = yield* openRefund({
          send: () => Effect.fail(refusedWithoutFunds),
          query: () => Effect.fail(away),
        })
        yield* pass(20 * 60_000)
        assert.strictEqual(bank.sent.length, 1)
        assert.strictEqual(yield* statusNow(id), "processing")
      }),
    ),
  )

  for (const [how, script] of [
    ["at once", { send: () => Effect.succeed(failedWithoutFunds) }],
    ["later", {}],
  ] as const satisfies ReadonlyArray<readonly [string, RefundScript]>) {
    it.effect(
      `one that was accepted and ${how} failed so is neither failed nor sent again: an operator ends it`,
      () =>
        onStore(
          Effect.gen(function* () {
            const before = yield* alarms
            const { bank, process, shop, id } = yield* openRefund(
              { ...script, query: () => Effect.succeed(failedWithoutFunds) },
              {},
              { rules: { payoutStuckMillis: 10 * 60_000 } },
            )
            yield* pass(30 * 60_000)
            assert.strictEqual(bank.sent.length, 1)
            assert.strictEqual(yield* statusNow(id), "processing")
            assert.deepStrictEqual(yield* balanceNow(shop.live), isHeld)
            assert.deepStrictEqual(secondsOf(bank.askedAtMillis()), [2, 62, 124, 248, 496, 992, 1_592])
            assert.isAtLeast((yield* alarms) - before, 7)
            assert.deepInclude(yield* process.commands.reconcileRefund(id), { kind: "settled" })
            assert.strictEqual(yield* statusNow(id), "processing")

            yield* resolve(process, (yield* onlyException).id, "fail")
            assert.strictEqual(yield* statusNow(id), "failed")
            assert.deepInclude(yield* balanceNow(shop.live), { available: 1_000, pendingRefund: 0 })
          }),
        ),
    )
  }

  it.effect("a charge's report that has it so does not fail it either", () =>
    onStore(
      Effect.gen(function* () {
        let acquirerId = ""
        const opened = yield* openRefund({
          report: (endToEndId) =>
            paidBy(endToEndId, 1_000, [
              { id: acquirerId, amount: 400, kind: "refund", ...failedWithoutFunds },
            ]),
        })
        acquirerId = opened.acquirerId
        const endToEndId = (yield* chargeNow(opened.transactionId)).end_to_end_id ?? undefined
        const noticed = { endToEndId, refundId: undefined }
        yield* opened.process.commands.reconcileCharge(opened.transactionId, noticed)
        assert.strictEqual(yield* statusNow(opened.id), "processing")
        assert.deepStrictEqual(yield* balanceNow(opened.shop.live), isHeld)
      }),
    ),
  )
})

describe("a refund of an exception that our account at the acquirer cannot pay for", () => {
  const openPayment = (script: RefundScript) =>
    Effect.gen(function* () {
      const bank = makeRefundBank(script)
      const process = yield* startProcess({ acquirer: bank.acquirer })
      const id = yield* openUnknown()
      yield* resolve(process, id, "refund")
      yield* settle
      return { bank, process, id }
    })

  it.effect("it is sent again under its id, however long that takes, until the bank accepts it", () =>
    onStore(
      Effect.gen(function* () {
        const before = yield* alarms
        let isToppedUp = false
        const { bank, id } = yield* openPayment({
          send: () => (isToppedUp ? Effect.succeed(done) : Effect.fail(refusedWithoutFunds)),
          query: () => Effect.succeed(unknown),
        })
        yield* pass(3 * 60 * 60_000)
        assert.deepStrictEqual(sentAt(bank.sent).slice(0, 6), [0, 62, 124, 248, 496, 992])
        assert.strictEqual((yield* alarms) - before, bank.sent.length)
        assert.notProperty((yield* onlyException).details, "refund_failure")
        isToppedUp = true
        yield* pass(10 * 60_000)
        assert.deepStrictEqual(yield* kindsNow, ["payment_unknown resolved"])
        assert.deepStrictEqual([...new Set(bank.sent.map((sent) => sent.refundId))], [id.slice(4)])
      }),
    ),
  )

  it.effect("one that was accepted and failed so is open again, for a refund under another id", () =>
    onStore(
      Effect.gen(function* () {
        const before = yield* alarms
        const { bank, process, id } = yield* openPayment({ query: () => Effect.succeed(failedWithoutFunds) })
        yield* pass(2_000)
        assert.strictEqual((yield* alarms) - before, 1)
        assert.deepInclude((yield* onlyException).details, { refund_failure: "AM04" })
        yield* resolve(process, id, "refund")
        yield* settle
        assert.deepStrictEqual(
          bank.sent.map((sent) => sent.refundId),
          [id.slice(4), `${id.slice(4)}1`],
        )
      }),
    ),
  )
})
