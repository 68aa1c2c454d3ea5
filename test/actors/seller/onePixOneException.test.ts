import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  type Acquirer,
  AcquirerRefused,
  type ChargeReport,
  type RefundReport,
} from "../../../actors/ports/acquirer.ts"
import { ExceptionStore } from "../../../actors/ports/exceptionStore.ts"
import { exceptionBeside } from "../../../actors/seller/decisions/exceptionDocument.ts"
import { txidOf } from "../../../schema/ids.ts"
import { noNews, paidBy, silentAcquirer } from "../support/acquirer.ts"
import { exceptionsNow, openUnknown, resolve } from "../support/exceptions.ts"
import { startProcess } from "../support/process.ts"
import { pass } from "../support/settle.ts"
import { chargeNow, createCharge, openShop } from "../support/shop.ts"
import { onStore, startMillis } from "../support/store.ts"

/** Of these the charge's is 0, and that of what is unknown of E9 is 1. */
const partitions = 2
const about = (endToEndId: string, refundId?: string) => ({ endToEndId, refundId })
const taken: RefundReport = { id: "D1", amount: 300, kind: "chargeback", status: "done" }
const payments = (...reports: ReadonlyArray<ChargeReport>): ChargeReport => ({
  ...noNews,
  payments: reports.flatMap((report) => report.payments),
})

/** Two live charges of one seller, and what the acquirer says of them. */
const openTwo = Effect.gen(function* () {
  const reports = new Map<string, ChargeReport>()
  const acquirer: Acquirer = {
    ...silentAcquirer,
    queryCharge: ({ txid }) => Effect.sync(() => reports.get(txid) ?? noNews),
    refund: () => Effect.fail(new AcquirerRefused({ reason: "no such Pix" })),
  }
  const process = yield* startProcess({ acquirer })
  const shop = yield* openShop({ partition: 0 })
  const open = Effect.map(createCharge(process, shop.live), ({ id }) => ({
    id,
    hears: (report: ChargeReport, endToEndId: string, refundId?: string) => {
      reports.set(txidOf(id), report)
      return process.commands.reconcileCharge(id, about(endToEndId, refundId))
    },
  }))
  return { process, shop, first: yield* open, second: yield* open }
})

/** Kinds, states and acts of all exceptions. */
const told = Effect.map(exceptionsNow(), (found) =>
  found.map(({ kind, state, act, resolved_by }) => `${kind} ${state} ${act} ${resolved_by}`).sort(),
)

/** Records what went back of the Pix of an exception, as a sweep does beside it. */
const openReturnOf = Effect.fnUntraced(function* (exceptionId: string) {
  const store = yield* ExceptionStore
  const exception = yield* store.load(exceptionId)
  if (exception === undefined) return assert.fail("no exception")
  const found = {
    ...{ kind: "payment_returned" as const, about: "E9:D1", acquirer: "elsewhere", amount: 300 },
    details: { end_to_end_id: "E9", return_id: "D1", return_kind: "chargeback", exception_id: exceptionId },
  }
  yield* store.open(exceptionBeside(found, exception, startMillis))
})

