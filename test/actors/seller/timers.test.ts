import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { Acquirer, ChargeReport } from "../../../actors/ports/acquirer.ts"
import { TransactionStore } from "../../../actors/ports/transactionStore.ts"
import { decideEnd, timerNames } from "../../../actors/seller/decisions/transactionTransitions.ts"
import { fireTimers } from "../../../actors/seller/operations/fireTimers.ts"
import { limits } from "../../../schema/limits.ts"
import type { TransactionStatus } from "../../../schema/resources/transaction.ts"
import { noNews, paidBy, silentAcquirer } from "../support/acquirer.ts"
import { startProcess } from "../support/process.ts"
import { pass, settle } from "../support/settle.ts"
import { chargeNow, createCharge, eventTypesOf, openShop, requestCharge, timersOf } from "../support/shop.ts"
import { onStore, StoreFaults, startMillis } from "../support/store.ts"

/** A local acquirer that is queried after `askAfterMillis` and reports what the test sets for each status. */
const makeAcquirer = (overrides: Partial<Acquirer> & { readonly askAfterMillis?: number } = {}) => {
  const says = new Map<TransactionStatus, ChargeReport>()
  let asked = 0
  const { askAfterMillis = 20_000, ...rest } = overrides
  const acquirer: Acquirer = {
    ...silentAcquirer,
    isLocal: true,
    createCharge: ({ txid }) => Effect.succeed({ location: `pix.example/${txid}`, askAfterMillis }),
    queryCharge: ({ status }) =>
      Effect.sync(() => {
        asked += 1
        return says.get(status) ?? noNews
      }),
    ...rest,
  }
  return { acquirer, says, asked: () => asked }
}
const paid = paidBy("E1")
const backOf = (kind: "refund" | "chargeback") =>
  paidBy("E0", 1_000, [{ id: "d1", amount: 1_000, kind, status: "done" }])
const expiresIn = (seconds: number) => ({ body: { pix: { expires_in_seconds: seconds } } })

describe("an expired charge", () => {
  it.effect("an expired charge becomes paid when the money comes late", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const { acquirer, says } = makeAcquirer({ askAfterMillis: 20_000 })
        says.set("expired", paid)
        const process = yield* startProcess({ acquirer })
        const { id } = yield* createCharge(process, shop.test, expiresIn(10))
        yield* pass(19_999)
        assert.strictEqual((yield* chargeNow(id)).status, "expired")
        yield* pass(1)
        const late = yield* chargeNow(id)

        assert.strictEqual(late.status, "paid")
        assert.isNotNull(late.expired_at)
        assert.isNotNull(late.paid_at)
        assert.deepStrictEqual(yield* eventTypesOf(shop.test, id), [
          "transaction.created",
          "transaction.expired",
          "transaction.paid",
        ])
        assert.deepStrictEqual(yield* timersOf(id), [])
      }),
    ),
  )

  it.effect("a charge that expires and is paid at the same moment ends as paid", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const { acquirer, says } = makeAcquirer({ askAfterMillis: 10_000 })
        says.set("pending", paid).set("expired", paid)
        const process = yield* startProcess({ acquirer })
        const { id } = yield* createCharge(process, shop.test, expiresIn(10))
        yield* pass(30_000)

        assert.strictEqual((yield* chargeNow(id)).status, "paid")
        const types = yield* eventTypesOf(shop.test, id)
        assert.strictEqual(types.at(-1), "transaction.paid")
        assert.strictEqual(new Set(types).size, types.length)
        assert.deepStrictEqual(yield* timersOf(id), [])
      }),
    ),
  )
})

