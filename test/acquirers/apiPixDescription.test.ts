import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Acquirer, AcquirerBooks, PaymentReport } from "../../actors/ports/acquirer.ts"
import { readNotices } from "../../src/acquirers/apiPix/notices.ts"
import { buildBrCode } from "../../src/pixCode/brCode.ts"
import { chargeOf, queryOf, txid } from "../support/pspClient.ts"
import { runsOf } from "../support/sizes.ts"
import { answer, holds } from "./bacen/answering.ts"
import { operations } from "./bacen/description.ts"
import { answersOf, centavosIn, type Json, type JsonObject, millisIn } from "./bacen/draw.ts"

const objectsIn = (json: Json | undefined): ReadonlyArray<JsonObject> =>
  Array.isArray(json) ? (json as ReadonlyArray<JsonObject>) : []
const textIn = (object: JsonObject, name: string): string => String(object[name])
const timeIn = (json: Json | undefined): number | undefined =>
  typeof json === "string" ? millisIn(json) : undefined

/** Of objects with the same id the first. */
const distinct = (objects: ReadonlyArray<JsonObject>, id: string): ReadonlyArray<JsonObject> => [
  ...new Map(objects.toReversed().map((one) => [one[id], one])).values(),
]
/** A Pix whose returns have different ids, as those of a bank have. */
const withDistinctReturns = (pix: JsonObject): JsonObject =>
  Array.isArray(pix.devolucoes) ? { ...pix, devolucoes: distinct(objectsIn(pix.devolucoes), "id") } : pix
const pixes = answersOf("Pix").map(withDistinctReturns)

/** What is to be read of a return. */
const refundIn = (back: JsonObject) => {
  const status = { EM_PROCESSAMENTO: "processing", DEVOLVIDO: "done", NAO_REALIZADO: "failed" }[
    textIn(back, "status")
  ]
  const natureza = typeof back.natureza === "string" ? back.natureza : ""
  const { solicitacao, liquidacao } = back.horario as JsonObject
  return {
    id: textIn(back, "id"),
    amount: centavosIn(textIn(back, "valor")),
    kind: natureza.startsWith("MED_") ? "chargeback" : "refund",
    status,
    reason: natureza.startsWith("MED_") ? natureza : undefined,
    returnId: textIn(back, "rtrId"),
    settledMillis: status === "done" ? (timeIn(liquidacao) ?? timeIn(solicitacao)) : undefined,
  }
}
const paymentIn = (pix: JsonObject) => ({
  endToEndId: textIn(pix, "endToEndId"),
  amount: centavosIn(textIn(pix, "valor")),
  refunds: objectsIn(pix.devolucoes).map(refundIn),
})
const receivedIn = (pix: JsonObject) => ({
  ...paymentIn(pix),
  txid: typeof pix.txid === "string" ? pix.txid : undefined,
  receivedMillis: timeIn(pix.horario),
})
/** In the order of their ids, without how a return failed. */
const sorted = <A extends PaymentReport>(payments: ReadonlyArray<A>) =>
  payments
    .map((payment) => ({
      ...payment,
      refunds: payment.refunds
        .map(({ failureCode: _, failureReason: __, ...refund }) => refund)
        .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    }))
    .toSorted((a, b) => (a.endToEndId < b.endToEndId ? -1 : 1))

const list = (acquirer: Acquirer) =>
  (acquirer.books as AcquirerBooks).listReceived({ fromMillis: 0, toMillis: 1_000 }, undefined)

/** The only page of a list. */
const paged = (page: JsonObject): JsonObject => {
  const pix =
    page.pix === undefined || page.pix === null ? {} : { pix: objectsIn(page.pix).map(withDistinctReturns) }
  const paginacao = {
    paginaAtual: 0,
    itensPorPagina: 500,
    quantidadeDePaginas: 1,
    quantidadeTotalDeItens: objectsIn(page.pix).length,
  }
  return { ...page, ...pix, parametros: { ...(page.parametros as JsonObject), paginacao } }
}

