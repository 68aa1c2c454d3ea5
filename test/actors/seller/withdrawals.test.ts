import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { initialSettings } from "../../../actors/seller/decisions/newSeller.ts"
import type { Withdrawal } from "../../../schema/resources/withdrawal.ts"
import { startProcess } from "../support/process.ts"
import { balanceNow, movementsOf, withdraw, withdrawalNow } from "../support/purse.ts"
import { pass, settle } from "../support/settle.ts"
import { eventsOf, eventTypesOf, openShop, timersOf } from "../support/shop.ts"
import { onStore, startMillis } from "../support/store.ts"

const delayMillis = 3_000
const at = (millis: number): string => new Date(startMillis + millis).toISOString()
const automatic = { settings: { ...initialSettings, withdrawalAutoApproval: true } }

/** A withdrawal in test mode of everything that a new shop has. */
const withdrawal = (amount: number, overrides: Parameters<typeof openShop>[0] = {}) =>
  Effect.gen(function* () {
    const shop = yield* openShop(overrides)
    const process = yield* startProcess({ simulator: { delayMillis } })
    const made = yield* withdraw(process, shop.test, { body: { amount } })
    return { shop, process, made, id: made.id }
  })

const statusNow = (id: string) => Effect.map(withdrawalNow(id), ({ status }) => status)

/** The balance while a withdrawal of that amount is held. */
const held = (amount: number) => ({
  available: 0,
  reserve: 0,
  pendingWithdraw: amount + 100,
  pendingRefund: 0,
})