describe("a repeated or late report of the acquirer", () => {
  for (const [what, report, told] of [
    ["a failure", { ...noNews, failure: "late" }, []],
    [
      "a refund under way",
      paidBy("E0", 999, [{ id: "d1", amount: 1, kind: "refund", status: "processing" }]),
      ["transaction.exception"],
    ],
  ] as const) {
    it.effect(`a report of ${what} does not change the status of an expired charge`, () =>
      onStore(
        Effect.gen(function* () {
          const shop = yield* openShop()
          const { acquirer, says, asked } = makeAcquirer()
          says.set("expired", report)
          const process = yield* startProcess({ acquirer })
          const { id } = yield* createCharge(process, shop.test, expiresIn(10))
          yield* pass(30_000)

          assert.strictEqual(asked(), 1)
          assert.strictEqual((yield* chargeNow(id)).status, "expired")
          assert.deepStrictEqual(yield* eventTypesOf(shop.test, id), [
            "transaction.created",
            "transaction.expired",
            ...told,
          ])
          assert.deepStrictEqual(yield* timersOf(id), [])
        }),
      ),
    )
  }

  for (const kind of ["refund", "chargeback"] as const) {
    it.effect(`a report of a ${kind} of an expired charge counts as its payment too`, () =>
      onStore(
        Effect.gen(function* () {
          const shop = yield* openShop()
          const { acquirer, says } = makeAcquirer()
          says.set("expired", backOf(kind))
          const process = yield* startProcess({ acquirer })
          const { id } = yield* createCharge(process, shop.test, expiresIn(10))
          yield* pass(30_000)

          assert.deepStrictEqual(yield* eventTypesOf(shop.test, id), [
            "transaction.created",
            "transaction.expired",
            "transaction.paid",
            kind === "refund" ? "transaction.refunded" : "transaction.chargeback",
          ])
          assert.deepStrictEqual(yield* timersOf(id), [])
        }),
      ),
    )
  }

  it.effect("an acquirer's report is applied once when its timer fires several times at once", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const { acquirer, says } = makeAcquirer({ askAfterMillis: 1_000_000 })
        says.set("pending", paid)
        const processes = [yield* startProcess({ acquirer }), yield* startProcess({ acquirer })] as const
        const { id } = yield* createCharge(processes[0], shop.test, expiresIn(10_000))
        const transaction = yield* (yield* TransactionStore).load(id)
        if (transaction === undefined) return assert.fail("no charge")
        const timer = { name: timerNames.ask, resourceId: id, leaseEndMillis: startMillis }
        const due = [{ timer, charge: { transaction, offsetMillis: 0 } }]
        yield* Effect.forEach(
          [...processes, ...processes],
          ({ sellers }) => sellers.ask(fireTimers, { sellerId: shop.sellerId, due }),
          { concurrency: "unbounded" },
        )
        yield* settle

        assert.deepStrictEqual(yield* eventTypesOf(shop.test, id), [
          "transaction.created",
          "transaction.paid",
        ])
        assert.deepStrictEqual(yield* timersOf(id), [])
      }),
    ),
  )

  it.effect("an acquirer's report is decided anew when another transition came first", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const { acquirer, says } = makeAcquirer({ askAfterMillis: 1_000_000 })
        const process = yield* startProcess({ acquirer })
        const { id } = yield* createCharge(process, shop.test, expiresIn(10_000))
        const store = yield* TransactionStore
        const old = yield* store.load(id)
        if (old === undefined) return assert.fail("no charge")
        const expire = decideEnd(old, "expired", {}, { nowMillis: startMillis, offsetMillis: 0 })
        if (expire === undefined) return assert.fail("no transition")
        yield* store.transition(expire)
        says.set("expired", paid)
        // The timer was claimed with the charge as it was before.
        const timer = { name: timerNames.ask, resourceId: id, leaseEndMillis: startMillis }
        says.set("pending", paid)
        const due = [{ timer, charge: { transaction: old, offsetMillis: 0 } }]
        yield* process.sellers.ask(fireTimers, { sellerId: shop.sellerId, due })
        yield* settle

        assert.deepStrictEqual(yield* eventTypesOf(shop.test, id), [
          "transaction.created",
          "transaction.expired",
          "transaction.paid",
        ])
      }),
    ),
  )
})

describe("a charge's timer", () => {
  it.effect("a timer whose transition the store did not take fires again when its lease ends", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const faults = yield* StoreFaults
        const process = yield* startProcess()
        const { id } = yield* createCharge(process, shop.test)
        faults.away.add("transition")
        yield* pass(3_000)
        faults.away.clear()
        yield* pass(limits.timerLeaseMillis - 1)
        assert.strictEqual((yield* chargeNow(id)).status, "pending")
        yield* pass(1)

        assert.strictEqual((yield* chargeNow(id)).status, "paid")
        assert.deepStrictEqual(yield* eventTypesOf(shop.test, id), [
          "transaction.created",
          "transaction.paid",
        ])
      }),
    ),
  )

  it.effect("a timer whose transition was applied without an answer is applied once", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const faults = yield* StoreFaults
        const process = yield* startProcess()
        const { id } = yield* createCharge(process, shop.test)
        faults.answersLost.add("transition")
        yield* pass(3_000)
        faults.answersLost.clear()
        yield* pass(60_000)

        assert.deepStrictEqual(yield* eventTypesOf(shop.test, id), [
          "transaction.created",
          "transaction.paid",
        ])
      }),
    ),
  )

  it.effect("a timer that waits for a slow acquirer holds up no other command of the seller", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const slow = makeAcquirer({
          isLocal: false,
          askAfterMillis: 1_000,
          queryCharge: () => Effect.as(Effect.sleep(8_000), paid),
        })
        const process = yield* startProcess({ acquirer: slow.acquirer })
        const { id } = yield* createCharge(process, shop.test)
        yield* pass(1_000)
        const asker = yield* Effect.forkChild(requestCharge(process, shop.test))
        yield* settle
        assert.isDefined(asker.pollUnsafe())
        yield* pass(7_999)
        assert.strictEqual((yield* chargeNow(id)).status, "pending")
        yield* pass(1)

        assert.strictEqual((yield* chargeNow(id)).status, "paid")
        assert.strictEqual((yield* Fiber.join(asker)).kind, "answered")
      }),
    ),
  )
})