describe("answers as the Central Bank describes them", () => {
  it("a list of received Pix is read to the last return, with or without a list", () =>
    holds(answersOf("PixConsultados").map(paged), (page, psp, acquirer) =>
      Effect.gen(function* () {
        answer(psp, "GET /pix?", 200, page)
        const { items, unreadableCount, next } = yield* list(acquirer)
        expect([unreadableCount, next]).toEqual([undefined, undefined])
        expect(sorted(items)).toEqual(sorted(objectsIn(page.pix).map(receivedIn) as typeof items))
      }),
    ))

  it("a Pix that is not as described is read, or is an item that an operator can accept, and never dropped", () =>
    holds(
      fc.tuple(fc.array(pixes, { maxLength: 3 }), pixes, fc.nat(20), fc.jsonValue({ maxDepth: 2 })),
      ([others, pix, nth, strange], psp, acquirer) =>
        Effect.gen(function* () {
          const names = Object.keys(pix)
          const wrong = { ...pix, [names[nth % names.length] ?? ""]: strange }
          const page = { ...paged({ parametros: {}, pix: others }), pix: [...others, wrong] }
          const read = Effect.suspend(() => {
            answer(psp, "GET /pix?", 200, page)
            return list(acquirer)
          })
          const { items, unreadableCount = 0, unreadable = [] } = yield* read
          expect(items.length + unreadableCount).toBe(others.length + 1)
          expect(unreadable.length).toBe(unreadableCount)
          expect((yield* read).unreadable?.map(({ digest }) => digest)).toEqual(
            unreadableCount === 0 ? undefined : unreadable.map(({ digest }) => digest),
          )
        }),
    ))

  it("a charge is read with the Pix that it lists, and as paid where it names none", () =>
    holds(
      fc.tuple(answersOf("CobCompleta"), fc.array(pixes, { maxLength: 3 }), fc.boolean()),
      ([charge, listed, namesIt], psp, acquirer) =>
        Effect.gen(function* () {
          const ours = listed.map(({ txid: _, ...pix }) => (namesIt ? { ...pix, txid } : pix))
          const pix = "pix" in charge && charge.pix !== null ? { pix: ours } : {}
          answer(psp, "GET /cob", 200, { ...charge, txid, ...pix })
          const report = yield* acquirer.queryCharge(queryOf())
          const payments = ("pix" in pix ? ours : []).map((one) => paymentIn(one))
          expect(sorted(report.payments)).toEqual(sorted(payments as typeof report.payments))
          const isConcluded = charge.status === "CONCLUIDA" && payments.length === 0
          expect(report.isConcluded).toBe(isConcluded ? true : undefined)
        }),
    ))

  it("a Pix that pays a charge is read with what went back of it, whether it names the charge or not", () =>
    holds(fc.tuple(answersOf("CobCompleta"), pixes, fc.boolean()), ([charge, pix, namesIt], psp, acquirer) =>
      Effect.gen(function* () {
        const { txid: _, ...nameless } = pix
        const endToEndId = textIn(pix, "endToEndId")
        answer(psp, "GET /cob", 200, { ...charge, txid, pix: null })
        answer(psp, "GET /pix/", 200, namesIt ? { ...nameless, txid } : nameless)
        const report = yield* acquirer.queryCharge(queryOf({ status: "paid", endToEndId }))
        expect(sorted(report.payments)).toEqual(sorted([paymentIn(pix)] as typeof report.payments))
      }),
    ))

  it("a charge is made with the location of the answer, wherever it stands, or else with its code", () =>
    holds(fc.tuple(answersOf("CobGerada"), fc.boolean()), ([charge, hasCode], psp, acquirer) =>
      Effect.gen(function* () {
        const made = { ...charge, txid, status: "ATIVA", valor: { original: "129.90" } }
        const location =
          charge.location ?? (charge.loc as JsonObject | null | undefined)?.location ?? undefined
        const where = location ?? "pix.example.com/qr/v2/1"
        const brCode = buildBrCode({ location: `${where}`, merchantName: "Loja", merchantCity: "Recife" })
        if (location === undefined && !hasCode) return
        answer(psp, "PUT /cob", 201, hasCode ? { ...made, pixCopiaECola: brCode } : made)
        const accepted = yield* acquirer.createCharge(chargeOf())
        expect(accepted).toMatchObject({ location: where })
        expect(accepted.brCode).toBe(location === undefined ? brCode : undefined)
      }),
    ))

  it("a removal is told from a charge that is still there", () =>
    holds(answersOf("CobGerada"), (charge, psp, acquirer) =>
      Effect.gen(function* () {
        answer(psp, "PATCH /cob", 200, { ...charge, txid })
        expect(yield* acquirer.cancelCharge(txid)).toBe(charge.status === "CONCLUIDA" ? "refused" : "removed")
      }),
    ))

  it.each(["PUT", "GET"] as const)("a return is read in every state from %s", (method) =>
    holds(answersOf("Devolucao"), (back, psp, acquirer) =>
      Effect.gen(function* () {
        const { id, amount, status, settledMillis } = refundIn(back)
        const request = { endToEndId: "E".repeat(32), refundId: id, amount }
        answer(psp, `${method} /pix/`, method === "PUT" ? 201 : 200, back)
        const report = yield* method === "PUT" ? acquirer.refund(request) : acquirer.queryRefund(request)
        expect(report).toMatchObject({ id, amount, status })
        expect("settledMillis" in report ? report.settledMillis : undefined).toBe(settledMillis)
      }),
    ),
  )

  it("a notice is read as one of a Pix or of each of its returns", () => {
    fc.assert(
      fc.property(answersOf("WebhookPixBody"), (body) => {
        const pix = objectsIn(body.pix).map(withDistinctReturns)
        const notices = readNotices(JSON.stringify({ ...body, ...(body.pix ? { pix } : {}) }))
        const wanted = pix.flatMap((one) => {
          const about = { endToEndId: one.endToEndId, txid: one.txid ?? undefined, payoutId: undefined }
          const backs = objectsIn(one.devolucoes)
          if (backs.length === 0) return [{ ...about, eventType: "pix.received", refundId: undefined }]
          return backs.map(({ id, status }) => ({
            ...about,
            eventType: "pix.refund",
            refundId: status === "DEVOLVIDO" ? id : undefined,
          }))
        })
        if (wanted.length > 0) expect(notices).toMatchObject(wanted)
        else expect(notices).toMatchObject([{ eventType: null }])
        expect(new Set(notices.map(({ providerEventId }) => providerEventId)).size).toBe(notices.length)
      }),
      { numRuns: runsOf(400) },
    )
  })
})

