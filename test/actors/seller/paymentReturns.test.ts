import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Acquirer, ChargeReport, RefundReport } from "../../../actors/ports/acquirer.ts"
import { ExceptionStore } from "../../../actors/ports/exceptionStore.ts"
import { TransactionStore } from "../../../actors/ports/transactionStore.ts"
import { unconfirmedPix } from "../../../actors/seller/decisions/unconfirmedItems.ts"
import type { ListedPix } from "../../../actors/values/listedItem.ts"
import type { ExceptionKind } from "../../../schema/resources/exception.ts"
import { noNews, paidBy, silentAcquirer } from "../support/acquirer.ts"
import { exceptionsNow, resolve } from "../support/exceptions.ts"
import { startProcess } from "../support/process.ts"
import { balanceNow, movementsOf } from "../support/purse.ts"
import { chargeNow, createCharge, eventTypesOf, openShop } from "../support/shop.ts"
import { onStore, startMillis } from "../support/store.ts"

const about = (endToEndId: string, refundId?: string) => ({ endToEndId, refundId })
const taken = (id = "D1", amount = 1_000): RefundReport => ({
  id,
  amount,
  kind: "chargeback",
  status: "done",
})

const only = (kind: ExceptionKind) =>
  Effect.flatMap(exceptionsNow(), (found) => {
    const [first, ...others] = found.filter((one) => one.kind === kind)
    return first !== undefined && others.length === 0
      ? Effect.succeed(first)
      : Effect.die(new Error(`${found.map((one) => one.kind).join(", ")}`))
  })

/** A live charge of 1,000 centavos that E1 paid and E2 paid again, and what the acquirer says later. */
const openPaidTwice = Effect.gen(function* () {
  let report: ChargeReport = { ...noNews, payments: [...paidBy("E1").payments, ...paidBy("E2").payments] }
  const acquirer: Acquirer = { ...silentAcquirer, queryCharge: () => Effect.sync(() => report) }
  const shop = yield* openShop()
  const process = yield* startProcess({ acquirer })
  const { id } = yield* createCharge(process, shop.live)
  const ask = (endToEndId = "E2", refundId?: string) =>
    process.commands.reconcileCharge(id, about(endToEndId, refundId))
  yield* ask()
  const available = Effect.map(balanceNow(shop.live), (balance) => balance.available)
  const takesBack = (...refunds: ReadonlyArray<RefundReport>) => {
    report = { ...noNews, payments: [...paidBy("E1").payments, ...paidBy("E2", 1_000, refunds).payments] }
    return ask("E2", refunds[0]?.id)
  }
  return { shop, process, id, ask, available, takesBack, double: yield* only("double_payment") }
})

