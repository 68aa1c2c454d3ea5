import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { PspFault } from "../support/psp.ts"
import { openApiPix, passing, payoutOf } from "../support/pspClient.ts"

const { payoutId, amount } = payoutOf()
const asked = { payoutId, amount }
const processing = { status: "processing", askAfterMillis: undefined }
const answer = (status: number, body?: unknown): PspFault => ({ kind: "answer", status, body })
const changed = (fields: Readonly<Record<string, unknown>>): PspFault => ({
  kind: "changed",
  change: (body) => ({ ...body, ...fields }),
})
const unavailable = { _tag: "AcquirerUnavailable", operation: "sendPayout" }

describe("sending a payout", () => {
  it.effect("puts it under our id, from our key to the seller's", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      expect(yield* acquirer.sendPayout(payoutOf())).toEqual(processing)
      const [put] = psp.requestsOf("PUT /v2/gn/pix")
      expect(put?.path).toBe(`/v2/gn/pix/${payoutId}`)
      expect(JSON.parse(put?.body ?? "")).toEqual({
        valor: "50.00",
        pagador: { chave: psp.pixKey, infoPagador: "Saque de novembro" },
        favorecido: { chave: "ana@example.com" },
      })
      yield* acquirer.sendPayout(payoutOf({ payoutId: "2", description: null }))
      const { pagador } = JSON.parse(psp.requestsOf("PUT /v2/gn/pix")[1]?.body ?? "")
      expect(pagador).toEqual({ chave: psp.pixKey })
    }),
  )

  it.effect("tells at once what is settled at once", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("PUT /v2/gn/pix", changed({ status: "REALIZADO", e2eId: "E1" }))
      expect(yield* acquirer.sendPayout(payoutOf())).toEqual({ status: "paid", endToEndId: "E1" })
      psp.fail("PUT /v2/gn/pix", changed({ status: "NAO_REALIZADO", motivo: "AC03" }))
      const other = payoutOf({ payoutId: "2" })
      expect(yield* acquirer.sendPayout(other)).toEqual({ status: "notPaid", reason: "AC03" })
    }),
  )

  it.effect("again under the same id is on its way, and pays once", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      yield* acquirer.sendPayout(payoutOf())
      expect(yield* acquirer.sendPayout(payoutOf())).toEqual(processing)
      expect(psp.payouts.get(payoutId)).toBe(1)
    }),
  )

  it.effect.each([
    { name: "500", fault: answer(500) },
    { name: "503", fault: answer(503) },
    { name: "429", fault: answer(429) },
    { name: "408", fault: answer(408) },
    { name: "401", fault: answer(401) },
    { name: "405, a status that is no refusal of a payout", fault: answer(405, { mensagem: "não" }) },
    { name: "422 with nothing that says why", fault: answer(422, []) },
    { name: "404 of something in between", fault: answer(404, "not found") },
    { name: "a cut connection", fault: { kind: "cut" } as const },
    { name: "a lost answer", fault: { kind: "lost" } as const },
    { name: "no JSON", fault: { kind: "text", text: "ok" } as const },
    { name: "another amount", fault: { kind: "wrongAmount" } as const },
    { name: "another payout", fault: changed({ idEnvio: "other" }) },
    { name: "paid, and no transfer", fault: changed({ status: "REALIZADO", e2eId: null }) },
  ])("is unknown after $name, and is not sent again", ({ fault }) =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("PUT /v2/gn/pix", fault)
      expect(yield* Effect.flip(acquirer.sendPayout(payoutOf()))).toMatchObject(unavailable)
      expect(psp.requestsOf("PUT /v2/gn/pix")).toHaveLength(1)
    }),
  )

  it.effect("whose token was refused gets a fresh one next time", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      yield* acquirer.queryPayout(asked)
      psp.revokeTokens()
      expect(yield* Effect.flip(acquirer.sendPayout(payoutOf()))).toMatchObject(unavailable)
      expect(psp.requestsOf("PUT /v2/gn/pix")).toHaveLength(1)
      expect(yield* acquirer.sendPayout(payoutOf())).toEqual(processing)
    }),
  )

  it.effect("that is answered too late is unknown, and known when asked for", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("PUT /v2/gn/pix", { kind: "silent" })
      const sending = Effect.flip(acquirer.sendPayout(payoutOf()))
      expect(yield* passing(psp, "PUT /v2/gn/pix", 1, 10_000, sending)).toMatchObject(unavailable)
      expect(psp.requestsOf("PUT /v2/gn/pix")).toHaveLength(1)
      expect(yield* acquirer.queryPayout(asked)).toEqual(processing)
      expect(psp.payouts.get(payoutId)).toBe(1)
    }),
  )

  it.effect.each([400, 403, 404, 422])("is refused by %i with a reason", (status) =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("PUT /v2/gn/pix", answer(status, { nome: "chave_invalida", mensagem: "Chave inválida" }))
      expect(yield* Effect.flip(acquirer.sendPayout(payoutOf()))).toMatchObject({
        _tag: "AcquirerRefused",
        reason: "Chave inválida",
      })
      expect(psp.payouts.size).toBe(0)
    }),
  )

  it.effect("that the PSP refuses as it knows the id already is not refused", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      yield* acquirer.sendPayout(payoutOf())
      const problem = { nome: "id_envio_duplicado", mensagem: "idEnvio já utilizado" }
      psp.fail("PUT /v2/gn/pix", answer(400, problem), 2)
      expect(yield* acquirer.sendPayout(payoutOf())).toEqual(processing)
      psp.payoutResult(payoutId, "REALIZADO")
      const { endToEndId } = psp.payout(payoutId) ?? {}
      expect(yield* acquirer.sendPayout(payoutOf())).toEqual({ status: "paid", endToEndId })
    }),
  )

  it.effect("that was refused is unknown as long as the PSP does not say that it does not know it", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("PUT /v2/gn/pix", answer(422, { detail: "Saldo insuficiente" }))
      psp.fail("GET /v2/gn/pix", answer(403))
      expect(yield* Effect.flip(acquirer.sendPayout(payoutOf()))).toMatchObject(unavailable)
      psp.fail("PUT /v2/gn/pix", answer(404, { title: "Not Found" }))
      psp.fail("GET /v2/gn/pix", answer(404, { title: "Not Found" }))
      expect(yield* Effect.flip(acquirer.sendPayout(payoutOf()))).toMatchObject(unavailable)
    }),
  )
})

