import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import {
  type Acquirer,
  AcquirerUnavailable,
  type ChargeQuery,
  type ChargeReport,
} from "../../../actors/ports/acquirer.ts"
import { limits } from "../../../schema/limits.ts"
import { balanceOf } from "../../model/ledger.ts"
import { MemoryStore } from "../../model/state.ts"
import { noNews, paidBy, silentAcquirer } from "../support/acquirer.ts"
import { startProcess } from "../support/process.ts"
import { balanceNow, movementsOf } from "../support/purse.ts"
import { pass, settle } from "../support/settle.ts"
import { chargeNow, createCharge, eventTypesOf, openShop, timersOf } from "../support/shop.ts"
import { onStore, startMillis } from "../support/store.ts"

const away = new AcquirerUnavailable({ operation: "charge", reason: "the connection was cut" })

/** How the remote acquirer answers; `call` counts from 0. */
interface Script {
  readonly query?: (call: number, query: ChargeQuery) => Effect.Effect<ChargeReport, AcquirerUnavailable>
  readonly cancel?: Effect.Effect<"removed" | "refused", AcquirerUnavailable>
  readonly askAfterMillis?: number
}

/** A charge of 1,000 centavos at a remote acquirer that expires after 10 s, and the acquirer's calls in order. */
const openCharge = (script: Script = {}) =>
  Effect.gen(function* () {
    const calls: Array<string> = []
    const queries: Array<ChargeQuery> = []
    const {
      query = () => Effect.succeed(noNews),
      cancel = Effect.succeed("removed" as const),
      askAfterMillis,
    } = script
    const acquirer: Acquirer = {
      ...silentAcquirer,
      createCharge: ({ txid }) => Effect.succeed({ location: `pix.example/${txid}`, askAfterMillis }),
      queryCharge: (asked) =>
        Effect.suspend(() => {
          calls.push("query")
          queries.push(asked)
          return query(queries.length - 1, asked)
        }),
      cancelCharge: () =>
        Effect.suspend(() => {
          calls.push("cancel")
          return cancel
        }),
    }
    const shop = yield* openShop()
    const process = yield* startProcess({ acquirer })
    const { id, pix } = yield* createCharge(process, shop.live, { body: { pix: { expires_in_seconds: 10 } } })
    yield* settle
    return { shop, process, id, txid: pix.txid, calls, queries }
  })

const noticed = (endToEndId: string, refundId?: string) => ({ endToEndId, refundId })
const statusNow = (id: string) => Effect.map(chargeNow(id), ({ status }) => status)
/** One report per call; the last one repeats. */
const says =
  (...reports: readonly [ChargeReport, ...Array<ChargeReport>]) =>
  (call: number) =>
    Effect.succeed(reports[Math.min(call, reports.length - 1)] ?? reports[0])

