import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import type { ChargeQuery } from "../../actors/ports/acquirer.ts"
import { decideReport } from "../../actors/seller/decisions/chargeReport.ts"
import { initialSettings } from "../../actors/seller/decisions/newSeller.ts"
import { afterCommit, readCharge } from "../../actors/seller/decisions/transactionTransitions.ts"
import { transactionStatuses } from "../../schema/resources/transaction.ts"
import { chargeReport, mergePayments } from "../../src/acquirers/apiPix/chargeReport.ts"
import type { WireCharge, WirePix } from "../../src/acquirers/apiPix/wire.ts"
import { atMillis, nowMillis, storedCharge } from "../actors/support/charges.ts"
import type { PspFault } from "../support/psp.ts"
import { returnIdOf } from "../support/pspBooks.ts"
import { chargeOf, openApiPix, queryOf, txid } from "../support/pspClient.ts"

const openCharge = Effect.gen(function* () {
  const { psp, acquirer } = yield* openApiPix()
  yield* acquirer.createCharge(chargeOf())
  const query = (changes: Partial<ChargeQuery> = {}) => acquirer.queryCharge(queryOf(changes))
  return { psp, acquirer, query }
})

/** When the PSP settles a return. */
const at = "2026-11-21T12:00:00.250Z"
const doneOf = (endToEndId: string, id: string) => ({
  status: "done",
  returnId: returnIdOf(endToEndId, id),
  settledMillis: Date.parse(at),
})