describe("a withdrawal in test mode", () => {
  it.effect("a test withdrawal is approved by the simulated operator and paid by the simulated bank", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, made, id } = yield* withdrawal(1_000)
        assert.deepInclude(made, { status: "awaiting", amount: 1_000, fee: 100, total: 1_100, mode: "test" })
        assert.deepInclude(made, { created_at: at(0), updated_at: at(0), approved_at: null })
        assert.deepStrictEqual(yield* balanceNow(shop.test), held(1_000))
        assert.deepStrictEqual(yield* timersOf(id), ["decide"])
        yield* pass(delayMillis - 1)
        assert.strictEqual(yield* statusNow(id), "awaiting")
        yield* pass(1)
        // The payout worker takes it at once.
        assert.deepInclude(yield* withdrawalNow(id), {
          status: "processing",
          approved_at: at(delayMillis),
          processing_at: at(delayMillis),
          completed_at: null,
        })
        assert.deepStrictEqual(yield* timersOf(id), ["poll"])
        assert.deepStrictEqual(yield* balanceNow(shop.test), held(1_000))
        yield* pass(delayMillis - 1)
        assert.strictEqual(yield* statusNow(id), "processing")
        yield* pass(1)
        const ended = yield* withdrawalNow(id)

        assert.deepInclude(ended, { status: "successful", completed_at: at(2 * delayMillis) })
        assert.deepInclude(ended, { updated_at: at(2 * delayMillis), failure_reason: null })
        assert.match(ended.end_to_end_id ?? "", /^E0{8}202611210000[0-9A-Z]{11}$/)
        assert.deepStrictEqual(yield* balanceNow(shop.test), {
          available: 0,
          reserve: 0,
          pendingWithdraw: 0,
          pendingRefund: 0,
        })
        assert.deepStrictEqual(yield* movementsOf(shop.test, id), ["withdrawal_held", "withdrawal_settled"])
        assert.deepStrictEqual(yield* timersOf(id), [])
      }),
    ),
  )

  it.effect("a withdrawal has one event per transition, with the withdrawal as it was then", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, made, id } = yield* withdrawal(1_000)
        yield* pass(60_000)
        const told = (yield* eventsOf(shop.test)).filter(({ resourceId }) => resourceId === id)
        const documents = told.map(({ data }): Withdrawal => JSON.parse(data))

        assert.deepStrictEqual(
          told.map(({ type }) => type),
          ["awaiting", "approved", "processing", "successful"].map((status) => `withdrawal.${status}`),
        )
        assert.deepStrictEqual(
          documents.map(({ status }) => `withdrawal.${status}`),
          told.map(({ type }) => type),
        )
        assert.deepStrictEqual(documents[0], made)
        assert.deepStrictEqual(documents.at(-1), yield* withdrawalNow(id))
        assert.isTrue(told.every(({ internal }) => !internal))
      }),
    ),
  )

  it.effect("a test withdrawal ending in 01 stays processing, its money held", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, id } = yield* withdrawal(1_001)
        yield* pass(10 * 60 * 1_000)

        assert.strictEqual(yield* statusNow(id), "processing")
        assert.deepStrictEqual(yield* balanceNow(shop.test), held(1_001))
        assert.deepStrictEqual(yield* timersOf(id), ["poll"])
      }),
    ),
  )

  it.effect("a test withdrawal ending in 02 fails with the bank's code, its money returned", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, id } = yield* withdrawal(1_002)
        yield* pass(2 * delayMillis)

        assert.deepInclude(yield* withdrawalNow(id), {
          status: "failed",
          failure_reason: "AC03",
          end_to_end_id: null,
          completed_at: at(2 * delayMillis),
        })
        assert.deepStrictEqual(yield* balanceNow(shop.test), {
          available: 1_102,
          reserve: 0,
          pendingWithdraw: 0,
          pendingRefund: 0,
        })
        assert.deepStrictEqual(yield* movementsOf(shop.test, id), ["withdrawal_held", "withdrawal_returned"])
        assert.deepStrictEqual(yield* timersOf(id), [])
      }),
    ),
  )

  it.effect("a test withdrawal ending in 03 is rejected by the simulated operator, its money returned", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, id } = yield* withdrawal(1_003)
        yield* pass(delayMillis)

        assert.deepInclude(yield* withdrawalNow(id), { status: "rejected", approved_at: null })
        assert.strictEqual((yield* balanceNow(shop.test)).available, 1_103)
        yield* pass(60_000)
        assert.deepStrictEqual(yield* eventTypesOf(shop.test, id), [
          "withdrawal.awaiting",
          "withdrawal.rejected",
        ])
        assert.deepStrictEqual(yield* timersOf(id), [])
      }),
    ),
  )

  it.effect("a withdrawal of a seller with automatic approval skips the operator", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, made, id } = yield* withdrawal(1_003, automatic)
        assert.deepInclude(made, { status: "approved", approved_at: at(0) })
        yield* settle
        assert.strictEqual(yield* statusNow(id), "processing")
        yield* pass(delayMillis)

        assert.strictEqual(yield* statusNow(id), "successful")
        assert.deepStrictEqual(yield* eventTypesOf(shop.test, id), [
          "withdrawal.approved",
          "withdrawal.processing",
          "withdrawal.successful",
        ])
      }),
    ),
  )

  it.effect("a withdrawal is continued by another process when its own has died", () =>
    onStore(
      Effect.gen(function* () {
        const { process, id } = yield* withdrawal(1_000)
        yield* pass(delayMillis)
        yield* process.kill
        yield* pass(60_000)
        assert.strictEqual(yield* statusNow(id), "processing")
        yield* startProcess()
        yield* settle

        assert.strictEqual(yield* statusNow(id), "successful")
      }),
    ),
  )
})

describe("a withdrawal in live", () => {
  it.effect("a live withdrawal waits for a person's decision, however long that takes", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const process = yield* startProcess()
        const { id } = yield* withdraw(process, shop.live)
        assert.deepStrictEqual(yield* timersOf(id), [])
        yield* pass(10 * 60 * 1_000)
        assert.strictEqual(yield* statusNow(id), "awaiting")
        const approved = yield* process.commands.decideWithdrawal(id, "approve", undefined)
        assert.strictEqual(approved.status, "approved")
        yield* pass(60_000)

        assert.strictEqual(yield* statusNow(id), "successful")
      }),
    ),
  )
})
