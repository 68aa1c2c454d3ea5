import { Effect } from "effect"
import type { AttemptCount, HourSpan } from "../../../actors/ports/seriesStore.ts"
import { latencyBins } from "../../../actors/values/latencyBins.ts"
import * as keys from "../keys.ts"
import type { RedisClient, RedisCommand } from "../redis/redisClient.ts"
import { daysOf } from "./days.ts"

/** Before the bins of an hour there are its two outcomes. */
const outcomes = 2
const placesOfHour = outcomes + latencyBins
const placeOf: Readonly<Record<AttemptCount, number>> = { succeeded: 0, failed: 1 }

/** Reads some numbers of every hour of a day. */
const readDay = (endpointId: string, day: number, places: ReadonlyArray<number>): RedisCommand => [
  "BITFIELD_RO",
  [
    keys.endpointSeriesKey(endpointId, day),
    ...Array.from({ length: 24 }, (_, hour) =>
      places.flatMap((place) => ["GET", "u24", `#${hour * placesOfHour + place}`]),
    ).flat(),
  ],
]

const binPlaces = Array.from({ length: latencyBins }, (_, bin) => outcomes + bin)

/** Series of endpoints on Redis. */
export const makeEndpointSeries = (client: RedisClient["Service"]) => {
  /** Some numbers of each hour in which any of them is not 0. */
  const read = Effect.fnUntraced(function* (
    endpointId: string,
    span: HourSpan,
    places: ReadonlyArray<number>,
  ) {
    const days = daysOf(span)
    const lengths = yield* client.callAll(
      days.map((day): RedisCommand => ["STRLEN", [keys.endpointSeriesKey(endpointId, day)]]),
    )
    const found = new Map<number, ReadonlyArray<number>>()
    for (const day of days.filter((_, i) => Number(lengths[i]) > 0)) {
      // One day at a time, so that others get their turn at Redis.
      const [reply] = yield* client.callAll([readDay(endpointId, day, places)])
      const values = (reply as ReadonlyArray<number>).map(Number)
      for (let hourOfDay = 0; hourOfDay < 24; hourOfDay++) {
        const hour = day * 24 + hourOfDay
        const numbers = values.slice(hourOfDay * places.length, (hourOfDay + 1) * places.length)
        const isWanted = hour >= span.fromHour && hour <= span.toHour
        if (isWanted && numbers.some((value) => value > 0)) found.set(hour, numbers)
      }
    }
    return found
  })
  return {
    endpointCounts: (endpointId: string, count: AttemptCount, span: HourSpan) =>
      Effect.map(
        read(endpointId, span, [placeOf[count]]),
        (hours) => new Map([...hours].map(([hour, [value = 0]]) => [hour, value])),
      ),
    endpointTimes: (endpointId: string, span: HourSpan) => read(endpointId, span, binPlaces),
  }
}
