import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type {
  AcquirerBooks,
  AcquirerUnavailable,
  BooksPage,
  BooksWindow,
  ReceivedPix,
  SentPayout,
} from "../../actors/ports/acquirer.ts"
import { limits } from "../../schema/limits.ts"
import type { Psp, PspFault } from "../support/psp.ts"
import { returnIdOf } from "../support/pspBooks.ts"
import { chargeOf, openApiPix, passing, payoutOf, skippingPauses, txid } from "../support/pspClient.ts"

const hourMillis = 3_600_000
/** The middle of the window. */
const noon = Date.parse("2026-11-21T12:00:00.000Z")
const window: BooksWindow = { fromMillis: noon - hourMillis, toMillis: noon + hourMillis }
const at = (millis: number) => new Date(noon + millis).toISOString()

const openBooks = Effect.gen(function* () {
  const { psp, acquirer } = yield* openApiPix()
  const { books } = acquirer
  if (books === undefined) throw new Error("api-pix has books")
  return { psp, acquirer, books }
})

/** The items of all pages, with how many there are of each. */
const readAll = <A, E>(list: (page: string | undefined) => Effect.Effect<BooksPage<A>, E>) =>
  Effect.gen(function* () {
    const pages: Array<BooksPage<A>> = []
    let next: string | undefined
    do {
      const page: BooksPage<A> = yield* list(next)
      pages.push(page)
      next = page.next
    } while (next !== undefined)
    return { items: pages.flatMap(({ items }) => items), sizes: pages.map(({ items }) => items.length) }
  })

const allReceived = (books: AcquirerBooks) => readAll((page) => books.listReceived(window, page))
const allSent = (books: AcquirerBooks) => readAll((page) => must(books.listSent)(window, page))

const must = <A>(found: A | undefined): A => {
  if (found === undefined) throw new Error("it is missing")
  return found
}

/** Makes `count` transfers and payouts, a second apart. */
const fill = (psp: Psp, count: number) => {
  for (let i = 0; i < count; i++) {
    psp.receive({ amount: 100 + i, endToEndId: `E${i}`, at: at(i * 1_000) })
    psp.payOut({ amount: 100 + i, idEnvio: `P${i}`, endToEndId: `S${i}`, at: at(i * 1_000) })
  }
}
const idsOf = (count: number, letter: string) => Array.from({ length: count }, (_, i) => `${letter}${i}`)

/** The list of received Pix and that of sent payouts, which have the same paging. */
const lists = [
  { name: "received Pix", operation: "listReceived", path: "GET /pix?", letter: "E" },
  { name: "sent payouts", operation: "listSent", path: "GET /v2/gn/pix/enviados?", letter: "S" },
] as const

const changed = (change: (body: Readonly<Record<string, unknown>>) => unknown): PspFault => ({
  kind: "changed",
  change,
})
const withPaging = (paging: Readonly<Record<string, unknown>>): PspFault =>
  changed((body) => {
    const parametros = body.parametros as Readonly<Record<string, object>>
    return { ...body, parametros: { ...parametros, paginacao: { ...parametros.paginacao, ...paging } } }
  })

describe("the books of received Pix", () => {
  it.effect("a Pix is read with its charge, its amount, its time and what went back of it", () =>
    Effect.gen(function* () {
      const { psp, acquirer, books } = yield* openBooks
      yield* acquirer.createCharge(chargeOf())
      psp.pay(txid, { endToEndId: "E1", at: at(0) })
      psp.refundOf("E1", { id: "r1", amount: 90, natureza: "MED_FRAUDE", at: at(2) })
      psp.receive({ endToEndId: "E2", amount: 5, at: at(1) })
      const { items } = yield* allReceived(books)
      const back = { id: "r1", amount: 90, kind: "chargeback", status: "done", reason: "MED_FRAUDE" }
      expect(items).toEqual([
        {
          ...{ endToEndId: "E1", amount: 12_990, txid, receivedMillis: noon },
          refunds: [{ ...back, returnId: returnIdOf("E1", "r1"), settledMillis: noon + 2 }],
        },
        { endToEndId: "E2", amount: 5, refunds: [], txid: undefined, receivedMillis: noon + 1 },
      ])
    }),
  )

  it.effect("a txid that is no id and a time that is none are as if they were not there", () =>
    Effect.gen(function* () {
      const { psp, books } = yield* openBooks
      psp.receive({ endToEndId: "E1", amount: 5, txid: "no id!", at: at(0) })
      const timeless = (item: object) => ({ ...item, horario: "yesterday" })
      psp.fail(
        "GET /pix?",
        changed((body) => ({ ...body, pix: (body.pix as Array<object>).map(timeless) })),
      )
      const { items } = yield* allReceived(books)
      expect(items).toEqual([
        { endToEndId: "E1", amount: 5, refunds: [], txid: undefined, receivedMillis: undefined },
      ])
    }),
  )
})

