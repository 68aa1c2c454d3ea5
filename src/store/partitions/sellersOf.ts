import { Effect } from "effect"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import * as keys from "../keys.ts"
import type { RedisClient } from "../redis/redisClient.ts"

const sellersAtOnce = 500

/** Runs a step on the ids of all sellers, or of those from an id on, page by page. */
export const forEachSellers = Effect.fnUntraced(function* (
  client: RedisClient["Service"],
  partitions: number,
  step: (sellerIds: ReadonlyArray<string>) => Effect.Effect<void, StoreUnavailable>,
  fromId?: string,
) {
  for (let partition = 0; partition < partitions; partition++) {
    for (let min = fromId === undefined ? "-" : `[${fromId}`; ; ) {
      const page = [min, "+", "BYLEX", "LIMIT", 0, sellersAtOnce]
      const ids = (yield* client.call("ZRANGE", [
        keys.sellersKey(partition),
        ...page,
      ])) as ReadonlyArray<string>
      if (ids.length > 0) yield* step(ids)
      if (ids.length < sellersAtOnce) break
      min = `(${ids.at(-1)}`
    }
  }
})
