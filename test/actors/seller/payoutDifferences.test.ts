import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { StoredWithdrawal } from "../../../actors/ports/withdrawalStore.ts"
import { MemoryStore } from "../../model/state.ts"
import { makeBank, notPaid, paid, processing, unknown } from "../support/bank.ts"
import { exceptionsNow, kindsNow, onlyException, resolve } from "../support/exceptions.ts"
import { back, ended, openWithdrawal, other } from "../support/openWithdrawal.ts"
import { automatic } from "../support/payout.ts"
import { startProcess } from "../support/process.ts"
import { movementsOf, withdraw, withdrawalNow } from "../support/purse.ts"
import { pass } from "../support/settle.ts"
import { eventTypesOf, openShop, timersOf } from "../support/shop.ts"
import { onStore } from "../support/store.ts"

const settled = { kind: "settled", note: undefined } as const

describe("a payout that came back after it succeeded", () => {
  it.effect("a payout that came back whole is credited once without its fee, and its seller is told", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, id, says, available } = yield* ended(paid)
        assert.deepStrictEqual(yield* says(back(1_000)), settled)
        yield* says(back(1_000))

        assert.deepInclude(yield* withdrawalNow(id), { status: "successful", returned_amount: 1_000 })
        assert.isString((yield* withdrawalNow(id)).returned_at)
        assert.strictEqual(yield* available, 1_000)
        assert.deepStrictEqual(yield* movementsOf(shop.live, id), [
          "withdrawal_held",
          "withdrawal_settled",
          "payout_returned",
        ])
        assert.strictEqual((yield* eventTypesOf(shop.live, id)).at(-1), "withdrawal.returned")
        assert.deepStrictEqual(yield* exceptionsNow(), [])
      }),
    ),
  )

  it.effect("a payout that is paid and whole back at the first word succeeds and is credited", () =>
    onStore(
      Effect.gen(function* () {
        const { id, available, says } = yield* openWithdrawal()
        yield* says(back(1_000))

        assert.deepInclude(yield* withdrawalNow(id), { status: "successful", returned_amount: 1_000 })
        assert.strictEqual(yield* available, 1_000)
      }),
    ),
  )

  it.effect("a part that came back is an exception, whose return credits it once", () =>
    onStore(
      Effect.gen(function* () {
        const { process, shop, id, says, available } = yield* ended(paid)
        yield* says(back(300))
        yield* says(back(300))
        const exception = yield* onlyException
        assert.deepInclude(exception, { kind: "payout_returned", amount: 300, resource_id: id })
        assert.strictEqual(yield* available, 0)
        yield* resolve(process, exception.id, "return")

        assert.strictEqual(yield* available, 300)
        assert.deepInclude(yield* withdrawalNow(id), { status: "successful", returned_amount: 300 })
        yield* says(back(300))
        assert.deepStrictEqual(yield* kindsNow, ["payout_returned resolved"])
        assert.strictEqual((yield* eventTypesOf(shop.live, id)).at(-1), "withdrawal.returned")
      }),
    ),
  )

  it.effect("what comes back in parts is credited once in all", () =>
    onStore(
      Effect.gen(function* () {
        const { process, says, available } = yield* ended(paid)
        yield* says(back(300))
        const part = yield* onlyException
        yield* resolve(process, part.id, "return")
        yield* says(back(999))
        const more = (yield* exceptionsNow()).find(({ id }) => id !== part.id)
        assert.strictEqual(more?.amount, 699)
        yield* says(back(1_000))

        assert.strictEqual(yield* available, 1_000)
        const late = yield* Effect.flip(resolve(process, more?.id ?? "", "return"))
        assert.deepInclude(late, { code: "invalid_state", details: { reason: "nothing_left" } })
        yield* resolve(process, more?.id ?? "", "dismiss")
        assert.strictEqual(yield* available, 1_000)
      }),
    ),
  )

  it.effect("a payout that was not executed after all is an exception, and no money moves by itself", () =>
    onStore(
      Effect.gen(function* () {
        const { process, says, available } = yield* ended(paid)
        yield* says(notPaid)
        const exception = yield* onlyException
        assert.deepInclude(exception, { kind: "payout_returned", amount: 1_000 })
        assert.deepInclude(exception.details, { status_there: "not_paid", reason: "AC03" })
        assert.strictEqual(yield* available, 0)
        yield* resolve(process, exception.id, "return")
        assert.strictEqual(yield* available, 1_000)
      }),
    ),
  )
})

