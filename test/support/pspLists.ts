import type { PspLists } from "./pspBooks.ts"

/** An entry of the books as a list shows it. */
export interface ListedEntry {
  readonly endToEndId: string
  /** ISO text. */
  readonly at: string
  readonly shown: object
}

/** RFC 3339 in UTC. */
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/
const wholeSecondPattern = /^[^.]+$/
const dayMillis = 86_400_000
/** The Central Bank's largest page. */
const itemsMax = 1_000

const numberOf = (text: string | null, otherwise: number): number =>
  text === null ? otherwise : /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN

/** The items of a page; a list that repeats begins each page with the last item of the page before. */
const itemsOf = (
  { isRepeating }: PspLists,
  found: ReadonlyArray<ListedEntry>,
  page: number,
  perPage: number,
): ReadonlyArray<ListedEntry> => {
  const begin = page * perPage
  return found.slice(isRepeating && page > 0 ? begin - 1 : begin, begin + perPage)
}

/** A page of entries, oldest first (BCB `PixConsultados`); undefined where the query is not valid. */
export const listPage = (
  lists: PspLists,
  entries: ReadonlyArray<ListedEntry>,
  query: URLSearchParams,
): Readonly<Record<string, unknown>> | undefined => {
  const [inicio, fim] = [query.get("inicio") ?? "", query.get("fim") ?? ""]
  const page = numberOf(query.get("paginacao.paginaAtual"), 0)
  const asked = numberOf(query.get("paginacao.itensPorPagina"), 100)
  const isTime = (text: string) =>
    timePattern.test(text) && (!lists.hasWholeSeconds || wholeSecondPattern.test(text))
  const isValid = isTime(inicio) && isTime(fim) && Date.parse(inicio) <= Date.parse(fim)
  const isTooLong =
    lists.windowDaysMax !== undefined &&
    Date.parse(fim) - Date.parse(inicio) > lists.windowDaysMax * dayMillis
  if (!isValid || isTooLong || Number.isNaN(page) || !(asked >= 1 && asked <= itemsMax)) return undefined
  const perPage = Math.min(asked, lists.itemsMax)
  const [fromMillis, toMillis] = [Date.parse(inicio), Date.parse(fim)]
  const found = entries
    .filter(({ at }) => Date.parse(at) >= fromMillis && Date.parse(at) <= toMillis)
    .filter(({ endToEndId }) => !lists.isEmpty && !lists.lagging.has(endToEndId))
    .toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
  return {
    parametros: {
      inicio,
      fim,
      paginacao: {
        paginaAtual: page,
        itensPorPagina: perPage,
        quantidadeDePaginas: Math.ceil(found.length / perPage),
        quantidadeTotalDeItens: found.length,
      },
    },
    pix: itemsOf(lists, found, page, perPage).map(({ shown }) => shown),
  }
}
