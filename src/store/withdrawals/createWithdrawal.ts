import { Effect } from "effect"
import type { CreateWithdrawalCommit } from "../../../actors/ports/withdrawalStore.ts"
import { limits } from "../../../schema/limits.ts"
import { requestKeys } from "../idempotency/requestKeys.ts"
import * as keys from "../keys.ts"
import { movementArguments, postingArguments } from "../ledger/movement.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readAnswer } from "../redis/reply.ts"
import type { StoreOptions } from "../storeOptions.ts"

const declaration = declareFunction(import.meta.url, {
  keys: [
    "api_key",
    "seller",
    "idempotency",
    "events",
    "feed",
    "subscriptions",
    "due",
    "timers",
    "withdrawal",
    "index",
    "status_index",
    "partition_index",
    "day",
    "balance",
    "ledger",
    "pix_key",
  ],
  args: [
    "seller_id",
    "mode",
    "withdrawal_id",
    "status",
    "document",
    "event_type",
    "fingerprint",
    "execution",
    "event_retention_millis",
    "hint_channel",
    "wake_channel",
    "queue_prefix",
    "seller_version",
    "pix_key_version",
    "day_value",
    "day_count",
    "amount",
    "total",
    "day_text",
    "pix_key_value",
    "idempotency_route",
    "idempotency_key",
    "day_retention_millis",
    "timers_count",
    "account",
    "movement_kind",
    "movement_resource_type",
    "postings_count",
    "...postings_then_timers",
  ],
  audited: { replies: ["created"], id: "withdrawal_id" },
})

/**
 * Commits a new withdrawal: `created`, or refused as `stale`, or what the Idempotency-Key holds, or a refusal of the
 * credential.
 */
export const createWithdrawal =
  (client: RedisClient["Service"], options: StoreOptions["Service"]) => (commit: CreateWithdrawalCommit) => {
    const { principal, idempotency, withdrawal, decidedOn } = commit
    const { sellerId, mode } = principal
    const tag = keys.tagOf(sellerId)
    const feed = { sellerId, mode }
    const call = callFunction(
      client,
      declaration,
      {
        ...requestKeys(principal, idempotency),
        feed: keys.feedKey(feed),
        subscriptions: keys.subscriptionsKey(feed),
        due: keys.dueKey(tag),
        timers: keys.timersKey(tag),
        withdrawal: keys.keyWithin(tag, keys.withdrawalKey(withdrawal.id)),
        index: keys.withdrawalsKey(sellerId, mode),
        status_index: keys.withdrawalsKey(sellerId, mode, withdrawal.status),
        partition_index: keys.partitionWithdrawalsKey(tag, mode, withdrawal.status),
        day: keys.withdrawalDayKey(feed, withdrawal.day),
        balance: keys.balanceKey(feed),
        ledger: keys.ledgerKey(feed),
        pix_key: keys.keyWithin(tag, keys.pixKeyKey(decidedOn.pixKeyId)),
      },
      {
        seller_id: sellerId,
        mode,
        withdrawal_id: withdrawal.id,
        status: withdrawal.status,
        document: withdrawal.document,
        event_type: commit.eventType,
        fingerprint: idempotency.fingerprint,
        execution: idempotency.executionId,
        event_retention_millis: options.retentionMillis,
        hint_channel: keys.feedChannel(feed),
        wake_channel: keys.wakeChannel(tag),
        queue_prefix: keys.queuePrefix(tag),
        seller_version: decidedOn.sellerVersion,
        pix_key_version: decidedOn.pixKeyVersion,
        day_value: decidedOn.day.value,
        day_count: decidedOn.day.count,
        amount: commit.amount,
        total: commit.total,
        day_text: withdrawal.day,
        pix_key_value: withdrawal.pixValue,
        idempotency_route: idempotency.route,
        idempotency_key: idempotency.key,
        day_retention_millis: limits.withdrawalDayKeptMillis,
        timers_count: commit.timers.length,
        account: withdrawal.account ?? "",
        ...movementArguments(commit.movement),
        postings_then_timers: [
          ...postingArguments(commit.movement),
          ...commit.timers.flatMap((timer) => [timer.name, timer.dueMillis]),
        ],
      },
    )
    return Effect.flatMap(
      call,
      readAnswer(declaration, ([word]) => {
        if (word === "created") return { kind: "created" } as const
        return word === "stale" ? ({ kind: "stale" } as const) : undefined
      }),
    )
  }
