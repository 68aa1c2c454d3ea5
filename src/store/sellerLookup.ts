import { Effect } from "effect"
import type { SellerPage, SellerSearch, StoredSeller } from "../../actors/ports/sellerStore.ts"
import {
  isFoundBy,
  isListed,
  nameTermsOf,
  prefixOf,
  type SellerTerm,
} from "../../actors/values/sellerLookups.ts"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { limits } from "../../schema/limits.ts"
import * as keys from "./keys.ts"
import { callFunction } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import type { RedisClient, RedisCommand } from "./redis/redisClient.ts"
import { readHash, readKind } from "./redis/reply.ts"
import { readSeller } from "./sellerRecord.ts"

type Client = RedisClient["Service"]

/** The term of a seller's stored document (ciphertext); undefined where it does not open under this `ENCRYPTION_KEY`. */
export type DocumentTerm = (document: string, sellerId: string) => SellerTerm | undefined

/** How a seller is indexed: what its record names, and what it must be found by. */
export interface IndexedSeller {
  readonly id: string
  readonly version: string
  readonly foundBy: string
  readonly nameTerms: ReadonlyArray<string>
  /** Ciphertext; "" where there is none. */
  readonly document: string
}

const names = ["status", "version", "found_by", "name", "legal_name", "document"]

/** Reads how sellers are indexed; those that do not exist are left out. */
export const readIndexedSellers = Effect.fnUntraced(function* (client: Client, ids: ReadonlyArray<string>) {
  const records = yield* client.callAll(
    ids.map((id): RedisCommand => ["HMGET", [keys.sellerKey(id), ...names]]),
  )
  return records.flatMap((record, i): ReadonlyArray<IndexedSeller> => {
    const [status, version, foundBy, name, legalName, document] = (record ?? []) as ReadonlyArray<
      string | null
    >
    if (status == null) return []
    const nameTerms = nameTermsOf({ name: name ?? "", legalName: legalName ?? "" })
    return [
      {
        id: ids[i] ?? "",
        version: version ?? "",
        foundBy: foundBy ?? "",
        nameTerms,
        document: document ?? "",
      },
    ]
  })
})

/** Terms as the record has them. */
export const foundByOf = (nameTerms: ReadonlyArray<string>, documentTerm: string | undefined): string =>
  [...nameTerms, ...(documentTerm === undefined ? [] : [documentTerm])].join(" ")

/** The terms that a seller's record names. */
export const termsIn = (foundBy: string): ReadonlyArray<string> =>
  foundBy.split(" ").filter((term) => term !== "")

/** Of entries `<term> <seller>` that the records of sellers demand, those that the index lacks. */
export const missingTerms = Effect.fnUntraced(function* (
  client: Client,
  sellers: ReadonlyArray<IndexedSeller>,
) {
  const wanted = sellers.flatMap(({ id, foundBy }) => termsIn(foundBy).map((term) => ({ id, term })))
  const scores = yield* client.callAll(
    wanted.map(({ id, term }): RedisCommand => ["ZSCORE", [keys.sellerLookupKeyOf(id), `${term} ${id}`]]),
  )
  return wanted.filter((_, i) => scores[i] === null)
})

const indexFunction = luaFunction("seller_lookup.index", { keys: ["seller"] })

/** Sets by what a seller is found: `indexed`, or refused as `stale` where it is no longer of the version it was read with. */
const indexSeller = (client: Client, id: string, version: string, foundBy: string) =>
  Effect.flatMap(
    callFunction(client, indexFunction, { seller: keys.sellerKey(id) }, { id, version, foundBy }),
    readKind(indexFunction, { indexed: "indexed", stale: "stale" }),
  )

/**
 * Makes sellers be found by what they have, and returns the ids of those that were not. Without `documentTerm` the term of a
 * document that a record names stays as it is.
 */
