import { Effect, Layer } from "effect"
import { type HourSpan, type SeriesCount, SeriesStore } from "../../../actors/ports/seriesStore.ts"
import { latencyBins } from "../../../actors/values/latencyBins.ts"
import type { Feed } from "../../../schema/ids.ts"
import * as keys from "../keys.ts"
import { RedisClient, type RedisCommand } from "../redis/redisClient.ts"
import { daysOf } from "./days.ts"
import { makeEndpointSeries } from "./endpointSeries.ts"

const hoursOfDay = Array.from({ length: 24 }, (_, hour) => hour)

/** The arguments that read every bin of every hour of a day. */
const allBins = Array.from({ length: 24 * latencyBins }, (_, place) => ["GET", "u32", `#${place}`]).flat()

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

    const times = Effect.fnUntraced(function* (feed: Feed, span: HourSpan) {
      const days = daysOf(span)
      const keyOf = (day: number) => keys.deliveryTimesKey(feed, day)
      const lengths = yield* client.callAll(days.map((day): RedisCommand => ["STRLEN", [keyOf(day)]]))
      const found = new Map<number, ReadonlyArray<number>>()
      for (const day of days.filter((_, i) => Number(lengths[i]) > 0)) {
        // A day is thousands of arguments: a year of them at once would keep Redis from everybody else.
        const [reply] = yield* client.callAll([["BITFIELD_RO", [keyOf(day), ...allBins]]])
        const values = (reply as ReadonlyArray<number>).map(Number)
        for (const hourOfDay of hoursOfDay) {
          const bins = values.slice(hourOfDay * latencyBins, (hourOfDay + 1) * latencyBins)
          const hour = day * 24 + hourOfDay
          const isWanted = hour >= span.fromHour && hour <= span.toHour
          if (isWanted && bins.some((value) => value > 0)) found.set(hour, bins)
        }
      }
      return found
    })
    return SeriesStore.of({ counts, times, ...makeEndpointSeries(client) })
  }),
)
