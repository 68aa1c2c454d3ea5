import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import type { BooksWindow } from "../../actors/ports/acquirer.ts"
import { bankProfiles } from "../../src/acquirers/apiPix/bankProfiles.ts"
import { makeBooks } from "../../src/acquirers/apiPix/books.ts"
import type { ApiPixClient, Call } from "../../src/acquirers/apiPix/client.ts"
import { runsOf } from "../support/sizes.ts"

const window: BooksWindow = { fromMillis: 1_795_000_000_000, toMillis: 1_795_000_000_000 + 86_400_000 }

interface Item {
  readonly id: number
  readonly millis: number
}

/** What becomes of the list before a page is read: new items, or some that are gone. */
interface Shift {
  readonly added: ReadonlyArray<number>
  readonly removed: ReadonlyArray<number>
}

/** A bank whose list is in some order, in pages, and moves before each page as told, the last shift for ever if so told. */
interface MovingBank {
  readonly millis: ReadonlyArray<number>
  readonly pageItems: number
  readonly order: "oldest" | "newest" | "any"
  readonly shifts: ReadonlyArray<Shift>
  readonly pageCountsItself: boolean
}

const compareBy: Readonly<Record<MovingBank["order"], (a: Item, b: Item) => number>> = {
  oldest: (a, b) => a.millis - b.millis || a.id - b.id,
  newest: (a, b) => b.millis - a.millis || b.id - a.id,
  any: (a, b) => ((a.id * 7_919) % 101) - ((b.id * 7_919) % 101) || a.id - b.id,
}

const openBank = ({ millis, pageItems, order, shifts, pageCountsItself }: MovingBank) => {
  let items: ReadonlyArray<Item> = millis.map((at, id) => ({ id, millis: window.fromMillis + at }))
  /** What was there all the time. */
  let lasting = items
  let calls = 0
  const shift = () => {
    const { added, removed } = shifts[calls - 1] ?? { added: [], removed: [] }
    const gone = new Set(removed.map((nth) => items[nth % Math.max(1, items.length)]))
    items = items.filter((item) => !gone.has(item))
    lasting = lasting.filter((item) => !gone.has(item))
    const fresh = added.map((at, nth) => ({ id: 1_000 * calls + nth, millis: window.fromMillis + at }))
    items = [...items, ...fresh]
  }
  const call = ({ url }: Call) =>
    Effect.sync(() => {
      if (calls > 0) shift()
      calls += 1
      if (calls > 20_000) throw new Error("the list is read for ever")
      const query = new URL(url).searchParams
      const [from, to] = ["inicio", "fim"].map((name) => Date.parse(query.get(name) ?? "")) as [
        number,
        number,
      ]
      const page = Number(query.get("paginacao.paginaAtual"))
      const found = items
        .filter((item) => item.millis >= from && item.millis <= to)
        .toSorted(compareBy[order])
      const shown = found.slice(page * pageItems, (page + 1) * pageItems)
      const paginacao = {
        paginaAtual: page,
        itensPorPagina: pageItems,
        quantidadeDePaginas: Math.max(1, Math.ceil(found.length / pageItems)),
        quantidadeTotalDeItens: pageCountsItself ? shown.length : found.length,
      }
      const pix = shown.map((item) => ({
        endToEndId: `E${item.id}`,
        valor: "1.00",
        horario: new Date(item.millis).toISOString(),
      }))
      return { statusCode: 200, body: { parametros: { paginacao }, ...(pix.length === 0 ? {} : { pix }) } }
    })
  const client: ApiPixClient = { call }
  return { client, lasting: () => lasting, calls: () => calls }
}

const readAll = (bank: ReturnType<typeof openBank>) =>
  Effect.gen(function* () {
    const { listReceived } = makeBooks({
      client: bank.client,
      baseUrl: "https://psp",
      rootUrl: "https://psp",
      bank: bankProfiles.efi,
    })
    const ids: Array<string> = []
    let next: string | undefined
    do {
      const page = yield* listReceived(window, next)
      ids.push(...page.items.map(({ endToEndId }) => endToEndId))
      next = page.next
    } while (next !== undefined)
    return ids
  })

/** Seconds of the window; a second never has more items than a page. */
const seconds = fc.integer({ min: 0, max: 86_400 }).map((second) => second * 1_000)
const shifts: fc.Arbitrary<Shift> = fc.oneof(
  fc.constant({ added: [], removed: [] }),
  fc.uniqueArray(seconds, { maxLength: 3 }).map((added) => ({ added, removed: [] })),
  fc.array(fc.nat(40), { maxLength: 3 }).map((removed) => ({ added: [], removed })),
)
const banks: fc.Arbitrary<MovingBank> = fc.record({
  millis: fc.uniqueArray(seconds, { maxLength: 40 }),
  pageItems: fc.integer({ min: 5, max: 9 }),
  order: fc.constantFrom("oldest", "newest", "any"),
  shifts: fc.oneof(fc.array(shifts, { maxLength: 30 }), fc.array(shifts, { minLength: 200, maxLength: 400 })),
  pageCountsItself: fc.constant(false),
})

describe("a list whose pages shift while they are read", () => {
  it("nothing that is listed all the time is passed over, whatever comes and goes, and the reading ends", async () => {
    await fc.assert(
      fc.asyncProperty(banks, async (moving) => {
        const bank = openBank(moving)
        const ids = new Set(await Effect.runPromise(readAll(bank)))
        expect(bank.lasting().filter(({ id }) => !ids.has(`E${id}`))).toEqual([])
      }),
      { numRuns: runsOf(1_000) },
    )
  })

  it("a list that stands still is read once, page by page", async () => {
    const still = fc.tuple(banks, fc.boolean()).map(([bank]) => ({ ...bank, shifts: [] }))
    await fc.assert(
      fc.asyncProperty(still, async (moving) => {
        const bank = openBank(moving)
        const ids = await Effect.runPromise(readAll(bank))
        expect(ids.toSorted()).toEqual(
          bank
            .lasting()
            .map(({ id }) => `E${id}`)
            .toSorted(),
        )
        expect(bank.calls()).toBe(Math.max(1, Math.ceil(moving.millis.length / moving.pageItems)))
      }),
      { numRuns: runsOf(400) },
    )
  })

  it("a bank that counts the items of a page instead of the list's is read to its end", async () => {
    const strange = banks.map((bank) => ({ ...bank, shifts: [], pageCountsItself: true }))
    await fc.assert(
      fc.asyncProperty(strange, async (moving) => {
        const bank = openBank(moving)
        const ids = new Set(await Effect.runPromise(readAll(bank)))
        expect(bank.lasting().filter(({ id }) => !ids.has(`E${id}`))).toEqual([])
      }),
      { numRuns: runsOf(400) },
    )
  })
})
