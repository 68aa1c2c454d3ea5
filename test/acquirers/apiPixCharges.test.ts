import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { buildBrCode } from "../../src/pixCode/brCode.ts"
import type { PspFault } from "../support/psp.ts"
import { chargeOf, openApiPix, passing, skippingPauses, txid } from "../support/pspClient.ts"

const problem = (
  status: number,
  body: unknown = { title: "CobOperacaoInvalida", detail: "não" },
): PspFault => ({
  kind: "answer",
  status,
  body,
})

describe("creating a charge", () => {
  it.effect("a charge is put under our txid and answered with its location", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      expect(acquirer.slug).toBe("api-pix")
      expect(acquirer.isLocal).toBe(false)
      expect(yield* acquirer.createCharge(chargeOf())).toEqual({
        location: psp.charge(txid)?.location,
        askAfterMillis: 30_000,
      })
      const [put] = psp.requestsOf("PUT /cob")
      expect(put?.path).toBe(`/v2/cob/${txid}`)
      expect(put?.headers["content-type"]).toBe("application/json")
      expect(JSON.parse(put?.body ?? "")).toEqual({
        calendario: { expiracao: 3_600 },
        devedor: { cpf: "12345678909", nome: "Ana Souza" },
        valor: { original: "129.90" },
        chave: psp.pixKey,
      })
    }),
  )

  it.effect("a charge names a company by its CNPJ, in digits or with letters", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      for (const document of ["12345678000195", "12ABC34501DE35"]) {
        const customer = { name: "Loja", document }
        yield* acquirer.createCharge(chargeOf({ txid: document.padEnd(32, "0"), customer }))
        const { devedor } = JSON.parse(psp.requestsOf("PUT /cob").at(-1)?.body ?? "")
        expect(devedor).toEqual({ cnpj: document, nome: "Loja" })
      }
    }),
  )

  it.effect("a charge created again under its txid answers the charge that is there", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      const first = yield* acquirer.createCharge(chargeOf())
      expect(yield* acquirer.createCharge(chargeOf())).toEqual(first)
      psp.pay(txid)
      expect(yield* acquirer.createCharge(chargeOf())).toEqual(first)
    }),
  )

  it.effect("a charge is refused when its txid has another amount or was removed", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      yield* acquirer.createCharge(chargeOf({ amount: 100 }))
      const refused = { _tag: "AcquirerRefused", reason: "txid já utilizado" }
      expect(yield* Effect.flip(acquirer.createCharge(chargeOf()))).toMatchObject(refused)
      psp.remove(txid)
      expect(yield* Effect.flip(acquirer.createCharge(chargeOf({ amount: 100 })))).toMatchObject(refused)
    }),
  )

  it.effect.each([
    {
      name: "its detail",
      body: { title: "Inválido", detail: "O devedor\n é\tinválido. " },
      reason: "O devedor é inválido.",
    },
    { name: "its title", body: { title: "Operação inválida", detail: null }, reason: "Operação inválida" },
    { name: "its own error form", body: { nome: "valor_invalido", mensagem: "Valor" }, reason: "Valor" },
    {
      name: "the first of its errors",
      body: { erros: [{ codigo: "4769515", mensagem: "Sem informações" }, { mensagem: "outro" }] },
      reason: "Sem informações",
    },
    { name: "nothing among its errors", body: { erros: [] }, reason: "the acquirer answered 422" },
    { name: "the first 200 characters", body: { detail: "💸".repeat(300) }, reason: "💸".repeat(200) },
    { name: "nothing, so the status", body: [], reason: "the acquirer answered 422" },
  ])("a refused charge's reason is what the PSP gives: $name", ({ body, reason }) =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("PUT /cob", problem(422, body))
      const error = yield* Effect.flip(acquirer.createCharge(chargeOf()))
      expect(error).toMatchObject({ _tag: "AcquirerRefused", reason })
      expect(psp.requestsOf("GET /cob")).toHaveLength(1)
    }),
  )

  it.effect("a refused charge's outcome is unknown until the PSP says that nothing is there", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("PUT /cob", problem(400))
      psp.fail("GET /cob", problem(403))
      expect(yield* Effect.flip(acquirer.createCharge(chargeOf()))).toMatchObject({
        _tag: "AcquirerUnavailable",
      })
    }),
  )

  it.effect("a charge whose answer was lost is found", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("PUT /cob", { kind: "lost" })
      const { value } = yield* skippingPauses(acquirer.createCharge(chargeOf()))
      expect(value.location).toBe(psp.charge(txid)?.location)
    }),
  )

  it.effect("a charge that is answered too late is found by a look-up", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("PUT /cob", { kind: "silent" })
      const creating = acquirer.createCharge(chargeOf())
      const accepted = yield* passing(psp, "PUT /cob", 1, 10_000, creating)
      expect(accepted.location).toBe(psp.charge(txid)?.location)
      expect(psp.requestsOf("PUT /cob")).toHaveLength(1)
    }),
  )

  it.effect("a charge whose outcome is unknown is neither accepted nor refused", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("PUT /cob", problem(500), 3)
      const { value } = yield* skippingPauses(Effect.flip(acquirer.createCharge(chargeOf())))
      expect(value).toMatchObject({ _tag: "AcquirerUnavailable", reason: "answered 500" })
      expect(psp.requestsOf("GET /cob")).toHaveLength(1)
    }),
  )

  it.effect("creating a charge ends 15 s after it began, though the PSP answers nothing", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("PUT /cob", { kind: "silent" })
      psp.fail("GET /cob", { kind: "silent" })
      const creating = passing(psp, "PUT /cob", 1, 10_000, Effect.flip(acquirer.createCharge(chargeOf())))
      expect(yield* passing(psp, "GET /cob", 1, 5_000, creating)).toMatchObject({
        _tag: "AcquirerUnavailable",
        reason: "did not answer within 5000 ms",
      })
    }),
  )

  it.effect("creating a charge takes no charge of another txid for ours", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("PUT /cob", { kind: "changed", change: (body) => ({ ...body, txid: "z".repeat(32) }) })
      const { location } = yield* acquirer.createCharge(chargeOf())
      expect(location).toBe(psp.charge(txid)?.location)
      expect(psp.requestsOf("GET /cob")).toHaveLength(1)
    }),
  )

  it.effect("creating a charge takes no charge of another amount for ours", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("PUT /cob", { kind: "wrongAmount" })
      psp.fail("GET /cob", { kind: "wrongAmount" })
      expect(yield* Effect.flip(acquirer.createCharge(chargeOf()))).toMatchObject({
        _tag: "AcquirerUnavailable",
        reason: "answered with something other than requested",
      })
    }),
  )

  it.effect.each([
    {
      given: "https://pix.example/qr/v2/1",
      verdict: "used without its scheme",
      location: "pix.example/qr/v2/1",
    },
    { given: "pix.example/qr/v2/1", verdict: "used as it is", location: "pix.example/qr/v2/1" },
    { given: "x".repeat(78), verdict: "rejected as too long", location: undefined },
    { given: "pix.example/é", verdict: "rejected for its letter", location: undefined },
    { given: "", verdict: "rejected as empty", location: undefined },
  ])("a charge's location '$given' is $verdict", ({ given, location }) =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      const fault: PspFault = { kind: "changed", change: (body) => ({ ...body, location: given }) }
      psp.fail("PUT /cob", fault)
      psp.fail("GET /cob", fault)
      const creating = acquirer.createCharge(chargeOf())
      if (location !== undefined) expect((yield* creating).location).toBe(location)
      else expect(yield* Effect.flip(creating)).toMatchObject({ _tag: "AcquirerUnavailable" })
    }),
  )

  it.effect("a charge's location is read from its loc where it has no other", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("PUT /cob", { kind: "changed", change: ({ location: _, ...body }) => body })
      expect((yield* acquirer.createCharge(chargeOf())).location).toBe(psp.charge(txid)?.location)
    }),
  )

  const withCode = (brCode: string): PspFault => ({
    kind: "changed",
    change: ({ location: _, loc: _loc, ...body }) => ({ ...body, pixCopiaECola: brCode }),
  })
  const merchant = { merchantName: "Loja", merchantCity: "Recife" }
  const brCode = buildBrCode({ location: "pix.example/qr/v2/1", ...merchant })

  it.effect("a charge without a location has the bank's own code", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("PUT /cob", withCode(brCode))
      expect(yield* acquirer.createCharge(chargeOf())).toMatchObject({
        brCode,
        location: "pix.example/qr/v2/1",
      })
    }),
  )

  it.effect("a charge whose only code is not right is not made", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      const wrong = `${brCode.slice(0, -4)}0000`
      psp.fail("PUT /cob", withCode(wrong))
      psp.fail("GET /cob", withCode(wrong))
      expect(yield* Effect.flip(acquirer.createCharge(chargeOf()))).toMatchObject({
        _tag: "AcquirerUnavailable",
        reason: "answered with a pixCopiaECola that has a wrong CRC",
      })
    }),
  )
})

