import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { initialSettings } from "../../../actors/seller/decisions/newSeller.ts"
import { acquirerRefundId } from "../../../actors/values/acquirerRefund.ts"
import { partitionOfId } from "../../../schema/ids.ts"
import { startProcess } from "../support/process.ts"
import { addPixKey, balanceNow, movementsOf, requestWithdrawal } from "../support/purse.ts"
import { paidCharge, refund, refundNow, refundsOf, requestRefund } from "../support/refunds.ts"
import { pass, settle } from "../support/settle.ts"
import {
  chargeNow,
  createCharge,
  eventTypesOf,
  openShop,
  type ShopOptions,
  timersOf,
} from "../support/shop.ts"
import { onStore, StoreFaults } from "../support/store.ts"

const delayMillis = 3_000

/** A shop with a paid charge in test mode, whose simulated bank ends refunds after the delay. */
const openPaid = (amount = 1_000, shopOptions: ShopOptions = {}) =>
  Effect.gen(function* () {
    const shop = yield* openShop(shopOptions)
    const process = yield* startProcess({ simulator: { delayMillis } })
    const transactionId = yield* paidCharge(process, shop.test, { amount })
    return { shop, process, transactionId }
  })
const reserving = { settings: { ...initialSettings, reserveBps: 1_000, reserveDays: 30 } }
const balanceOf = (available: number, pendingRefund = 0, reserve = 0) => ({
  ...{ available, reserve, pendingWithdraw: 0, pendingRefund },
})

