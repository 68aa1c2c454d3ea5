import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { acquirerRefundIdOf } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { secondsOf } from "../support/payout.ts"
import { startProcess } from "../support/process.ts"
import { balanceNow, movementsOf } from "../support/purse.ts"
import {
  away,
  done,
  failed,
  makeRefundBank,
  openRefund,
  paidCharge,
  processing,
  refund,
  refundNow,
  refused,
  unknown,
} from "../support/refunds.ts"
import { pass, settle } from "../support/settle.ts"
import { chargeNow, eventTypesOf, openShop, requestCharge, timersOf } from "../support/shop.ts"
import { onStore, StoreFaults, startMillis } from "../support/store.ts"

const statusNow = (id: string) => Effect.map(refundNow(id), ({ status }) => status)
const balanceOf = (available: number, pendingRefund = 0) => ({
  ...{ available, reserve: 0, pendingWithdraw: 0, pendingRefund },
})
const isHeld = balanceOf(600, 400)
const isBack = balanceOf(1_000)
const isGone = balanceOf(600)
const sentAt = (sent: ReadonlyArray<{ readonly atMillis: number }>) =>
  secondsOf(sent.map(({ atMillis }) => atMillis))

describe("a refund at a remote acquirer", () => {
  it.effect("a refund is processing in the store before it is sent, once, under its own id", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, id, transactionId } = yield* openRefund({ send: () => Effect.never })
        const { end_to_end_id } = yield* chargeNow(transactionId)

        assert.deepStrictEqual(bank.sent, [
          {
            ...{ endToEndId: end_to_end_id ?? "", refundId: acquirerRefundIdOf(id), amount: 400 },
            atMillis: startMillis,
          },
        ])
        assert.strictEqual(yield* statusNow(id), "processing")
        yield* pass(2_000)
        assert.deepInclude(bank.asked[0], { refundId: acquirerRefundIdOf(id), amount: 400 })
      }),
    ),
  )

  it.effect("a refund that the bank makes at once succeeds without a query", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, shop, id } = yield* openRefund({ send: () => Effect.succeed(done) })
        yield* pass(10 * 60_000)

        assert.deepInclude(yield* refundNow(id), { status: "succeeded", return_id: "D-of-the-bank" })
        assert.deepStrictEqual(bank.asked, [])
        assert.deepStrictEqual(yield* balanceNow(shop.live), isGone)
        assert.deepStrictEqual(yield* timersOf(id), [])
      }),
    ),
  )

  it.effect("a refund that succeeds without a reply ends once and is sent once", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, shop, id } = yield* openRefund({
          send: () => Effect.fail(away),
          query: () => Effect.succeed(done),
        })
        assert.strictEqual(yield* statusNow(id), "processing")
        yield* pass(10 * 60_000)

        assert.strictEqual(bank.sent.length, 1)
        assert.deepStrictEqual(secondsOf(bank.askedAtMillis()), [2])
        assert.deepStrictEqual(yield* eventTypesOf(shop.live, id), ["refund.created", "refund.succeeded"])
        assert.deepStrictEqual(yield* movementsOf(shop.live, id), ["refund_held", "refund_settled"])
      }),
    ),
  )

  it.effect("a first sending that the bank refuses fails the refund at once, with the bank's words", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, shop, id } = yield* openRefund({ send: () => Effect.fail(refused) })
        assert.deepInclude(yield* refundNow(id), {
          ...{ status: "failed", failure_code: null, failure_reason: "out of time" },
        })
        yield* pass(10 * 60_000)

        assert.strictEqual(bank.sent.length, 1)
        assert.deepStrictEqual(bank.asked, [])
        assert.deepStrictEqual(yield* balanceNow(shop.live), isBack)
      }),
    ),
  )

  it.effect("a refund that the bank could not make fails with the bank's code and words", () =>
    onStore(
      Effect.gen(function* () {
        const query = (call: number) => Effect.succeed(call === 0 ? processing : failed)
        const { shop, id } = yield* openRefund({ query })
        yield* pass(5_999)
        assert.strictEqual(yield* statusNow(id), "processing")
        yield* pass(1)

        assert.deepInclude(yield* refundNow(id), {
          ...{ status: "failed", failure_code: "AM09", failure_reason: "too much" },
        })
        assert.deepStrictEqual(yield* balanceNow(shop.live), isBack)
      }),
    ),
  )

  it.effect("a refund without a reply is queried at 2, 6, 14, 30 and 62 s and each minute after", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, shop, id } = yield* openRefund({ send: () => Effect.never })
        yield* pass(242_000)

        assert.strictEqual(bank.sent.length, 1)
        assert.deepStrictEqual(secondsOf(bank.askedAtMillis()), [2, 6, 14, 30, 62, 122, 182, 242])
        assert.strictEqual(yield* statusNow(id), "processing")
        assert.deepStrictEqual(yield* balanceNow(shop.live), isHeld)
      }),
    ),
  )

  it.effect("a refund whose bank is away or never answers does not fail, nor hold up other commands", () =>
    onStore(
      Effect.gen(function* () {
        for (const [query, seconds] of [
          [() => Effect.fail(away), [2, 6, 14, 30, 62, 122, 182]],
          // Each query times out before the next is made.
          [() => Effect.never, [2, 26, 74, 154]],
        ] as const) {
          const beganMillis = yield* Clock.currentTimeMillis
          const { bank, shop, process, id, acquirerId } = yield* openRefund({
            send: () => Effect.fail(away),
            query,
          })
          yield* pass(182_000)
          const own = bank.asked.filter(({ refundId }) => refundId === acquirerId)
          assert.deepStrictEqual(
            own.map(({ atMillis }) => (atMillis - beganMillis) / 1_000),
            [...seconds],
          )
          assert.strictEqual(bank.sent.length, 1)
          assert.strictEqual(yield* statusNow(id), "processing")
          assert.deepStrictEqual(yield* balanceNow(shop.live), isHeld)
          assert.strictEqual((yield* requestCharge(process, shop.live)).kind, "answered")
          yield* process.kill
        }
      }),
    ),
  )
})

