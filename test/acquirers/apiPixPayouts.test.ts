import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { bankProfiles } from "../../src/acquirers/apiPix/bankProfiles.ts"
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
  it.effect("a payout is put under our id, from our PIX key to the seller's", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      expect(yield* acquirer.sendPayout(payoutOf())).toEqual(processing)
      const [put] = psp.requestsOf("PUT /v3/gn/pix")
      expect(put?.path).toBe(`/v3/gn/pix/${payoutId}`)
      expect(JSON.parse(put?.body ?? "")).toEqual({
        valor: "50.00",
        pagador: { chave: psp.pixKey, infoPagador: "Saque de novembro" },
        favorecido: { chave: "ana@example.com" },
      })
      yield* acquirer.sendPayout(payoutOf({ payoutId: "2", description: null }))
      const { pagador } = JSON.parse(psp.requestsOf("PUT /v3/gn/pix")[1]?.body ?? "")
      expect(pagador).toEqual({ chave: psp.pixKey })
    }),
  )

  it.effect.each([
    ["52998224725", { cpf: "52998224725" }],
    ["11222333000181", { cnpj: "11222333000181" }],
    ["12ABC34501DE35", { cnpj: "12ABC34501DE35" }],
  ] as const)("a payout to a key of %s lets the PSP compare the key's holder", ([holderDocument, holder]) =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      yield* acquirer.sendPayout({ ...payoutOf(), holderDocument })
      const [put] = psp.requestsOf("PUT /v3/gn/pix")
      expect(JSON.parse(put?.body ?? "").favorecido).toEqual({ chave: "ana@example.com", ...holder })
    }),
  )

  it.effect.each([
    { nome: "saldo_insuficiente", mensagem: "Verifique sua conta" },
    { type: "https://pix.bcb.gov.br/api/v2/error/SaldoInsuficiente", title: "Recusado", detail: "Recusado" },
    { nome: "erro_na_operacao", mensagem: "O saldo da sua conta é insuficiente." },
    { codigo: "AM04", mensagem: "Recusado" },
  ])("a payout refused by %o lacks our funds", (body) =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("PUT /v3/gn/pix", answer(422, body))
      const failed = { _tag: "AcquirerRefused", isWithoutFunds: true }
      expect(yield* Effect.flip(acquirer.sendPayout(payoutOf()))).toMatchObject(failed)
    }),
  )

  it.effect.each([
    { nome: "valor_insuficiente", mensagem: "O valor é insuficiente" },
    {
      codigo: "AC03",
      mensagem: "Verifique o saldo e os dados: documento insuficientemente preenchido no pedido",
    },
    { codigo: "XAM04", mensagem: "Recusado" },
  ])("a payout refused by %o is refused for good", (body) =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("PUT /v3/gn/pix", answer(422, body))
      const refused = yield* Effect.flip(acquirer.sendPayout(payoutOf()))
      expect(refused._tag).toBe("AcquirerRefused")
      expect(refused).not.toHaveProperty("isWithoutFunds")
    }),
  )

  it.effect.each([
    [{ erro: { codigo: "AM04", motivo: "Recusado" } }, "AM04"],
    [{ gnExtras: { erro: { codigo: "AM04" } } }, "AM04"],
    [{ motivo: "Saldo insuficiente na conta" }, "Saldo insuficiente na conta"],
  ] as const)("a payout that ended with %o lacked our funds", ([fields, reason]) =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      yield* acquirer.sendPayout(payoutOf())
      psp.fail("GET /v2/gn/pix", changed({ status: "NAO_REALIZADO", ...fields }))
      expect(yield* acquirer.queryPayout(asked)).toEqual({ status: "notPaid", reason, isWithoutFunds: true })
    }),
  )

  it.effect("a payout that is settled at once is reported so at once", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("PUT /v3/gn/pix", changed({ status: "REALIZADO", e2eId: "E1" }))
      expect(yield* acquirer.sendPayout(payoutOf())).toEqual({ status: "paid", endToEndId: "E1" })
      psp.fail("PUT /v3/gn/pix", changed({ status: "NAO_REALIZADO", motivo: "AC03" }))
      const other = payoutOf({ payoutId: "2" })
      expect(yield* acquirer.sendPayout(other)).toEqual({ status: "notPaid", reason: "AC03" })
    }),
  )

  it.effect("a payout sent again under the same id is processing and pays once", () =>
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
    { name: "405, which refuses no payout", fault: answer(405, { mensagem: "não" }) },
    { name: "422 without a reason", fault: answer(422, []) },
    { name: "404 from an intermediary", fault: answer(404, "not found") },
    { name: "a cut connection", fault: { kind: "cut" } as const },
    { name: "a lost answer", fault: { kind: "lost" } as const },
    { name: "an answer that is not JSON", fault: { kind: "text", text: "ok" } as const },
    { name: "an answer with another amount", fault: { kind: "wrongAmount" } as const },
    { name: "an answer about another payout", fault: changed({ idEnvio: "other" }) },
    {
      name: "an answer of paid without a transfer",
      fault: changed({ status: "REALIZADO", e2eId: null }),
    },
  ])("a payout's outcome is unknown after $name, and it is not sent again", ({ fault }) =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("PUT /v3/gn/pix", fault)
      expect(yield* Effect.flip(acquirer.sendPayout(payoutOf()))).toMatchObject(unavailable)
      expect(psp.requestsOf("PUT /v3/gn/pix")).toHaveLength(1)
    }),
  )

  it.effect("a payout whose token was refused is sent once more at once, with another token", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      yield* acquirer.queryPayout(asked)
      psp.revokeTokens()
      expect(yield* acquirer.sendPayout(payoutOf())).toEqual(processing)
      expect(psp.requestsOf("PUT /v3/gn/pix")).toHaveLength(2)
      expect(psp.payouts.get(payoutId)).toBe(1)
    }),
  )

  it.effect("a payout answered 401 twice has an unknown outcome, and is not sent a third time", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("PUT /v3/gn/pix", answer(401), 2)
      expect(yield* Effect.flip(acquirer.sendPayout(payoutOf()))).toMatchObject({
        ...unavailable,
        reason: "answered 401",
      })
      expect(psp.requestsOf("PUT /v3/gn/pix")).toHaveLength(2)
      expect(yield* acquirer.sendPayout(payoutOf())).toEqual(processing)
    }),
  )

  it.effect("a payout answered 401 and then nothing is not sent a third time", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("PUT /v3/gn/pix", answer(401))
      psp.fail("PUT /v3/gn/pix", { kind: "lost" })
      expect(yield* Effect.flip(acquirer.sendPayout(payoutOf()))).toMatchObject(unavailable)
      expect(psp.requestsOf("PUT /v3/gn/pix")).toHaveLength(2)
      expect(psp.payouts.get(payoutId)).toBe(1)
    }),
  )

  it.effect("a payout goes to the second version of the path where the bank's form says so", () =>
    Effect.gen(function* () {
      const bank = { ...bankProfiles.efi, payouts: "efi-v2" } as const
      const { psp, acquirer } = yield* openApiPix({ bank })
      expect(yield* acquirer.sendPayout(payoutOf())).toEqual(processing)
      expect(psp.requestsOf("PUT").map(({ path }) => path)).toEqual([`/v2/gn/pix/${payoutId}`])
      expect(yield* acquirer.queryPayout(asked)).toEqual(processing)
    }),
  )

  it.effect("a payout answered too late has an unknown outcome, and a query finds it processing", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("PUT /v3/gn/pix", { kind: "silent" })
      const sending = Effect.flip(acquirer.sendPayout(payoutOf()))
      expect(yield* passing(psp, "PUT /v3/gn/pix", 1, 10_000, sending)).toMatchObject(unavailable)
      expect(psp.requestsOf("PUT /v3/gn/pix")).toHaveLength(1)
      expect(yield* acquirer.queryPayout(asked)).toEqual(processing)
      expect(psp.payouts.get(payoutId)).toBe(1)
    }),
  )

  it.effect.each([400, 403, 404, 410, 422])("a payout is refused by a %i that gives a reason", (status) =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("PUT /v3/gn/pix", answer(status, { nome: "chave_invalida", mensagem: "Chave inválida" }))
      expect(yield* Effect.flip(acquirer.sendPayout(payoutOf()))).toMatchObject({
        _tag: "AcquirerRefused",
        reason: "Chave inválida",
      })
      expect(psp.payouts.size).toBe(0)
    }),
  )

  it.effect("a payout refused because its id is in use is reported with its state instead", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      yield* acquirer.sendPayout(payoutOf())
      const problem = { nome: "id_envio_duplicado", mensagem: "idEnvio já utilizado" }
      psp.fail("PUT /v3/gn/pix", answer(400, problem), 2)
      expect(yield* acquirer.sendPayout(payoutOf())).toEqual(processing)
      psp.payoutResult(payoutId, "REALIZADO")
      const { endToEndId } = psp.payout(payoutId) ?? {}
      expect(yield* acquirer.sendPayout(payoutOf())).toEqual({ status: "paid", endToEndId })
    }),
  )

  it.effect("a refused payout's outcome is unknown until the PSP says that it does not know its id", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("PUT /v3/gn/pix", answer(422, { detail: "Saldo insuficiente" }))
      psp.fail("GET /v2/gn/pix", answer(403))
      expect(yield* Effect.flip(acquirer.sendPayout(payoutOf()))).toMatchObject(unavailable)
      psp.fail("PUT /v3/gn/pix", answer(404, { title: "Not Found" }))
      psp.fail("GET /v2/gn/pix", answer(404, { title: "Not Found" }))
      expect(yield* Effect.flip(acquirer.sendPayout(payoutOf()))).toMatchObject(unavailable)
    }),
  )
})

