import { Clock, Effect, Layer } from "effect"
import { Retention } from "../../actors/ports/retention.ts"
import { encodeTime } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { attemptStatuses } from "../../schema/resources/delivery.ts"
import * as keys from "./keys.ts"
import { callFunction } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient } from "./redis/redisClient.ts"
import { words } from "./redis/reply.ts"
import { StoreOptions } from "./storeOptions.ts"
import { trimTest } from "./testRetention.ts"

const trimSellersFunction = luaFunction("retention.trim_sellers", { keys: ["sellers"] })

/** Drops what is past retention of a few sellers of a partition, from one on. */
const trimSellers =
  (client: RedisClient["Service"], { retentionMillis }: StoreOptions["Service"]) =>
  (partition: number, from: string | undefined) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
      const call = callFunction(
        client,
        trimSellersFunction,
        { sellers: keys.sellersKey(partition) },
        {
          from,
          retentionMillis,
          sellersMax: limits.trimmedSellersMax,
          eventsMax: limits.trimmedEventsMax,
          oldestAttempt: `whd_${encodeTime(Math.max(0, nowMillis - retentionMillis))}`,
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

/** Retention of feeds, indexes and test data on Redis. */
export const RetentionLive = Layer.effect(
  Retention,
  Effect.gen(function* () {
    const client = yield* RedisClient
    const options = yield* StoreOptions
    return Retention.of({
      trim: trimSellers(client, options),
      trimTest: trimTest(client, options),
    })
  }),
)