describe("a refund in test mode", () => {
  it.effect("a refund holds its money, is sent at once, and succeeds a delay after its creation", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process, transactionId } = yield* openPaid()
        const { id, status } = yield* refund(process, shop.test, transactionId, { body: { amount: 400 } })
        assert.strictEqual(status, "pending")
        assert.deepStrictEqual(yield* balanceNow(shop.test), balanceOf(600, 400))
        yield* settle
        assert.deepInclude(yield* refundNow(id), { status: "processing", completed_at: null })
        assert.deepStrictEqual(yield* timersOf(id), ["poll_refund"])
        yield* pass(delayMillis - 1)
        assert.deepInclude(yield* refundNow(id), { status: "processing" })
        assert.deepInclude(yield* chargeNow(transactionId), { refunded_amount: 0, refunds: [] })
        yield* pass(1)

        const ended = yield* refundNow(id)
        assert.deepInclude(ended, { status: "succeeded", failure_code: null })
        const charge = yield* chargeNow(transactionId)
        assert.deepInclude(charge, { status: "paid", refunded_amount: 400 })
        assert.deepStrictEqual(charge.refunds, [
          {
            ...{ id, kind: "refund", amount: 400, return_id: ended.return_id },
            created_at: ended.completed_at ?? "",
          },
        ])
        assert.deepStrictEqual(yield* balanceNow(shop.test), balanceOf(600))
        assert.deepStrictEqual(yield* timersOf(id), [])
        assert.deepStrictEqual(yield* eventTypesOf(shop.test, id), ["refund.created", "refund.succeeded"])
        assert.deepStrictEqual(yield* eventTypesOf(shop.test, transactionId), [
          ...["transaction.created", "transaction.paid", "transaction.partially_refunded"],
        ])
        assert.deepStrictEqual(yield* movementsOf(shop.test, id), ["refund_held", "refund_settled"])
        assert.deepStrictEqual(yield* movementsOf(shop.test, transactionId), ["charge_paid"])
      }),
    ),
  )

  it.effect("a refund without an amount ends its charge as refunded", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process, transactionId } = yield* openPaid()
        yield* refund(process, shop.test, transactionId, { body: { amount: 300 } })
        const { amount } = yield* refund(process, shop.test, transactionId)
        assert.strictEqual(amount, 700)
        yield* pass(delayMillis)

        assert.deepInclude(yield* chargeNow(transactionId), { status: "refunded", refunded_amount: 1_000 })
        const [first, second] = (yield* eventTypesOf(shop.test, transactionId)).slice(2)
        assert.deepStrictEqual([first, second], ["transaction.partially_refunded", "transaction.refunded"])
        assert.deepStrictEqual(yield* balanceNow(shop.test), balanceOf(0))
      }),
    ),
  )

  it.effect("a refund of an amount that ends in 02 fails with AM09 and gives its money back", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process, transactionId } = yield* openPaid()
        const { id } = yield* refund(process, shop.test, transactionId, { body: { amount: 102 } })
        yield* pass(delayMillis)

        assert.deepInclude(yield* refundNow(id), { status: "failed", failure_code: "AM09", return_id: null })
        assert.deepStrictEqual(yield* balanceNow(shop.test), balanceOf(1_000))
        assert.deepStrictEqual(yield* eventTypesOf(shop.test, id), ["refund.created", "refund.failed"])
        assert.deepInclude(yield* chargeNow(transactionId), { status: "paid", refunds: [] })
        // All of it is left again.
        const rest = yield* refund(process, shop.test, transactionId)
        assert.strictEqual(rest.amount, 1_000)
      }),
    ),
  )

  it.effect("a refund of an amount that ends in 01 stays processing until a test control ends it", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process, transactionId } = yield* openPaid()
        const { id } = yield* refund(process, shop.test, transactionId, { body: { amount: 101 } })
        yield* pass(10 * 60_000)
        assert.deepInclude(yield* refundNow(id), { status: "processing" })
        assert.deepStrictEqual(yield* timersOf(id), ["poll_refund"])

        const ended = yield* process.commands.simulateRefund(id, "succeed")
        assert.deepInclude(ended, { id, status: "succeeded" })
        assert.deepStrictEqual(JSON.parse(ended.document), yield* refundNow(id))
        assert.deepStrictEqual(yield* timersOf(id), [])
        assert.deepStrictEqual(yield* balanceNow(shop.test), balanceOf(899))
      }),
    ),
  )

  it.effect("a test control ends a refund that was not sent yet, and refuses one that has ended", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process, transactionId } = yield* openPaid()
        const { id } = yield* refund(process, shop.test, transactionId, { body: { amount: 400 } })
        yield* process.commands.simulateRefund(id, "fail")
        assert.deepInclude(yield* refundNow(id), { status: "failed", failure_reason: "test_control" })
        for (const act of ["succeed", "fail"] as const) {
          const refused = yield* Effect.flip(process.commands.simulateRefund(id, act))
          assert.deepInclude(refused, { code: "invalid_state", details: { status: "failed" } })
        }
        yield* pass(10 * 60_000)
        assert.deepStrictEqual(yield* eventTypesOf(shop.test, id), ["refund.created", "refund.failed"])
        const missing = process.commands.simulateRefund("rfd_00000000000000000000000000", "fail")
        assert.deepInclude(yield* Effect.flip(missing), { code: "resource_not_found" })
      }),
    ),
  )

  it.effect("a failed refund gives the reserve back what it took of it, until the release is due", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process, transactionId } = yield* openPaid(1_000, reserving)
        const { id } = yield* refund(process, shop.test, transactionId, { body: { amount: 102 } })
        assert.deepStrictEqual(yield* balanceNow(shop.test), balanceOf(898, 102, 0))
        yield* pass(delayMillis)
        assert.deepInclude(yield* refundNow(id), { status: "failed" })
        assert.deepStrictEqual(yield* balanceNow(shop.test), balanceOf(900, 0, 100))
        assert.deepStrictEqual(yield* timersOf(transactionId), ["release"])

        yield* refund(process, shop.test, transactionId, { body: { amount: 101 } })
        const [, second] = yield* refundsOf(shop.test, transactionId)
        yield* process.commands.advanceClock(shop.sellerId, 30 * 24 * 60 * 60)
        yield* pass(1_000)
        assert.isNotNull((yield* chargeNow(transactionId)).reserve?.released_at ?? null)
        yield* process.commands.simulateRefund(second?.id ?? "", "fail")
        assert.deepStrictEqual(yield* balanceNow(shop.test), balanceOf(1_000))
      }),
    ),
  )

  it.effect("a refund lives by the seller's test clock, and by the true clock for its timers", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process, transactionId } = yield* openPaid()
        const { id } = yield* refund(process, shop.test, transactionId)
        yield* settle
        yield* process.commands.advanceClock(shop.sellerId, 3)
        yield* pass(0)
        assert.deepInclude(yield* refundNow(id), { status: "succeeded" })

        const other = yield* paidCharge(process, shop.test)
        yield* process.commands.advanceClock(shop.sellerId, 90 * 24 * 60 * 60)
        yield* pass(0)
        assert.strictEqual((yield* refund(process, shop.test, other, { body: { amount: 1 } })).amount, 1)
        yield* process.commands.advanceClock(shop.sellerId, 1)
        const late = yield* requestRefund(process, shop.test, other)
        assert.deepInclude(late, { kind: "answered", status: 409 })
      }),
    ),
  )
})