describe("cancelling a charge", () => {
  it.effect("cancelling a charge removes it at the PSP, and is refused the second time", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      yield* acquirer.createCharge(chargeOf())
      yield* acquirer.cancelCharge(txid)
      expect(psp.charge(txid)?.status).toBe("REMOVIDA_PELO_USUARIO_RECEBEDOR")
      const { body } = psp.requestsOf("PATCH /cob")[0] ?? { body: "" }
      expect(JSON.parse(body)).toEqual({ status: "REMOVIDA_PELO_USUARIO_RECEBEDOR" })
      expect(yield* acquirer.cancelCharge(txid)).toBe("refused")
    }),
  )

  it.effect("cancelling is refused for a charge that was paid or is not there", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      expect(yield* acquirer.cancelCharge(txid)).toBe("refused")
      yield* acquirer.createCharge(chargeOf())
      psp.pay(txid)
      expect(yield* acquirer.cancelCharge(txid)).toBe("refused")
      psp.fail("PATCH /cob", {
        kind: "answer",
        status: 200,
        body: { txid, status: "CONCLUIDA", valor: { original: "129.90" } },
      })
      expect(yield* acquirer.cancelCharge(txid)).toBe("refused")
      expect(psp.charge(txid)?.status).toBe("CONCLUIDA")
    }),
  )

  it.effect("cancelling a charge fails when the PSP answers 403, or 500 three times", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("PATCH /cob", problem(403))
      const expected = { _tag: "AcquirerUnavailable", operation: "cancelCharge", reason: "answered 403" }
      expect(yield* Effect.flip(acquirer.cancelCharge(txid))).toMatchObject(expected)
      psp.fail("PATCH /cob", problem(500), 3)
      const { value } = yield* skippingPauses(Effect.flip(acquirer.cancelCharge(txid)))
      expect(value.reason).toBe("answered 500")
    }),
  )
})
