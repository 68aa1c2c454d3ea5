import { Effect, Layer } from "effect"
import { type HourSpan, type SeriesCount, SeriesStore } from "../../../actors/ports/seriesStore.ts"
import { latencyBins } from "../../../actors/values/latencyBins.ts"
import type { Feed } from "../../../schema/ids.ts"
import * as keys from "../keys.ts"
import { RedisClient, type RedisCommand } from "../redis/redisClient.ts"
import { makeEndpointSeries } from "./endpointSeries.ts"
import { daysOf, hoursOfDay, readHours } from "./hours.ts"

/** The places of every bin of an hour. */
const binsOf = (hourOfDay: number) =>
  Array.from({ length: latencyBins }, (_, bin) => hourOfDay * latencyBins + bin)

/** Series on Redis. */
export const SeriesStoreLive = Layer.effect(
  SeriesStore,
  Effect.gen(function* () {
    const client = yield* RedisClient

    const counts = Effect.fnUntraced(function* (feed: Feed, count: SeriesCount, span: HourSpan) {
      const days = daysOf(span)
      const fields = hoursOfDay.map((hour) => `${hour}:${count}`)
      const replies = yield* client.callAll(
        days.map((day): RedisCommand => ["HMGET", [keys.seriesKey(feed, day), ...fields]]),
      )
      const found = new Map<number, number>()
      for (const [i, day] of days.entries()) {
        for (const [hourOfDay, value] of (replies[i] as ReadonlyArray<string | null>).entries()) {
          const hour = day * 24 + hourOfDay
          if (value !== null && hour >= span.fromHour && hour <= span.toHour) found.set(hour, Number(value))
        }
      }
      return found
    })

    const times = (feed: Feed, span: HourSpan) =>
      readHours(
        client,
        { keyOf: (day) => keys.deliveryTimesKey(feed, day), type: "u32", placesOf: binsOf },
        span,
      )
    return SeriesStore.of({ counts, times, ...makeEndpointSeries(client) })
  }),
)
