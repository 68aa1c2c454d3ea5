import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import type { BooksPage, BooksWindow } from "../../actors/ports/acquirer.ts"
import { bankProfiles } from "../../src/acquirers/apiPix/bankProfiles.ts"
import { makeBooks } from "../../src/acquirers/apiPix/books.ts"
import type { ApiPixClient } from "../../src/acquirers/apiPix/client.ts"
import { openApiPix } from "../support/pspClient.ts"
import { runsOf } from "../support/sizes.ts"

const dayMillis = 86_400_000
const end = Date.parse("2026-11-21T13:00:00.000Z")

/** A bank whose list refuses windows of more than `daysMax` days and times with a fraction of a second. */
const openBank = (times: ReadonlyArray<number>, daysMax: number, pageItems: number) => {
  const asked: Array<readonly [number, number]> = []
  const client: ApiPixClient = {
    call: ({ url }) =>
      Effect.sync(() => {
        const query = new URL(url).searchParams
        const [inicio = "", fim = ""] = ["inicio", "fim"].map((name) => query.get(name) ?? "")
        const [from, to] = [Date.parse(inicio), Date.parse(fim)]
        if (to - from > daysMax * dayMillis || /\./.test(inicio + fim)) return { statusCode: 400, body: {} }
        const page = Number(query.get("paginacao.paginaAtual"))
        if (page === 0) asked.push([from, to])
        const found = [...times.entries()].filter(([, at]) => at >= from && at <= to)
        const paginacao = {
          ...{ paginaAtual: page, itensPorPagina: pageItems, quantidadeTotalDeItens: found.length },
          quantidadeDePaginas: Math.max(1, Math.ceil(found.length / pageItems)),
        }
        const pix = found
          .slice(page * pageItems, (page + 1) * pageItems)
          .map(([id, at]) => ({ endToEndId: `E${id}`, valor: "1.00", horario: new Date(at).toISOString() }))
        return { statusCode: 200, body: { parametros: { paginacao }, pix } }
      }),
  }
  return { client, asked }
}

const readAll = Effect.fnUntraced(function* <A, E>(
  list: (page: string | undefined) => Effect.Effect<BooksPage<A>, E>,
) {
  const items: Array<A> = []
  let next: string | undefined
  do {
    const page = yield* list(next)
    items.push(...page.items)
    next = page.next
  } while (next !== undefined)
  return items
})

const idsOf = (window: BooksWindow, bank: ReturnType<typeof openBank>, listWindowDays: number) => {
  const { listReceived } = makeBooks({
    client: bank.client,
    ...{ baseUrl: "https://psp", rootUrl: "https://psp" },
    bank: { ...bankProfiles.generic, listWindowDays },
  })
  const items = Effect.runPromise(readAll((page) => listReceived(window, page)))
  return items.then((found) => found.map(({ endToEndId }) => endToEndId))
}

/** Windows that begin and end anywhere within a second, and items in them, many at the edges of slices. */
const cases = fc
  .record({ days: fc.integer({ min: 1, max: 31 }), length: fc.integer({ min: 1, max: 120 * dayMillis }) })
  .chain(({ days, length }) => {
    const from = end - length
    const edges = Array.from({ length: Math.ceil(length / (days * dayMillis)) + 1 }, (_, nth) => {
      const edge = Math.floor(from / 1_000) * 1_000 + nth * days * dayMillis
      return Math.min(Math.max(edge, from), end)
    })
    const near = fc
      .tuple(fc.constantFrom(...edges, end), fc.constantFrom(-1_000, -999, -1, 0, 1, 500, 999, 1_000))
      .map(([edge, off]) => Math.min(Math.max(edge + off, from), end))
    const times = fc.array(fc.oneof(near, fc.integer({ min: from, max: end })), { maxLength: 40 })
    return fc.record({ days: fc.constant(days), from: fc.constant(from), times })
  })

describe("a window longer than a bank lists", () => {
  it("every item is told once, wherever the slices meet, and no slice is longer than the bank's", () =>
    fc.assert(
      fc.asyncProperty(cases, fc.integer({ min: 3, max: 9 }), async ({ days, from, times }, pageItems) => {
        const bank = openBank(times, days, pageItems)
        const ids = await idsOf({ fromMillis: from, toMillis: end }, bank, days)
        expect(ids.toSorted()).toEqual(times.map((_, id) => `E${id}`).toSorted())
      }),
      { numRuns: runsOf(1_000) },
    ))

  it("a window of the bank's length is one slice, and one a second longer is two", async () => {
    for (const [more, slices] of [
      [0, 1],
      [1_000, 2],
    ] as const) {
      const bank = openBank([], 31, 5)
      await idsOf({ fromMillis: end - 31 * dayMillis - more, toMillis: end }, bank, 31)
      expect(bank.asked).toHaveLength(slices)
    }
  })

  it.effect.each(["listReceived", "listReturned", "listSent"] as const)(
    "a bank that refuses more than 31 days answers %s over 120 days",
    (name) =>
      Effect.gen(function* () {
        const bank = { ...bankProfiles.efi, listWindowDays: 31 }
        const { psp, acquirer } = yield* openApiPix({ bank })
        psp.lists.windowDaysMax = 31
        const at = new Date(end - 119 * dayMillis).toISOString()
        const received = psp.receive({ amount: 100, at })
        psp.refundOf(received)
        const sent = psp.payOut({ amount: 100, at })
        const window = { fromMillis: end - 120 * dayMillis, toMillis: end }
        const { books } = acquirer
        const list = books?.[name]
        if (list === undefined) return expect.fail("no list")
        const items = yield* readAll<{ readonly endToEndId: string | undefined }, unknown>((page) =>
          list(window, page),
        )
        expect(items.map(({ endToEndId }) => endToEndId)).toEqual([name === "listSent" ? sent : received])
      }),
  )
})

describe("the list of Pix of which something went back", () => {
  const window = { fromMillis: end - dayMillis, toMillis: end }
  const at = new Date(end - 1_000).toISOString()

  it.effect.each([
    { name: "refuses its filter", fault: { kind: "answer", status: 400 } },
    { name: "passes over its filter", fault: undefined },
  ] as const)("a bank that $name is read without it", ({ fault }) =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      const back = psp.receive({ amount: 100, at })
      psp.refundOf(back)
      psp.receive({ amount: 200, at })
      if (fault === undefined) psp.lists.hasReturnFilter = false
      else psp.fail(/devolucaoPresente/, fault)
      const page = yield* acquirer.books?.listReturned?.(window, undefined) ?? Effect.die("no list")
      expect(page.items.map(({ endToEndId }) => endToEndId)).toEqual([back])
    }),
  )

  it.effect("a bank that refuses the list with and without its filter is unavailable", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("GET /pix?", { kind: "answer", status: 400 }, 2)
      const list = acquirer.books?.listReturned?.(window, undefined) ?? Effect.die("no list")
      expect(yield* Effect.flip(list)).toMatchObject({ reason: "answered 400" })
      expect(psp.requestsOf("GET /pix?")).toHaveLength(2)
    }),
  )
})
