import { Effect } from "effect"
import type { WithdrawalTransition } from "../../../actors/ports/withdrawalStore.ts"
import { limits } from "../../../schema/limits.ts"
import { isWithdrawalOver } from "../../../schema/resources/withdrawal.ts"
import { exceptionBeside, optionalExceptionKeyNames } from "../exceptions/exceptionEffect.ts"
import * as keys from "../keys.ts"
import { movementArguments, postingArguments } from "../ledger/movement.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"
import type { StoreOptions } from "../storeOptions.ts"

const declaration = declareFunction(import.meta.url, {
  keys: [
    "withdrawal",
    "old_index",
    "new_index",
    "old_partition_index",
    "new_partition_index",
    "events",
    "feed",
    "subscriptions",
    "timers",
    "due",
    "day",
    "balance",
    "ledger",
    "idempotency",
    "seller",
    ...optionalExceptionKeyNames,
  ],
  args: [
    "withdrawal_id",
    "expected_version",
    "old_status",
    "new_status",
    "document",
    "event_type",
    "event_retention_millis",
    "hint_channel",
    "wake_channel",
    "queue_prefix",
    "is_over",
    "day_amount",
    "idempotency_retention_millis",
    "timers_set_count",
    "timers_dropped_count",
    "seller_version",
    "available_min",
    "movement_kind",
    "movement_resource_type",
    "postings_count",
    "...postings_timers_exception",
  ],
  audited: { replies: ["applied"], id: "withdrawal_id" },
})

/** Commits a transition of a withdrawal, with what it does to an exception: `applied`, or refused as `stale`, `missing` or `overflow`. */
export const transitionWithdrawal =
  (client: RedisClient["Service"], options: StoreOptions["Service"]) =>
  (transition: WithdrawalTransition) => {
    const { withdrawal, to } = transition
    const { id, sellerId, mode, status: from } = withdrawal
    const tag = keys.tagOf(sellerId)
    const feed = { sellerId, mode }
    const exception = exceptionBeside(id, transition.exception)
    const call = callFunction(
      client,
      declaration,
      {
        withdrawal: keys.withdrawalKey(id),
        old_index: keys.withdrawalsKey(sellerId, mode, from),
        new_index: keys.withdrawalsKey(sellerId, mode, to),
        old_partition_index: keys.partitionWithdrawalsKey(tag, mode, from),
        new_partition_index: keys.partitionWithdrawalsKey(tag, mode, to),
        events: keys.eventsKey(feed),
        feed: keys.feedKey(feed),
        subscriptions: keys.subscriptionsKey(feed),
        timers: keys.timersKey(tag),
        due: keys.dueKey(tag),
        day: keys.withdrawalDayKey(feed, withdrawal.day),
        balance: keys.balanceKey(feed),
        ledger: keys.ledgerKey(feed),
        idempotency: keys.idempotencyKey(
          sellerId,
          mode,
          withdrawal.idempotency.route,
          withdrawal.idempotency.key,
        ),
        seller: keys.sellerKey(sellerId),
        ...exception.keys,
      },
      {
        withdrawal_id: id,
        expected_version: withdrawal.version,
        old_status: from,
        new_status: to,
        document: transition.document,
        event_type: transition.eventType,
        event_retention_millis: options.retentionMillis,
        hint_channel: keys.feedChannel(feed),
        wake_channel: keys.wakeChannel(tag),
        queue_prefix: keys.queuePrefix(tag),
        // What happens to one that is over ends nothing.
        is_over: isWithdrawalOver(to) && !isWithdrawalOver(from) ? "1" : "0",
        day_amount: transition.dayValueBack,
        idempotency_retention_millis: limits.idempotencyRetentionMillis,
        timers_set_count: transition.timers.length,
        timers_dropped_count: transition.timersDone.length,
        seller_version: transition.sellerVersion ?? "",
        available_min: transition.availableMin ?? "",
        ...movementArguments(transition.movement),
        postings_timers_exception: [
          ...postingArguments(transition.movement),
          ...transition.timers.flatMap((timer) => [timer.name, timer.dueMillis]),
          ...transition.timersDone,
          ...exception.args,
        ],
      },
    )
    return Effect.flatMap(call, readKind(declaration, kinds))
  }

const kinds = { applied: "applied", stale: "stale", missing: "missing", overflow: "overflow" } as const
