import { Clock, Effect } from "effect"
import type { AttemptRecord } from "../../../actors/ports/deliveryQueue.ts"
import { pingEventType } from "../../../schema/events.ts"
import { encodeTime, type Mode } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { callFunction } from "../functionLibrary.ts"
import * as keys from "../keys.ts"
import type { RedisClient } from "../redisClient.ts"
import type { StoreOptions } from "../storeOptions.ts"
import { readKind } from "./reply.ts"

const feedKeys = (sellerId: string, mode: Mode): ReadonlyArray<string> => {
  const feed = { sellerId, mode }
  return [keys.eventsKey(feed), keys.feedKey(feed), keys.subscriptionsKey(feed)]
}

/** functions/record_attempt.lua */
export const recordAttempt =
  (client: RedisClient["Service"], options: StoreOptions["Service"]) => (record: AttemptRecord) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
      const { destination, entry, deliveryId, disablingEvent } = record
      const { sellerId, mode } = destination
      const tag = keys.tagOf(sellerId)
      const by = (kind: "endpoint" | "event" | "status", value: string) =>
        keys.attemptsKey(sellerId, mode, { kind, value })
      const call = callFunction(
        client,
        "record_attempt",
        [
          keys.queueKey(destination.id),
          keys.dueKey(tag),
          keys.deliveryKey(destination.id, entry.entryId),
          keys.attemptKey(deliveryId),
          keys.destinationKey(destination.id),
          keys.attemptsKey(sellerId, mode),
          by("event", entry.entryId),
          by("status", record.status),
          by("endpoint", destination.id),
          ...feedKeys(sellerId, "live"),
          ...feedKeys(sellerId, "test"),
          keys.endpointStatsKey(destination.id),
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
          keys.wakeChannel(tag),
          disablingEvent?.type ?? "",
          disablingEvent?.data ?? "",
          new Date(nowMillis).toISOString(),
          keys.queuePrefix(tag),
          keys.feedChannel({ sellerId, mode: "live" }),
          keys.feedChannel({ sellerId, mode: "test" }),
          limits.deadStreakMax,
          limits.deadStreakWindowMillis,
          entry.type === pingEventType ? "1" : "0",
          limits.endpointStatsHours + 1,
        ],
      )
      return Effect.flatMap(call, readKind("record_attempt", kinds))
    })

const kinds = { recorded: "recorded", disabled_endpoint: "disabledEndpoint", stale: "stale" } as const