describe("a Pix that is in two exceptions", () => {
  it.effect("what goes back of one that another charge has is that charge's alone", () =>
    onStore(
      Effect.gen(function* () {
        const { first, second } = yield* openTwo
        const back = paidBy("E1", 1_000, [taken])
        yield* first.hears(paidBy("E1"), "E1")
        yield* second.hears(paidBy("E1"), "E1")
        yield* first.hears(back, "E1", "D1")
        assert.deepInclude(yield* second.hears(back, "E1", "D1"), { kind: "settled" })

        assert.strictEqual((yield* chargeNow(first.id)).refunded_amount, 300)
        assert.deepStrictEqual(yield* told, ["double_payment open null null"])
      }),
    ),
  )

  it.effect("one that a charge lists as another's is listed once, whatever becomes of the charge", () =>
    onStore(
      Effect.gen(function* () {
        const { first, second } = yield* openTwo
        yield* first.hears(paidBy("E1"), "E1")
        yield* second.hears(paidBy("E1"), "E1")
        yield* second.hears({ ...noNews, failure: "removed" }, "E9")
        yield* second.hears(paidBy("E1"), "E1")
        const { status, exceptions } = yield* chargeNow(second.id)
        assert.deepStrictEqual([status, exceptions.map(({ kind }) => kind)], ["failed", ["double_payment"]])
      }),
    ),
  )

  it.effect("a payment_unknown is resolved once its charge has it as another payment", () =>
    onStore(
      Effect.gen(function* () {
        const { first } = yield* openTwo
        yield* openUnknown("payment_unknown", 1_000, partitions)
        yield* first.hears(payments(paidBy("E1"), paidBy("E9")), "E9")
        assert.deepStrictEqual(yield* told, [
          "double_payment open null null",
          "payment_unknown resolved dismiss null",
        ])
      }),
      partitions,
    ),
  )

  it.effect("one that an operator sends back goes on", () =>
    onStore(
      Effect.gen(function* () {
        const { process, first } = yield* openTwo
        const id = yield* openUnknown("payment_unknown", 1_000, partitions)
        yield* resolve(process, id, "refund")
        yield* first.hears(payments(paidBy("E1"), paidBy("E9")), "E9")
        assert.deepStrictEqual(yield* told, [
          "double_payment open null null",
          "payment_unknown open null null",
        ])
        const second = (yield* exceptionsNow()).find(({ kind }) => kind === "double_payment")
        for (const act of ["refund", "credit"] as const) {
          const refused = yield* Effect.flip(resolve(process, second?.id ?? "", act))
          assert.deepInclude("details" in refused ? refused.details : {}, {
            reason: "end_to_end_id_claimed",
            claimed_by: id,
          })
        }
      }),
      partitions,
    ),
  )

  for (const report of [paidBy("E9"), payments(paidBy("E1"), paidBy("E9"))]) {
    const how = report.payments.length === 1 ? "paid" : "is another payment of"
    it.effect(`one whose refund fails after its Pix ${how} a charge is over`, () =>
      onStore(
        Effect.gen(function* () {
          const { process, first } = yield* openTwo
          const id = yield* openUnknown("payment_unknown", 1_000, partitions)
          yield* resolve(process, id, "refund")
          yield* first.hears(report, "E9")
          yield* pass(1_000)
          assert.include(yield* told, "payment_unknown resolved dismiss null")
        }),
        partitions,
      ),
    )
  }

  it.effect("one whose refund fails is open as before where nothing has its Pix", () =>
    onStore(
      Effect.gen(function* () {
        const { process } = yield* openTwo
        yield* resolve(process, yield* openUnknown("payment_unknown", 1_000, partitions), "refund")
        yield* pass(1_000)
        assert.deepStrictEqual(yield* told, ["payment_unknown open null null"])
        assert.deepInclude((yield* exceptionsNow())[0]?.details ?? {}, { refund_failure: "no such Pix" })
      }),
      partitions,
    ),
  )

  it.effect("what went back of it while it was unknown is told of once", () =>
    onStore(
      Effect.gen(function* () {
        const { first } = yield* openTwo
        yield* openReturnOf(yield* openUnknown("payment_unknown", 1_000, partitions))
        yield* first.hears(payments(paidBy("E1"), paidBy("E9", 1_000, [taken])), "E9", "D1")
        assert.deepStrictEqual(yield* told, [
          "double_payment open null null",
          "payment_returned open null null",
          "payment_returned resolved dismiss null",
          "payment_unknown resolved dismiss null",
        ])
      }),
      partitions,
    ),
  )

  it.effect("what went back of it is booked with the charge that it pays after all, and nowhere else", () =>
    onStore(
      Effect.gen(function* () {
        const { first } = yield* openTwo
        yield* openReturnOf(yield* openUnknown("payment_unknown", 1_000, partitions))
        yield* first.hears(paidBy("E9", 1_000, [taken]), "E9", "D1")
        assert.deepInclude(yield* chargeNow(first.id), { status: "paid", refunded_amount: 300 })
        assert.deepStrictEqual(yield* told, [
          "payment_returned resolved dismiss null",
          "payment_unknown resolved dismiss null",
        ])
      }),
      partitions,
    ),
  )
})
