import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Acquirer, ChargeReport } from "../../../actors/ports/acquirer.ts"
import { limits } from "../../../schema/limits.ts"
import { noNews, silentAcquirer } from "../support/acquirer.ts"
import { exceptionsNow, kindsNow, onlyException, resolve } from "../support/exceptions.ts"
import { startProcess } from "../support/process.ts"
import { balanceNow, movementsOf } from "../support/purse.ts"
import { settle } from "../support/settle.ts"
import { chargeNow, createCharge, eventsOf, eventTypesOf, openShop } from "../support/shop.ts"
import { onStore, StoreFaults } from "../support/store.ts"

const payment = (endToEndId: string, amount = 1_000) => ({ endToEndId, amount, refunds: [] })
const about = (endToEndId: string) => ({ endToEndId, refundId: undefined })

/** A live charge of 1,000 centavos, and what the acquirer says about it; by default it was paid twice. */
const openCharge = (said: ChargeReport = { ...noNews, payments: [payment("E1"), payment("E2", 1_000)] }) =>
  Effect.gen(function* () {
    let report = said
    const acquirer: Acquirer = { ...silentAcquirer, queryCharge: () => Effect.sync(() => report) }
    const shop = yield* openShop()
    const process = yield* startProcess({ acquirer })
    const { id } = yield* createCharge(process, shop.live)
    const ask = (endToEndId = "E1") => process.commands.reconcileCharge(id, about(endToEndId))
    const says = (next: ChargeReport) => {
      report = next
    }
    return { shop, process, id, ask, says }
  })

describe("a payment that does not fit its charge", () => {
  it.effect("a second payment is an exception, and its seller is told", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, id, ask } = yield* openCharge()
        yield* ask()
        yield* ask()
        const exception = yield* onlyException

        assert.deepInclude(exception, {
          ...{ kind: "double_payment", state: "open", mode: "live", acquirer: "elsewhere", amount: 1_000 },
          ...{ resource_type: "transaction", resource_id: id, seller_id: shop.sellerId },
          details: {
            end_to_end_id: "E2",
            txid: (yield* chargeNow(id)).pix.txid,
            charge_exception: "double_payment",
            charge_amount: 1_000,
          },
        })
        assert.deepStrictEqual(yield* eventTypesOf(shop.live, id), [
          "transaction.created",
          "transaction.paid",
          "transaction.exception",
        ])
      }),
    ),
  )

  it.effect(
    "payments beyond those that a charge lists are exceptions too, once each, and notices of them end",
    () =>
      onStore(
        Effect.gen(function* () {
          const odd = Array.from({ length: limits.chargeExceptionsMax + 2 }, (_, index) =>
            payment(`E2${index}`, 7),
          )
          const { id, ask } = yield* openCharge({ ...noNews, payments: odd })
          yield* ask("E20")
          const answer = yield* ask("E221")

          assert.deepStrictEqual(answer, { kind: "settled", note: "amount_mismatch by E221" })
          assert.strictEqual((yield* chargeNow(id)).exceptions.length, limits.chargeExceptionsMax)
          assert.strictEqual((yield* exceptionsNow("open")).length, odd.length)
        }),
      ),
  )
})

describe("an act on a charge's exception", () => {
  it.effect("a credit books the whole payment without a fee, once, with the event of the charge", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process, id, ask } = yield* openCharge()
        yield* ask()
        const before = (yield* balanceNow(shop.live)).available
        const exception = yield* onlyException
        const answer = yield* resolve(process, exception.id, "credit")

        assert.strictEqual(answer.kind, "resolved")
        assert.deepInclude(yield* onlyException, {
          ...{ state: "resolved", act: "credit", reason: "to credit", resolved_by: "operator-1" },
        })
        assert.strictEqual((yield* balanceNow(shop.live)).available, before + 1_000)
        assert.deepStrictEqual(yield* movementsOf(shop.live, exception.id), ["payment_credited"])
        const told = (yield* eventsOf(shop.live)).at(-1)
        assert.strictEqual(told?.type, "transaction.exception")
        assert.deepInclude(JSON.parse(told?.data ?? "{}").exceptions[0], {
          act: "credit",
          end_to_end_id: "E2",
        })
        assert.strictEqual((yield* chargeNow(id)).status, "paid")
        const again = yield* Effect.flip(resolve(process, exception.id, "credit"))
        assert.deepInclude(again, { code: "invalid_state", details: { state: "resolved" } })
        assert.strictEqual((yield* balanceNow(shop.live)).available, before + 1_000)
      }),
    ),
  )

  it.effect("a credit whose answer is lost is made once", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process, ask } = yield* openCharge()
        yield* ask()
        const { id } = yield* onlyException
        const { answersLost } = yield* StoreFaults
        answersLost.add("transition")
        yield* Effect.flip(resolve(process, id, "credit"))
        answersLost.clear()

        assert.deepInclude(yield* Effect.flip(resolve(process, id, "credit")), { code: "invalid_state" })
        assert.deepStrictEqual(yield* movementsOf(shop.live, id), ["payment_credited"])
      }),
    ),
  )

  it.effect(
    "a dismissal moves no money and tells the seller; the payment is no new exception afterwards",
    () =>
      onStore(
        Effect.gen(function* () {
          const { shop, process, id, ask } = yield* openCharge()
          yield* ask()
          const before = yield* balanceNow(shop.live)
          const exception = yield* onlyException
          yield* resolve(process, exception.id, "dismiss")
          yield* ask()

          assert.deepStrictEqual(yield* kindsNow, ["double_payment resolved"])
          assert.deepStrictEqual(yield* balanceNow(shop.live), before)
          assert.deepInclude((yield* chargeNow(id)).exceptions[0], { act: "dismiss" })
          assert.strictEqual((yield* eventTypesOf(shop.live, id)).at(-1), "transaction.exception")
        }),
      ),
  )

  it.effect("an act is decided again where the charge changes meanwhile", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process, ask, says } = yield* openCharge({
          ...noNews,
          payments: [payment("E1"), payment("E2"), payment("E3")],
        })
        yield* ask()
        const open = yield* exceptionsNow("open")
        yield* Effect.all(
          open.map(({ id }) => resolve(process, id, "credit")),
          { concurrency: "unbounded" },
        )
        says(noNews)
        yield* settle

        assert.deepStrictEqual(yield* kindsNow, ["double_payment resolved", "double_payment resolved"])
        assert.strictEqual((yield* balanceNow(shop.live)).available, 3_000)
      }),
    ),
  )

  it.effect("an act that the kind does not have, and a seller that is not its own, are refused", () =>
    onStore(
      Effect.gen(function* () {
        const { process, ask } = yield* openCharge()
        yield* ask()
        const { id } = yield* onlyException
        const other = yield* openShop()

        const kind = yield* Effect.flip(resolve(process, id, "settle"))
        assert.deepInclude(kind, {
          code: "invalid_state",
          details: { kind: "double_payment", acts: ["credit", "refund", "dismiss"] },
        })
        const seller = yield* Effect.flip(resolve(process, id, "credit", { sellerId: other.sellerId }))
        assert.deepInclude(seller, { code: "validation_failed", param: "seller_id" })
        const missing = yield* Effect.flip(resolve(process, id.replace(/.$/, "0"), "credit"))
        assert.strictEqual(missing._tag === "ApiError" && missing.code, "resource_not_found")
        assert.deepStrictEqual(yield* kindsNow, ["double_payment open"])
      }),
    ),
  )
})
