import { Effect } from "effect"
import type { SellerListQuery, SellerPage, StoredSeller } from "../../../actors/ports/sellerStore.ts"
import { isListed } from "../../../actors/values/sellerLookups.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { newestOfPartitions } from "../partitions/newestOfPartitions.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readHash, readSeller } from "./sellerHash.ts"

const indexOf = (_tag: string, partition: number): string => keys.sellersKey(partition)

/**
 * An operator's list of sellers. Each round reads the newest ids of every partition's index and one page of sellers. A
 * filtered page that reaches the scan limit ends early, with a cursor to continue from.
 */
export const listSellers =
  (client: RedisClient["Service"], partitions: number) =>
  (query: SellerListQuery): Effect.Effect<SellerPage, StoreUnavailable> =>
    Effect.gen(function* () {
      const sellers: Array<StoredSeller> = []
      let position = query.beforeId
      for (let looked = 0; looked < limits.filterScanEntriesMax; looked += query.limit) {
        const ids = yield* newestOfPartitions(client, partitions, indexOf, position, query.limit + 1)
        const batch = ids.slice(0, query.limit)
        const records = yield* client.callAll(batch.map((id) => ["HGETALL", [keys.sellerKey(id)]] as const))
        for (const [i, id] of batch.entries()) {
          position = id
          const seller = readSeller(id, readHash(records[i]))
          if (seller === undefined || !isListed(seller, query)) continue
          sellers.push(seller)
          const isLast = i === ids.length - 1
          if (sellers.length === query.limit) return { sellers, nextBeforeId: isLast ? undefined : id }
        }
        if (ids.length <= query.limit) return { sellers, nextBeforeId: undefined }
      }
      return { sellers, nextBeforeId: position }
    })
