import { Effect } from "effect"
import type { ExceptionCredit } from "../../../actors/ports/exceptionStore.ts"
import * as keys from "../keys.ts"
import { movementArguments, postingArguments } from "../ledger/movement.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"
import type { StoreOptions } from "../storeOptions.ts"
import { creditedFact } from "./exceptionHash.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["facts", "seller", "events", "feed", "subscriptions", "due", "balance", "ledger"],
  args: [
    "fact",
    "feed",
    "resource_id",
    "document",
    "event_type",
    "event_retention_millis",
    "hint_channel",
    "wake_channel",
    "queue_prefix",
    "movement_resource_id",
    "movement_kind",
    "movement_resource_type",
    "postings_count",
    "...postings",
  ],
})

/** Credits a seller, once per exception: `applied`, or refused as `overflow` or `missing` (the seller). */
export const creditException =
  (client: RedisClient["Service"], options: StoreOptions["Service"]) =>
  ({ exceptionId, feed, movement, eventType, resourceId, document }: ExceptionCredit) => {
    const tag = keys.tagOf(feed.sellerId)
    const call = callFunction(
      client,
      declaration,
      {
        facts: keys.exceptionFactsKey(tag),
        seller: keys.sellerKey(feed.sellerId),
        events: keys.eventsKey(feed),
        feed: keys.feedKey(feed),
        subscriptions: keys.subscriptionsKey(feed),
        due: keys.dueKey(tag),
        balance: keys.balanceKey(feed),
        ledger: keys.ledgerKey(feed),
      },
      {
        fact: creditedFact(exceptionId),
        feed: `${feed.sellerId}:${feed.mode}`,
        resource_id: resourceId,
        document,
        event_type: eventType,
        event_retention_millis: options.retentionMillis,
        hint_channel: keys.feedChannel(feed),
        wake_channel: keys.wakeChannel(tag),
        queue_prefix: keys.queuePrefix(tag),
        movement_resource_id: movement.resourceId,
        ...movementArguments(movement),
        postings: postingArguments(movement),
      },
    )
    return Effect.flatMap(call, readKind(declaration, kinds))
  }

const kinds = { applied: "applied", missing: "missing", overflow: "overflow" } as const
