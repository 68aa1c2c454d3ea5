import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { ApiError } from "../../../schema/errors.ts"
import { startProcess } from "../support/process.ts"
import { addPixKey, balanceNow, earn, requestWithdrawal, withdraw, withdrawalNow } from "../support/purse.ts"
import { pass } from "../support/settle.ts"
import { eventTypesOf, openShop, timersOf } from "../support/shop.ts"
import { onStore, StoreFaults } from "../support/store.ts"

const delayMillis = 3_000

/** A withdrawal in test mode of everything that a new shop has. */
const withdrawal = (amount: number) =>
  Effect.gen(function* () {
    const shop = yield* openShop()
    const process = yield* startProcess({ simulator: { delayMillis } })
    const { id } = yield* withdraw(process, shop.test, { body: { amount } })
    return { shop, process, id }
  })

const statusNow = (id: string) => Effect.map(withdrawalNow(id), ({ status }) => status)

describe("one withdrawal at a time", () => {
  const refusal = (body: string) => JSON.parse(body).error

  it.effect("a second withdrawal is refused until the first has ended, and the refusal is saved", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process, id } = yield* withdrawal(1_000)
        yield* earn(process, shop.test, 5_000)
        const pixKeyId = yield* addPixKey(shop.test)
        const next = { body: { pix_key_id: pixKeyId }, key: "next" }
        const refused = yield* requestWithdrawal(process, shop.test, next)
        if (refused.kind !== "answered") return assert.fail(refused.kind)
        assert.strictEqual(refused.status, 409)
        assert.deepInclude(refusal(refused.body), {
          code: "invalid_state",
          details: { reason: "withdrawal_in_progress", withdrawal_id: id },
        })
        yield* pass(2 * delayMillis)
        const again = yield* requestWithdrawal(process, shop.test, next)
        assert.deepStrictEqual(again, { ...refused, kind: "replay" })

        const fresh = yield* requestWithdrawal(process, shop.test, { ...next, key: "fresh" })
        assert.deepInclude(fresh, { kind: "answered", status: 201 })
      }),
    ),
  )

  it.effect("of 50 withdrawals requested at once over two processes one is made, and one fee held", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const processes = [yield* startProcess(), yield* startProcess()] as const
        yield* earn(processes[0], shop.test, 1_000_000)
        const pixKeyId = yield* addPixKey(shop.test)
        const answers = yield* Effect.forEach(
          Array.from({ length: 50 }, (_, index) => processes[index % 2] ?? processes[0]),
          (process) => requestWithdrawal(process, shop.test, { body: { pix_key_id: pixKeyId } }),
          { concurrency: "unbounded" },
        )
        const statuses = answers.map((answer) => (answer.kind === "answered" ? answer.status : answer.kind))

        assert.strictEqual(statuses.filter((status) => status === 201).length, 1)
        assert.strictEqual(statuses.filter((status) => status === 409).length, 49)
        assert.strictEqual((yield* balanceNow(shop.test)).pendingWithdraw, 1_100)
      }),
    ),
  )
})

describe("acts on a withdrawal", () => {
  it.effect("an act on a withdrawal is refused when its state does not fit or there is none", () =>
    onStore(
      Effect.gen(function* () {
        const { process, id } = yield* withdrawal(1_001)
        const refuse = (act: "cancel" | "approve" | "succeed") =>
          Effect.flip(process.commands.decideWithdrawal(id, act, undefined))
        assert.deepInclude(yield* refuse("succeed"), {
          code: "invalid_state",
          details: { status: "awaiting" },
        })
        yield* pass(delayMillis)
        for (const act of ["cancel", "approve"] as const) {
          const refused = yield* refuse(act)
          assert.deepInclude(refused, { code: "invalid_state", details: { status: "processing" } })
        }
        const missing = yield* Effect.flip(
          process.commands.decideWithdrawal("wd_00000000000000000000000000", "cancel", undefined),
        )
        assert.deepInclude(missing, { code: "resource_not_found" })
      }),
    ),
  )

  it.effect("of 50 cancels and approvals at once over two processes exactly one wins", () =>
    onStore(
      Effect.gen(function* () {
        const faults = yield* StoreFaults
        for (const first of ["cancel", "approve"] as const) {
          const { shop, process, id } = yield* withdrawal(1_000)
          const processes = [process, yield* startProcess({ simulator: { delayMillis } })] as const
          // All have read it before any writes.
          faults.delaysMillis.set("transitionWithdrawal", 1)
          const second = first === "cancel" ? "approve" : "cancel"
          const words = Array.from({ length: 50 }, (_, index) =>
            Effect.result(
              (processes[index % 2] ?? process).commands.decideWithdrawal(
                id,
                index % 4 < 2 ? first : second,
                undefined,
              ),
            ),
          )
          const deciding = yield* Effect.forkChild(Effect.all(words, { concurrency: "unbounded" }))
          yield* pass(100)
          const results = deciding.pollUnsafe()
          faults.delaysMillis.clear()
          if (results?._tag !== "Success") return assert.fail("not all were answered")
          const [won, ...others] = results.value.filter(Result.isSuccess)

          assert.deepStrictEqual(others, [])
          for (const lost of results.value.filter(Result.isFailure)) {
            assert.instanceOf(lost.failure, ApiError)
            assert.deepInclude(lost.failure, { code: "invalid_state" })
          }
          const decided = won?.success.status ?? ""
          assert.include(["cancelled", "approved"], decided)
          yield* pass(60_000)
          const rest = decided === "cancelled" ? [] : ["withdrawal.processing", "withdrawal.successful"]
          assert.deepStrictEqual(yield* eventTypesOf(shop.test, id), [
            "withdrawal.awaiting",
            `withdrawal.${decided}`,
            ...rest,
          ])
          const { available, pendingWithdraw } = yield* balanceNow(shop.test)
          assert.deepStrictEqual([available, pendingWithdraw], [decided === "cancelled" ? 1_100 : 0, 0])
        }
      }),
    ),
  )

  it.effect("an outcome forced by the test controls stands, whatever the bank reports later", () =>
    onStore(
      Effect.gen(function* () {
        for (const [act, status] of [
          ["succeed", "successful"],
          ["fail", "failed"],
        ] as const) {
          const { shop, process, id } = yield* withdrawal(1_000)
          yield* process.commands.decideWithdrawal(id, "approve", undefined)
          yield* process.commands.decideWithdrawal(id, act, undefined)
          assert.strictEqual(yield* statusNow(id), status)
          yield* pass(60_000)

          assert.deepStrictEqual(yield* eventTypesOf(shop.test, id), [
            "withdrawal.awaiting",
            "withdrawal.approved",
            "withdrawal.processing",
            `withdrawal.${status}`,
          ])
          assert.deepStrictEqual(yield* timersOf(id), [])
        }
      }),
    ),
  )
})