describe("a request for a refund under its Idempotency-Key", () => {
  const errorOf = (body: string) => JSON.parse(body).error

  it.effect("a refund is created once per key, and replayed as it was created", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process, transactionId } = yield* openPaid()
        const request = requestRefund(process, shop.test, transactionId, { body: { amount: 400 }, key: "k" })
        const first = yield* request
        yield* pass(delayMillis)
        const again = yield* request

        assert.deepStrictEqual(again, { ...first, kind: "replay" })
        assert.strictEqual((yield* refundsOf(shop.test, transactionId)).length, 1)
      }),
    ),
  )

  it.effect("the same body under the same key is another request for another charge", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process, transactionId } = yield* openPaid()
        const other = yield* paidCharge(process, shop.test)
        yield* refund(process, shop.test, transactionId, { key: "k" })

        assert.deepStrictEqual(yield* requestRefund(process, shop.test, other, { key: "k" }), {
          kind: "mismatch",
        })
      }),
    ),
  )

  it.effect("a 409 is saved under the key; a 400 and a 404 are not", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process, transactionId } = yield* openPaid()
        const ask = (body: { amount: number }, id = transactionId) =>
          requestRefund(process, shop.test, id, { body, key: "k" })
        assert.deepInclude(yield* Effect.flip(ask({ amount: 1_001 })), {
          ...{ code: "validation_failed", param: "amount", details: { left: 1_000 } },
        })
        const missing = "txn_00000000000000000000000000"
        assert.deepInclude(yield* Effect.flip(ask({ amount: 1 }, missing)), { code: "resource_not_found" })
        const foreign = yield* paidCharge(process, (yield* openShop()).test)
        assert.deepInclude(yield* Effect.flip(ask({ amount: 1 }, foreign)), { code: "resource_not_found" })

        yield* process.commands.simulateOutcome(transactionId, "refunded")
        const refused = yield* ask({ amount: 1_000 })
        if (refused.kind !== "answered") return assert.fail(refused.kind)
        assert.strictEqual(refused.status, 409)
        assert.deepInclude(errorOf(refused.body), { code: "invalid_state" })
        assert.deepStrictEqual(yield* ask({ amount: 1_000 }), { ...refused, kind: "replay" })
      }),
    ),
  )

  it.effect("a refund beyond the balance is refused with what there is; a withdrawal's money is gone", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process, transactionId } = yield* openPaid(1_100)
        const pixKeyId = yield* addPixKey(shop.test)
        yield* requestWithdrawal(process, shop.test, { body: { pix_key_id: pixKeyId, amount: 1_000 } })
        const refused = yield* requestRefund(process, shop.test, transactionId)
        if (refused.kind !== "answered") return assert.fail(refused.kind)

        assert.deepInclude(errorOf(refused.body), {
          ...{ code: "insufficient_balance", details: { available: 0, reserve: 0, amount: 1_100 } },
        })
      }),
    ),
  )

  it.effect("an operator's refund says so", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process, transactionId } = yield* openPaid()
        const { origin } = yield* refund(process, shop.test, transactionId, { origin: "operator" })

        assert.strictEqual(origin, "operator")
      }),
    ),
  )

  it.effect("a refund is 503 while others keep changing its charge, and nothing is held", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process, transactionId } = yield* openPaid()
        const faults = yield* StoreFaults
        faults.stale.add("createRefund")
        const refused = yield* Effect.flip(requestRefund(process, shop.test, transactionId))

        assert.deepInclude(refused, { code: "service_unavailable" })
        assert.deepStrictEqual(yield* balanceNow(shop.test), balanceOf(1_000))
      }),
    ),
  )
})

