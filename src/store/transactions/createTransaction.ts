import { Effect } from "effect"
import type { CreateTransactionCommit } from "../../../actors/ports/transactionStore.ts"
import { eventTypeOf } from "../../../schema/events.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readAnswer } from "../redis/reply.ts"
import type { StoreOptions } from "../storeOptions.ts"

/** functions/create_transaction.lua */
export const createTransaction =
  (client: RedisClient["Service"], options: StoreOptions["Service"]) => (commit: CreateTransactionCommit) => {
    const { principal, idempotency, transaction } = commit
    const { sellerId, mode } = principal
    const tag = keys.tagOf(sellerId)
    const feed = { sellerId, mode }
    const timers = commit.timers.flatMap((timer) => [timer.name, timer.dueMillis])
    const call = callFunction(
      client,
      "create_transaction",
      [
        keys.apiKeyKey(keys.partitionOf(sellerId), principal.keyHash),
        keys.sellerKey(sellerId),
        keys.idempotencyKey(sellerId, mode, idempotency.route, idempotency.key),
        keys.transactionKey(transaction.id),
        keys.transactionsKey(sellerId, mode),
        keys.transactionsKey(sellerId, mode, transaction.status),
        keys.eventsKey(feed),
        keys.feedKey(feed),
        keys.subscriptionsKey(feed),
        keys.timersKey(tag),
        keys.dueKey(tag),
      ],
      [
        sellerId,
        mode,
        transaction.id,
        transaction.status,
        transaction.document,
        commit.eventType,
        eventTypeOf(commit.eventType)?.internal === true ? "1" : "0",
        idempotency.fingerprint,
        idempotency.executionId,
        limits.idempotencyRetentionMillis,
        options.retentionMillis,
        keys.feedChannel(feed),
        keys.wakeChannel(tag),
        keys.queuePrefix(tag),
        commit.timers.length,
        ...timers,
        ...(transaction.account === undefined ? [] : [transaction.account]),
      ],
    )
    return Effect.flatMap(
      call,
      readAnswer("create_transaction", (reply) =>
        reply[0] === "created" ? ({ kind: "created" } as const) : undefined,
      ),
    )
  }
