import {
  newEndToEndId,
  type PspBooks,
  type PspCharge,
  type PspPayout,
  type PspTransfer,
  totalsOf,
} from "./pspBooks.ts"
import type { PspAnswer } from "./pspFaults.ts"
import { listPage } from "./pspLists.ts"

/** A request to the API, without its base path. */
export interface ApiRequest {
  readonly method: string
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
}

/** An error of API Pix: RFC 7807. */
const problem = (status: number, title: string, detail: string): PspAnswer => ({
  status,
  body: { type: `https://pix.bcb.gov.br/api/v2/error/${title}`, title, status, detail },
})

/** An error of Efí's payouts, which have their own format. */
const ownProblem = (status: number, nome: string, mensagem: string): PspAnswer => ({
  status,
  body: { nome, mensagem },
})

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const textAt = (value: unknown, ...path: ReadonlyArray<string>): string => {
  let found = value
  for (const name of path) found = isRecord(found) ? found[name] : undefined
  return typeof found === "string" ? found : ""
}

const isAmount = (text: string): boolean => /^\d{1,10}\.\d{2}$/.test(text) && Number(text) > 0

const shownTransfer = ({ devolucoes, ...transfer }: PspTransfer) => ({
  ...transfer,
  ...(devolucoes.length === 0 ? {} : { devolucoes }),
})

const shownCharge = ({ asked, location, pix, status, txid }: PspCharge) => ({
  ...asked,
  txid,
  revisao: 0,
  status,
  location,
  loc: { id: 1, location, tipoCob: "cob" },
  ...(pix.length === 0 ? {} : { pix: pix.map(shownTransfer) }),
})

const putCharge = (books: PspBooks, txid: string, body: ApiRequest["body"], host: string): PspAnswer => {
  if (books.charges.has(txid)) return problem(409, "CobOperacaoInvalida", "txid já utilizado")
  const original = textAt(body, "valor", "original")
  if (!/^[a-zA-Z0-9]{26,35}$/.test(txid) || !isAmount(original) || textAt(body, "chave") === "") {
    return problem(400, "CobOperacaoInvalida", "A cobrança não respeita o schema.")
  }
  const charge: PspCharge = {
    txid,
    status: "ATIVA",
    location: `${host}/qr/v2/${txid}`,
    asked: body,
    valor: { original },
    pix: [],
  }
  books.charges.set(txid, charge)
  return { status: 201, body: shownCharge(charge) }
}

const patchCharge = (books: PspBooks, txid: string, body: ApiRequest["body"]): PspAnswer => {
  const charge = books.charges.get(txid)
  if (charge === undefined) return problem(404, "CobNaoEncontrado", "Cobrança não encontrada.")
  if (charge.status !== "ATIVA" || body.status !== "REMOVIDA_PELO_USUARIO_RECEBEDOR") {
    return problem(400, "CobOperacaoInvalida", "A cobrança não está ATIVA.")
  }
  charge.status = "REMOVIDA_PELO_USUARIO_RECEBEDOR"
  return { status: 200, body: shownCharge(charge) }
}

const putRefund = (transfer: PspTransfer, id: string, body: ApiRequest["body"]): PspAnswer => {
  const valor = textAt(body, "valor")
  if (transfer.devolucoes.some((refund) => refund.id === id)) {
    return problem(409, "PixDevolucaoInvalida", "id já utilizado")
  }
  const given = transfer.devolucoes
    .filter(({ status }) => status !== "NAO_REALIZADO")
    .reduce((sum, refund) => sum + Number(refund.valor), 0)
  if (!isAmount(valor) || given + Number(valor) > Number(transfer.valor)) {
    return problem(422, "PixDevolucaoInvalida", "O valor excede o disponível para devolução.")
  }
  const horario = { solicitacao: new Date().toISOString() }
  const refund = { id, valor, natureza: "ORIGINAL", horario, status: "EM_PROCESSAMENTO" as const }
  transfer.devolucoes = [...transfer.devolucoes, refund]
  return { status: 201, body: refund }
}

const transferRoutes = (books: PspBooks, request: ApiRequest, parts: ReadonlyArray<string>): PspAnswer => {
  const [endToEndId = "", kind, refundId = ""] = parts
  const transfer = books.transfers.get(endToEndId)
  if (transfer === undefined) return problem(404, "PixNaoEncontrado", "Pix não encontrado.")
  if (kind === undefined) return { status: 200, body: shownTransfer(transfer) }
  if (request.method === "PUT") return putRefund(transfer, refundId, request.body)
  const refund = transfer.devolucoes.find(({ id }) => id === refundId)
  return refund === undefined
    ? problem(404, "PixDevolucaoNaoEncontrada", "Devolução não encontrada.")
    : { status: 200, body: refund }
}

const shownPayout = ({ code, ...payout }: PspPayout) => ({
  ...payout,
  ...(code === undefined ? {} : { erro: { codigo: code, motivo: "Recusado pelo banco do favorecido" } }),
})

