import { Clock, Effect } from "effect"
import { encodeTime } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { attemptStatuses } from "../../../schema/resources/delivery.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"
import type { StoreOptions } from "../storeOptions.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["sellers"],
  args: [
    "from",
    "sellers_max",
    "events_max",
    "retention_millis",
    "oldest_attempt",
    "events_prefix",
    "attempts_prefix",
    "endpoints_prefix",
    "postbacks_prefix",
    "...statuses",
  ],
})

/** Drops what is past retention of a few sellers of a partition, from one on. */
export const trimSellers =
  (client: RedisClient["Service"], options: StoreOptions["Service"]) =>
  (partition: number, from: string | undefined) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
      const tag = keys.partitionTag(partition)
      const call = callFunction(
        client,
        declaration,
        { sellers: keys.sellersKey(partition) },
        {
          from: from ?? "",
          sellers_max: limits.trimmedSellersMax,
          events_max: limits.trimmedEventsMax,
          retention_millis: options.retentionMillis,
          oldest_attempt: `whd_${encodeTime(Math.max(0, nowMillis - options.retentionMillis))}`,
          events_prefix: keys.eventsPrefix(tag),
          attempts_prefix: keys.attemptsPrefix(tag),
          endpoints_prefix: keys.endpointsPrefix(tag),
          postbacks_prefix: keys.postbacksPrefix(tag),
          statuses: attemptStatuses,
        },
      )
      return Effect.map(call, (reply) => {
        const [events, attempts, next] = words(reply)
        return {
          events: Number(events),
          attempts: Number(attempts),
          next: next === "" ? undefined : next,
        }
      })
    })