describe("querying a charge", () => {
  it.effect("an unpaid charge is reported without payments", () =>
    Effect.gen(function* () {
      const { query } = yield* openCharge
      expect(yield* query()).toEqual({ payments: [], failure: undefined, askAfterMillis: undefined })
    }),
  )

  it.effect("a paid charge is reported with its transfer, the same whenever it is queried", () =>
    Effect.gen(function* () {
      const { psp, query } = yield* openCharge
      const endToEndId = psp.pay(txid)
      const report = {
        payments: [{ endToEndId, amount: 12_990, refunds: [] }],
        failure: undefined,
        askAfterMillis: undefined,
      }
      expect(yield* query()).toEqual(report)
      expect(yield* query({ noticedEndToEndId: endToEndId })).toEqual(report)
      expect(yield* query({ status: "paid", endToEndId, noticedEndToEndId: endToEndId })).toEqual(report)
      expect(psp.requestsOf("GET /pix").map(({ path }) => path)).toEqual([
        `/v2/pix/${endToEndId}`,
        `/v2/pix/${endToEndId}`,
      ])
      psp.fail("GET /cob", { kind: "duplicate" })
      expect(yield* query()).toEqual(report)
    }),
  )

  it.effect("a charge query fails after a 404 that is not in the PSP's own form", () =>
    Effect.gen(function* () {
      const { psp, query } = yield* openCharge
      const endToEndId = psp.pay(txid)
      for (const body of [{}, { title: "Not Found" }, { message: "no Route matched" }]) {
        for (const path of ["GET /cob", "GET /pix"]) {
          // Fails every request: one that the previous round abandoned may arrive only now.
          psp.fail(path, { kind: "answer", status: 404, body }, Number.POSITIVE_INFINITY)
          expect(yield* Effect.flip(query({ noticedEndToEndId: endToEndId }))).toMatchObject({
            _tag: "AcquirerUnavailable",
            reason: "answered 404 to a lookup",
          })
          psp.heal()
        }
      }
      expect((yield* query({ noticedEndToEndId: endToEndId })).payments).toMatchObject([{ endToEndId }])
    }),
  )

  it.effect(
    "a charge or a transfer that the PSP says is gone for good is not there, unlike one that a proxy says is",
    () =>
      Effect.gen(function* () {
        const { psp, query } = yield* openCharge
        const endToEndId = psp.pay(txid)
        const body = {
          type: "https://pix.bcb.gov.br/api/v2/error/PermanentementeRemovido",
          title: "Removido",
        }
        const gone = { kind: "answer", status: 410, body } as const
        psp.fail("GET /cob", gone)
        expect((yield* query({ noticedEndToEndId: endToEndId })).payments).toMatchObject([{ endToEndId }])
        psp.fail("GET /cob", gone)
        psp.fail("GET /pix", gone)
        expect(yield* query({ noticedEndToEndId: endToEndId })).toMatchObject({
          payments: [],
          failure: undefined,
        })
        psp.fail("GET /cob", { ...gone, body: {} })
        expect(yield* Effect.flip(query())).toMatchObject({ reason: "answered 410 to a lookup" })
      }),
  )

  it.effect("a charge paid by several transfers or another amount is reported with each as it is", () =>
    Effect.gen(function* () {
      const { psp, query } = yield* openCharge
      const first = psp.pay(txid, { amount: 1 })
      expect(yield* query()).toMatchObject({ payments: [{ endToEndId: first, amount: 1 }] })
      const second = psp.pay(txid)
      const { payments } = yield* query()
      expect(payments.map(({ endToEndId, amount }) => [endToEndId, amount])).toEqual([
        [first, 1],
        [second, 12_990],
      ])
    }),
  )

  it.effect("a charge query finds a noticed transfer that the charge does not list yet", () =>
    Effect.gen(function* () {
      const { psp, query } = yield* openCharge
      const endToEndId = psp.pay(txid)
      const id = psp.refundOf(endToEndId, { amount: 90, at })
      const lagging: PspFault = { kind: "changed", change: ({ pix: _, ...body }) => body }
      psp.fail("GET /cob", lagging, 3)
      expect((yield* query()).payments).toEqual([])
      expect((yield* query({ noticedEndToEndId: endToEndId })).payments).toEqual([
        {
          endToEndId,
          amount: 12_990,
          refunds: [{ id, amount: 90, kind: "refund", ...doneOf(endToEndId, id) }],
        },
      ])
      expect((yield* query({ status: "paid", endToEndId })).payments).toMatchObject([{ endToEndId }])
    }),
  )

  it.effect("a charge query ignores a noticed transfer that is another charge's or unknown to the PSP", () =>
    Effect.gen(function* () {
      const { psp, acquirer, query } = yield* openCharge
      const other = "z".repeat(32)
      yield* acquirer.createCharge(chargeOf({ txid: other }))
      const ofOther = psp.pay(other)
      expect((yield* query({ noticedEndToEndId: ofOther })).payments).toEqual([])
      expect((yield* query({ noticedEndToEndId: "E9" })).payments).toEqual([])
      psp.fail("GET /pix/E9", { kind: "answer", status: 400 })
      expect((yield* query({ noticedEndToEndId: "E9" })).payments).toEqual([])
      const ours = psp.pay(txid)
      psp.fail("GET /pix", { kind: "changed", change: (body) => ({ ...body, endToEndId: "E8" }) })
      expect((yield* query({ noticedEndToEndId: ours })).payments).toMatchObject([{ endToEndId: ours }])
    }),
  )

  it.effect("a charge query escapes the transfer that a notice named", () =>
    Effect.gen(function* () {
      const { psp, query } = yield* openCharge
      yield* query({ noticedEndToEndId: "../cob/x?y" })
      expect(psp.requestsOf("GET /pix").map(({ path }) => path)).toEqual(["/v2/pix/..%2Fcob%2Fx%3Fy"])
    }),
  )

  it.effect("a charge is reported with its refunds and chargebacks, each with its id and state", () =>
    Effect.gen(function* () {
      const { psp, query } = yield* openCharge
      const endToEndId = psp.pay(txid)
      psp.refundOf(endToEndId, { id: "r1", amount: 100, status: "EM_PROCESSAMENTO" })
      const failed = { status: "NAO_REALIZADO", motivo: "AM09: valor acima do disponível" } as const
      psp.refundOf(endToEndId, { id: "r2", amount: 200, natureza: "RETIRADA", ...failed })
      psp.refundOf(endToEndId, { id: "m1", amount: 300, natureza: "MED_FRAUDE", at })
      psp.refundOf(endToEndId, { id: "m2", amount: 400, natureza: "MED_OPERACIONAL", at })
      psp.refundOf(endToEndId, { id: "m3", amount: 500, natureza: "MED_PIX_AUTOMATICO", at })
      const report = yield* query({ status: "paid", endToEndId })
      const done = (id: string) => doneOf(endToEndId, id)
      expect(report.payments[0]?.refunds).toEqual([
        { id: "r1", amount: 100, kind: "refund", status: "processing" },
        {
          ...{ id: "r2", amount: 200, kind: "refund", status: "failed" },
          ...{ failureCode: "AM09", failureReason: "AM09: valor acima do disponível" },
        },
        { id: "m1", amount: 300, kind: "chargeback", reason: "MED_FRAUDE", ...done("m1") },
        { id: "m2", amount: 400, kind: "chargeback", reason: "MED_OPERACIONAL", ...done("m2") },
        { id: "m3", amount: 500, kind: "chargeback", reason: "MED_PIX_AUTOMATICO", ...done("m3") },
      ])
    }),
  )

  it.effect("a pending charge that the PSP removed is reported failed, an expired one is not", () =>
    Effect.gen(function* () {
      const { psp, query } = yield* openCharge
      psp.remove(txid)
      expect(yield* query()).toEqual({
        payments: [],
        failure: "the acquirer removed the charge (REMOVIDA_PELO_PSP)",
        askAfterMillis: undefined,
      })
      expect((yield* query({ status: "expired" })).failure).toBeUndefined()
    }),
  )

  it.effect("a charge that we cancelled is not reported failed", () =>
    Effect.gen(function* () {
      const { acquirer, query } = yield* openCharge
      yield* acquirer.cancelCharge(txid)
      expect(yield* query()).toMatchObject({ payments: [], failure: undefined })
    }),
  )

  it.effect("a charge that the PSP does not know is reported without payments or failure", () =>
    Effect.gen(function* () {
      const { acquirer } = yield* openApiPix()
      expect(yield* acquirer.queryCharge(queryOf())).toEqual({
        payments: [],
        failure: undefined,
        askAfterMillis: undefined,
      })
    }),
  )

  it.effect("a charge query fails when an answer is refused, invalid or about another charge", () =>
    Effect.gen(function* () {
      const { psp, query } = yield* openCharge
      const endToEndId = psp.pay(txid)
      const unavailable = { _tag: "AcquirerUnavailable", operation: "queryCharge" }
      psp.fail("GET /cob", { kind: "changed", change: (body) => ({ ...body, txid: "other" }) })
      expect(yield* Effect.flip(query())).toMatchObject(unavailable)
      const negative = (body: object) => ({ ...body, pix: [{ endToEndId, txid, valor: "-1.00" }] })
      psp.fail("GET /cob", { kind: "changed", change: negative })
      expect(yield* Effect.flip(query())).toMatchObject(unavailable)
      // Last: the charge's own look-up is abandoned here, and may still reach the PSP.
      psp.fail("GET /pix", { kind: "answer", status: 403 })
      expect(yield* Effect.flip(query({ noticedEndToEndId: endToEndId }))).toMatchObject(unavailable)
    }),
  )
})