export const indexSellers = Effect.fnUntraced(function* (
  client: Client,
  ids: ReadonlyArray<string>,
  documentTerm: DocumentTerm | undefined,
) {
  const sellers = yield* readIndexedSellers(client, ids)
  const lacking = new Set((yield* missingTerms(client, sellers)).map(({ id }) => id))
  const wrong = sellers.flatMap(({ id, version, foundBy, nameTerms, document }) => {
    const kept = termsIn(foundBy).find((term) => term.startsWith("d:"))
    const term = document === "" ? undefined : documentTerm === undefined ? kept : documentTerm(document, id)
    const wanted = foundByOf(nameTerms, term)
    return wanted === foundBy && !lacking.has(id) ? [] : [{ id, version, wanted }]
  })
  const indexed = yield* Effect.forEach(
    wrong,
    ({ id, version, wanted }) =>
      Effect.map(indexSeller(client, id, version, wanted), ({ kind }) => (kind === "indexed" ? [id] : [])),
    { concurrency: limits.sellersIndexedAtOnce },
  )
  return indexed.flat()
})

/**
 * The next entries of the indexes of all partitions that begin with a prefix, after `after`; in order, and none left out between them.
 * Each partition is asked for its share and some more, not for all that are wanted. `isEnd`: there are no more.
 */
const readEntries = (
  client: Client,
  partitions: number,
  prefix: string,
  after: string | undefined,
  wanted: number,
) => {
  const from = after === undefined ? `[${prefix}` : `(${after}`
  const share = Math.ceil((wanted * 4) / partitions) + 2
  const reads = Array.from({ length: partitions }, (_, partition): RedisCommand => {
    // Words that go on with a letter beyond U+FFFF, such as rare CJK, are not found by what is before it.
    const range = [from, `(${prefix}\uFFFF`, "BYLEX", "LIMIT", 0, share]
    return ["ZRANGE", [keys.sellerLookupKey(keys.partitionTag(partition)), ...range]]
  })
  return Effect.map(client.callAll(reads), (replies) => {
    const found = replies as ReadonlyArray<ReadonlyArray<string>>
    // A partition that gave its share may have more behind its last entry: what lies beyond the first such end is not known yet.
    const [end] = found.flatMap((some) => (some.length < share ? [] : some.slice(-1))).toSorted()
    const entries = found.flat().toSorted()
    return {
      entries: end === undefined ? entries : entries.slice(0, entries.indexOf(end) + 1),
      isEnd: end === undefined,
    }
  })
}

/** Sellers that a search reads at once where few match: 700 kB of Redis, few enough to let other commands in. */
const readAtOnceMax = 400

/**
 * The sellers that a word of a name or a document leads to, in the order of the index. Each round reads one range of each partition's
 * index and some sellers: a page at first, twice as many each time. A page that reaches the scan limit ends early, with an entry to
 * continue from.
 */
export const findSellers =
  (client: Client, partitions: number) =>
  (search: SellerSearch): Effect.Effect<SellerPage, StoreUnavailable> =>
    Effect.gen(function* () {
      const { by, limit } = search
      const prefix = prefixOf(by)
      const sellers: Array<StoredSeller> = []
      let position = search.after
      let wanted = limit
      for (let looked = 0; looked < limits.filterScanEntriesMax; ) {
        const { entries, isEnd } = yield* readEntries(client, partitions, prefix, position, wanted)
        const batch = entries.slice(0, wanted)
        const hasMore = !isEnd || batch.length < entries.length
        const idOf = (entry: string) => entry.slice(entry.lastIndexOf(" ") + 1)
        const records = yield* client.callAll(
          batch.map((entry) => ["HGETALL", [keys.sellerKey(idOf(entry))]] as const),
        )
        for (const [i, entry] of batch.entries()) {
          position = entry
          const seller = readSeller(idOf(entry), readHash(records[i]))
          const term = entry.slice(0, entry.lastIndexOf(" "))
          if (seller === undefined || !isListed(seller, search)) continue
          if (!isFoundBy(by, nameTermsOf(seller), term)) continue
          sellers.push(seller)
          const isLast = !hasMore && i === batch.length - 1
          if (sellers.length === limit) return { sellers, nextBeforeId: isLast ? undefined : entry }
        }
        if (!hasMore) return { sellers, nextBeforeId: undefined }
        looked += batch.length
        wanted = Math.min(wanted * 2, readAtOnceMax)
      }
      return { sellers, nextBeforeId: position }
    })
