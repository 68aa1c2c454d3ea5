import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { PayoutReport } from "../../../actors/ports/acquirer.ts"
import { notPaid, paid } from "../support/bank.ts"
import { exceptionsNow, kindsNow, onlyException, resolve } from "../support/exceptions.ts"
import { back, ended, other } from "../support/openWithdrawal.ts"
import type { Process } from "../support/process.ts"
import { movementsOf, withdrawalNow } from "../support/purse.ts"
import { eventTypesOf } from "../support/shop.ts"
import { onStore } from "../support/store.ts"

describe("a payout that was made after all, once it was booked as back", () => {
  /** Resolves the open exception. */
  const act = (process: Process, how: "debit" | "return" | "dismiss") =>
    Effect.gen(function* () {
      const [open] = yield* exceptionsNow("open")
      yield* resolve(process, open?.id ?? "", how)
      return open
    })

  it.effect(
    "a payout that is made after its return was booked is an exception; a debit takes no other fee",
    () =>
      onStore(
        Effect.gen(function* () {
          const { process, shop, id, says, available } = yield* ended(paid)
          yield* says(notPaid)
          yield* act(process, "return")
          yield* says(paid)
          yield* says(paid)
          assert.deepStrictEqual(yield* kindsNow, ["payout_contradicted open", "payout_returned resolved"])
          const found = yield* act(process, "debit")
          assert.deepInclude(found, { kind: "payout_contradicted", amount: 1_000, resource_id: id })
          assert.deepInclude(found?.details, {
            status: "successful",
            status_there: "paid",
            returned_amount: 0,
          })

          assert.strictEqual(yield* available, 0)
          assert.deepInclude(yield* withdrawalNow(id), {
            ...{ status: "successful", returned_amount: 0, debited_amount: 0 },
          })
          assert.deepStrictEqual((yield* movementsOf(shop.live, id)).slice(-2), [
            "payout_returned",
            "payout_debited",
          ])
          assert.strictEqual((yield* eventTypesOf(shop.live, id)).at(-1), "withdrawal.debited")
          yield* says(paid)
          assert.deepStrictEqual(yield* exceptionsNow("open"), [])
        }),
      ),
  )

  it.effect("an acquirer that changes its mind again and again is followed each time", () =>
    onStore(
      Effect.gen(function* () {
        const { process, id, says, available } = yield* ended(notPaid)
        yield* says(paid)
        yield* act(process, "debit")
        for (const _ of ["first", "second", "third"]) {
          yield* says(notPaid)
          yield* act(process, "return")
          assert.strictEqual(yield* available, 1_000)
          yield* says(paid)
          yield* act(process, "debit")
          assert.strictEqual(yield* available, 0)
        }
        assert.deepInclude(yield* withdrawalNow(id), {
          ...{ status: "failed", debited_amount: 1_000, returned_amount: 0 },
        })
        yield* says(paid)
        assert.deepStrictEqual(yield* exceptionsNow("open"), [])
      }),
    ),
  )

  it.effect("a whole that came back by itself and is gone again is debited", () =>
    onStore(
      Effect.gen(function* () {
        const { process, id, says, available } = yield* ended(paid)
        yield* says(back(1_000))
        yield* says(paid)
        yield* act(process, "debit")
        assert.strictEqual(yield* available, 0)
        yield* says(back(1_000))
        assert.strictEqual(yield* available, 1_000)
        assert.deepInclude(yield* withdrawalNow(id), { returned_amount: 1_000, debited_amount: 0 })
        assert.deepStrictEqual(yield* exceptionsNow("open"), [])
      }),
    ),
  )

  it.effect("of a part that did not come back after all only what is missing is debited", () =>
    onStore(
      Effect.gen(function* () {
        const { process, id, says, available } = yield* ended(paid)
        yield* says(notPaid)
        yield* act(process, "return")
        yield* says(back(300))
        const found = yield* act(process, "debit")
        assert.strictEqual(found?.amount, 700)
        assert.strictEqual(yield* available, 300)
        assert.deepInclude(yield* withdrawalNow(id), { returned_amount: 300, debited_amount: 0 })
        yield* says(back(500))
        yield* act(process, "return")
        assert.strictEqual(yield* available, 500)
      }),
    ),
  )

  it.effect("of two contradictions of one return the second to be debited has nothing left", () =>
    onStore(
      Effect.gen(function* () {
        const { process, says, available } = yield* ended(paid)
        yield* says(notPaid)
        yield* act(process, "return")
        yield* says(back(300))
        yield* says(paid)
        const open = yield* exceptionsNow("open")
        const idOf = (amount: number) => open.find((one) => one.amount === amount)?.id ?? ""
        yield* resolve(process, idOf(1_000), "debit")
        assert.strictEqual(yield* available, 0)
        const late = yield* Effect.flip(resolve(process, idOf(700), "debit"))
        assert.deepInclude(late, { code: "invalid_state", details: { reason: "nothing_left" } })
      }),
    ),
  )

  it.effect("a return that was booked although the acquirer had changed its mind is debited", () =>
    onStore(
      Effect.gen(function* () {
        const { process, says, available } = yield* ended(paid)
        yield* says(notPaid)
        yield* says(paid)
        yield* act(process, "return")
        assert.strictEqual(yield* available, 1_000)
        yield* says(paid)
        yield* act(process, "debit")
        assert.strictEqual(yield* available, 0)
      }),
    ),
  )

  it.effect("a contradiction that an operator dismissed does not come back", () =>
    onStore(
      Effect.gen(function* () {
        const { process, says } = yield* ended(paid)
        yield* says(notPaid)
        yield* act(process, "return")
        yield* says(paid)
        yield* act(process, "dismiss")
        yield* says(notPaid)
        yield* says(paid)
        assert.deepStrictEqual(yield* exceptionsNow("open"), [])
      }),
    ),
  )
})

