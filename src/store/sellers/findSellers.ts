import { Effect } from "effect"
import type { SellerPage, SellerSearch, StoredSeller } from "../../../actors/ports/sellerStore.ts"
import { isFoundBy, isListed, nameTermsOf, prefixOf } from "../../../actors/values/sellerLookups.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import type { RedisClient, RedisCommand } from "../redis/redisClient.ts"
import { readHash, readSeller } from "./sellerHash.ts"

/**
 * The next entries of the indexes of all partitions that begin with a prefix, after `after`; in order, and none left out between them.
 * Each partition is asked for its share and some more, not for all that are wanted. `isEnd`: there are no more.
 */
const readEntries = (
  client: RedisClient["Service"],
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
  (client: RedisClient["Service"], partitions: number) =>
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
          // By the names as they are now: the index may be behind after a build that did not know it.
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