describe("the books of returned Pix", () => {
  it.effect("the Pix of which something went back are listed by themselves, where they are asked for", () =>
    Effect.gen(function* () {
      const { psp, books } = yield* openBooks
      fill(psp, 3)
      psp.refundOf("E1", { id: "r1", amount: 1, natureza: "MED_FRAUDE", at: at(hourMillis * 24 * 90) })
      const list = (page: string | undefined) => must(books.listReturned)(window, page)
      const { items } = yield* readAll(list)
      expect(items).toMatchObject([
        { endToEndId: "E1", refunds: [{ id: "r1", settledMillis: noon + hourMillis * 24 * 90 }] },
      ])
      const [asked] = psp.requestsOf("GET /pix?")
      expect(new URLSearchParams(asked?.path.split("?")[1]).get("devolucaoPresente")).toBe("true")
      expect((yield* allReceived(books)).items).toHaveLength(3)
    }),
  )
})

describe("the books of sent payouts", () => {
  it.effect("a payout is read in each of its states, with its reason and what came back", () =>
    Effect.gen(function* () {
      const { psp, books } = yield* openBooks
      psp.payOut({ idEnvio: "P1", endToEndId: "S1", amount: 500, at: at(1) })
      psp.payOut({ idEnvio: "P2", endToEndId: "S2", amount: 500, at: at(2) })
      psp.payoutResult("P2", "NAO_REALIZADO", "AC03")
      psp.payOut({ idEnvio: "P3", endToEndId: "S3", amount: 500, status: "EM_PROCESSAMENTO", at: at(3) })
      psp.payOut({ endToEndId: "S4", amount: 500, at: at(4) })
      psp.payOut({ idEnvio: "P5", endToEndId: "S5", amount: 500, at: at(5) })
      psp.payoutReturn("P5", { amount: 200 })
      psp.payOut({ idEnvio: "P6", endToEndId: "S6", amount: 500, at: at(6) })
      psp.payoutReturn("P6", { amount: 200 })
      psp.payoutReturn("P6", { amount: 300 })
      psp.payOut({ idEnvio: "P7", endToEndId: "S7", amount: 500, status: "DEVOLVIDO", at: at(7) })
      const sent = (i: number, status: string, fields: object = {}) => ({
        ...{ payoutId: `P${i}`, endToEndId: `S${i}`, amount: 500, status },
        ...{ reason: undefined, returnedAmount: 0, sentMillis: noon + i, ...fields },
      })
      const { items } = yield* allSent(books)
      expect(items).toEqual([
        sent(1, "paid"),
        sent(2, "notPaid", { reason: "AC03" }),
        sent(3, "processing"),
        sent(4, "paid", { payoutId: undefined }),
        sent(5, "paid", { returnedAmount: 200 }),
        sent(6, "returned", { returnedAmount: 500 }),
        sent(7, "returned", { returnedAmount: 500 }),
      ])
    }),
  )

  it.effect("a payout of a state that is not known is processing, whatever it says came back", () =>
    Effect.gen(function* () {
      const { psp, books } = yield* openBooks
      psp.payOut({ idEnvio: "P1", endToEndId: "S1", amount: 500, at: at(1) })
      psp.payoutReturn("P1", { amount: 200 })
      const renamed = ({ endToEndId, ...item }: Record<string, unknown>) => ({
        ...{ ...item, e2eId: endToEndId, status: "ALGO_NOVO", horario: at(9) },
      })
      const change = changed((body) => ({
        ...body,
        pix: (body.pix as Array<Record<string, unknown>>).map(renamed),
      }))
      psp.fail("GET /v2/gn/pix/enviados?", change)
      expect((yield* allSent(books)).items).toMatchObject([
        { endToEndId: "S1", status: "processing", returnedAmount: 0, sentMillis: noon + 9 },
      ])
    }),
  )

  it.effect("a query of a single payout reports what came back of it", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openBooks
      const { payoutId, amount } = payoutOf()
      yield* acquirer.sendPayout(payoutOf())
      psp.payoutResult(payoutId, "REALIZADO")
      const { endToEndId } = psp.payout(payoutId) ?? {}
      const query = acquirer.queryPayout({ payoutId, amount })
      expect(yield* query).toEqual({ status: "paid", endToEndId })
      psp.payoutReturn(payoutId, { amount: 1_000 })
      expect(yield* query).toEqual({ status: "paid", endToEndId, returnedAmount: 1_000 })
      psp.payoutReturn(payoutId, { amount: 4_000, status: "DEVOLVIDO" })
      expect(yield* query).toEqual({ status: "paid", endToEndId, returnedAmount: amount })
    }),
  )
})

