import { Effect } from "effect"
import { nameTermsOf, type SellerTerm } from "../../../actors/values/sellerLookups.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import type { RedisClient, RedisCommand } from "../redis/redisClient.ts"
import { indexSeller } from "./indexSeller.ts"

type Client = RedisClient["Service"]

/** The term of a seller's stored document (ciphertext); undefined where it does not open under this `ENCRYPTION_KEY`. */
export type DocumentTerm = (document: string, sellerId: string) => SellerTerm | undefined

/** How a seller is indexed: what its record names, and what it must be found by. */
export interface IndexedSeller {
  readonly id: string
  readonly version: string
  /** Undefined: it is from before there was an index, or of a build that did not know it. */
  readonly foundBy: string | undefined
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
        ...{ id: ids[i] ?? "", version: version ?? "", foundBy: foundBy ?? undefined },
        ...{ nameTerms, document: document ?? "" },
      },
    ]
  })
})

/** Terms as the record has them. */
export const foundByOf = (nameTerms: ReadonlyArray<string>, documentTerm: string | undefined): string =>
  [...nameTerms, ...(documentTerm === undefined ? [] : [documentTerm])].join(" ")

/** The terms that a seller's record names. */
export const termsIn = (foundBy: string | undefined): ReadonlyArray<string> =>
  (foundBy ?? "").split(" ").filter((term) => term !== "")

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
      Effect.map(indexSeller(client)(id, version, wanted), ({ kind }) => (kind === "indexed" ? [id] : [])),
    { concurrency: limits.sellersIndexedAtOnce },
  )
  return indexed.flat()
})
