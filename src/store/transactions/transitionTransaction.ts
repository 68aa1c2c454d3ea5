import { Effect } from "effect"
import { destinationIdOfPostback } from "../../../actors/delivery/destinationId.ts"
import type { TransitionCommit } from "../../../actors/ports/transactionStore.ts"
import { eventTypeOf } from "../../../schema/events.ts"
import * as keys from "../keys.ts"
import { movementArguments, postingArguments } from "../ledger/movement.ts"
import { declareFunction, parametersOf } from "../redis/functionDeclaration.ts"
import { callParameters } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"
import type { StoreOptions } from "../storeOptions.ts"

const declaration = declareFunction(import.meta.url, {
  keys: [
    "transaction",
    "old_index",
    "new_index",
    "events",
    "feed",
    "subscriptions",
    "timers",
    "due",
    "postback",
    "postbacks",
    "balance",
    "ledger",
  ],
  args: [
    "transaction_id",
    "expected_version",
    "old_status",
    "new_status",
    "document",
    "event_type",
    "internal",
    "event_retention_millis",
    "hint_channel",
    "wake_channel",
    "queue_prefix",
    "postback_id",
    "postback_url",
    "seller_id",
    "mode",
    "timers_set_count",
    "timers_dropped_count",
    "movement_kind",
    "movement_resource_type",
    "postings_count",
    "...postings_then_timers",
  ],
})

/** The parameters of FCALL for a transition. */
export const transitionParameters = (commit: TransitionCommit, retentionMillis: number) => {
  const { sellerId, mode, transactionId, eventType } = commit
  const tag = keys.tagOf(sellerId)
  const feed = { sellerId, mode }
  const transaction = keys.keyWithin(tag, keys.transactionKey(transactionId))
  const postbackId =
    commit.postback === undefined ? "" : destinationIdOfPostback(sellerId, mode, commit.postback.url)
  return parametersOf(
    declaration,
    {
      transaction,
      old_index: keys.transactionsKey(sellerId, mode, commit.from),
      new_index: keys.transactionsKey(sellerId, mode, commit.to),
      events: keys.eventsKey(feed),
      feed: keys.feedKey(feed),
      subscriptions: keys.subscriptionsKey(feed),
      timers: keys.timersKey(tag),
      due: keys.dueKey(tag),
      // Any key of the slot if there is none.
      postback: postbackId === "" ? transaction : keys.destinationKey(postbackId),
      postbacks: keys.postbacksKey(feed),
      balance: keys.balanceKey(feed),
      ledger: keys.ledgerKey(feed),
    },
    {
      transaction_id: transactionId,
      expected_version: commit.expectedVersion,
      old_status: commit.from,
      new_status: commit.to,
      document: commit.document,
      event_type: eventType ?? "",
      internal: eventType !== undefined && eventTypeOf(eventType)?.internal === true ? "1" : "0",
      event_retention_millis: retentionMillis,
      hint_channel: keys.feedChannel(feed),
      wake_channel: keys.wakeChannel(tag),
      queue_prefix: keys.queuePrefix(tag),
      postback_id: postbackId,
      postback_url: commit.postback?.url ?? "",
      seller_id: sellerId,
      mode,
      timers_set_count: commit.timers.length,
      timers_dropped_count: commit.timersDone.length,
      ...movementArguments(commit.movement),
      postings_then_timers: [
        ...postingArguments(commit.movement),
        ...commit.timers.flatMap((timer) => [timer.name, timer.dueMillis]),
        ...commit.timersDone,
      ],
    },
  )
}

/**
 * Commits a transition of a charge, or nothing: status, event, owed deliveries, timers and money. `applied`, or refused as
 * `stale`, `missing` or `overflow`.
 */
export const transitionTransaction =
  (client: RedisClient["Service"], options: StoreOptions["Service"]) => (commit: TransitionCommit) =>
    Effect.flatMap(
      callParameters(client, transitionParameters(commit, options.retentionMillis)),
      readKind(declaration, kinds),
    )

const kinds = { applied: "applied", stale: "stale", missing: "missing", overflow: "overflow" } as const