describe("an expiring charge at a remote acquirer", () => {
  it.effect("an expiring charge is queried, then removed at the acquirer, then expires", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, id, txid, calls, queries } = yield* openCharge()
        yield* pass(9_999)
        assert.deepStrictEqual(calls, [])
        yield* pass(1)

        assert.deepStrictEqual(calls, ["query", "cancel"])
        assert.deepInclude(queries[0], { txid, amount: 1_000, status: "pending", ageMillis: 10_000 })
        assert.strictEqual(yield* statusNow(id), "expired")
        assert.deepStrictEqual(yield* eventTypesOf(shop.live, id), [
          "transaction.created",
          "transaction.expired",
        ])
      }),
    ),
  )

  it.effect("an expiring charge that was paid in the last moment is paid and not removed", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, id, calls } = yield* openCharge({ query: says(paidBy("E1")) })
        yield* pass(60_000)

        assert.deepStrictEqual(calls, ["query"])
        assert.deepInclude(yield* chargeNow(id), { status: "paid", end_to_end_id: "E1", expired_at: null })
        assert.deepStrictEqual(yield* eventTypesOf(shop.live, id), [
          "transaction.created",
          "transaction.paid",
        ])
        assert.deepStrictEqual(yield* timersOf(id), [])
      }),
    ),
  )

  it.effect("a charge paid between query and removal becomes paid and is not announced as expired", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, id, calls } = yield* openCharge({
          query: says(noNews, paidBy("E1")),
          cancel: Effect.succeed("refused"),
        })
        yield* pass(10_000)

        assert.deepStrictEqual(calls, ["query", "cancel", "query"])
        assert.deepInclude(yield* chargeNow(id), { status: "paid", expired_at: null, exceptions: [] })
        assert.deepStrictEqual(yield* eventTypesOf(shop.live, id), [
          "transaction.created",
          "transaction.paid",
        ])
        assert.deepStrictEqual(yield* timersOf(id), [])
      }),
    ),
  )

  it.effect("a charge whose removal is refused is queried again later, and its payment counts", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, id, calls } = yield* openCharge({
          query: says(noNews, noNews, paidBy("E1")),
          cancel: Effect.succeed("refused"),
        })
        yield* pass(10_000 + limits.refusedRemovalMillis - 1)
        assert.deepStrictEqual(calls, ["query", "cancel", "query"])
        assert.strictEqual(yield* statusNow(id), "pending")
        yield* pass(1)

        assert.deepStrictEqual(calls, ["query", "cancel", "query", "query"])
        assert.deepStrictEqual(yield* eventTypesOf(shop.live, id), [
          "transaction.created",
          "transaction.paid",
        ])
      }),
    ),
  )

  it.effect("a charge expires when its removal is refused a second time without a payment", () =>
    onStore(
      Effect.gen(function* () {
        const { id, calls } = yield* openCharge({ cancel: Effect.succeed("refused") })
        yield* pass(10_000 + limits.refusedRemovalMillis)

        assert.deepStrictEqual(calls, ["query", "cancel", "query", "query", "cancel", "query"])
        assert.strictEqual(yield* statusNow(id), "expired")
      }),
    ),
  )

  it.effect("a charge expires although its acquirer cannot be reached", () =>
    onStore(
      Effect.gen(function* () {
        const { id, calls } = yield* openCharge({ query: () => Effect.fail(away), cancel: Effect.fail(away) })
        yield* pass(10_000)

        assert.deepStrictEqual(calls, ["query", "cancel"])
        assert.strictEqual(yield* statusNow(id), "expired")
      }),
    ),
  )

  it.effect("a charge expires after the timeouts of one query and one removal that are never answered", () =>
    onStore(
      Effect.gen(function* () {
        const { id, calls } = yield* openCharge({ query: () => Effect.never, cancel: Effect.never })
        yield* pass(10_000 + 2 * limits.acquirerTimeoutMillis - 1)
        assert.strictEqual(yield* statusNow(id), "pending")
        yield* pass(1)

        assert.strictEqual(yield* statusNow(id), "expired")
        assert.deepStrictEqual(calls, ["query", "cancel"])
      }),
    ),
  )

  it.effect("an expired charge is queried once more soon after, and a late payment counts", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, id, calls } = yield* openCharge({ query: says(noNews, paidBy("E1")) })
        yield* pass(10_000 + limits.expiredChargeAskMillis - 1)
        assert.strictEqual(yield* statusNow(id), "expired")
        assert.deepStrictEqual(calls, ["query", "cancel"])
        yield* pass(1)
        const late = yield* chargeNow(id)

        assert.deepStrictEqual(calls, ["query", "cancel", "query"])
        assert.deepInclude(late, { status: "paid", end_to_end_id: "E1" })
        assert.isNotNull(late.expired_at)
        const created_at = new Date(startMillis + 10_000 + limits.expiredChargeAskMillis).toISOString()
        const told = { kind: "late_payment", end_to_end_id: "E1", amount: 1_000, created_at } as const
        assert.deepStrictEqual(late.exceptions, [told])
        assert.deepStrictEqual(yield* eventTypesOf(shop.live, id), [
          "transaction.created",
          "transaction.expired",
          "transaction.paid",
        ])
        assert.deepStrictEqual(yield* movementsOf(shop.live, id), ["charge_paid"])
        assert.strictEqual((yield* balanceNow(shop.live)).available, 1_000)
        assert.deepStrictEqual(yield* timersOf(id), [])
      }),
    ),
  )

  it.effect("a notice of a late payment makes an expired charge paid and is noted as late_payment", () =>
    onStore(
      Effect.gen(function* () {
        const { process, id, queries } = yield* openCharge({ query: says(noNews, paidBy("E1")) })
        yield* pass(20_000)
        const answer = yield* process.commands.reconcileCharge(id, noticed("E1"))

        assert.deepStrictEqual(answer, { kind: "settled", note: "late_payment of 1000 centavos by E1" })
        assert.deepInclude(queries[1], { status: "expired", noticedEndToEndId: "E1" })
        assert.strictEqual(yield* statusNow(id), "paid")
      }),
    ),
  )
})

