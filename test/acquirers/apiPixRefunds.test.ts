import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { PspFault } from "../support/psp.ts"
import { returnIdOf } from "../support/pspBooks.ts"
import { chargeOf, openApiPix, passing, skippingPauses, txid } from "../support/pspClient.ts"

const refundId = "01KB2N4Y8Q6ZJ5T7R9W3X1V0SD"
const answer = (status: number, body?: unknown): PspFault => ({ kind: "answer", status, body })
const changed = (fields: Readonly<Record<string, unknown>>): PspFault => ({
  kind: "changed",
  change: (body) => ({ ...body, ...fields }),
})

/** When the PSP settles a refund. */
const at = "2026-11-21T12:00:00.250Z"
const settledMillis = Date.parse(at)

/** A PSP with a paid charge of R$ 129.90, and a request to refund 90 centavos of it. */
const openPaid = Effect.gen(function* () {
  const { psp, acquirer } = yield* openApiPix()
  yield* acquirer.createCharge(chargeOf())
  const request = { endToEndId: psp.pay(txid), refundId, amount: 90 }
  const settle = (change: Parameters<typeof psp.refundOf>[1]) =>
    psp.refundOf(request.endToEndId, { id: refundId, ...change })
  return { psp, acquirer, request, settle }
})

const processing = { id: refundId, amount: 90, kind: "refund", status: "processing" }
const unavailable = (operation: string) => ({ _tag: "AcquirerUnavailable", operation })

