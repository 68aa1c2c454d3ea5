import { Effect } from "effect"
import { type Acquirer, AcquirerUnavailable } from "../../actors/ports/acquirer.ts"
import { bankProfiles } from "../../src/acquirers/apiPix/bankProfiles.ts"
import { makeBooks } from "../../src/acquirers/apiPix/books.ts"
import { cancelCharge, createCharge, queryCharge } from "../../src/acquirers/apiPix/charges.ts"
import type { Answer, ApiPixClient, Call } from "../../src/acquirers/apiPix/client.ts"
import type { JsonObject } from "../acquirers/bacen/draw.ts"
import { silentAcquirer } from "../actors/support/acquirer.ts"

/** A bank that answers as the Central Bank describes, from what a test put into it. */
export interface DescribedBank {
  readonly acquirer: Acquirer
  /** What it answers about a charge by `GET /cob/{txid}`. */
  readonly charges: Map<string, JsonObject>
  /** All Pix, of which it lists only the first `listed`. */
  readonly pix: Array<JsonObject>
  listed: number
  /** How many items a page has, and how many more Pix are listed after each page that was read. */
  pageItems: number
  arrivalsPerPage: number
}

const notFound: Answer = {
  statusCode: 404,
  body: { type: "https://pix.bcb.gov.br/api/v2/error/NaoEncontrado", title: "Não encontrado", status: 404 },
}
const orNotFound = (body: JsonObject | undefined): Answer =>
  body === undefined ? notFound : { statusCode: 200, body }

/** A page, newest arrivals first, so that whatever arrives moves all others. */
const pageOf = (bank: DescribedBank, query: URLSearchParams): Answer => {
  const [inicio, fim] = ["inicio", "fim"].map((name) => query.get(name) ?? "") as [string, string]
  const isWithin = ({ horario }: JsonObject) =>
    Date.parse(String(horario)) >= Date.parse(inicio) && Date.parse(String(horario)) <= Date.parse(fim)
  const found = bank.pix.slice(0, bank.listed).filter(isWithin).toReversed()
  const page = Number(query.get("paginacao.paginaAtual"))
  const pix = found.slice(page * bank.pageItems, (page + 1) * bank.pageItems)
  bank.listed = Math.min(bank.pix.length, bank.listed + bank.arrivalsPerPage)
  const paginacao = {
    paginaAtual: page,
    itensPorPagina: bank.pageItems,
    quantidadeDePaginas: Math.max(1, Math.ceil(found.length / bank.pageItems)),
    quantidadeTotalDeItens: found.length,
  }
  const parametros = { inicio, fim, paginacao }
  return { statusCode: 200, body: pix.length === 0 ? { parametros } : { parametros, pix } }
}

export const openDescribedBank = (): DescribedBank => {
  const answer = ({ method, url, body }: Call): Answer | undefined => {
    const { pathname, searchParams } = new URL(url)
    const [, first = "", id = ""] = pathname.split("/")
    if (first === "cob" && method === "PUT") {
      const made = { ...(body as JsonObject), txid: id, status: "ATIVA", location: `psp.example/${id}` }
      bank.charges.set(id, made)
      return { statusCode: 201, body: made }
    }
    if (method !== "GET") return undefined
    if (first === "cob") return orNotFound(bank.charges.get(id))
    if (id !== "") return orNotFound(bank.pix.find(({ endToEndId }) => endToEndId === id))
    return pageOf(bank, searchParams)
  }
  const client: ApiPixClient = {
    call: (call) => {
      const answered = answer(call)
      const { operation } = call
      return answered === undefined
        ? Effect.fail(new AcquirerUnavailable({ operation, reason: "not described" }))
        : Effect.succeed(answered)
    },
  }
  const baseUrl = "https://psp.example"
  const calls = { client, baseUrl, removalUrl: baseUrl, pixKey: "pix@example.com" }
  const acquirer: Acquirer = {
    ...silentAcquirer,
    createCharge: createCharge(calls),
    queryCharge: queryCharge(calls),
    cancelCharge: cancelCharge(calls),
    books: {
      ...makeBooks({ client, baseUrl, rootUrl: baseUrl, bank: bankProfiles.generic }),
      listSent: () => Effect.succeed({ items: [], next: undefined }),
    },
  }
  const bank: DescribedBank = {
    acquirer,
    charges: new Map(),
    pix: [],
    listed: 0,
    pageItems: 1,
    arrivalsPerPage: 0,
  }
  return bank
}
