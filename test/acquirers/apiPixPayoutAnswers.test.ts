import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { AcquirerBooks } from "../../actors/ports/acquirer.ts"
import { payoutOf } from "../support/pspClient.ts"
import { answer, holds } from "./bacen/answering.ts"
import { answersOf, centavosIn, type JsonObject, millisIn } from "./bacen/draw.ts"
import { PixSendDetail, PixSendResponse } from "./efiPayouts.ts"

const { payoutId, amount } = payoutOf()
/** A payout of ours: under our id, which an answer need not repeat, and of our amount. */
const ours = (payout: JsonObject): JsonObject => ({
  ...payout,
  ...(typeof payout.idEnvio === "string" ? { idEnvio: payoutId } : {}),
  valor: "50.00",
})

const returnedOf = ({ status, valor, devolucoes }: JsonObject): number => {
  const sent = centavosIn(String(valor))
  if (status === "DEVOLVIDO") return sent
  if (status !== "REALIZADO" || !Array.isArray(devolucoes)) return 0
  const done = (devolucoes as ReadonlyArray<JsonObject>).filter((back) => back.status === "DEVOLVIDO")
  return Math.min(
    sent,
    done.reduce((sum, back) => sum + centavosIn(String(back.valor)), 0),
  )
}

describe("answers about payouts", () => {
  it("a payout that was sent is told by its state, with its transfer once it is paid", () =>
    holds(answersOf(PixSendResponse).map(ours), (sent, psp, acquirer) =>
      Effect.gen(function* () {
        answer(psp, /^PUT .*gn\/pix\//, 201, sent)
        const report = yield* acquirer.sendPayout(payoutOf())
        const status = { EM_PROCESSAMENTO: "processing", REALIZADO: "paid", NAO_REALIZADO: "notPaid" }[
          String(sent.status)
        ]
        expect(report).toMatchObject({
          status,
          ...(status === "paid" ? { endToEndId: sent.e2eId } : {}),
        })
      }),
    ))

  it("a query tells every state, and what came back, whatever optional members are missing", () =>
    holds(answersOf(PixSendDetail).map(ours), (payout, psp, acquirer) =>
      Effect.gen(function* () {
        answer(psp, /^GET .*gn\/pix\/enviados\//, 200, payout)
        const report = yield* acquirer.queryPayout({ payoutId, amount })
        const isPaid = payout.status === "REALIZADO" || payout.status === "DEVOLVIDO"
        const returnedAmount = returnedOf(payout)
        if (isPaid) {
          const paid = { status: "paid", endToEndId: payout.endToEndId }
          expect(report).toEqual(returnedAmount === 0 ? paid : { ...paid, returnedAmount })
        } else {
          const status = payout.status === "NAO_REALIZADO" ? "notPaid" : "processing"
          expect(report).toMatchObject({ status })
        }
      }),
    ))

  it("a list has every payout as it is, with its id only where it was sent under one", () =>
    holds(fc.array(answersOf(PixSendDetail), { maxLength: 4 }), (sent, psp, acquirer) =>
      Effect.gen(function* () {
        const paginacao = {
          ...{ paginaAtual: 0, itensPorPagina: 500, quantidadeDePaginas: 1 },
          quantidadeTotalDeItens: sent.length,
        }
        const page = { parametros: { paginacao }, ...(sent.length === 0 ? {} : { pix: sent }) }
        answer(psp, /^GET .*gn\/pix\/enviados\?/, 200, page)
        const { listSent } = acquirer.books as Required<AcquirerBooks>
        const { items, unreadableCount } = yield* listSent?.({ fromMillis: 0, toMillis: 1 }, undefined) ??
          Effect.die("no list")
        expect(unreadableCount).toBeUndefined()
        expect(items).toMatchObject(
          sent.map((payout) => {
            const time = (payout.horario as JsonObject | null | undefined)?.solicitacao
            const isWhole =
              payout.status === "DEVOLVIDO" || returnedOf(payout) === centavosIn(String(payout.valor))
            const status = { EM_PROCESSAMENTO: "processing", NAO_REALIZADO: "notPaid" }[String(payout.status)]
            return {
              payoutId: payout.idEnvio ?? undefined,
              endToEndId: payout.endToEndId,
              amount: centavosIn(String(payout.valor)),
              status: status ?? (isWhole ? "returned" : "paid"),
              returnedAmount: returnedOf(payout),
              sentMillis: typeof time === "string" ? millisIn(time) : undefined,
            }
          }),
        )
      }),
    ))
})