describe("sending a refund", () => {
  it.effect("a refund is put as a devolucao of its transfer, under our id", () =>
    Effect.gen(function* () {
      const { psp, acquirer, request } = yield* openPaid
      expect(yield* acquirer.refund(request)).toEqual(processing)
      const [put] = psp.requestsOf("PUT /pix")
      expect(put?.path).toBe(`/v2/pix/${request.endToEndId}/devolucao/${refundId}`)
      expect(JSON.parse(put?.body ?? "")).toEqual({ valor: "0.90" })
    }),
  )

  it.effect("a refund sent again under its id answers its state, and is made once", () =>
    Effect.gen(function* () {
      const { psp, acquirer, request, settle } = yield* openPaid
      yield* acquirer.refund(request)
      settle({ status: "DEVOLVIDO", at })
      const returnId = returnIdOf(request.endToEndId, refundId)
      expect(yield* acquirer.refund(request)).toEqual({
        ...processing,
        status: "done",
        returnId,
        settledMillis,
      })
      settle({ status: "NAO_REALIZADO", motivo: "AM09" })
      expect(yield* acquirer.refund(request)).toEqual({
        ...{ ...processing, status: "failed", failureCode: "AM09" },
      })
      expect(psp.charge(txid)?.pix[0]?.devolucoes).toHaveLength(1)
    }),
  )

  it.effect("a refund whose answer was lost or late is found and made once", () =>
    Effect.gen(function* () {
      const { psp, acquirer, request } = yield* openPaid
      psp.fail("PUT /pix", { kind: "lost" })
      const { value } = yield* skippingPauses(acquirer.refund({ ...request, amount: 1 }))
      expect(value).toMatchObject({ amount: 1, status: "processing" })

      psp.fail("PUT /pix", { kind: "silent" })
      const second = acquirer.refund({ ...request, refundId: "r2", amount: 2 })
      const puts = psp.requestsOf("PUT /pix").length
      expect(yield* passing(psp, "PUT /pix", puts + 1, 10_000, second)).toMatchObject({ id: "r2", amount: 2 })
      const { devolucoes } = psp.charge(txid)?.pix[0] ?? { devolucoes: [] }
      expect(devolucoes.map(({ valor }) => valor)).toEqual(["0.01", "0.02"])
    }),
  )

  it.effect("a refund of more than is left, or of an unknown transfer, is refused", () =>
    Effect.gen(function* () {
      const { acquirer, request } = yield* openPaid
      const tooMuch = yield* Effect.flip(acquirer.refund({ ...request, amount: 12_991 }))
      expect(tooMuch).toMatchObject({
        _tag: "AcquirerRefused",
        reason: "O valor excede o disponível para devolução.",
      })
      const unknown = yield* Effect.flip(acquirer.refund({ ...request, endToEndId: "E1" }))
      expect(unknown).toMatchObject({ _tag: "AcquirerRefused", reason: "Pix não encontrado." })
    }),
  )

  it.effect("a refund answered 401 is sent once more at once with another token, and not a third time", () =>
    Effect.gen(function* () {
      const { psp, acquirer, request } = yield* openPaid
      psp.revokeTokens()
      expect(yield* acquirer.refund({ ...request, amount: 1 })).toMatchObject({ status: "processing" })
      expect(psp.requestsOf("PUT /pix")).toHaveLength(2)

      psp.fail("PUT /pix", answer(401), 2)
      const again = { ...request, refundId: "r2", amount: 2 }
      expect(yield* Effect.flip(acquirer.refund(again))).toMatchObject({
        ...unavailable("refund"),
        reason: "answered 401",
      })
      expect(psp.requestsOf("PUT /pix")).toHaveLength(4)
      expect(yield* acquirer.queryRefund(again)).toEqual({ status: "unknown" })
    }),
  )

  it.effect.each([400, 403, 404, 410, 422])("a refund is refused by a %i that gives a reason", (status) =>
    Effect.gen(function* () {
      const { psp, acquirer, request } = yield* openPaid
      psp.fail("PUT /pix", answer(status, { detail: "Fora do prazo" }))
      expect(yield* Effect.flip(acquirer.refund(request))).toMatchObject({
        _tag: "AcquirerRefused",
        reason: "Fora do prazo",
      })
    }),
  )

  it.effect.each([
    { name: "500", fault: answer(500) },
    { name: "429", fault: answer(429) },
    { name: "405, which refuses no refund", fault: answer(405, { detail: "não" }) },
    { name: "409 about an id that the PSP does not show", fault: answer(409, { detail: "em uso" }) },
    { name: "422 without a reason", fault: answer(422, []) },
    { name: "404 from an intermediary", fault: answer(404, "not found") },
    { name: "a cut connection", fault: { kind: "cut" } as const },
  ])("a refund's outcome is unknown after $name, and it is not sent again", ({ fault }) =>
    Effect.gen(function* () {
      const { psp, acquirer, request } = yield* openPaid
      psp.fail("PUT /pix", fault)
      const { value } = yield* skippingPauses(Effect.flip(acquirer.refund(request)))
      expect(value).toMatchObject(unavailable("refund"))
      expect(psp.requestsOf("PUT /pix")).toHaveLength(1)
      expect(yield* acquirer.queryRefund(request)).toEqual({ status: "unknown" })
    }),
  )

  it.effect("a refused refund's outcome is unknown until the PSP says that it does not know its id", () =>
    Effect.gen(function* () {
      const { psp, acquirer, request } = yield* openPaid
      psp.fail("PUT /pix", answer(422, { detail: "Saldo insuficiente" }))
      psp.fail("GET /pix", answer(404, { title: "Not Found" }))
      expect(yield* Effect.flip(acquirer.refund(request))).toMatchObject(unavailable("refund"))
    }),
  )

  it.effect.each([
    { name: "another amount", fault: { kind: "wrongAmount" } as const },
    { name: "another refund", fault: changed({ id: "other" }) },
  ])("a refund that the PSP knows with $name is neither confirmed nor refused", ({ fault }) =>
    Effect.gen(function* () {
      const { psp, acquirer, request } = yield* openPaid
      yield* acquirer.refund(request)
      psp.fail("PUT /pix", answer(422, { detail: "id já utilizado" }))
      psp.fail("GET /pix", fault)
      expect(yield* Effect.flip(acquirer.refund(request))).toMatchObject(unavailable("refund"))
    }),
  )
})

