import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type SellerPage, SellerStore } from "../../actors/ports/sellerStore.ts"
import { documentTermOf, wordsOf } from "../../actors/values/sellerLookups.ts"
import { freshId, newSeller } from "./fixtures.ts"
import { Stage, type StoreCase, storeCase } from "./stage.ts"

/** A word that no other case uses. */
const freshWord = Effect.map(freshId("sel_", 0), (id) => `w${id.slice(-16).toLowerCase()}`)

const created = (name: string, more: { readonly documentTerm?: string; readonly legalName?: string } = {}) =>
  Effect.gen(function* () {
    const { seller, keys } = yield* newSeller({ name, legalName: more.legalName })
    yield* (yield* SellerStore).create(seller, keys, undefined, more.documentTerm)
    return seller
  })

const find = (text: string, after?: string, limit = 10) =>
  Effect.gen(function* () {
    const search = { by: { kind: "name", words: wordsOf(text) }, after, limit } as const
    return yield* (yield* SellerStore).find({ ...search, status: undefined, kycStatus: undefined })
  })

const idsOf = (text: string) => Effect.map(find(text), ({ sellers }) => sellers.map(({ id }) => id))

const changed = (seller: Parameters<SellerStore["Service"]["update"]>[0]["seller"], documentTerm?: string) =>
  Effect.flatMap(SellerStore, (store) =>
    store.update({ seller, event: { type: "seller.updated", data: "{}" }, documentTerm }),
  )

/** What operators find sellers by (`docs/contract/admin.md#sellers`). */
export const sellerSearchCases: ReadonlyArray<StoreCase> = [
  storeCase(
    "a seller is found by the beginnings of the words of its names, in any case and without accents",
    Effect.gen(function* () {
      const word = yield* freshWord
      const { id } = yield* created(`Padaria ${word.toUpperCase()} São João`, {
        legalName: `Ana Ção ${word}`,
      })
      for (const text of [
        word,
        word.slice(0, 12),
        `${word} padaria`,
        `SAO ${word}`,
        `joao, ${word}`,
        `cao ${word}`,
      ])
        assert.deepStrictEqual(yield* idsOf(text), [id], text)
      for (const text of [`${word}x`, word.slice(1), `${word} loja`])
        assert.deepStrictEqual(yield* idsOf(text), [], text)
    }),
  ),
  storeCase(
    "a search has pages, and each seller is on one of them once",
    Effect.gen(function* () {
      const word = yield* freshWord
      const ids: Array<string> = []
      for (const tail of ["a", "b", "c"]) ids.push((yield* created(`${word}${tail} ${word}z`)).id)
      const first = yield* find(word, undefined, 2)
      assert.deepStrictEqual(
        first.sellers.map(({ id }) => id),
        ids.slice(0, 2),
      )
      assert.isDefined(first.nextBeforeId)
      const second = yield* find(word, first.nextBeforeId, 2)
      assert.deepStrictEqual(
        second.sellers.map(({ id }) => id),
        ids.slice(2),
      )
      const rest =
        second.nextBeforeId === undefined ? [] : (yield* find(word, second.nextBeforeId, 2)).sellers
      assert.deepStrictEqual(rest, [])
    }),
  ),
  storeCase(
    "pages are in the order of the words, also where one partition has most of them",
    Effect.gen(function* () {
      const { settings } = yield* Stage
      const word = yield* freshWord
      const endings = [..."gcaebdf"]
      const createIn = (partition: number, name: string) =>
        Effect.gen(function* () {
          const { seller } = yield* newSeller({ id: yield* freshId("sel_", partition), name })
          yield* (yield* SellerStore).create(seller, [], undefined)
        })
      for (const ending of endings) yield* createIn(0, `${word}${ending}`)
      yield* createIn(settings.partitions - 1, `${word}z`)
      const names: Array<string> = []
      let after: string | undefined
      for (let pages = 0; pages < 10 && (pages === 0 || after !== undefined); pages++) {
        const page: SellerPage = yield* find(word, after, 5)
        names.push(...page.sellers.map(({ name }) => name))
        after = page.nextBeforeId
      }
      assert.deepStrictEqual(
        names,
        [...endings, "z"].toSorted().map((ending) => `${word}${ending}`),
      )
    }),
  ),
  storeCase(
    "a seller that was renamed is found by its new name only, and a discarded one not at all",
    Effect.gen(function* () {
      const [before, now] = [yield* freshWord, yield* freshWord]
      const seller = yield* created(`Loja ${before}`)
      assert.deepStrictEqual(yield* changed({ ...seller, name: `Loja ${now}` }), { kind: "updated" })
      assert.deepStrictEqual(yield* idsOf(before), [])
      assert.deepStrictEqual(yield* idsOf(now), [seller.id])
      yield* (yield* SellerStore).discard(seller.id, [])
      assert.deepStrictEqual(yield* idsOf(now), [])
    }),
  ),
  storeCase(
    "a seller is found by the fingerprint of its document, until it has another",
    Effect.gen(function* () {
      const store = yield* SellerStore
      const [first, second] = [documentTermOf(yield* freshWord), documentTermOf(yield* freshWord)]
      const seller = yield* created("Loja", { documentTerm: first })
      const idsBy = (term: string) =>
        Effect.map(
          store.find({
            ...{ by: { kind: "document", term }, after: undefined, limit: 5 },
            ...{ status: undefined, kycStatus: undefined },
          }),
          ({ sellers }) => sellers.map(({ id }) => id),
        )
      assert.deepStrictEqual(yield* idsBy(first), [seller.id])
      assert.deepStrictEqual(yield* idsBy(first.slice(0, -1)), [])
      yield* changed({ ...seller, document: "another" }, second)
      assert.deepStrictEqual(yield* idsBy(first), [])
      assert.deepStrictEqual(yield* idsBy(second), [seller.id])
    }),
  ),
  storeCase(
    "a search takes the filters of the list",
    Effect.gen(function* () {
      const word = yield* freshWord
      const { id } = yield* created(word)
      const search = { by: { kind: "name", words: [word] }, after: undefined, limit: 5 } as const
      const store = yield* SellerStore
      const found = yield* store.find({ ...search, status: "active", kycStatus: "approved" })
      assert.deepStrictEqual(
        found.sellers.map((seller) => seller.id),
        [id],
      )
      const none = yield* store.find({ ...search, status: "suspended", kycStatus: undefined })
      assert.deepStrictEqual(none, { sellers: [], nextBeforeId: undefined })
    }),
  ),
]
