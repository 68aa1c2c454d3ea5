import { Effect, Result, Schema, SchemaParser } from "effect"
import {
  type AcquirerBooks,
  AcquirerUnavailable,
  type BooksWindow,
  type ReceivedPix,
  type SentPayout,
  type UnreadableItem,
} from "../../../actors/ports/acquirer.ts"
import { limits } from "../../../schema/limits.ts"
import type { BankProfile } from "./bankProfiles.ts"
import { mergePayments } from "./chargeReport.ts"
import type { Answer, ApiPixClient } from "./client.ts"
import { reasonOf, returnedAmountOf } from "./payouts.ts"
import { type List, type NumberedPage, readSteadily } from "./steadyList.ts"
import { problemWith, unreadableItem } from "./unreadableItem.ts"
import { idPattern, maybe, millisOf, readBody, WirePayout, WirePix } from "./wire.ts"

/** What calls to the books need. */
export interface BooksCalls {
  readonly client: ApiPixClient
  /** Where `/pix` is, without a trailing slash. */
  readonly baseUrl: string
  /** Where `/v2/gn/pix/enviados` is, without a trailing slash. */
  readonly rootUrl: string
  readonly bank: Pick<BankProfile, "listWindowDays" | "hasSentList">
}

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** A page of either list (BCB `PixConsultados`); its items are read one by one. */
const WirePage = Schema.Struct({
  parametros: Schema.Struct({
    paginacao: Schema.Struct({
      paginaAtual: count,
      itensPorPagina: count,
      quantidadeDePaginas: count,
      quantidadeTotalDeItens: count,
    }),
  }),
  pix: maybe(Schema.Array(Schema.Unknown)),
})
type WirePage = typeof WirePage.Type

const readPage = readBody(WirePage)

const WireReceived = Schema.Struct({ ...WirePix.fields, horario: maybe(Schema.String) })

/** When a payout was asked for and made, or only one time. */
const WireTimes = Schema.Union([
  Schema.String,
  Schema.Struct({ solicitacao: maybe(Schema.String), liquidacao: maybe(Schema.String) }),
])
const WireSent = Schema.Struct({ ...WirePayout.fields, horario: maybe(WireTimes) })

const decodeReceived = SchemaParser.decodeUnknownResult(WireReceived)
const decodeSent = SchemaParser.decodeUnknownResult(WireSent)

/** An item, or what is wrong with it. */
type Reading<A> = Result.Result<A, string>

const idOf = (text: string | null | undefined): string | undefined =>
  typeof text === "string" && idPattern.test(text) ? text : undefined

/** A Pix that came in. */
export const readReceived = (item: unknown): Reading<ReceivedPix> => {
  const decoded = decodeReceived(item)
  if (Result.isFailure(decoded)) return Result.fail(problemWith(decoded.failure))
  const wire = decoded.success
  const [payment] = mergePayments([wire])
  if (payment === undefined) return Result.fail("it is no transfer")
  return Result.succeed({ ...payment, txid: idOf(wire.txid), receivedMillis: millisOf(wire.horario) })
}

const statusOf = (status: string, isReturned: boolean): SentPayout["status"] => {
  switch (status) {
    case "DEVOLVIDO":
      return "returned"
    case "REALIZADO":
      return isReturned ? "returned" : "paid"
    case "NAO_REALIZADO":
      return "notPaid"
    default:
      // An unknown state is not final (docs/architecture.md#rule-7).
      return "processing"
  }
}

/** A payout; one that names neither itself nor its transfer cannot be read. */
const readSent = (item: unknown): Reading<SentPayout> => {
  const decoded = decodeSent(item)
  if (Result.isFailure(decoded)) return Result.fail(problemWith(decoded.failure))
  const wire = decoded.success
  const payoutId = idOf(wire.idEnvio)
  const endToEndId = wire.endToEndId ?? wire.e2eId ?? undefined
  if (payoutId === undefined && endToEndId === undefined) {
    return Result.fail("it has neither an idEnvio nor an endToEndId that is an id")
  }
  const backAmount = returnedAmountOf(wire)
  const status = statusOf(wire.status, backAmount === wire.valor)
  const { horario } = wire
  return Result.succeed({
    payoutId,
    endToEndId,
    amount: wire.valor,
    status,
    reason: status === "notPaid" ? reasonOf(wire) : undefined,
    // Only what was paid can come back.
    returnedAmount: status === "paid" || status === "returned" ? backAmount : 0,
    sentMillis: millisOf(typeof horario === "object" ? horario?.solicitacao : horario),
  })
}

const unavailable = (operation: string, reason: string) => new AcquirerUnavailable({ operation, reason })

/** The items of a page that can be read, and the first of those that cannot. */
const itemsOf = <A>(list: string, found: ReadonlyArray<unknown>, read: (item: unknown) => Reading<A>) => {
  const items: Array<A> = []
  const unreadable: Array<UnreadableItem> = []
  for (const [position, item] of found.entries()) {
    const reading = read(item)
    if (Result.isSuccess(reading)) items.push(reading.success)
    else if (unreadable.length < limits.sweepUnreadableReadMax) {
      unreadable.push(unreadableItem(list, item, position, reading.failure))
    }
  }
  const unreadableCount = found.length - items.length
  return { items, ...(unreadableCount === 0 ? {} : { unreadableCount, unreadable }) }
}