const putPayout = (books: PspBooks, idEnvio: string, body: ApiRequest["body"]): PspAnswer => {
  if (books.payouts.has(idEnvio)) return ownProblem(409, "id_envio_duplicado", "idEnvio já utilizado")
  const valor = textAt(body, "valor")
  const chave = textAt(body, "favorecido", "chave")
  if (!/^[a-zA-Z0-9]{1,35}$/.test(idEnvio) || !isAmount(valor) || textAt(body, "pagador", "chave") === "") {
    return ownProblem(400, "valor_invalido", "Verifique o corpo da requisição.")
  }
  if (chave === "") return ownProblem(400, "favorecido_invalido", "A chave do favorecido é obrigatória.")
  const payout: PspPayout = {
    idEnvio,
    endToEndId: newEndToEndId(),
    valor,
    chave,
    horario: { solicitacao: new Date().toISOString() },
    status: "EM_PROCESSAMENTO",
    code: undefined,
  }
  books.payouts.set(idEnvio, payout)
  books.executions.set(idEnvio, (books.executions.get(idEnvio) ?? 0) + 1)
  const { endToEndId, status, horario } = payout
  return { status: 201, body: { idEnvio, e2eId: endToEndId, valor, horario, status } }
}

const askPayout = (books: PspBooks, idEnvio: string): PspAnswer => {
  const payout = books.payouts.get(idEnvio)
  return payout === undefined
    ? ownProblem(404, "envio_nao_encontrado", "Nenhum envio encontrado para o idEnvio informado.")
    : { status: 200, body: shownPayout(payout) }
}

/** The transfers or the payouts of a time, a page of them; 400 without a time. */
const listBooks = (books: PspBooks, kind: "received" | "sent", query: URLSearchParams): PspAnswer => {
  const filter = books.lists.hasReturnFilter ? query.get("devolucaoPresente") : null
  const isAskedFor = ({ devolucoes }: PspTransfer) =>
    filter === null || filter === String(devolucoes.length > 0)
  const entries =
    kind === "received"
      ? [...books.transfers.values()].filter(isAskedFor).map((transfer) => ({
          endToEndId: transfer.endToEndId,
          at: transfer.horario,
          shown: shownTransfer(transfer),
        }))
      : [...books.payouts.values()].map((payout) => ({
          endToEndId: payout.endToEndId,
          at: payout.horario.solicitacao,
          shown: shownPayout(payout),
        }))
  const page = listPage(books.lists, entries, query)
  return page === undefined
    ? problem(400, "PixConsultaInvalida", "Os parâmetros da consulta não respeitam o schema.")
    : { status: 200, body: page }
}

/** What it holds for its customer, in centavos. */
const heldOf = (books: PspBooks): number => {
  const { received, refunded, sent, returned } = totalsOf(books)
  return received - refunded - sent + returned
}

const reaisOf = (centavos: number): string => {
  const digits = String(Math.abs(centavos)).padStart(3, "0")
  return `${centavos < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** Its balance as Efí tells it, in text, and as Inter does, in a number. */
const balances: Readonly<Record<string, (books: PspBooks) => PspAnswer>> = {
  "/v2/gn/saldo": (books) => ({ status: 200, body: { saldo: reaisOf(heldOf(books)) } }),
  "/banking/v2/saldo": (books) => ({ status: 200, body: { disponivel: heldOf(books) / 100, limite: 500 } }),
}

/** The API: `/cob` and `/pix` below the base path, payouts at `/v3/gn/pix` and `/v2/gn/pix` of the host. */
export const route = (books: PspBooks, request: ApiRequest, host: string): PspAnswer => {
  const { method, body } = request
  const [path = "", query = ""] = request.path.split("?")
  if (path === "/pix") return listBooks(books, "received", new URLSearchParams(query))
  const balance = balances[path]
  if (balance !== undefined) return balance(books)
  if (path === "/v2/gn/pix/enviados") return listBooks(books, "sent", new URLSearchParams(query))
  const parts = path.split("/").slice(1).map(decodeURIComponent)
  const [first, ...rest] = parts
  const [id = ""] = rest
  if (first === "cob" && rest.length === 1) {
    if (method === "PUT") return putCharge(books, id, body, host)
    if (method === "PATCH") return patchCharge(books, id, body)
    const charge = books.charges.get(id)
    return charge === undefined
      ? problem(404, "CobNaoEncontrado", "Cobrança não encontrada.")
      : { status: 200, body: shownCharge(charge) }
  }
  if (first === "webhook" && method === "PUT") {
    books.webhooks.set(id, body)
    return { status: 200, body: {} }
  }
  if (first === "webhook" && books.webhooks.has(id)) return { status: 200, body: books.webhooks.get(id) }
  if (first === "pix") return transferRoutes(books, request, rest)
  if (path.startsWith("/v2/gn/pix/enviados/id-envio/")) return askPayout(books, parts.at(-1) ?? "")
  if (/^\/v[23]\/gn\/pix\//.test(path) && method === "PUT") return putPayout(books, parts.at(-1) ?? "", body)
  return problem(404, "NaoEncontrado", "Recurso não encontrado.")
}
