import { Clock, Effect } from "effect"
import { type AttemptRecord, type Destination, goneEventType } from "../../../actors/ports/deliveryQueue.ts"
import { pingEventType } from "../../../schema/events.ts"
import { encodeTime, type Mode } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"
import type { StoreOptions } from "../storeOptions.ts"

const feedKeys = (sellerId: string, mode: Mode): ReadonlyArray<string> => {
  const feed = { sellerId, mode }
  return [keys.eventsKey(feed), keys.feedKey(feed), keys.subscriptionsKey(feed)]
}

/** What disabling the destination takes. */
const disabling = (
  { sellerId, mode }: Destination,
  event: { readonly type: string; readonly data: string },
  nowMillis: number,
) => {
  const tag = keys.tagOf(sellerId)
  return {
    keys: feedKeys(sellerId, mode),
    args: [
      event.type,
      event.data,
      new Date(nowMillis).toISOString(),
      keys.queuePrefix(tag),
      keys.wakeChannel(tag),
      keys.feedChannel({ sellerId, mode }),
      limits.deadStreakMax,
      limits.deadStreakWindowMillis,
    ],
  }
}

const none = { keys: [], args: [] }

const kindOf = (eventType: string): string => {
  if (eventType === pingEventType) return "1"
  return eventType === goneEventType ? "2" : "0"
}

/** functions/record_attempt.lua */
export const recordAttempt =
  (client: RedisClient["Service"], options: StoreOptions["Service"]) => (record: AttemptRecord) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
      const { destination, entry, deliveryId, disablingEvent } = record
      const { sellerId, mode } = destination
      const by = (kind: "endpoint" | "event" | "status", value: string) =>
        keys.attemptsKey(sellerId, mode, { kind, value })
      // Most attempts disable nothing, and what they do not need is a third of all.
      const last = disablingEvent === undefined ? none : disabling(destination, disablingEvent, nowMillis)
      const call = callFunction(
        client,
        "record_attempt",
        [
          keys.queueKey(destination.id),
          keys.dueKey(keys.tagOf(sellerId)),
          keys.deliveryKey(destination.id, entry.entryId),
          keys.attemptKey(deliveryId),
          keys.destinationKey(destination.id),
          keys.attemptsKey(sellerId, mode),
          by("event", entry.entryId),
          by("status", record.status),
          by("endpoint", destination.id),
          keys.endpointStatsKey(destination.id),
          ...last.keys,
        ],
        [
          destination.id,
          entry.entryId,
          record.fence,
          deliveryId,
          record.attempt,
          record.status,
          record.row,
          record.detail,
          record.retryInMillis ?? -1,
          options.retentionMillis,
          `whd_${encodeTime(Math.max(0, nowMillis - options.retentionMillis))}`,
          sellerId,
          mode,
          destination.target,
          kindOf(entry.type),
          limits.endpointStatsHours + 1,
          ...last.args,
        ],
      )
      return Effect.flatMap(call, readKind("record_attempt", kinds))
    })

const kinds = { recorded: "recorded", disabled_endpoint: "disabledEndpoint", stale: "stale" } as const