describe("a payout that was executed although it ended without money here", () => {
  it.effect(
    "a failed withdrawal that was paid is an exception; a debit takes amount and fee, below zero too",
    () =>
      onStore(
        Effect.gen(function* () {
          const { process, shop, id, says, available } = yield* ended(notPaid)
          yield* says(paid)
          yield* says(paid)
          const exception = yield* onlyException
          assert.deepInclude(exception, { kind: "payout_contradicted", amount: 1_000, resource_id: id })
          assert.strictEqual(yield* available, 1_100)
          yield* resolve(process, exception.id, "debit")

          assert.strictEqual(yield* available, 0)
          assert.deepInclude(yield* withdrawalNow(id), { status: "failed", end_to_end_id: "E-of-the-bank" })
          assert.deepStrictEqual((yield* movementsOf(shop.live, id)).at(-1), "payout_debited")
          assert.strictEqual((yield* eventTypesOf(shop.live, id)).at(-1), "withdrawal.debited")
          yield* says(paid)
          assert.deepStrictEqual(yield* kindsNow, ["payout_contradicted resolved"])
        }),
      ),
  )

  it.effect("a debit takes what is not there any more", () =>
    onStore(
      Effect.gen(function* () {
        const { process, says, available } = yield* ended(notPaid)
        yield* says(paid)
        const exception = yield* onlyException
        const state = yield* MemoryStore
        const balance = [...state.balances.values()].find(({ amounts }) => amounts.available === 1_100)
        if (balance !== undefined) balance.amounts.available = 50
        yield* resolve(process, exception.id, "debit")

        assert.strictEqual(yield* available, -1_050)
      }),
    ),
  )

  it.effect("a payout that a debit booked and that comes back later is an exception to be returned", () =>
    onStore(
      Effect.gen(function* () {
        const { process, says, available } = yield* ended(notPaid)
        yield* says(paid)
        yield* resolve(process, (yield* onlyException).id, "debit")
        yield* says(back(1_000))
        const [returned] = yield* exceptionsNow("open")
        assert.deepInclude(returned, { kind: "payout_returned", amount: 1_000 })
        yield* resolve(process, returned?.id ?? "", "return")
        assert.strictEqual(yield* available, 1_000)
      }),
    ),
  )

  for (const act of ["reject", "cancel"] as const) {
    it.effect(`a withdrawal of ${act} that was paid is an exception`, () =>
      onStore(
        Effect.gen(function* () {
          const { process, id, says } = yield* openWithdrawal({ isManual: true })
          yield* process.commands.decideWithdrawal(id, act, undefined)
          yield* says(paid)
          assert.deepStrictEqual(yield* kindsNow, ["payout_contradicted open"])
        }),
      ),
    )
  }

  it.effect(
    "another amount under our id ends nothing while the withdrawal is processing, and is an exception",
    () =>
      onStore(
        Effect.gen(function* () {
          const { process, id, says } = yield* openWithdrawal({ said: other })
          yield* pass(2_000)
          const exception = yield* onlyException
          assert.deepInclude(exception, { kind: "payout_contradicted", amount: 1_500 })
          assert.deepInclude(exception.details, { amount_there: 1_500, status: "processing" })
          assert.strictEqual((yield* withdrawalNow(id)).status, "processing")
          const early = yield* Effect.flip(resolve(process, exception.id, "debit"))
          assert.deepInclude(early, {
            code: "invalid_state",
            details: { reason: "resource_state", status: "processing" },
          })
          assert.deepStrictEqual(yield* says(other), {
            kind: "pending",
            reason: "answered with another amount",
            queryStatus: "other_amount",
          })
        }),
      ),
  )

  it.effect("what the bank paid above a withdrawal that succeeded is debited, without another fee", () =>
    onStore(
      Effect.gen(function* () {
        const { process, says, available } = yield* ended(paid)
        yield* says(other)
        yield* resolve(process, (yield* onlyException).id, "debit")
        assert.strictEqual(yield* available, -500)
      }),
    ),
  )
})

describe("a withdrawal that the acquirer executed before we sent it", () => {
  for (const from of ["awaiting", "approved"] as const) {
    it.effect(`a withdrawal that is ${from} and was paid is settled`, () =>
      onStore(
        Effect.gen(function* () {
          const { bank, id, says, available } = yield* openWithdrawal({ isManual: true })
          const { withdrawals } = yield* MemoryStore
          if (from === "approved") {
            // As after a restored backup: approved, its timer gone.
            const stored = withdrawals.get(id) as StoredWithdrawal
            const document = JSON.stringify({ ...JSON.parse(stored.document), status: "approved" })
            withdrawals.set(id, { ...stored, status: "approved", document })
          }
          assert.deepStrictEqual(yield* says(paid), settled)
          yield* pass(120_000)

          assert.deepInclude(yield* withdrawalNow(id), {
            ...{ status: "successful", end_to_end_id: "E-of-the-bank" },
          })
          assert.deepStrictEqual([bank.sent, yield* timersOf(id), yield* available], [[], [], 0])
          assert.deepStrictEqual(yield* exceptionsNow(), [])
        }),
      ),
    )
  }

  it.effect("so is one of a seller who owes more than it has by now", () =>
    onStore(
      Effect.gen(function* () {
        const { id, says, shop } = yield* openWithdrawal({ isManual: true })
        const { balances } = yield* MemoryStore
        const balance = balances.get(`${shop.sellerId}:live`)
        if (balance === undefined) return assert.fail("no balance")
        balance.amounts.available -= 500
        assert.deepStrictEqual(yield* says(paid), settled)
        assert.strictEqual((yield* withdrawalNow(id)).status, "successful")
      }),
    ),
  )

  it.effect("a withdrawal that awaits approval and is unknown to the acquirer stays as it is", () =>
    onStore(
      Effect.gen(function* () {
        const { id, says } = yield* openWithdrawal({ isManual: true })
        for (const report of [unknown, processing])
          assert.deepInclude(yield* says(report), { kind: "pending" })
        assert.deepStrictEqual(yield* says(notPaid), { ...settled, queryStatus: "not_paid" })
        assert.strictEqual((yield* withdrawalNow(id)).status, "awaiting")
        assert.deepStrictEqual(yield* exceptionsNow(), [])
      }),
    ),
  )
})

describe("an acquirer without books", () => {
  it.effect("what it says of a withdrawal that has ended is not asked for", () =>
    onStore(
      Effect.gen(function* () {
        const bank = makeBank({ query: () => Effect.succeed(paid) })
        const shop = yield* openShop(automatic)
        const process = yield* startProcess({ acquirer: bank.acquirer })
        const { id } = yield* withdraw(process, shop.live)
        yield* pass(2_000)
        const asked = bank.askedAtMillis.length
        assert.deepStrictEqual(yield* process.commands.reconcilePayout(id), settled)
        assert.strictEqual(bank.askedAtMillis.length, asked)
      }),
    ),
  )
})