describe("a refund that the bank does not know", () => {
  it.effect("an unknown refund is sent again under its id only once its first sending is surely over", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, shop, id } = yield* openRefund({
          send: (call) => (call === 0 ? Effect.fail(away) : Effect.succeed(done)),
          query: () => Effect.succeed(unknown),
        })
        yield* pass(61_999)
        assert.strictEqual(bank.sent.length, 1)
        yield* pass(1)
        assert.deepStrictEqual(
          bank.sent.map(({ refundId, amount }) => [refundId, amount]),
          [
            [acquirerRefundIdOf(id), 400],
            [acquirerRefundIdOf(id), 400],
          ],
        )
        yield* pass(10 * 60_000)

        assert.strictEqual(bank.sent.length, 2)
        assert.strictEqual(yield* statusNow(id), "succeeded")
        assert.deepStrictEqual(yield* balanceNow(shop.live), isGone)
      }),
    ),
  )

  it.effect("a refund whose later sendings are refused does not fail: the first may have been accepted", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, shop, id } = yield* openRefund({
          send: (call) => Effect.fail(call === 0 ? away : refused),
          // Five polls until the second sending, then one poll and one query after each refusal.
          query: (call) => Effect.succeed(call < 10 ? unknown : done),
        })
        yield* pass(241_999)
        assert.deepStrictEqual(sentAt(bank.sent), [0, 62, 122, 182])
        assert.strictEqual(yield* statusNow(id), "processing")
        assert.deepStrictEqual(yield* balanceNow(shop.live), isHeld)
        yield* pass(60_000)

        assert.strictEqual(yield* statusNow(id), "succeeded")
      }),
    ),
  )

  it.effect("a later sending that failed says nothing about the first: the bank's query does", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, id } = yield* openRefund({
          send: (call) => (call === 0 ? Effect.fail(away) : Effect.succeed(failed)),
          query: (call) => Effect.succeed(call < 6 ? unknown : failed),
        })
        yield* pass(62_000)
        assert.strictEqual(yield* statusNow(id), "processing")
        yield* pass(60_000)

        assert.strictEqual(yield* statusNow(id), "failed")
        assert.deepStrictEqual(yield* balanceNow(shop.live), isBack)
      }),
    ),
  )

  it.effect("a refusal that a process hears after a minute's standstill does not fail the refund", () =>
    onStore(
      Effect.gen(function* () {
        const faults = yield* StoreFaults
        // The store has the transition; its answer comes so late that another process may have sent the refund.
        faults.delaysAfterMillis.set("transitionRefund", limits.payoutResendAfterMillis)
        const { bank, id } = yield* openRefund({ send: () => Effect.fail(refused) })
        yield* pass(limits.payoutResendAfterMillis)

        assert.strictEqual(bank.sent.length, 1)
        assert.strictEqual(yield* statusNow(id), "processing")
      }),
    ),
  )
})

