import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { CreateAnswer } from "../../../actors/seller/createAnswer.ts"
import { startProcess } from "../support/process.ts"
import { addPixKey, balanceNow, requestWithdrawal } from "../support/purse.ts"
import { paidCharge, refundsOf, requestRefund } from "../support/refunds.ts"
import { pass } from "../support/settle.ts"
import { chargeNow, eventsOf, openShop } from "../support/shop.ts"
import { onStore, StoreFaults } from "../support/store.ts"

const delayMillis = 3_000
const statusesOf = (answers: ReadonlyArray<CreateAnswer>) =>
  answers.map((answer) => (answer.kind === "answered" ? answer.status : answer.kind)).sort()

/** Two processes and a paid charge in test mode. */
const openRace = (amount: number) =>
  Effect.gen(function* () {
    const shop = yield* openShop()
    const first = yield* startProcess({ simulator: { delayMillis } })
    const second = yield* startProcess({ simulator: { delayMillis } })
    const transactionId = yield* paidCharge(first, shop.test, { amount })
    return { shop, processes: [first, second] as const, transactionId }
  })

describe("requests that race for the same money", () => {
  it.effect("of 50 refunds of a tenth over two processes ten are made, and no centavo goes back twice", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, processes, transactionId } = yield* openRace(1_000)
        const answers = yield* Effect.forEach(
          Array.from({ length: 50 }, (_, index) => processes[index % 2] ?? processes[0]),
          (process) =>
            Effect.orElseSucceed(
              requestRefund(process, shop.test, transactionId, { body: { amount: 100 } }),
              // Others keep changing the charge: nothing was made.
              () => ({ kind: "answered", status: 503, body: "" }) as const,
            ),
          { concurrency: "unbounded" },
        )
        const made = statusesOf(answers).filter((status) => status === 201).length
        yield* pass(delayMillis)

        const { refunded_amount, refunds } = yield* chargeNow(transactionId)
        assert.deepStrictEqual([refunded_amount, refunds.length], [100 * made, made])
        assert.isAtLeast(made, 1)
        assert.isAtMost(made, 10)
        assert.deepInclude(yield* balanceNow(shop.test), {
          ...{ available: 1_000 - 100 * made, pendingRefund: 0 },
        })
      }),
    ),
  )

  it.effect("of a refund and a withdrawal of the same money one is made", () =>
    onStore(
      Effect.gen(function* () {
        const faults = yield* StoreFaults
        for (const slower of ["createRefund", "createWithdrawal"]) {
          const { shop, processes, transactionId } = yield* openRace(1_100)
          const pixKeyId = yield* addPixKey(shop.test)
          // Both have decided before either commits.
          faults.delaysMillis.set(slower, 2)
          faults.delaysMillis.set(slower === "createRefund" ? "createWithdrawal" : "createRefund", 1)
          const racing = yield* Effect.forkChild(
            Effect.all(
              [
                requestRefund(processes[0], shop.test, transactionId),
                requestWithdrawal(processes[1], shop.test, { body: { amount: 1_000, pix_key_id: pixKeyId } }),
              ],
              { concurrency: "unbounded" },
            ),
          )
          yield* pass(10)
          faults.delaysMillis.clear()
          const ended = racing.pollUnsafe()
          if (ended?._tag !== "Success") return assert.fail("not both were answered")

          assert.deepStrictEqual(statusesOf(ended.value), [201, 409])
          const { available, pendingRefund, pendingWithdraw } = yield* balanceNow(shop.test)
          assert.deepStrictEqual([available, pendingRefund + pendingWithdraw], [0, 1_100])
        }
      }),
    ),
  )

  it.effect("a refund that races a chargeback of its charge is refused, or fails with its money back", () =>
    onStore(
      Effect.gen(function* () {
        const faults = yield* StoreFaults
        for (const refundDelayMillis of [0, 2]) {
          const { shop, processes, transactionId } = yield* openRace(1_000)
          if (refundDelayMillis > 0) faults.delaysMillis.set("createRefund", refundDelayMillis)
          const racing = yield* Effect.forkChild(
            Effect.all(
              [
                requestRefund(processes[0], shop.test, transactionId),
                processes[1].commands.simulateOutcome(transactionId, "chargeback"),
              ],
              { concurrency: "unbounded" },
            ),
          )
          yield* pass(delayMillis + 10)
          faults.delaysMillis.clear()
          assert.strictEqual(racing.pollUnsafe()?._tag, "Success")
          assert.deepInclude(yield* chargeNow(transactionId), {
            ...{ status: "chargeback", refunded_amount: 1_000 },
          })
          for (const { origin, status } of yield* refundsOf(shop.test, transactionId)) {
            assert.strictEqual(status, origin === "partner" ? "succeeded" : "failed")
          }
          assert.deepInclude(yield* balanceNow(shop.test), { available: 0, pendingRefund: 0 })
          const types = (yield* eventsOf(shop.test)).map(({ type }) => type)
          assert.strictEqual(types.filter((type) => type === "transaction.chargeback").length, 1)
        }
      }),
    ),
  )

  it.effect("50 test controls at once over two processes end a refund once", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, processes, transactionId } = yield* openRace(1_000)
        yield* requestRefund(processes[0], shop.test, transactionId, { body: { amount: 401 } })
        const [begun] = yield* refundsOf(shop.test, transactionId)
        const acts = Array.from({ length: 50 }, (_, index) =>
          Effect.result(
            (processes[index % 2] ?? processes[0]).commands.simulateRefund(
              begun?.id ?? "",
              index % 4 < 2 ? "succeed" : "fail",
            ),
          ),
        )
        const results = yield* Effect.all(acts, { concurrency: "unbounded" })

        assert.strictEqual(results.filter(({ _tag }) => _tag === "Success").length, 1)
        const [after] = yield* refundsOf(shop.test, transactionId)
        const isGone = after?.status === "succeeded"
        assert.deepInclude(yield* balanceNow(shop.test), {
          ...{ available: isGone ? 599 : 1_000, pendingRefund: 0 },
        })
      }),
    ),
  )
})
