import { Effect } from "effect"
import type { CreateTransactionCommit } from "../../../actors/ports/transactionStore.ts"
import { eventTypeOf } from "../../../schema/events.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readAnswer } from "../redis/reply.ts"
import { emailDigest } from "../series/chargeLookup.ts"
import type { StoreOptions } from "../storeOptions.ts"

const declaration = declareFunction(import.meta.url, {
  keys: [
    "api_key",
    "seller",
    "idempotency",
    "transaction",
    "index",
    "status_index",
    "events",
    "feed",
    "subscriptions",
    "timers",
    "due",
  ],
  args: [
    "seller_id",
    "mode",
    "transaction_id",
    "status",
    "document",
    "event_type",
    "internal",
    "fingerprint",
    "execution",
    "idempotency_retention_millis",
    "event_retention_millis",
    "hint_channel",
    "wake_channel",
    "queue_prefix",
    "timers_count",
    "...timers_then_account_lookup",
  ],
})

/** Commits a new charge: `created`, or what the Idempotency-Key holds, or a refusal of the credential. */
export const createTransaction =
  (client: RedisClient["Service"], options: StoreOptions["Service"]) => (commit: CreateTransactionCommit) => {
    const { principal, idempotency, transaction } = commit
    const { sellerId, mode } = principal
    const tag = keys.tagOf(sellerId)
    const feed = { sellerId, mode }
    const timers = commit.timers.flatMap((timer) => [timer.name, timer.dueMillis])
    const call = callFunction(
      client,
      declaration,
      {
        api_key: keys.apiKeyKey(keys.partitionOf(sellerId), principal.keyHash),
        seller: keys.sellerKey(sellerId),
        idempotency: keys.idempotencyKey(sellerId, mode, idempotency.route, idempotency.key),
        transaction: keys.transactionKey(transaction.id),
        index: keys.transactionsKey(sellerId, mode),
        status_index: keys.transactionsKey(sellerId, mode, transaction.status),
        events: keys.eventsKey(feed),
        feed: keys.feedKey(feed),
        subscriptions: keys.subscriptionsKey(feed),
        timers: keys.timersKey(tag),
        due: keys.dueKey(tag),
      },
      {
        seller_id: sellerId,
        mode,
        transaction_id: transaction.id,
        status: transaction.status,
        document: transaction.document,
        event_type: commit.eventType,
        internal: eventTypeOf(commit.eventType)?.internal === true ? "1" : "0",
        fingerprint: idempotency.fingerprint,
        execution: idempotency.executionId,
        idempotency_retention_millis: limits.idempotencyRetentionMillis,
        event_retention_millis: options.retentionMillis,
        hint_channel: keys.feedChannel(feed),
        wake_channel: keys.wakeChannel(tag),
        queue_prefix: keys.queuePrefix(tag),
        timers_count: commit.timers.length,
        timers_then_account_lookup: [...timers, transaction.account ?? "", emailDigest(transaction.document)],
      },
    )
    return Effect.flatMap(
      call,
      readAnswer(declaration, (reply) =>
        reply[0] === "created" ? ({ kind: "created" } as const) : undefined,
      ),
    )
  }