const charge = (status: string, pix: ReadonlyArray<WirePix> = []): WireCharge => ({
  txid,
  status,
  valor: { original: 12_990 },
  pix,
})
const transfer = (changes: Partial<WirePix> = {}): WirePix => ({
  endToEndId: "E1",
  txid,
  valor: 12_990,
  ...changes,
})

describe("the time of the next charge query", () => {
  it("no charge is asked about again, whatever its state, its age and its refunds: the sweeps find what comes", () => {
    const refund = { id: "r1", valor: 1, status: "EM_PROCESSAMENTO" }
    for (const status of transactionStatuses) {
      for (const ageMillis of [0, 30_000, 86_400_000]) {
        for (const pix of [[], [transfer()], [transfer({ devolucoes: [refund] })]]) {
          const report = chargeReport(queryOf({ status, ageMillis }), charge("ATIVA"), pix)
          expect(report.askAfterMillis).toBeUndefined()
        }
      }
    }
  })
})

describe("merged transfers", () => {
  const refunds = fc.array(
    fc.record({
      id: fc.constantFrom("r1", "r2"),
      valor: fc.constant(100),
      natureza: fc.constant("ORIGINAL"),
      status: fc.constantFrom("EM_PROCESSAMENTO", "DEVOLVIDO"),
    }),
  )
  const reported = fc.array(
    fc.record({
      endToEndId: fc.constantFrom("E1", "E2", "E3"),
      txid: fc.constant(txid),
      valor: fc.constant(12_990),
      devolucoes: refunds,
    }),
  )
  const sorted = (transfers: ReadonlyArray<WirePix>) =>
    mergePayments(transfers)
      .map((payment) => ({ ...payment, refunds: payment.refunds.toSorted((a, b) => (a.id < b.id ? -1 : 1)) }))
      .toSorted((a, b) => (a.endToEndId < b.endToEndId ? -1 : 1))

  it("repeated transfers merge into one payment each in any order, and a refund once done stays done", () => {
    fc.assert(
      fc.property(reported, (transfers) => {
        const merged = sorted(transfers)
        expect(merged.map(({ endToEndId }) => endToEndId)).toEqual(
          [...new Set(transfers.map(({ endToEndId }) => endToEndId))].toSorted(),
        )
        expect(sorted([...transfers, ...transfers])).toEqual(merged)
        expect(sorted(transfers.toReversed())).toEqual(merged)
        for (const { endToEndId, refunds: of } of merged) {
          const all = transfers.flatMap((one) => (one.endToEndId === endToEndId ? one.devolucoes : []))
          for (const { id, status } of of) {
            const isDone = all.some((refund) => refund?.id === id && refund.status === "DEVOLVIDO")
            expect(status).toBe(isDone ? "done" : "processing")
          }
        }
      }),
      { numRuns: 500 },
    )
  })

  it("a charge's report leaves out listed transfers of another charge", () => {
    const list = [
      transfer(),
      transfer({ endToEndId: "E2", txid: "other" }),
      transfer({ endToEndId: "E3", txid: null }),
    ]
    const { payments } = chargeReport(queryOf(), charge("CONCLUIDA", list), [])
    expect(payments.map(({ endToEndId }) => endToEndId)).toEqual(["E1", "E3"])
  })

  it("a paid charge that the PSP removed is reported paid, not failed", () => {
    const report = chargeReport(queryOf(), charge("REMOVIDA_PELO_PSP", [transfer()]), [])
    expect(report).toMatchObject({ payments: [{ endToEndId: "E1" }], failure: undefined })
  })
})