describe("querying a refund", () => {
  it.effect("a refund query answers unknown for a refund that the PSP never received", () =>
    Effect.gen(function* () {
      const { psp, acquirer, request } = yield* openPaid
      expect(yield* acquirer.queryRefund(request)).toEqual({ status: "unknown" })
      expect(psp.requestsOf("GET").map(({ path }) => path)).toEqual([
        `/v2/pix/${request.endToEndId}/devolucao/${refundId}`,
      ])
    }),
  )

  it.effect.each([
    { body: undefined },
    { body: "not found" },
    { body: { type: "about:blank", title: "Not Found", status: 404 } },
    { body: { title: "DevolucaoNaoEncontrada" } },
  ])("a refund query fails after a 404 that is not in the PSP's own form: %o", ({ body }) =>
    Effect.gen(function* () {
      const { psp, acquirer, request } = yield* openPaid
      psp.fail("GET /pix", answer(404, body))
      expect(yield* Effect.flip(acquirer.queryRefund(request))).toMatchObject({
        ...unavailable("queryRefund"),
        reason: "answered 404",
      })
    }),
  )

  it.effect("a refund query reports processing, failed or done, and an unknown status as processing", () =>
    Effect.gen(function* () {
      const { psp, acquirer, request, settle } = yield* openPaid
      yield* acquirer.refund(request)
      expect(yield* acquirer.queryRefund(request)).toEqual(processing)
      settle({ status: "NAO_REALIZADO" })
      expect(yield* acquirer.queryRefund(request)).toEqual({ ...processing, status: "failed" })
      settle({ status: "DEVOLVIDO", at })
      const returnId = returnIdOf(request.endToEndId, refundId)
      expect(yield* acquirer.queryRefund(request)).toEqual({
        ...processing,
        status: "done",
        returnId,
        settledMillis,
      })
      psp.fail("GET /pix", changed({ status: "ALGO_NOVO", rtrId: undefined }))
      expect(yield* acquirer.queryRefund(request)).toEqual(processing)
    }),
  )

  it.effect.each([
    { motivo: "AM09", failureCode: "AM09", failureReason: undefined },
    { motivo: "Rejeitada: AC03", failureCode: "AC03", failureReason: "Rejeitada: AC03" },
    { motivo: "Conta encerrada", failureCode: undefined, failureReason: "Conta encerrada" },
    { motivo: "y".repeat(500), failureCode: undefined, failureReason: "y".repeat(200) },
    { motivo: " \n", failureCode: undefined, failureReason: undefined },
  ])("a refund that failed is reported with the code and the words of $motivo", (expected) =>
    Effect.gen(function* () {
      const { psp, acquirer, request, settle } = yield* openPaid
      yield* acquirer.refund(request)
      settle({ status: "NAO_REALIZADO" })
      const { motivo, ...failure } = expected
      psp.fail("GET /pix", changed({ motivo }))
      expect(yield* acquirer.queryRefund(request)).toEqual({ ...processing, status: "failed", ...failure })
    }),
  )

  it.effect("a return whose bank's id is not an id is done without one", () =>
    Effect.gen(function* () {
      const { psp, acquirer, request, settle } = yield* openPaid
      yield* acquirer.refund(request)
      settle({ status: "DEVOLVIDO", at })
      psp.fail("GET /pix", changed({ rtrId: "<script>" }))
      expect(yield* acquirer.queryRefund(request)).toEqual({ ...processing, status: "done", settledMillis })
    }),
  )

  it.effect.each([
    { name: "of another amount", fault: { kind: "wrongAmount" } as const },
    { name: "of another refund", fault: changed({ id: "other" }) },
    { name: "of status 403", fault: answer(403) },
    { name: "that lacks its fields", fault: answer(200, { status: "DEVOLVIDO" }) },
  ])("a refund query fails after an answer $name", ({ fault }) =>
    Effect.gen(function* () {
      const { psp, acquirer, request } = yield* openPaid
      yield* acquirer.refund(request)
      psp.fail("GET /pix", fault)
      expect(yield* Effect.flip(acquirer.queryRefund(request))).toMatchObject(unavailable("queryRefund"))
    }),
  )
})
