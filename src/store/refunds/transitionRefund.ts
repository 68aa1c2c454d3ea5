import { Effect } from "effect"
import type { RefundTransition } from "../../../actors/ports/refundStore.ts"
import { limits } from "../../../schema/limits.ts"
import { isRefundOver } from "../../../schema/resources/refund.ts"
import { exceptionBeside, optionalExceptionKeyNames } from "../exceptions/exceptionEffect.ts"
import * as keys from "../keys.ts"
import { movementArguments, postingArguments } from "../ledger/movement.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"
import type { StoreOptions } from "../storeOptions.ts"
import {
  chargeArgumentNames,
  chargeArguments,
  chargeKeyNames,
  chargeKeys,
  chargeTimerArguments,
  isInternal,
} from "./refundedCharge.ts"

const declaration = declareFunction(import.meta.url, {
  keys: [
    "refund",
    "old_index",
    "new_index",
    "events",
    "feed",
    "subscriptions",
    "timers",
    "due",
    "balance",
    "ledger",
    "idempotency",
    ...chargeKeyNames,
    ...optionalExceptionKeyNames,
  ],
  args: [
    "seller_id",
    "mode",
    "refund_id",
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
    "ends_idempotency",
    "idempotency_retention_millis",
    ...chargeArgumentNames,
    "timers_set_count",
    "timers_dropped_count",
    "movement_kind",
    "movement_resource_type",
    "postings_count",
    "...postings_timers_exception",
  ],
})

/** The keys of a transition. */
const transitionKeys = ({ refund, to, charge }: RefundTransition) => {
  const { id, sellerId, mode, idempotency, transactionId } = refund
  const tag = keys.tagOf(sellerId)
  const feed = { sellerId, mode }
  const key = keys.keyWithin(tag, keys.refundKey(id))
  return {
    refund: key,
    old_index: keys.refundsKey(sellerId, mode, refund.status),
    new_index: keys.refundsKey(sellerId, mode, to),
    events: keys.eventsKey(feed),
    feed: keys.feedKey(feed),
    subscriptions: keys.subscriptionsKey(feed),
    timers: keys.timersKey(tag),
    due: keys.dueKey(tag),
    balance: keys.balanceKey(feed),
    ledger: keys.ledgerKey(feed),
    // Any key of the slot if there is none.
    idempotency:
      idempotency === undefined
        ? key
        : keys.idempotencyKey(sellerId, mode, idempotency.route, idempotency.key),
    ...chargeKeys(feed, transactionId, charge),
  }
}

/**
 * Commits a transition of a refund with what it changes of its charge and does to an exception: `applied`, or refused as `stale`, `missing` or
 * `overflow`.
 */
export const transitionRefund =
  (client: RedisClient["Service"], options: StoreOptions["Service"]) => (transition: RefundTransition) => {
    const { refund, to, charge } = transition
    const { sellerId, mode } = refund
    const tag = keys.tagOf(sellerId)
    const feed = { sellerId, mode }
    const exception = exceptionBeside(refund.id, transition.exception)
    const functionKeys = { ...transitionKeys(transition), ...exception.keys }
    const call = callFunction(client, declaration, functionKeys, {
      seller_id: sellerId,
      mode,
      refund_id: refund.id,
      expected_version: refund.version,
      old_status: refund.status,
      new_status: to,
      document: transition.document,
      event_type: transition.eventType ?? "",
      internal: isInternal(transition.eventType),
      event_retention_millis: options.retentionMillis,
      hint_channel: keys.feedChannel(feed),
      wake_channel: keys.wakeChannel(tag),
      queue_prefix: keys.queuePrefix(tag),
      ends_idempotency: isRefundOver(to) && refund.idempotency !== undefined ? "1" : "0",
      idempotency_retention_millis: limits.idempotencyRetentionMillis,
      ...chargeArguments(feed, refund.transactionId, charge),
      timers_set_count: transition.timers.length,
      timers_dropped_count: transition.timersDone.length,
      ...movementArguments(transition.movement),
      postings_timers_exception: [
        ...postingArguments(transition.movement),
        ...transition.timers.flatMap((timer) => [timer.name, timer.dueMillis]),
        ...transition.timersDone,
        ...chargeTimerArguments(charge),
        ...exception.args,
      ],
    })
    return Effect.flatMap(call, readKind(declaration, kinds))
  }

const kinds = { applied: "applied", stale: "stale", missing: "missing", overflow: "overflow" } as const