describe("a return that began at the acquirer", () => {
  it.effect("a charge that the simulator refunds or charges back has a refund of the partner's", () =>
    onStore(
      Effect.gen(function* () {
        for (const [amount, end, reason] of [
          [1_004, "refunded", null],
          [1_005, "chargeback", "MED_FRAUDE"],
        ] as const) {
          const shop = yield* openShop()
          const process = yield* startProcess({ simulator: { delayMillis } })
          const { id } = yield* createCharge(process, shop.test, { body: { amount } })
          yield* pass(2 * delayMillis)

          const [begun, ...others] = yield* refundsOf(shop.test, id)
          if (begun === undefined) return assert.fail("no refund")
          assert.deepStrictEqual(others, [])
          assert.deepInclude(begun, {
            ...{ transaction_id: id, status: "succeeded", origin: "partner", amount, reason },
          })
          assert.match(begun.return_id ?? "", /^D\w{31}$/)
          const charge = yield* chargeNow(id)
          assert.deepInclude(charge, { status: end, refunded_amount: amount })
          assert.deepInclude(charge.refunds[0], { id: begun.id, return_id: begun.return_id })
          assert.strictEqual(
            begun.id,
            acquirerRefundId(
              shop.sellerId,
              Date.parse(begun.created_at),
              charge.end_to_end_id ?? "",
              "simulated",
            ),
          )
          assert.strictEqual(partitionOfId(begun.id), partitionOfId(id))
          assert.deepStrictEqual(yield* eventTypesOf(shop.test, begun.id), ["refund.succeeded"])
          assert.deepStrictEqual((yield* eventTypesOf(shop.test, id)).slice(2), [`transaction.${end}`])
          assert.deepStrictEqual(yield* movementsOf(shop.test, begun.id), [])
        }
      }),
    ),
  )

  it.effect(
    "a return takes no hold and is booked whole whatever refunds hold; a simulated one then fails",
    () =>
      onStore(
        Effect.gen(function* () {
          const { shop, process, transactionId } = yield* openPaid()
          const { id } = yield* refund(process, shop.test, transactionId, { body: { amount: 400 } })
          yield* process.commands.simulateOutcome(transactionId, "chargeback")
          assert.deepStrictEqual(yield* balanceNow(shop.test), balanceOf(-400, 400))
          const overtaken = yield* Effect.flip(process.commands.simulateRefund(id, "succeed"))
          assert.deepInclude(overtaken, { code: "invalid_state", details: { status: "processing" } })
          yield* pass(60_000)

          assert.deepInclude(yield* refundNow(id), { status: "failed", failure_code: "AM09" })
          assert.deepInclude(yield* chargeNow(transactionId), {
            status: "chargeback",
            refunded_amount: 1_000,
          })
          assert.deepStrictEqual(yield* balanceNow(shop.test), balanceOf(0))
        }),
      ),
  )
})
