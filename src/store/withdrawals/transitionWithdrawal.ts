import { Effect } from "effect"
import type { WithdrawalTransition } from "../../../actors/ports/withdrawalStore.ts"
import { limits } from "../../../schema/limits.ts"
import { isWithdrawalOver } from "../../../schema/resources/withdrawal.ts"
import * as keys from "../keys.ts"
import { movementArguments } from "../ledger/movement.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"
import type { StoreOptions } from "../storeOptions.ts"

/** functions/transition_withdrawal.lua */
export const transitionWithdrawal =
  (client: RedisClient["Service"], options: StoreOptions["Service"]) =>
  (transition: WithdrawalTransition) => {
    const { withdrawal, to } = transition
    const { id, sellerId, mode, status: from } = withdrawal
    const tag = keys.tagOf(sellerId)
    const feed = { sellerId, mode }
    const call = callFunction(
      client,
      "transition_withdrawal",
      [
        keys.withdrawalKey(id),
        ...[keys.withdrawalsKey(sellerId, mode, from), keys.withdrawalsKey(sellerId, mode, to)],
        ...[keys.partitionWithdrawalsKey(tag, mode, from), keys.partitionWithdrawalsKey(tag, mode, to)],
        ...[keys.eventsKey(feed), keys.feedKey(feed), keys.subscriptionsKey(feed)],
        ...[keys.timersKey(tag), keys.dueKey(tag), keys.withdrawalDayKey(feed, withdrawal.day)],
        ...[keys.balanceKey(feed), keys.ledgerKey(feed)],
        keys.idempotencyKey(sellerId, mode, withdrawal.idempotency.route, withdrawal.idempotency.key),
        keys.sellerKey(sellerId),
      ],
      [
        ...[id, withdrawal.version, from, to, transition.document, transition.eventType],
        ...[options.retentionMillis, keys.feedChannel(feed), keys.wakeChannel(tag), keys.queuePrefix(tag)],
        ...[isWithdrawalOver(to) ? "1" : "0", transition.dayValueBack, limits.idempotencyRetentionMillis],
        ...[transition.timers.length, transition.timersDone.length, transition.sellerVersion ?? ""],
        ...movementArguments(transition.movement),
        ...transition.timers.flatMap((timer) => [timer.name, timer.dueMillis]),
        ...transition.timersDone,
      ],
    )
    return Effect.flatMap(call, readKind("transition_withdrawal", kinds))
  }

const kinds = { applied: "applied", stale: "stale", missing: "missing", overflow: "overflow" } as const
