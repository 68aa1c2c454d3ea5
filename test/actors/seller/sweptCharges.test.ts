import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Acquirer, AcquirerUnavailable, type ChargeReport } from "../../../actors/ports/acquirer.ts"
import { limits } from "../../../schema/limits.ts"
import { noNews, paidBy, silentAcquirer } from "../support/acquirer.ts"
import { acquirerWith, emptyScript } from "../support/books.ts"
import { startProcess } from "../support/process.ts"
import { pass } from "../support/settle.ts"
import { chargeNow, createCharge, openShop, timersOf } from "../support/shop.ts"
import { onStore } from "../support/store.ts"

const minute = 60_000

type Query = Effect.Effect<ChargeReport, AcquirerUnavailable>

/** A charge at an acquirer that is asked first after `askAfterMillis`, by default one with books; and when it was asked. */
const openCharge = (
  query: Query,
  options: { readonly expirySeconds?: number; readonly hasBooks?: boolean } = {},
) =>
  Effect.gen(function* () {
    const { expirySeconds = 120, hasBooks = true } = options
    const calls: Array<string> = []
    const called = (what: string) => Effect.sync(() => calls.push(what))
    const { books } = acquirerWith(emptyScript())
    const acquirer: Acquirer = {
      ...silentAcquirer,
      ...(hasBooks ? { books } : {}),
      createCharge: ({ txid }) => Effect.succeed({ location: `pix.example/${txid}`, askAfterMillis: 30_000 }),
      queryCharge: ({ status }) => Effect.andThen(called(status), query),
      cancelCharge: () => Effect.as(called("cancel"), "removed" as const),
    }
    const { live } = yield* openShop()
    const process = yield* startProcess({ acquirer })
    const body = { pix: { expires_in_seconds: expirySeconds } }
    const { id } = yield* createCharge(process, live, { body })
    return { process, id, calls }
  })

const silent = Effect.fail(new AcquirerUnavailable({ operation: "charge", reason: "the connection was cut" }))

describe("a charge of an acquirer whose books are swept", () => {
  it.effect("a charge is asked about in its first minute and at its expiry, and at no other time", () =>
    onStore(
      Effect.gen(function* () {
        const { id, calls } = yield* openCharge(Effect.succeed(noNews))
        yield* pass(30_000)
        assert.deepStrictEqual(calls, ["pending"])
        yield* pass(2 * minute - 30_001)
        assert.deepStrictEqual(calls, ["pending"])
        yield* pass(1)
        assert.deepStrictEqual(calls, ["pending", "pending", "cancel"])
        yield* pass(limits.expiredChargeAskMillis + minute)
        assert.deepStrictEqual(calls, ["pending", "pending", "cancel"])
        assert.strictEqual((yield* chargeNow(id)).status, "expired")
        assert.deepStrictEqual(yield* timersOf(id), [])
      }),
    ),
  )

  it.effect("a charge whose acquirer does not answer is asked about again only in its first minute", () =>
    onStore(
      Effect.gen(function* () {
        const { id, calls } = yield* openCharge(silent, { expirySeconds: 600 })
        yield* pass(limits.sweptChargeAgeMillis)
        assert.deepStrictEqual(calls, ["pending", "pending"])
        yield* pass(9 * limits.silentAcquirerAskMillis)
        assert.deepStrictEqual(calls, ["pending", "pending"])
        assert.deepStrictEqual(yield* timersOf(id), ["expire"])
      }),
    ),
  )

  it.effect("without books, a charge whose acquirer does not answer is asked about again and again", () =>
    onStore(
      Effect.gen(function* () {
        const { calls } = yield* openCharge(silent, { expirySeconds: 600, hasBooks: false })
        yield* pass(30_000 + 9 * limits.silentAcquirerAskMillis)
        assert.strictEqual(calls.length, 10)
      }),
    ),
  )

  it.effect("a charge that expires before it was asked about is asked about at most twice", () =>
    onStore(
      Effect.gen(function* () {
        const { calls } = yield* openCharge(Effect.succeed(noNews), { expirySeconds: 10 })
        yield* pass(limits.expiredChargeAskMillis + minute)
        assert.deepStrictEqual(calls, ["pending", "cancel", "expired"])
      }),
    ),
  )

  it.effect(
    "a notice of money on its way back is pending until it has gone, though the charge is not polled",
    () =>
      onStore(
        Effect.gen(function* () {
          const back = (status: "processing" | "done") =>
            paidBy("E1", 1_000, [{ id: "d1", amount: 300, kind: "refund", status }])
          const report = { now: back("processing") }
          const { process, id, calls } = yield* openCharge(Effect.sync(() => report.now))
          const ask = process.commands.reconcileCharge(id, { endToEndId: "E1", refundId: undefined })
          assert.deepInclude(yield* ask, { kind: "pending" })
          assert.strictEqual((yield* chargeNow(id)).status, "paid")
          yield* pass(6 * minute)
          assert.strictEqual(calls.length, 1)
          report.now = back("done")
          assert.deepStrictEqual(yield* ask, { kind: "settled", note: undefined })
          assert.strictEqual((yield* chargeNow(id)).refunded_amount, 300)
        }),
      ),
  )
})