const isUnknown = (status: number, problem: JsonObject) =>
  status === 404 && textIn(problem, "type").endsWith("/NaoEncontrado")

/** Problems, some with a member that other banks' problems have, of another type. */
const problems = fc
  .tuple(answersOf("Problema"), fc.constantFrom("codigo", "nome", "mensagem"), fc.jsonValue({ maxDepth: 1 }))
  .map(([problem, name, value]) =>
    typeof value === "string" ? problem : { ...problem, [name]: value as Json },
  )

/** What each operation makes of a failure: a refusal, "unknown to the bank", or no answer. Never anything else. */
const failing: Readonly<
  Record<keyof typeof operations, (acquirer: Acquirer) => Effect.Effect<unknown, { readonly _tag: string }>>
> = {
  "PUT /cob/{txid}": (acquirer) => acquirer.createCharge(chargeOf()),
  "PATCH /cob/{txid}": (acquirer) => acquirer.cancelCharge(txid),
  "GET /cob/{txid}": (acquirer) => acquirer.queryCharge(queryOf()),
  "GET /pix/{e2eid}": (acquirer) => acquirer.queryCharge(queryOf({ noticedEndToEndId: "E1" })),
  "GET /pix": list,
  "PUT /pix/{e2eid}/devolucao/{id}": (acquirer) =>
    acquirer.refund({ endToEndId: "E1", refundId: "r1", amount: 100 }),
  "GET /pix/{e2eid}/devolucao/{id}": (acquirer) =>
    acquirer.queryRefund({ endToEndId: "E1", refundId: "r1", amount: 100 }),
}
/** The beginning of an operation's requests. */
const beginningOf = (operation: string) => operation.replace(/\{.*$/, "").replace(/^GET \/pix$/, "GET /pix?")

describe("failures as the Central Bank describes them", () => {
  it.each(Object.entries(operations))(
    "%s fails in a way that its caller knows",
    (operation, { failures }) => {
      const conclusive = failures.filter((status) => status !== 503)
      return holds(fc.tuple(fc.constantFrom(...conclusive), problems), ([status, problem], psp, acquirer) =>
        Effect.gen(function* () {
          psp.heal()
          answer(psp, beginningOf(operation), status, problem)
          const result = yield* Effect.result(failing[operation as keyof typeof operations](acquirer))
          const tag = result._tag === "Failure" ? result.failure._tag : "answered"
          const is404 = isUnknown(status, problem)
          switch (operation) {
            case "PUT /cob/{txid}":
            case "PUT /pix/{e2eid}/devolucao/{id}":
              return expect(tag).toBe("AcquirerRefused")
            case "PATCH /cob/{txid}":
              return expect(tag).toBe(status === 403 ? "AcquirerUnavailable" : "answered")
            case "GET /pix":
              return expect(tag).toBe("AcquirerUnavailable")
            default:
              return expect(tag).toBe(is404 ? "answered" : "AcquirerUnavailable")
          }
        }),
      )
    },
  )
})