describe("a query of a charge at a remote acquirer", () => {
  for (const [what, silence, everyMillis] of [
    ["cannot be reached", Effect.fail(away), limits.silentAcquirerAskMillis],
    ["never answers", Effect.never, limits.silentAcquirerAskMillis + limits.acquirerTimeoutMillis],
  ] as const) {
    it.effect(`an acquirer that ${what} is queried again after a while, one query at a time`, () =>
      onStore(
        Effect.gen(function* () {
          const askedAtMillis: Array<number> = []
          const acquirer: Acquirer = {
            ...silentAcquirer,
            createCharge: ({ txid }) =>
              Effect.succeed({ location: `pix.example/${txid}`, askAfterMillis: 1_000 }),
            queryCharge: () =>
              Effect.flatMap(Clock.currentTimeMillis, (atMillis) => {
                askedAtMillis.push(atMillis - startMillis)
                return silence
              }),
          }
          const shop = yield* openShop()
          const process = yield* startProcess({ acquirer })
          yield* createCharge(process, shop.live)
          yield* pass(1_000 + 2 * everyMillis)

          assert.deepStrictEqual(askedAtMillis, [1_000, 1_000 + everyMillis, 1_000 + 2 * everyMillis])
        }),
      ),
    )
  }

  it.effect("an acquirer is queried again when it said, even if it reported only an exception", () =>
    onStore(
      Effect.gen(function* () {
        const wrong: ChargeReport = { ...paidBy("E1", 999), askAfterMillis: 3_000 }
        const { id, calls } = yield* openCharge({ query: says(wrong), askAfterMillis: 1_000 })
        yield* pass(1_000)
        assert.deepStrictEqual(calls, ["query"])
        assert.deepInclude((yield* chargeNow(id)).exceptions[0], { kind: "amount_mismatch", amount: 999 })
        yield* pass(2_999)
        assert.deepStrictEqual(calls, ["query"])
        yield* pass(1)

        assert.deepStrictEqual(calls, ["query", "query"])
        assert.strictEqual((yield* chargeNow(id)).exceptions.length, 1)
      }),
    ),
  )

  it.effect("one acquirer's report can have a payment, its refund and a second payment", () =>
    onStore(
      Effect.gen(function* () {
        const report: ChargeReport = {
          ...noNews,
          payments: [
            {
              endToEndId: "E1",
              amount: 1_000,
              refunds: [
                { id: "d1", amount: 300, kind: "refund", status: "done" },
                { id: "d2", amount: 200, kind: "refund", status: "processing" },
              ],
            },
            { endToEndId: "E2", amount: 1_000, refunds: [] },
          ],
        }
        const { shop, process, id } = yield* openCharge({ query: says(report) })
        const answer = yield* process.commands.reconcileCharge(id, noticed("E2"))

        assert.deepStrictEqual(answer, { kind: "settled", note: "double_payment of 1000 centavos by E2" })
        assert.deepInclude(yield* chargeNow(id), { status: "paid", refunded_amount: 300 })
        assert.deepStrictEqual(yield* eventTypesOf(shop.live, id), [
          "transaction.created",
          "transaction.paid",
          "transaction.partially_refunded",
          "transaction.exception",
        ])
        assert.deepStrictEqual(yield* movementsOf(shop.live, id), [
          "charge_paid",
          "charge_partially_refunded",
        ])
        assert.strictEqual((yield* balanceNow(shop.live)).available, 700)
      }),
    ),
  )

  it.effect("an acquirer's report with more refunds than one round of commits takes is applied whole", () =>
    onStore(
      Effect.gen(function* () {
        const count = limits.commitsPerReportMax + 50
        const refunds = Array.from({ length: count }, (_, i) => ({
          ...{ id: `d${i}`, amount: 1, kind: "refund" as const, status: "done" as const },
        }))
        const { shop, process, id } = yield* openCharge({ query: says(paidBy("E1", 1_000, refunds)) })
        const answer = yield* process.commands.reconcileCharge(id, noticed("E1", `d${count - 1}`))

        assert.deepStrictEqual(answer, { kind: "settled", note: undefined })
        assert.deepInclude(yield* chargeNow(id), { status: "paid", refunded_amount: count })
        assert.strictEqual((yield* balanceNow(shop.live)).available, 1_000 - count)
      }),
    ),
  )

  it.effect("a payment that would overflow a balance is not applied and can be reconciled later", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process, id } = yield* openCharge({ query: says(paidBy("E1")) })
        const state = yield* MemoryStore
        balanceOf(state, shop.live).amounts.available = Number.MAX_SAFE_INTEGER - 999
        const answer = yield* process.commands.reconcileCharge(id, noticed("E1"))
        assert.deepInclude(answer, { kind: "unavailable" })
        assert.strictEqual((yield* chargeNow(id)).status, "pending")
        const refused = yield* Effect.flip(process.commands.simulateOutcome(id, "paid"))
        assert.deepInclude(refused, { code: "invalid_state" })

        balanceOf(state, shop.live).amounts.available -= 1
        const later = yield* process.commands.reconcileCharge(id, noticed("E1"))
        assert.deepStrictEqual(later, { kind: "settled", note: undefined })
        assert.strictEqual((yield* balanceNow(shop.live)).available, Number.MAX_SAFE_INTEGER)
      }),
    ),
  )

  it.effect("an acquirer's report that two processes receive at once is applied once", () =>
    onStore(
      Effect.gen(function* () {
        const query = () =>
          Effect.as(
            Effect.sleep(100),
            paidBy("E1", 1_000, [{ id: "d1", amount: 1_000, kind: "chargeback", status: "done" }]),
          )
        const { shop, process, id } = yield* openCharge({ query })
        const other = yield* startProcess({ acquirer: { ...silentAcquirer, queryCharge: query } })
        const asking = yield* Effect.forkChild(
          Effect.forEach(
            Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? process : other)),
            ({ commands }) => commands.reconcileCharge(id, noticed("E1")),
            { concurrency: "unbounded" },
          ),
        )
        yield* pass(2_000)

        assert.isDefined(asking.pollUnsafe())
        assert.deepStrictEqual(yield* eventTypesOf(shop.live, id), [
          "transaction.created",
          "transaction.paid",
          "transaction.chargeback",
        ])
        assert.deepStrictEqual(yield* movementsOf(shop.live, id), ["charge_paid", "charge_chargeback"])
        assert.strictEqual((yield* balanceNow(shop.live)).available, 0)
      }),
    ),
  )
})

