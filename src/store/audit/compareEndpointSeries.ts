import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["endpoint_stats", "series_prefix"],
  args: ["stats_hours", "repairs"],
})

/** An hour (since 1970) in which an endpoint's series has less than its statistics: `succeeded failed`. */
export interface WrongHour {
  readonly hour: number
  readonly expected: string
  readonly found: string
}

/** The hours in which an endpoint's series has less than its statistics; with `repairs` the series is set to them. */
export const compareEndpointSeries = (client: RedisClient["Service"], endpointId: string, repairs: boolean) =>
  Effect.map(
    callFunction(
      client,
      declaration,
      {
        endpoint_stats: keys.endpointStatsKey(endpointId),
        series_prefix: keys.endpointSeriesKey(endpointId, "*").slice(0, -1),
      },
      { stats_hours: limits.endpointStatsHours + 1, repairs: repairs ? "1" : "0" },
    ),
    (reply): ReadonlyArray<WrongHour> => {
      const values = words(reply)
      return Array.from({ length: Math.floor(values.length / 5) }, (_, i) => {
        const [hour, good, bad, foundGood, foundBad] = values.slice(i * 5, i * 5 + 5)
        return { hour: Number(hour), expected: `${good} ${bad}`, found: `${foundGood} ${foundBad}` }
      })
    },
  )
