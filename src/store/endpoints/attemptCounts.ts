import { Clock, Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { endpointOutcomes } from "../series/endpointSeries.ts"

const hourMillis = 60 * 60 * 1000

/** Adds up an endpoint's attempts of the last week. */
export const countAttempts = Effect.fnUntraced(function* (
  client: RedisClient["Service"],
  endpointId: string,
) {
  const toHour = Math.floor((yield* Clock.currentTimeMillis) / hourMillis)
  const hours = yield* endpointOutcomes(client, endpointId, {
    fromHour: toHour - limits.endpointStatsHours,
    toHour,
  })
  const sum = { attempts: 0, successes: 0 }
  for (const { succeeded, failed } of hours.values()) {
    sum.attempts += succeeded + failed
    sum.successes += succeeded
  }
  return sum
})