describe("querying a payout", () => {
  it.effect("a payout query answers unknown for a payout that the PSP never received", () =>
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
  ])("a payout query answers unknown for the PSP's own form of not found: %o", (body) =>
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
  ])("a payout query fails after a 404 that is not in the PSP's own form: %o", ({ body }) =>
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

  it.effect("a payout query reports processing, not paid or paid, and an unknown status as processing", () =>
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
  ])("a payout that was not paid is reported with the reason $reason", ({ fields, reason }) =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      yield* acquirer.sendPayout(payoutOf())
      psp.payoutResult(payoutId, "NAO_REALIZADO")
      psp.fail("GET /v2/gn/pix", changed(fields))
      expect(yield* acquirer.queryPayout(asked)).toEqual({ status: "notPaid", reason })
    }),
  )

  it.effect.each([
    { status: "REALIZADO", returnedAmount: 0 },
    { status: "DEVOLVIDO", returnedAmount: 4_999 },
  ])(
    "a payout of another amount that is $status under our id is told with that amount",
    ({ status, returnedAmount }) =>
      Effect.gen(function* () {
        const { psp, acquirer } = yield* openApiPix()
        yield* acquirer.sendPayout(payoutOf())
        psp.payoutResult(payoutId, "REALIZADO")
        const { endToEndId } = psp.payout(payoutId) ?? {}
        psp.fail("GET /v2/gn/pix", changed({ valor: "49.99", status }))
        expect(yield* acquirer.queryPayout(asked)).toEqual({
          ...{ status: "otherAmount", amountThere: 4_999, returnedAmount, endToEndId },
        })
      }),
  )

  it.effect.each([
    {
      name: "of another amount that is not paid",
      fault: changed({ valor: "49.99", status: "NAO_REALIZADO" }),
    },
    { name: "of another payout", fault: changed({ idEnvio: "other" }) },
    { name: "without a transfer", fault: changed({ endToEndId: null }) },
    { name: "of status 403", fault: answer(403) },
    { name: "that lacks its fields", fault: answer(200, { status: "REALIZADO" }) },
  ])("a payout query fails after an answer $name", ({ fault }) =>
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