describe("a notice of a charge", () => {
  it.effect("a notice of a refund is pending until the acquirer reports it as done", () =>
    onStore(
      Effect.gen(function* () {
        const refund = { id: "d1", amount: 1_000, kind: "refund", status: "done" } as const
        const { process, id } = yield* openCharge({
          query: says(paidBy("E1"), paidBy("E1"), paidBy("E1", 1_000, [refund])),
        })
        const ask = process.commands.reconcileCharge(id, noticed("E1", "d1"))
        yield* process.commands.reconcileCharge(id, noticed("E1"))

        assert.deepInclude(yield* ask, { kind: "pending" })
        assert.strictEqual(yield* statusNow(id), "paid")
        assert.deepStrictEqual(yield* ask, { kind: "settled", note: undefined })
        assert.strictEqual(yield* statusNow(id), "refunded")
      }),
    ),
  )

  it.effect("a notice of a late payment's refund is pending until the acquirer reports it as done", () =>
    onStore(
      Effect.gen(function* () {
        const refund = { id: "d1", amount: 1_000, kind: "refund", status: "done" } as const
        const { process, id } = yield* openCharge({
          query: says(noNews, paidBy("E1"), paidBy("E1", 1_000, [refund])),
        })
        yield* pass(20_000)
        const ask = process.commands.reconcileCharge(id, noticed("E1", "d1"))

        assert.deepInclude(yield* ask, { kind: "pending" })
        assert.strictEqual(yield* statusNow(id), "paid")
        assert.strictEqual((yield* ask).kind, "settled")
        assert.strictEqual(yield* statusNow(id), "refunded")
      }),
    ),
  )

  it.effect("a notice is pending when early and without an answer, missing without a charge", () =>
    onStore(
      Effect.gen(function* () {
        const { process, id } = yield* openCharge({
          query: (call) => (call === 0 ? Effect.succeed(noNews) : Effect.fail(away)),
        })

        assert.deepStrictEqual(yield* process.commands.reconcileCharge(id, noticed("E1")), {
          kind: "pending",
          queryStatus: "unknown",
        })
        assert.deepStrictEqual(yield* process.commands.reconcileCharge(id, noticed("E1")), {
          kind: "pending",
          queryStatus: "silent",
          reason: "the connection was cut",
        })
        const missing = yield* process.commands.reconcileCharge(
          "txn_00000000000000000000000000",
          noticed("E1"),
        )
        assert.deepStrictEqual(missing, { kind: "missing" })
      }),
    ),
  )
})