describe.each(lists)("the list of $name", ({ operation, path, letter }) => {
  const list =
    (books: AcquirerBooks) =>
    (page: string | undefined): Effect.Effect<BooksPage<ReceivedPix | SentPayout>, AcquirerUnavailable> =>
      must(books[operation])(window, page)
  const all = (books: AcquirerBooks) => readAll(list(books))
  const first = (books: AcquirerBooks) =>
    Effect.map(list(books)(undefined), (page) => ({ ...page, items: page.items.length }))
  const unavailable = { _tag: "AcquirerUnavailable", operation }

  it.effect("a list is asked for by its window in UTC and read to its last page", () =>
    Effect.gen(function* () {
      const { psp, books } = yield* openBooks
      fill(psp, 5)
      psp.lists.itemsMax = 2
      const { items, sizes } = yield* all(books)
      expect(items.map(({ endToEndId }) => endToEndId)).toEqual(idsOf(5, letter))
      expect(sizes).toEqual([2, 2, 1])
      const asked = psp.requestsOf(path).map((request) => new URLSearchParams(request.path.split("?")[1]))
      expect(asked.map((query) => Object.fromEntries(query))).toEqual(
        ["0", "1", "2"].map((page) => ({
          inicio: "2026-11-21T11:00:00Z",
          fim: "2026-11-21T13:00:00Z",
          "paginacao.paginaAtual": page,
          "paginacao.itensPorPagina": "500",
        })),
      )
    }),
  )

  it.effect("a list has what lies at both ends of its window and nothing outside", () =>
    Effect.gen(function* () {
      const { psp, books } = yield* openBooks
      for (const [i, millis] of [-hourMillis - 1, -hourMillis, hourMillis, hourMillis + 1].entries()) {
        psp.receive({ amount: 1, endToEndId: `E${i}`, at: at(millis) })
        psp.payOut({ amount: 1, endToEndId: `S${i}`, at: at(millis) })
      }
      expect((yield* all(books)).items.map(({ endToEndId }) => endToEndId)).toEqual([
        `${letter}1`,
        `${letter}2`,
      ])
    }),
  )

  it.effect("an empty list is a page without items, whether the PSP counts it as a page or not", () =>
    Effect.gen(function* () {
      const { psp, books } = yield* openBooks
      expect(yield* first(books)).toEqual({ items: 0, next: undefined })
      psp.fail(path, withPaging({ quantidadeDePaginas: 1 }))
      expect(yield* first(books)).toEqual({ items: 0, next: undefined })
    }),
  )

  it.effect("items that cannot be read are counted, and the others are read", () =>
    Effect.gen(function* () {
      const { psp, books } = yield* openBooks
      fill(psp, 1)
      const strange = [
        null,
        "x",
        {},
        { endToEndId: "E9", valor: "-1.00" },
        { idEnvio: "!", valor: "1.00", status: "REALIZADO" },
      ]
      const withMore = changed((body) => ({ ...body, pix: [...strange, ...(body.pix as Array<unknown>)] }))
      psp.fail(path, withMore)
      const { unreadable = [], ...page } = yield* first(books)
      expect(page).toEqual({ items: 1, unreadableCount: 5, next: undefined })
      expect(unreadable.map(({ position }) => position)).toEqual([0, 1, 2, 3, 4])
      expect(unreadable[3]).toMatchObject({ endToEndId: "E9", payoutId: undefined, txid: undefined })
      for (const { problem } of unreadable) expect(problem).not.toMatch(/-1\.00|!/)
    }),
  )

  it.effect("an item that cannot be read has the same digest for as long as its content is the same", () =>
    Effect.gen(function* () {
      const { psp, books } = yield* openBooks
      const digestOf = Effect.fnUntraced(function* (item: unknown) {
        psp.fail(
          path,
          changed((body) => ({ ...body, pix: [item] })),
        )
        return (yield* first(books)).unreadable?.[0]?.digest
      })
      const item = { endToEndId: "E9", valor: "1,00", pagador: { nome: "Ana", contas: [1, { a: null }] } }
      const reordered = {
        pagador: { contas: [1, { a: null }], nome: "Ana" },
        valor: "1,00",
        endToEndId: "E9",
      }
      const digest = yield* digestOf(item)
      expect(digest).toMatch(/^[0-9a-f]{64}$/)
      expect(yield* digestOf(reordered)).toBe(digest)
      const others = [
        { ...item, valor: "1,01" },
        { ...item, extra: null },
        { ...item, pagador: { nome: "Ana", contas: ["1", { a: null }] } },
        { ...item, pagador: { nome: "Ana", contas: [{ a: null }, 1] } },
        [item],
        JSON.stringify(item),
      ]
      const digests = yield* Effect.forEach(others, digestOf)
      expect(new Set([digest, ...digests]).size).toBe(others.length + 1)
    }),
  )

  it.effect("an item nested a hundred thousand deep is one that cannot be read", () =>
    Effect.gen(function* () {
      const { psp, books } = yield* openBooks
      const depth = 100_000
      const deep = `${"[".repeat(depth)}${"]".repeat(depth)}`
      const parametros = JSON.stringify({
        paginacao: {
          ...{ paginaAtual: 0, itensPorPagina: 500, quantidadeDePaginas: 1, quantidadeTotalDeItens: 1 },
        },
      })
      psp.fail(path, { kind: "text", text: `{"parametros":${parametros},"pix":[${deep}]}` })
      expect(yield* first(books)).toMatchObject({ items: 0, unreadableCount: 1 })
    }),
  )

  it.effect("as many items that cannot be read are described as a sweep looks at, and more are counted", () =>
    Effect.gen(function* () {
      const { psp, books } = yield* openBooks
      const most = limits.sweepUnreadableReadMax
      const nulls = (count: number) =>
        changed((body) => ({ ...body, pix: Array.from({ length: count }, () => null) }))
      for (const count of [most, most + 1]) {
        psp.fail(path, nulls(count))
        const { unreadable, unreadableCount } = yield* first(books)
        expect([unreadable?.length, unreadableCount]).toEqual([most, count])
      }
    }),
  )

  it.effect.each([
    { name: "without paging", fault: changed(({ pix }) => ({ pix })) },
    { name: "without a list", fault: changed(({ parametros }) => ({ parametros })) },
    { name: "that is an array", fault: changed(() => []) },
    { name: "about another page", fault: withPaging({ paginaAtual: 1 }) },
    { name: "with a negative count of pages", fault: withPaging({ quantidadeDePaginas: -1 }) },
    { name: "without the items that it counts", fault: changed((body) => ({ ...body, pix: [] })) },
    { name: "of status 400", fault: { kind: "answer", status: 400 } as const },
    {
      name: "of status 404",
      fault: { kind: "answer", status: 404, body: { type: "PixNaoEncontrado" } } as const,
    },
    { name: "that is not JSON", fault: { kind: "text", text: "<html>" } as const },
  ])("a list cannot be read after an answer $name", ({ fault }) =>
    Effect.gen(function* () {
      const { psp, books } = yield* openBooks
      fill(psp, 1)
      psp.fail(path, fault)
      expect(yield* Effect.flip(first(books))).toMatchObject(unavailable)
    }),
  )

  it.effect("a list of as many pages as are read is read, and one of more in halves of its window", () =>
    Effect.gen(function* () {
      const { psp, books } = yield* openBooks
      fill(psp, 1)
      const most = limits.acquirerBooksPagesMax
      psp.fail(path, withPaging({ quantidadeDePaginas: most }))
      expect(yield* first(books)).toEqual({ items: 1, next: "1/1" })
      psp.fail(path, withPaging({ quantidadeDePaginas: most + 1 }))
      const { next } = yield* first(books)
      expect(next).toBe("0/-/2026-11-21T11:00:00.000Z/2026-11-21T12:00:00.000Z")
      const half = yield* list(books)(next)
      // The one item is at the instant that both halves share.
      expect(half.next).toBe(`0/-/2026-11-21T12:00:00.000Z/2026-11-21T13:00:00.000Z/${letter}0/`)
      const other = yield* list(books)(half.next)
      expect([half.items.length, other.items.length, other.next]).toEqual([1, 0, undefined])
    }),
  )

  it.effect("a list whose items move to other pages while it is read is read again in parts", () =>
    Effect.gen(function* () {
      const { psp, books } = yield* openBooks
      fill(psp, 5)
      psp.lists.itemsMax = 2
      const before = yield* list(books)(undefined)
      expect(before.next).toBe("1/5")
      // The first item goes, so that the third is on the page that was read.
      psp.lists.lagging.add(`${letter}0`)
      const { items } = yield* readAll((page) => list(books)(page ?? before.next))
      expect(new Set(items.map(({ endToEndId }) => endToEndId))).toEqual(
        new Set(["1", "2", "3", "4"].map((i) => letter + i)),
      )
    }),
  )

  it.effect("a page of more than a megabyte is read, and one past its own limit is not", () =>
    Effect.gen(function* () {
      const { psp, books } = yield* openBooks
      fill(psp, 1)
      const padded = (bytes: number) => changed((body) => ({ ...body, padding: "x".repeat(bytes) }))
      psp.fail(path, padded(limits.acquirerBooksPageBytesMax - 1_024))
      expect(yield* first(books)).toMatchObject({ items: 1 })
      psp.fail(path, padded(limits.acquirerBooksPageBytesMax))
      expect(yield* Effect.flip(first(books))).toMatchObject(unavailable)
    }),
  )

  it.effect("a page is asked for again after a transient failure, twice at most", () =>
    Effect.gen(function* () {
      const { psp, books } = yield* openBooks
      fill(psp, 1)
      psp.fail(path, { kind: "answer", status: 503 }, 2)
      const { value, pauses } = yield* skippingPauses(first(books))
      expect([value.items, pauses]).toEqual([1, [200, 400]])
      psp.fail(path, { kind: "answer", status: 503 }, 3)
      const failing = yield* skippingPauses(Effect.flip(first(books)))
      expect(failing.value).toMatchObject({ ...unavailable, reason: "answered 503" })
    }),
  )

  it.effect(
    "an error on the kth page leaves the pages before it as they are, and the page can be read later",
    () =>
      Effect.gen(function* () {
        const { psp, books } = yield* openBooks
        fill(psp, 5)
        psp.lists.itemsMax = 2
        psp.fail(/paginaAtual=1/, { kind: "answer", status: 500 }, 3)
        const { value } = yield* skippingPauses(Effect.flip(all(books)))
        expect(value).toMatchObject(unavailable)
        expect((yield* all(books)).sizes).toEqual([2, 2, 1])
      }),
  )

  it.effect("a page that does not come within the deadline of a call cannot be read", () =>
    Effect.gen(function* () {
      const { psp, books } = yield* openBooks
      psp.fail(path, { kind: "silent" })
      const listing = Effect.flip(first(books))
      expect(yield* passing(psp, path, 1, 10_000, listing)).toMatchObject(unavailable)
    }),
  )

  it.effect("a list whose pages repeat an item, and one that lags behind, are read as they are", () =>
    Effect.gen(function* () {
      const { psp, books } = yield* openBooks
      fill(psp, 4)
      psp.lists.itemsMax = 2
      psp.lists.isRepeating = true
      psp.lists.lagging.add(`${letter}3`)
      const { items } = yield* all(books)
      expect(items.map(({ endToEndId }) => endToEndId)).toEqual(["0", "1", "1", "2"].map((i) => letter + i))
    }),
  )
})
