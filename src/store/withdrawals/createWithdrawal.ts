import { Effect } from "effect"
import type { CreateWithdrawalCommit } from "../../../actors/ports/withdrawalStore.ts"
import { limits } from "../../../schema/limits.ts"
import { requestKeys } from "../idempotency/requestKeys.ts"
import * as keys from "../keys.ts"
import { movementArguments } from "../ledger/movement.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readAnswer } from "../redis/reply.ts"
import type { StoreOptions } from "../storeOptions.ts"

/** functions/create_withdrawal.lua */
export const createWithdrawal =
  (client: RedisClient["Service"], options: StoreOptions["Service"]) => (commit: CreateWithdrawalCommit) => {
    const { principal, idempotency, withdrawal, decidedOn } = commit
    const { sellerId, mode } = principal
    const tag = keys.tagOf(sellerId)
    const feed = { sellerId, mode }
    const call = callFunction(
      client,
      "create_withdrawal",
      [
        ...requestKeys(principal, idempotency),
        ...[keys.feedKey(feed), keys.subscriptionsKey(feed), keys.dueKey(tag), keys.timersKey(tag)],
        keys.keyWithin(tag, keys.withdrawalKey(withdrawal.id)),
        keys.withdrawalsKey(sellerId, mode),
        keys.withdrawalsKey(sellerId, mode, withdrawal.status),
        keys.partitionWithdrawalsKey(tag, mode, withdrawal.status),
        ...[keys.withdrawalDayKey(feed, withdrawal.day), keys.balanceKey(feed), keys.ledgerKey(feed)],
        keys.keyWithin(tag, keys.pixKeyKey(decidedOn.pixKeyId)),
      ],
      [
        ...[sellerId, mode, withdrawal.id, withdrawal.status, withdrawal.document, commit.eventType],
        ...[idempotency.fingerprint, idempotency.executionId, options.retentionMillis],
        ...[keys.feedChannel(feed), keys.wakeChannel(tag), keys.queuePrefix(tag)],
        ...[decidedOn.sellerVersion, decidedOn.pixKeyVersion, decidedOn.day.value, decidedOn.day.count],
        ...[commit.amount, commit.total, withdrawal.day, withdrawal.pixValue],
        ...[idempotency.route, idempotency.key, limits.withdrawalDayKeptMillis],
        commit.timers.length,
        withdrawal.account ?? "",
        ...movementArguments(commit.movement),
        ...commit.timers.flatMap((timer) => [timer.name, timer.dueMillis]),
      ],
    )
    return Effect.flatMap(
      call,
      readAnswer("create_withdrawal", ([word]) => {
        if (word === "created") return { kind: "created" } as const
        return word === "stale" ? ({ kind: "stale" } as const) : undefined
      }),
    )
  }