describe("a credited payment that the bank takes back", () => {
  it.effect("it is a payment_returned, once, and its debit takes the amount, below zero too", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process, available, takesBack, double } = yield* openPaidTwice
        yield* resolve(process, double.id, "credit")
        assert.strictEqual(yield* available, 2_000)
        assert.deepInclude(yield* takesBack(taken()), { kind: "settled" })
        yield* takesBack(taken())

        const returned = yield* only("payment_returned")
        assert.deepInclude(returned, { state: "open", amount: 1_000, seller_id: shop.sellerId })
        assert.deepInclude(returned.details, {
          ...{ end_to_end_id: "E2", return_id: "D1", return_kind: "chargeback", exception_id: double.id },
        })
        const answer = yield* resolve(process, returned.id, "debit")
        assert.strictEqual(answer.kind, "resolved")
        assert.strictEqual(yield* available, 1_000)
        assert.deepStrictEqual(yield* movementsOf(shop.live, returned.id), ["payment_debited"])
        assert.deepStrictEqual(yield* eventTypesOf(shop.live, returned.id), ["exception.debited"])
        const again = yield* Effect.flip(resolve(process, returned.id, "debit"))
        assert.deepInclude(again, { code: "invalid_state" })
        assert.strictEqual(yield* available, 1_000)
      }),
    ),
  )

  it.effect("each of its returns is an exception of its own", () =>
    onStore(
      Effect.gen(function* () {
        const { process, available, takesBack, double } = yield* openPaidTwice
        yield* resolve(process, double.id, "credit")
        yield* takesBack(taken("D1", 300), taken("D2", 700), { ...taken("D3", 1), status: "processing" })
        const found = (yield* exceptionsNow()).filter(({ kind }) => kind === "payment_returned")
        assert.deepStrictEqual(found.map(({ amount }) => amount).sort(), [300, 700])
        for (const { id } of found) yield* resolve(process, id, "debit")
        assert.strictEqual(yield* available, 1_000)
      }),
    ),
  )

  it.effect("one that nobody has credited yet is told of, and cannot be debited before", () =>
    onStore(
      Effect.gen(function* () {
        const { process, available, takesBack, double } = yield* openPaidTwice
        yield* takesBack(taken())
        const returned = yield* only("payment_returned")
        const refused = yield* Effect.flip(resolve(process, returned.id, "debit"))
        assert.deepInclude("details" in refused ? refused.details : {}, { reason: "not_credited" })
        yield* resolve(process, double.id, "credit")
        yield* resolve(process, returned.id, "debit")
        assert.strictEqual(yield* available, 1_000)
      }),
    ),
  )

  it.effect("what the exception itself sent back makes no other exception, and resolves it", () =>
    onStore(
      Effect.gen(function* () {
        const { takesBack, double } = yield* openPaidTwice
        for (const _ of [1, 2]) yield* takesBack({ ...taken(double.id.slice(4)), kind: "refund" })
        const found = yield* exceptionsNow()
        assert.deepStrictEqual(
          found.map(({ id, state, act }) => [id, state, act]),
          [[double.id, "resolved", "refund"]],
        )
      }),
    ),
  )

  it.effect(
    "what a restored backup forgot that it sent back, and an operator credits then, is told of and debited",
    () =>
      onStore(
        Effect.gen(function* () {
          const { process, available, takesBack, double } = yield* openPaidTwice
          yield* resolve(process, double.id, "credit")
          const own = { ...taken(double.id.slice(4)), kind: "refund" as const }
          for (const _ of [1, 2]) yield* takesBack(own)
          const returned = yield* only("payment_returned")
          yield* resolve(process, returned.id, "debit")
          assert.strictEqual(yield* available, 1_000)
        }),
      ),
  )

  it.effect("what was dismissed makes no exception", () =>
    onStore(
      Effect.gen(function* () {
        const { process, takesBack, double } = yield* openPaidTwice
        yield* resolve(process, double.id, "dismiss")
        assert.deepInclude(yield* takesBack(taken()), { kind: "settled" })
        assert.strictEqual((yield* exceptionsNow()).length, 1)
      }),
    ),
  )
})

describe("a return that only the bank's list has", () => {
  it.effect(
    "of the Pix that paid a charge: its debit books it with the charge, and it is not booked again",
    () =>
      onStore(
        Effect.gen(function* () {
          const { shop, process, id, available } = yield* openPaidTwice
          const stored = yield* (yield* TransactionStore).load(id)
          if (stored === undefined) return assert.fail("no charge")
          const item: ListedPix = {
            ...{ kind: "pix", transactionId: id, endToEndId: "E1", refundId: "D9" },
            ...{ returnKind: "chargeback", amount: 1_000 },
          }
          const entry = { item, sinceMillis: startMillis, sweeps: 5 }
          const time = { nowMillis: startMillis, offsetMillis: 0 }
          yield* (yield* ExceptionStore).open(unconfirmedPix(entry, stored, "unknown", "elsewhere", time))
          const returned = yield* only("payment_returned")
          yield* resolve(process, returned.id, "debit")

          assert.strictEqual(yield* available, 0)
          assert.deepInclude(yield* chargeNow(id), { status: "chargeback", refunded_amount: 1_000 })
          assert.include(yield* movementsOf(shop.live, id), "charge_chargeback")
          assert.deepInclude(
            (yield* exceptionsNow()).find((one) => one.id === returned.id),
            { act: "debit" },
          )
        }),
      ),
  )
})