describe("a process that dies between processing and sending a refund", () => {
  it.effect("a dead process's refund is queried by another before it is sent under the same id", () =>
    onStore(
      Effect.gen(function* () {
        // The sending never left the process.
        const { bank, process, shop, id } = yield* openRefund({ send: () => Effect.never })
        yield* process.kill
        const next = makeRefundBank({ query: (call) => Effect.succeed(call < 5 ? unknown : done) })
        yield* startProcess({ acquirer: next.acquirer })
        yield* pass(61_999)
        assert.deepStrictEqual(next.sent, [])
        yield* pass(1)
        assert.deepStrictEqual(
          next.sent.map(({ refundId }) => refundId),
          bank.sent.map(({ refundId }) => refundId),
        )
        yield* pass(60_000)

        assert.strictEqual(yield* statusNow(id), "succeeded")
        assert.deepStrictEqual(yield* balanceNow(shop.live), isGone)
      }),
    ),
  )

  it.effect("a refund whose transition the store does not confirm is queried before it is sent", () =>
    onStore(
      Effect.gen(function* () {
        const faults = yield* StoreFaults
        const bank = makeRefundBank({ query: () => Effect.succeed(unknown) })
        const shop = yield* openShop()
        const process = yield* startProcess({ acquirer: bank.acquirer })
        const transactionId = yield* paidCharge(process, shop.live)
        faults.answersLost.add("transitionRefund")
        const { id } = yield* refund(process, shop.live, transactionId)
        yield* settle
        faults.answersLost.clear()
        assert.strictEqual(yield* statusNow(id), "processing")
        assert.deepStrictEqual(bank.sent, [])
        yield* pass(62_000)

        assert.deepStrictEqual(
          bank.sent.map(({ refundId }) => refundId),
          [acquirerRefundIdOf(id)],
        )
      }),
    ),
  )

  it.effect("a refund whose transition the store did not take is sent when the timer's lease ends", () =>
    onStore(
      Effect.gen(function* () {
        const faults = yield* StoreFaults
        const bank = makeRefundBank({})
        const shop = yield* openShop()
        const process = yield* startProcess({ acquirer: bank.acquirer })
        const transactionId = yield* paidCharge(process, shop.live)
        faults.away.add("transitionRefund")
        const { id } = yield* refund(process, shop.live, transactionId)
        yield* settle
        faults.away.clear()
        yield* pass(limits.timerLeaseMillis - 1)
        assert.deepStrictEqual([yield* statusNow(id), bank.sent.length], ["pending", 0])
        yield* pass(1)

        assert.deepStrictEqual([yield* statusNow(id), bank.sent.length], ["processing", 1])
      }),
    ),
  )
})

describe("a refund of another acquirer account than the configured one", () => {
  it.effect("a refund of another account is neither sent nor queried until its own is configured again", () =>
    onStore(
      Effect.gen(function* () {
        const own = makeRefundBank({ query: () => Effect.succeed(done) })
        const other = makeRefundBank({})
        const shop = yield* openShop()
        const first = yield* startProcess({ acquirer: own.acquirer })
        const [begun, fresh] = [yield* paidCharge(first, shop.live), yield* paidCharge(first, shop.live)]
        const sent = yield* refund(first, shop.live, begun)
        yield* settle
        yield* first.kill
        const second = yield* startProcess({ acquirer: { ...other.acquirer, account: "elsewhere:2" } })
        const { id } = yield* refund(second, shop.live, fresh)
        yield* pass(3 * limits.otherAccountWaitMillis)
        assert.deepStrictEqual([other.sent, other.asked], [[], []])
        assert.deepStrictEqual([yield* statusNow(sent.id), yield* statusNow(id)], ["processing", "pending"])
        const answer = yield* second.commands.reconcileRefund(sent.id)
        assert.strictEqual(answer.kind, "unavailable")

        yield* second.kill
        yield* startProcess({ acquirer: own.acquirer })
        yield* pass(limits.otherAccountWaitMillis + 2_000)
        assert.deepStrictEqual([yield* statusNow(sent.id), yield* statusNow(id)], ["succeeded", "succeeded"])
      }),
    ),
  )
})

describe("a notice of a refund", () => {
  it.effect("a notice of a refund queries the bank at once, and a second notice does not", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, process, id } = yield* openRefund({ query: () => Effect.succeed(done) })
        yield* pass(1_000)
        const settled = { kind: "settled", note: undefined } as const
        assert.deepStrictEqual(yield* process.commands.reconcileRefund(id), settled)
        assert.strictEqual(yield* statusNow(id), "succeeded")
        assert.deepStrictEqual(yield* process.commands.reconcileRefund(id), settled)
        assert.strictEqual(bank.asked.length, 1)
      }),
    ),
  )

  it.effect("a notice of a refund is pending, unavailable or missing while its outcome is not known", () =>
    onStore(
      Effect.gen(function* () {
        const answers = [processing, unknown]
        const { process, id } = yield* openRefund({
          query: (call) => {
            const answer = answers[call]
            return answer === undefined ? Effect.fail(away) : Effect.succeed(answer)
          },
        })
        const { reconcileRefund } = process.commands

        assert.deepStrictEqual(yield* reconcileRefund(id), { kind: "pending" })
        assert.deepStrictEqual(yield* reconcileRefund(id), { kind: "pending" })
        assert.deepInclude(yield* reconcileRefund(id), { kind: "unavailable" })
        const missing = yield* reconcileRefund("rfd_00000000000000000000000000")
        assert.deepStrictEqual(missing, { kind: "missing" })
      }),
    ),
  )

  it.effect("a notice of a refund is unavailable while others keep changing it", () =>
    onStore(
      Effect.gen(function* () {
        const faults = yield* StoreFaults
        const { process, id } = yield* openRefund({ query: () => Effect.succeed(done) })
        faults.stale.add("transitionRefund")
        assert.deepInclude(yield* process.commands.reconcileRefund(id), { kind: "unavailable" })
        faults.stale.clear()
        assert.deepInclude(yield* process.commands.reconcileRefund(id), { kind: "settled" })
      }),
    ),
  )
})