describe("a payout of another amount that an operator debited", () => {
  const otherBack = (returnedAmount: number): PayoutReport => ({ ...other, returnedAmount })
  const debited = Effect.gen(function* () {
    const opened = yield* ended(paid)
    yield* opened.says(other)
    const first = yield* onlyException
    yield* resolve(opened.process, first.id, "debit")
    return { ...opened, newest: Effect.map(exceptionsNow("open"), (found) => found.at(-1)) }
  })

  it.effect("what comes back of it is an exception, whose return credits all that left", () =>
    onStore(
      Effect.gen(function* () {
        const { process, id, says, available, newest } = yield* debited
        assert.deepInclude(yield* withdrawalNow(id), { status: "successful", debited_amount: 500 })
        yield* says(other)
        assert.isUndefined(yield* newest)
        yield* says(otherBack(1_500))
        const returned = yield* newest
        assert.deepInclude(returned, { kind: "payout_returned", amount: 1_500 })
        yield* resolve(process, returned?.id ?? "", "return")
        assert.strictEqual(yield* available, 1_000)
        assert.deepInclude(yield* withdrawalNow(id), { returned_amount: 1_500, debited_amount: 500 })
      }),
    ),
  )

  it.effect("that it paid the right amount after all gives back what was debited too much", () =>
    onStore(
      Effect.gen(function* () {
        const { process, says, available, newest } = yield* debited
        yield* says(paid)
        const returned = yield* newest
        assert.deepInclude(returned, { kind: "payout_returned", amount: 500 })
        yield* resolve(process, returned?.id ?? "", "return")
        assert.strictEqual(yield* available, 0)
      }),
    ),
  )

  it.effect("that it was more still is another exception", () =>
    onStore(
      Effect.gen(function* () {
        const { process, id, says, available, newest } = yield* debited
        yield* says({ ...other, amountThere: 1_700 })
        const more = yield* newest
        assert.deepInclude(more, { kind: "payout_contradicted", amount: 200 })
        yield* resolve(process, more?.id ?? "", "debit")
        assert.strictEqual(yield* available, -700)
        assert.deepInclude(yield* withdrawalNow(id), { debited_amount: 700 })
      }),
    ),
  )

  it.effect(
    "a withdrawal that failed and was paid with another amount is followed, whatever its transfer",
    () =>
      onStore(
        Effect.gen(function* () {
          const { process, id, says, available } = yield* ended(notPaid)
          const nameless = { ...other, endToEndId: undefined }
          yield* says(nameless)
          yield* resolve(process, (yield* onlyException).id, "debit")
          assert.strictEqual(yield* available, 1_100 - 1_600)
          assert.deepInclude(yield* withdrawalNow(id), {
            ...{ status: "failed", end_to_end_id: null, debited_amount: 1_500 },
          })
          yield* says({ ...nameless, returnedAmount: 1_500 })
          const [returned] = yield* exceptionsNow("open")
          assert.deepInclude(returned, { kind: "payout_returned", amount: 1_500 })
        }),
      ),
  )
})