describe("asking for a payout", () => {
  it.effect("that the PSP never heard of answers unknown", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      expect(yield* acquirer.queryPayout(asked)).toEqual({ status: "unknown" })
      expect(psp.requestsOf("GET").map(({ path }) => path)).toEqual([
        `/v2/gn/pix/enviados/id-envio/${payoutId}`,
      ])
    }),
  )

  it.effect.each([
    { type: "https://pix.bcb.gov.br/api/v2/error/EnvioNaoEncontrado" },
    { type: "https://pix.bcb.gov.br/api/v2/error/TransferenciaNaoEncontrada", title: "Não encontrada" },
    { nome: "envio_nao_encontrado" },
  ])("that the PSP in its own words does not know answers unknown: %o", (body) =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("GET /v2/gn/pix", answer(404, body))
      expect(yield* acquirer.queryPayout(asked)).toEqual({ status: "unknown" })
    }),
  )

  it.effect.each([
    { body: undefined },
    { body: {} },
    { body: "not found" },
    { body: ["NaoEncontrado"] },
    { body: { message: "no Route matched with those values" } },
    { body: { type: "about:blank", title: "Not Found", status: 404 } },
    { body: { type: "https://pix.bcb.gov.br/api/v2/error/NaoEncontradoAqui" } },
    { body: { title: "NaoEncontrado", detail: "envio_nao_encontrado" } },
    { body: { nome: "rota_nao_encontrada" } },
  ])("that something in between answers 404 is not answered: %o", ({ body }) =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("GET /v2/gn/pix", answer(404, body))
      expect(yield* Effect.flip(acquirer.queryPayout(asked))).toMatchObject({
        _tag: "AcquirerUnavailable",
        operation: "queryPayout",
        reason: "answered 404",
      })
    }),
  )

  it.effect("tells what became of it", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      yield* acquirer.sendPayout(payoutOf())
      expect(yield* acquirer.queryPayout(asked)).toEqual(processing)
      psp.payoutResult(payoutId, "NAO_REALIZADO", "AC03")
      expect(yield* acquirer.queryPayout(asked)).toEqual({ status: "notPaid", reason: "AC03" })
      psp.payoutResult(payoutId, "REALIZADO")
      const { endToEndId } = psp.payout(payoutId) ?? {}
      expect(yield* acquirer.queryPayout(asked)).toEqual({ status: "paid", endToEndId })
      psp.fail("GET /v2/gn/pix", changed({ status: "ALGO_NOVO" }))
      expect(yield* acquirer.queryPayout(asked)).toEqual(processing)
    }),
  )

  it.effect.each([
    { fields: {}, reason: "not_realized" },
    { fields: { erro: { codigo: "AB03", motivo: "x" } }, reason: "AB03" },
    { fields: { gnExtras: { erro: { codigo: "BE17" } } }, reason: "BE17" },
    { fields: { motivo: "Conta encerrada" }, reason: "Conta encerrada" },
    { fields: { motivo: "Conta encerrada", erro: { codigo: "AC04" } }, reason: "AC04" },
    { fields: { erro: { codigo: null, motivo: "y".repeat(500) } }, reason: "y".repeat(200) },
  ])("that was not paid tells why: $reason", ({ fields, reason }) =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      yield* acquirer.sendPayout(payoutOf())
      psp.payoutResult(payoutId, "NAO_REALIZADO")
      psp.fail("GET /v2/gn/pix", changed(fields))
      expect(yield* acquirer.queryPayout(asked)).toEqual({ status: "notPaid", reason })
    }),
  )

  it.effect.each([
    { name: "of another amount", fault: { kind: "wrongAmount" } as const },
    { name: "of another payout", fault: changed({ idEnvio: "other" }) },
    { name: "of no transfer", fault: changed({ endToEndId: null }) },
    { name: "that we may not ask", fault: answer(403) },
    { name: "that is broken", fault: answer(200, { status: "REALIZADO" }) },
  ])("never believes an answer $name", ({ fault }) =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      yield* acquirer.sendPayout(payoutOf())
      psp.payoutResult(payoutId, "REALIZADO")
      psp.fail("GET /v2/gn/pix", fault)
      expect(yield* Effect.flip(acquirer.queryPayout(asked))).toMatchObject({
        _tag: "AcquirerUnavailable",
        operation: "queryPayout",
      })
    }),
  )
})