describe("a charge that ended at the acquirer", () => {
  /** What becomes of a pending charge of 1,000 centavos by transfers of these amounts, in two reports that differ in order. */
  const ended = (status: string, original: number, amounts: ReadonlyArray<number>) => {
    const pix = amounts.map((valor, i) => transfer({ endToEndId: `E${i}`, valor }))
    const of = { ...charge(status, pix), valor: { original } }
    const report = chargeReport(queryOf({ amount: 1_000 }), of, [])
    let stored = storedCharge("pending")
    for (;;) {
      const commit = decideReport(stored, report, initialSettings, atMillis(nowMillis), {
        acquirer: "api-pix",
      })
      if (commit === undefined) break
      stored = afterCommit(stored, commit)
    }
    const { end_to_end_id, exceptions } = readCharge(stored)
    return [
      stored.status,
      end_to_end_id,
      exceptions.map((one) => `${one.kind} ${one.end_to_end_id} ${one.amount}`),
    ]
  }

  it.each([
    { amounts: [], found: ["pending", null, []] },
    { amounts: [1_000], found: ["paid", "E0", []] },
    { amounts: [999], found: ["pending", null, ["amount_mismatch E0 999"]] },
    { amounts: [500, 500], found: ["pending", null, ["amount_mismatch E0 500", "amount_mismatch E1 500"]] },
    { amounts: [1_001, 1_000], found: ["paid", "E1", ["amount_mismatch E0 1001"]] },
    { amounts: [1_000, 1_000, 1], found: ["paid", "E0", ["double_payment E1 1000", "amount_mismatch E2 1"]] },
  ])(
    "a charge that is CONCLUIDA by $amounts is paid by one transfer of its amount alone",
    ({ amounts, found }) => {
      expect(ended("CONCLUIDA", 1_000, amounts)).toEqual(found)
      // What the charge there says it asks for pays nothing either.
      expect(ended("CONCLUIDA", 999, amounts)).toEqual(found)
    },
  )

  it("the removal of a charge of another amount ends nothing here", () => {
    expect(ended("REMOVIDA_PELO_PSP", 1_000, [])[0]).toBe("failed")
    expect(ended("REMOVIDA_PELO_PSP", 999, [])[0]).toBe("pending")
  })

  it.effect("answers with two amounts of one transfer, or of one return of it, are none", () =>
    Effect.gen(function* () {
      const { psp, query } = yield* openCharge
      const endToEndId = psp.pay(txid)
      const id = psp.refundOf(endToEndId, { amount: 90, at })
      const changed = (more: object): PspFault => ({
        kind: "changed",
        change: (body) => ({ ...body, ...more }),
      })
      const asked = Effect.flip(query({ noticedEndToEndId: endToEndId }))
      psp.fail("GET /pix", changed({ valor: "129.91" }))
      expect(yield* asked).toMatchObject({
        _tag: "AcquirerUnavailable",
        reason: `answered with two amounts of ${endToEndId}: 12990 and 12991 centavos`,
      })
      psp.fail("GET /pix", changed({ devolucoes: [{ id, valor: "0.91", status: "DEVOLVIDO" }] }))
      expect(yield* asked).toMatchObject({
        reason: `answered with two amounts of return ${id} of ${endToEndId}: 90 and 91 centavos`,
      })
      expect((yield* query({ noticedEndToEndId: endToEndId })).payments).toHaveLength(1)
    }),
  )
})
