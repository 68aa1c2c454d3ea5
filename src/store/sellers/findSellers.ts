import { Effect } from "effect"
import type { SellerPage, SellerSearch, StoredSeller } from "../../../actors/ports/sellerStore.ts"
import { isFoundBy, nameTermsOf, prefixOf } from "../../../actors/values/sellerLookups.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import type { RedisClient, RedisCommand } from "../redis/redisClient.ts"
import { readHash, readSeller } from "./sellerHash.ts"

/** The first entries of the indexes of all partitions that begin with a prefix, after `after`; in order. */
const readEntries = (
  client: RedisClient["Service"],
  partitions: number,
  prefix: string,
  after: string | undefined,
  count: number,
) => {
  const from = after === undefined ? `[${prefix}` : `(${after}`
  const reads = Array.from({ length: partitions }, (_, partition): RedisCommand => {
    // No letter follows U+FFFF.
    const range = [from, `(${prefix}\uFFFF`, "BYLEX", "LIMIT", 0, count]
    return ["ZRANGE", [keys.sellerLookupKey(keys.partitionTag(partition)), ...range]]
  })
  return Effect.map(client.callAll(reads), (replies) =>
    (replies.flat() as ReadonlyArray<string>).toSorted().slice(0, count),
  )
}

const matches = (seller: StoredSeller, { status, kycStatus }: SellerSearch): boolean =>
  (status === undefined || seller.status === status) &&
  (kycStatus === undefined || seller.kycStatus === kycStatus)

/**
 * The sellers that a word of a name or a document leads to, in the order of the index. Each round reads one range of each partition's
 * index and a page of sellers; a page that reaches the scan limit ends early, with an entry to continue from.
 */
export const findSellers =
  (client: RedisClient["Service"], partitions: number) =>
  (search: SellerSearch): Effect.Effect<SellerPage, StoreUnavailable> =>
    Effect.gen(function* () {
      const { by, limit } = search
      const prefix = prefixOf(by)
      const sellers: Array<StoredSeller> = []
      let position = search.after
      for (let looked = 0; looked < limits.filterScanEntriesMax; looked += limit) {
        const entries = yield* readEntries(client, partitions, prefix, position, limit + 1)
        const batch = entries.slice(0, limit)
        const idOf = (entry: string) => entry.slice(entry.lastIndexOf(" ") + 1)
        const records = yield* client.callAll(
          batch.map((entry) => ["HGETALL", [keys.sellerKey(idOf(entry))]] as const),
        )
        for (const [i, entry] of batch.entries()) {
          position = entry
          const seller = readSeller(idOf(entry), readHash(records[i]))
          const term = entry.slice(0, entry.lastIndexOf(" "))
          // By the names as they are now: the index may be behind after a build that did not know it.
          if (seller === undefined || !matches(seller, search)) continue
          if (!isFoundBy(by, nameTermsOf(seller), term)) continue
          sellers.push(seller)
          const isLast = i === entries.length - 1
          if (sellers.length === limit) return { sellers, nextBeforeId: isLast ? undefined : entry }
        }
        if (entries.length <= limit) return { sellers, nextBeforeId: undefined }
      }
      return { sellers, nextBeforeId: position }
    })
