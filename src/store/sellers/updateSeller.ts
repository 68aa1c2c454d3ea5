import { Effect } from "effect"
import type { SellerChange } from "../../../actors/ports/sellerStore.ts"
import { nameTermsOf } from "../../../actors/values/sellerLookups.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"
import type { StoreOptions } from "../storeOptions.ts"
import { changeableFields } from "./sellerHash.ts"
import { foundByOf } from "./sellerIndex.ts"

const declaration = declareFunction(import.meta.url, {
  keys: [
    "seller",
    "due",
    "live_events",
    "live_feed",
    "live_subscriptions",
    "test_events",
    "test_feed",
    "test_subscriptions",
  ],
  args: [
    "seller_id",
    "expected_version",
    "event_type",
    "event_data",
    "retention_millis",
    "wake_channel",
    "queue_prefix",
    "live_hint_channel",
    "test_hint_channel",
    "sellers_channel",
    "...fields",
  ],
  audited: { replies: ["updated"], id: "seller_id" },
})

const kinds = { updated: "updated", stale: "stale", no_seller: "noSeller" } as const

/** Changes a seller and appends the event to both feeds: `updated`, or refused as `stale` or `noSeller`. */
export const updateSeller =
  (client: RedisClient["Service"], options: StoreOptions["Service"]) =>
  ({ seller, event, documentTerm }: SellerChange) => {
    const { id: sellerId, version } = seller
    const tag = keys.tagOf(sellerId)
    const live = { sellerId, mode: "live" } as const
    const test = { sellerId, mode: "test" } as const
    const call = callFunction(
      client,
      declaration,
      {
        seller: keys.sellerKey(sellerId),
        due: keys.dueKey(tag),
        live_events: keys.eventsKey(live),
        live_feed: keys.feedKey(live),
        live_subscriptions: keys.subscriptionsKey(live),
        test_events: keys.eventsKey(test),
        test_feed: keys.feedKey(test),
        test_subscriptions: keys.subscriptionsKey(test),
      },
      {
        seller_id: sellerId,
        expected_version: version,
        event_type: event.type,
        event_data: event.data,
        retention_millis: options.retentionMillis,
        wake_channel: keys.wakeChannel(tag),
        queue_prefix: keys.queuePrefix(tag),
        live_hint_channel: keys.feedChannel(live),
        test_hint_channel: keys.feedChannel(test),
        sellers_channel: keys.sellersChannel,
        fields: [...changeableFields(seller), "found_by", foundByOf(nameTermsOf(seller), documentTerm)],
      },
    )
    return Effect.flatMap(call, readKind(declaration, kinds))
  }
