import { Effect } from "effect"
import type { SellerChange } from "../../../actors/ports/sellerRecords.ts"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"
import type { StoreOptions } from "../storeOptions.ts"
import { changeableFields } from "./sellerHash.ts"

const kinds = { updated: "updated", stale: "stale", no_seller: "noSeller" } as const

/** functions/update_seller.lua */
export const updateSeller =
  (client: RedisClient["Service"], options: StoreOptions["Service"]) =>
  ({ seller, event }: SellerChange) => {
    const { id: sellerId, version } = seller
    const tag = keys.tagOf(sellerId)
    const live = { sellerId, mode: "live" } as const
    const test = { sellerId, mode: "test" } as const
    const feedKeys = [live, test].flatMap((feed) => [
      keys.eventsKey(feed),
      keys.feedKey(feed),
      keys.subscriptionsKey(feed),
    ])
    const call = callFunction(
      client,
      "update_seller",
      [keys.sellerKey(sellerId), keys.dueKey(tag), ...feedKeys],
      [
        ...[sellerId, version, event.type, event.data, options.retentionMillis],
        ...[keys.wakeChannel(tag), keys.queuePrefix(tag), keys.feedChannel(live), keys.feedChannel(test)],
        keys.sellersChannel,
        ...changeableFields(seller),
      ],
    )
    return Effect.flatMap(call, readKind("update_seller", kinds))
  }
