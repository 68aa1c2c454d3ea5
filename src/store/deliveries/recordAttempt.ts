import { Clock, Effect } from "effect"
import type { AttemptRecord, Destination } from "../../../actors/ports/deliveryQueue.ts"
import { goneEventType } from "../../../actors/values/goneEvent.ts"
import { latencyBinOf } from "../../../actors/values/latencyBins.ts"
import { pingEventType } from "../../../schema/events.ts"
import { encodeTime } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"
import type { StoreOptions } from "../storeOptions.ts"

const declaration = declareFunction(import.meta.url, {
  keys: [
    "queue",
    "due",
    "delivery",
    "attempt",
    "destination",
    "attempts",
    "attempts_of_event",
    "attempts_of_status",
    "attempts_of_endpoint",
    "events?",
    "feed?",
    "subscriptions?",
  ],
  args: [
    "destination_id",
    "entry",
    "fence",
    "delivery_id",
    "attempt",
    "status",
    "row",
    "detail",
    "retry_in_millis",
    "retention_millis",
    "oldest_id",
    "seller_id",
    "mode",
    "target",
    "kind_then_bin",
    "success_precision_millis",
    "event_type?",
    "event_data?",
    "now_text?",
    "queue_prefix?",
    "wake_channel?",
    "hint_channel?",
    "dead_streak_max?",
    "dead_streak_window_millis?",
  ],
})

/** The keys and arguments that disabling the destination needs. */
const disabling = (
  { sellerId, mode }: Destination,
  event: { readonly type: string; readonly data: string },
  nowMillis: number,
) => {
  const tag = keys.tagOf(sellerId)
  const feed = { sellerId, mode }
  return {
    keys: {
      events: keys.eventsKey(feed),
      feed: keys.feedKey(feed),
      subscriptions: keys.subscriptionsKey(feed),
    },
    args: {
      event_type: event.type,
      event_data: event.data,
      now_text: new Date(nowMillis).toISOString(),
      queue_prefix: keys.queuePrefix(tag),
      wake_channel: keys.wakeChannel(tag),
      hint_channel: keys.feedChannel(feed),
      dead_streak_max: limits.deadStreakMax,
      dead_streak_window_millis: limits.deadStreakWindowMillis,
    },
  }
}

const none = { keys: {}, args: {} }

/** How exactly an endpoint's last success is known: it counts in days, and a busy endpoint's need not all be written. */
const successPrecisionMillis = 1_000

const kindOf = (eventType: string): string => {
  if (eventType === pingEventType) return "1"
  return eventType === goneEventType ? "2" : "0"
}

/** The bin of an attempt's duration, by its row, in whose strings quotes are escaped; "" if it was not made. */
const binOf = (row: string): string => {
  const millis = /"response_ms":([\d.e+-]+)/.exec(row)?.[1]
  return millis === undefined ? "" : String(latencyBinOf(Number(millis)))
}

/** Records an attempt: `recorded`, `disabledEndpoint`, or refused as `stale` if the lease was lost. */
export const recordAttempt =
  (client: RedisClient["Service"], options: StoreOptions["Service"]) => (record: AttemptRecord) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
      const { destination, entry, deliveryId, disablingEvent } = record
      const { sellerId, mode } = destination
      const by = (kind: "endpoint" | "event" | "status", value: string) =>
        keys.attemptsKey(sellerId, mode, { kind, value })
      // Most attempts disable nothing, and these are a third of all keys and arguments.
      const last = disablingEvent === undefined ? none : disabling(destination, disablingEvent, nowMillis)
      const call = callFunction(
        client,
        declaration,
        {
          queue: keys.queueKey(destination.id),
          due: keys.dueKey(keys.tagOf(sellerId)),
          delivery: keys.deliveryKey(destination.id, entry.entryId),
          attempt: keys.attemptKey(deliveryId),
          destination: keys.destinationKey(destination.id),
          attempts: keys.attemptsKey(sellerId, mode),
          attempts_of_event: by("event", entry.entryId),
          attempts_of_status: by("status", record.status),
          attempts_of_endpoint: by("endpoint", destination.id),
          ...last.keys,
        },
        {
          destination_id: destination.id,
          entry: entry.entryId,
          fence: record.fence,
          delivery_id: deliveryId,
          attempt: record.attempt,
          status: record.status,
          row: record.row,
          detail: record.detail,
          retry_in_millis: record.retryInMillis ?? -1,
          retention_millis: options.retentionMillis,
          oldest_id: `whd_${encodeTime(Math.max(0, nowMillis - options.retentionMillis))}`,
          seller_id: sellerId,
          mode,
          target: destination.target,
          kind_then_bin: `${kindOf(entry.type)} ${binOf(record.row)}`,
          success_precision_millis: successPrecisionMillis,
          ...last.args,
        },
      )
      return Effect.flatMap(call, readKind(declaration, kinds))
    })

const kinds = { recorded: "recorded", disabled_endpoint: "disabledEndpoint", stale: "stale" } as const