/** A page as it is numbered; fails on a page other than the one asked for, or one without its items. */
const pageOf = <A>(
  operation: string,
  asked: number,
  { parametros: { paginacao }, pix: listed }: WirePage,
  read: (item: unknown) => Reading<A>,
): Effect.Effect<NumberedPage<A>, AcquirerUnavailable> => {
  const { paginaAtual, itensPorPagina, quantidadeDePaginas, quantidadeTotalDeItens } = paginacao
  if (paginaAtual !== asked) return Effect.fail(unavailable(operation, "answered with another page"))
  // An empty list may have no `pix` at all: BCB does not require it.
  const pix = listed ?? []
  const isDue = asked + 1 < quantidadeDePaginas || quantidadeTotalDeItens > asked * itensPorPagina
  if (pix.length === 0 && isDue) return Effect.fail(unavailable(operation, "answered with an empty page"))
  return Effect.succeed({
    ...itemsOf(operation, pix, read),
    pageCount: quantidadeDePaginas,
    itemCount: quantidadeTotalDeItens,
  })
}

const isOk = ({ statusCode }: Answer): boolean => statusCode >= 200 && statusCode < 300

/** A time in whole seconds, as the Central Bank's examples have it: some banks read no others. */
const secondOf = (seconds: number): string => new Date(seconds * 1_000).toISOString().replace(".000Z", "Z")

const queryOf = ({ fromMillis, toMillis }: BooksWindow, page: number): string =>
  [
    `inicio=${encodeURIComponent(secondOf(Math.floor(fromMillis / 1_000)))}`,
    `fim=${encodeURIComponent(secondOf(Math.ceil(toMillis / 1_000)))}`,
    `paginacao.paginaAtual=${page}`,
    `paginacao.itensPorPagina=${limits.acquirerBooksPageItems}`,
  ].join("&")

const receivedAt: List<ReceivedPix>["momentOf"] = ({ endToEndId, receivedMillis }) =>
  receivedMillis === undefined ? undefined : { id: endToEndId, millis: receivedMillis }

const sentAt: List<SentPayout>["momentOf"] = ({ endToEndId, payoutId, sentMillis }) => {
  const id = endToEndId ?? payoutId
  return id === undefined || sentMillis === undefined ? undefined : { id, millis: sentMillis }
}

/** What of a list is wanted: as the bank is asked for it, and as an item shows it. */
interface Filter<A> {
  readonly query: string
  readonly holds: (item: A) => boolean
}

const noFilter: Filter<unknown> = { query: "", holds: () => true }
const returnedOnly: Filter<ReceivedPix> = {
  query: "&devolucaoPresente=true",
  holds: ({ refunds }) => refunds.length > 0,
}

/** The books of API Pix: GET /pix, and GET /v2/gn/pix/enviados, both by the Central Bank's paging. */
export const makeBooks = ({ client, baseUrl, rootUrl, bank }: BooksCalls): AcquirerBooks => {
  const windowMillisMax = bank.listWindowDays * 24 * 60 * 60 * 1_000
  const lister = <A>(
    operation: string,
    url: string,
    read: (item: unknown) => Reading<A>,
    momentOf: List<A>["momentOf"],
    filter: Filter<A> = noFilter,
  ) => {
    const ask = (window: BooksWindow, page: number, filterQuery: string) =>
      client.call({
        operation,
        method: "GET",
        url: `${url}?${queryOf(window, page)}${filterQuery}`,
        isRepeatable: true,
        answerBytesMax: limits.acquirerBooksPageBytesMax,
      })
    const readPageOf = Effect.fnUntraced(function* (window: BooksWindow, page: number) {
      const filtered = yield* ask(window, page, filter.query)
      // A bank that does not have the filter refuses the question, or answers it as if it had none.
      const isUnfiltered = filtered.statusCode === 400 && filter.query !== ""
      const answer = isUnfiltered ? yield* ask(window, page, "") : filtered
      if (!isOk(answer)) return yield* unavailable(operation, `answered ${answer.statusCode}`)
      const found = yield* pageOf(operation, page, yield* readPage(operation, answer), read)
      return { ...found, items: found.items.filter(filter.holds) }
    })
    return readSteadily({ readPage: readPageOf, windowMillisMax, momentOf })
  }
  return {
    listReceived: lister("listReceived", `${baseUrl}/pix`, readReceived, receivedAt),
    listReturned: lister("listReturned", `${baseUrl}/pix`, readReceived, receivedAt, returnedOnly),
    listSent: bank.hasSentList
      ? lister("listSent", `${rootUrl}/v2/gn/pix/enviados`, readSent, sentAt)
      : undefined,
  }
}
