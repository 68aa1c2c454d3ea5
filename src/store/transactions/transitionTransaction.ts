import { Effect } from "effect"
import { destinationIdOfPostback } from "../../../actors/delivery/destinationId.ts"
import type { TransitionCommit } from "../../../actors/ports/transactionStore.ts"
import { eventTypeOf } from "../../../schema/events.ts"
import type { RefundStatus } from "../../../schema/resources/refund.ts"
import { exceptionBeside, optionalExceptionKeyNames } from "../exceptions/exceptionEffect.ts"
import * as keys from "../keys.ts"
import { movementArguments, postingArguments } from "../ledger/movement.ts"
import { declareFunction, parametersOf } from "../redis/functionDeclaration.ts"
import { callParameters } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"
import { paymentDigest } from "../series/chargeLookup.ts"
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
    "refund?",
    "refund_index?",
    "refund_status_index?",
    "refunds_of?",
    ...optionalExceptionKeyNames,
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
    "...postings_timers_refund_exception",
  ],
})

/** The keys of a refund that the commit creates, if it does. */
const refundKeys = (
  { sellerId, mode, transactionId, refund, exception }: TransitionCommit,
  tag: string,
  transaction: string,
) => {
  if (refund === undefined) {
    // Any keys of the slot, where others follow.
    return exception === undefined
      ? {}
      : {
          refund: transaction,
          refund_index: transaction,
          refund_status_index: transaction,
          refunds_of: transaction,
        }
  }
  return {
    refund: keys.keyWithin(tag, keys.refundKey(refund.id)),
    refund_index: keys.refundsKey(sellerId, mode),
    refund_status_index: keys.refundsKey(sellerId, mode, bookedStatus),
    refunds_of: keys.keyWithin(tag, keys.refundsOfKey(transactionId)),
  }
}

/** The status of a refund that began at the acquirer: it is known once its money has moved. */
const bookedStatus: RefundStatus = "succeeded"

const isInternal = (eventType: string | undefined): "1" | "0" =>
  eventType !== undefined && eventTypeOf(eventType)?.internal === true ? "1" : "0"

/** The digest of the payment that the commit books; "" if it books none. */
const paymentOf = ({ from, to, document }: TransitionCommit): string =>
  to === "paid" && from !== "paid" ? paymentDigest(document) : ""

/** The arguments of the refund, the exception and the payment, as far as the commit has them. */
const optionalArguments = (commit: TransitionCommit, exception: ReadonlyArray<string | number>) => {
  const { refund } = commit
  const payment = paymentOf(commit)
  if (refund === undefined && exception.length === 0 && payment === "") return []
  return [
    ...(refund === undefined
      ? ["", "", "", "", ""]
      : [refund.id, bookedStatus, refund.document, refund.eventType, isInternal(refund.eventType)]),
    ...(exception.length === 0 ? [""] : exception),
    ...(payment === "" ? [] : [payment]),
  ]
}

/** The parameters of FCALL for a transition. */
export const transitionParameters = (commit: TransitionCommit, retentionMillis: number) => {
  const { sellerId, mode, transactionId, eventType } = commit
  const tag = keys.tagOf(sellerId)
  const feed = { sellerId, mode }
  const transaction = keys.keyWithin(tag, keys.transactionKey(transactionId))
  const postbackId =
    commit.postback === undefined ? "" : destinationIdOfPostback(sellerId, mode, commit.postback.url)
  const exception = exceptionBeside(transactionId, commit.exception)
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
      ...refundKeys(commit, tag, transaction),
      ...exception.keys,
    },
    {
      transaction_id: transactionId,
      expected_version: commit.expectedVersion,
      old_status: commit.from,
      new_status: commit.to,
      document: commit.document,
      event_type: eventType ?? "",
      internal: isInternal(eventType),
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
      postings_timers_refund_exception: [
        ...postingArguments(commit.movement),
        ...commit.timers.flatMap((timer) => [timer.name, timer.dueMillis]),
        ...commit.timersDone,
        ...optionalArguments(commit, exception.args),
      ],
    },
  )
}

/**
 * Commits a transition of a charge, or nothing: status, event, owed deliveries, timers, money, the refund that it books and what
 * it does to an exception. `applied`, or refused as `stale`, `missing` or `overflow`.
 */
export const transitionTransaction =
  (client: RedisClient["Service"], options: StoreOptions["Service"]) => (commit: TransitionCommit) =>
    Effect.flatMap(
      callParameters(client, transitionParameters(commit, options.retentionMillis)),
      readKind(declaration, kinds),
    )

const kinds = { applied: "applied", stale: "stale", missing: "missing", overflow: "overflow" } as const
