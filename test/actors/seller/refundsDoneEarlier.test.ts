import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ChargeReport, RefundReport } from "../../../actors/ports/acquirer.ts"
import { acquirerRefundIdOf } from "../../../schema/ids.ts"
import { noNews, paidBy } from "../support/acquirer.ts"
import { acquirerWith, emptyScript } from "../support/books.ts"
import { exceptionsNow, kindsNow, onlyException, resolve } from "../support/exceptions.ts"
import { startProcess } from "../support/process.ts"
import { balanceNow, movementsOf } from "../support/purse.ts"
import {
  away,
  done,
  failed,
  makeRefundBank,
  openRefund,
  processing,
  refundNow,
  unknown,
} from "../support/refunds.ts"
import { pass, settle } from "../support/settle.ts"
import { chargeNow, createCharge, eventTypesOf, openShop, timersOf } from "../support/shop.ts"
import { onStore } from "../support/store.ts"

const emptyBooks = acquirerWith(emptyScript()).books

/** What a restored backup leaves: nothing is handed over. */
const frozen = { gate: { frozen: () => Effect.succeed("no sweep yet") } }

const ends = [
  [{ ...done, returnId: "D1" }, "succeeded", "refund_settled", 600],
  [failed, "failed", "refund_returned", 1_000],
] as const

describe("a refund that is pending here and that the bank has ended", () => {
  for (const [said, status, movement, available] of ends) {
    it.effect(`the charge's report ends it as ${status} during a freeze, without sending it`, () =>
      onStore(
        Effect.gen(function* () {
          let acquirerId = ""
          const opened = yield* openRefund(
            {
              report: (endToEndId) =>
                paidBy(
                  endToEndId,
                  1_000,
                  acquirerId === "" ? [] : [{ id: acquirerId, amount: 400, kind: "refund", ...said }],
                ),
            },
            {},
            frozen,
          )
          const { bank, process, shop, transactionId, id } = opened
          assert.strictEqual((yield* refundNow(id)).status, "pending")
          acquirerId = opened.acquirerId
          const endToEndId = (yield* chargeNow(transactionId)).end_to_end_id ?? undefined
          const answer = yield* process.commands.reconcileCharge(transactionId, {
            endToEndId,
            refundId: status === "succeeded" ? acquirerId : undefined,
          })

          assert.deepInclude(answer, { kind: "settled" })
          assert.strictEqual((yield* refundNow(id)).status, status)
          assert.deepStrictEqual(yield* movementsOf(shop.live, id), ["refund_held", movement])
          assert.deepInclude(yield* balanceNow(shop.live), { available, pendingRefund: 0 })
          assert.deepStrictEqual(yield* eventTypesOf(shop.live, id), ["refund.created", `refund.${status}`])
          assert.deepStrictEqual(yield* timersOf(id), [])
          yield* pass(60_000)
          assert.deepStrictEqual(bank.sent, [])
        }),
      ),
    )

    it.effect(`a notice of it asks the bank, and ends it as ${status} during a freeze`, () =>
      onStore(
        Effect.gen(function* () {
          const { bank, process, id } = yield* openRefund(
            { query: () => Effect.succeed(said), books: emptyBooks },
            {},
            frozen,
          )
          assert.deepInclude(yield* process.commands.reconcileRefund(id), { kind: "settled" })
          assert.strictEqual((yield* refundNow(id)).status, status)
          assert.deepStrictEqual(bank.sent, [])
        }),
      ),
    )
  }

  for (const [what, answer] of [
    ["never heard of", Effect.succeed(unknown)],
    ["is making", Effect.succeed(processing)],
    ["does not answer about", Effect.fail(away)],
  ] as const) {
    it.effect(`one that the bank ${what} stays pending`, () =>
      onStore(
        Effect.gen(function* () {
          const { process, id } = yield* openRefund({ query: () => answer, books: emptyBooks }, {}, frozen)
          const kind = what === "does not answer about" ? "unavailable" : "pending"
          assert.deepInclude(yield* process.commands.reconcileRefund(id), { kind })
          assert.strictEqual((yield* refundNow(id)).status, "pending")
        }),
      ),
    )
  }

  it.effect("a bank that keeps no books, as the simulator, is not asked about what it was not sent", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, process, id } = yield* openRefund({ query: () => Effect.succeed(done) }, {}, frozen)
        assert.deepStrictEqual(yield* process.commands.reconcileRefund(id), { kind: "pending" })
        assert.deepStrictEqual(bank.asked, [])
      }),
    ),
  )
})

/** A charge that E1 paid and E2 paid again, during a freeze; `makes` lets the bank make refunds of E2 by itself. */
const openPaidTwice = Effect.gen(function* () {
  let refunds: ReadonlyArray<RefundReport> = []
  const report = (): ChargeReport => ({
    ...noNews,
    payments: [...paidBy("E1").payments, ...paidBy("E2", 1_000, refunds).payments],
  })
  const bank = makeRefundBank({ report })
  const shop = yield* openShop()
  const process = yield* startProcess({ acquirer: bank.acquirer, ...frozen })
  const { id } = yield* createCharge(process, shop.live)
  const ask = (refundId?: string) =>
    process.commands.reconcileCharge(id, { endToEndId: refundId === undefined ? "E1" : "E2", refundId })
  yield* ask()
  const exception = yield* onlyException
  const makes = (refundId: string) => {
    refunds = [{ id: refundId, amount: 1_000, kind: "refund", status: "done" }]
    return ask(refundId)
  }
  return { bank, process, shop, id, exception, makes, ownId: exception.id.slice(4) }
})

describe("a refund of an exception that the bank has made and a restored backup has forgotten", () => {
  it.effect("it resolves the exception where it is still to be sent, and is not sent", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, process, id, exception, makes, ownId } = yield* openPaidTwice
        yield* resolve(process, exception.id, "refund")
        yield* settle
        yield* makes(ownId)

        assert.deepInclude(yield* onlyException, {
          state: "resolved",
          act: "refund",
          resolved_by: "operator-1",
        })
        assert.deepInclude((yield* chargeNow(id)).exceptions[0], { act: "refund" })
        yield* pass(60_000)
        assert.deepStrictEqual(bank.sent, [])
        assert.deepStrictEqual(yield* timersOf(exception.id), [])
      }),
    ),
  )

  for (const attempt of ["", "1"]) {
    it.effect(`it resolves the exception where nobody asked for it (attempt '${attempt}')`, () =>
      onStore(
        Effect.gen(function* () {
          const { shop, id, makes, ownId } = yield* openPaidTwice
          const before = yield* balanceNow(shop.live)
          for (const _ of [1, 2]) yield* makes(`${ownId}${attempt}`)

          assert.deepStrictEqual(yield* kindsNow, ["double_payment resolved"])
          assert.deepInclude(yield* onlyException, { act: "refund", resolved_by: null })
          assert.deepInclude((yield* chargeNow(id)).exceptions[0], { act: "refund" })
          assert.deepStrictEqual(yield* balanceNow(shop.live), before)
        }),
      ),
    )
  }

  it.effect("what another refund than the exception's took back is a payment_returned, as before", () =>
    onStore(
      Effect.gen(function* () {
        const { makes } = yield* openPaidTwice
        yield* makes(acquirerRefundIdOf("rfd_00000000000000000000000000"))
        assert.deepStrictEqual((yield* exceptionsNow("open")).map(({ kind }) => kind).sort(), [
          "double_payment",
          "payment_returned",
        ])
      }),
    ),
  )
})
