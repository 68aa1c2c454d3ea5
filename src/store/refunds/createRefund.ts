import { Effect } from "effect"
import type { CreateRefundCommit } from "../../../actors/ports/refundStore.ts"
import { requestKeys } from "../idempotency/requestKeys.ts"
import * as keys from "../keys.ts"
import { movementArguments, postingArguments } from "../ledger/movement.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readAnswer } from "../redis/reply.ts"
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
    "api_key",
    "seller",
    "idempotency",
    "events",
    "feed",
    "subscriptions",
    "due",
    "timers",
    "refund",
    "index",
    "status_index",
    "refunds_of",
    "balance",
    "ledger",
    ...chargeKeyNames,
  ],
  args: [
    "seller_id",
    "mode",
    "refund_id",
    "status",
    "document",
    "event_type",
    "internal",
    "fingerprint",
    "execution",
    "event_retention_millis",
    "hint_channel",
    "wake_channel",
    "queue_prefix",
    "seller_version",
    "held_from_available",
    "held_from_reserve",
    "idempotency_route",
    "idempotency_key",
    "account",
    ...chargeArgumentNames,
    "timers_count",
    "movement_kind",
    "movement_resource_type",
    "postings_count",
    "...postings_then_timers",
  ],
  audited: { replies: ["created"], id: "refund_id" },
})

/** The keys of a creation. */
const creationKeys = ({ principal, idempotency, refund, charge }: CreateRefundCommit) => {
  const { sellerId, mode } = principal
  const tag = keys.tagOf(sellerId)
  const feed = { sellerId, mode }
  return {
    ...requestKeys(principal, idempotency),
    feed: keys.feedKey(feed),
    subscriptions: keys.subscriptionsKey(feed),
    due: keys.dueKey(tag),
    timers: keys.timersKey(tag),
    refund: keys.keyWithin(tag, keys.refundKey(refund.id)),
    index: keys.refundsKey(sellerId, mode),
    status_index: keys.refundsKey(sellerId, mode, refund.status),
    refunds_of: keys.keyWithin(tag, keys.refundsOfKey(refund.transactionId)),
    balance: keys.balanceKey(feed),
    ledger: keys.ledgerKey(feed),
    ...chargeKeys(feed, refund.transactionId, charge),
  }
}

/**
 * Commits a new refund with what it changes of its charge: `created`, or refused as `stale`, or what the Idempotency-Key
 * holds, or a refusal of the credential.
 */
export const createRefund =
  (client: RedisClient["Service"], options: StoreOptions["Service"]) => (commit: CreateRefundCommit) => {
    const { principal, idempotency, refund, charge } = commit
    const { sellerId, mode } = principal
    const tag = keys.tagOf(sellerId)
    const feed = { sellerId, mode }
    const call = callFunction(client, declaration, creationKeys(commit), {
      seller_id: sellerId,
      mode,
      refund_id: refund.id,
      status: refund.status,
      document: refund.document,
      event_type: commit.eventType,
      internal: isInternal(commit.eventType),
      fingerprint: idempotency.fingerprint,
      execution: idempotency.executionId,
      event_retention_millis: options.retentionMillis,
      hint_channel: keys.feedChannel(feed),
      wake_channel: keys.wakeChannel(tag),
      queue_prefix: keys.queuePrefix(tag),
      seller_version: commit.decidedOn.sellerVersion,
      held_from_available: commit.heldFromAvailable,
      held_from_reserve: refund.heldFromReserve,
      idempotency_route: idempotency.route,
      idempotency_key: idempotency.key,
      account: refund.account ?? "",
      ...chargeArguments(feed, refund.transactionId, charge),
      timers_count: commit.timers.length,
      ...movementArguments(commit.movement),
      postings_then_timers: [
        ...postingArguments(commit.movement),
        ...commit.timers.flatMap((timer) => [timer.name, timer.dueMillis]),
        ...chargeTimerArguments(charge),
      ],
    })
    return Effect.flatMap(
      call,
      readAnswer(declaration, ([word]) => {
        if (word === "created") return { kind: "created" } as const
        return word === "stale" ? ({ kind: "stale" } as const) : undefined
      }),
    )
  }
