import { Effect } from "effect"
import type { AttemptCount, HourSpan } from "../../../actors/ports/seriesStore.ts"
import { latencyBins } from "../../../actors/values/latencyBins.ts"
import * as keys from "../keys.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readHours } from "./hours.ts"

/** Before the bins of an hour there are its two outcomes. */
const outcomes = 2
const placesOfHour = outcomes + latencyBins
const placeOf: Readonly<Record<AttemptCount, number>> = { succeeded: 0, failed: 1 }
const binPlaces = Array.from({ length: latencyBins }, (_, bin) => outcomes + bin)

/** Series of endpoints on Redis. */
export const makeEndpointSeries = (client: RedisClient["Service"]) => {
  const read = (endpointId: string, span: HourSpan, places: ReadonlyArray<number>) =>
    readHours(
      client,
      {
        keyOf: (day) => keys.endpointSeriesKey(endpointId, day),
        type: "u24",
        placesOf: (hourOfDay) => places.map((place) => hourOfDay * placesOfHour + place),
      },
      span,
    )
  return {
    endpointCounts: (endpointId: string, count: AttemptCount, span: HourSpan) =>
      Effect.map(
        read(endpointId, span, [placeOf[count]]),
        (hours) => new Map([...hours].map(([hour, [value = 0]]) => [hour, value])),
      ),
    endpointTimes: (endpointId: string, span: HourSpan) => read(endpointId, span, binPlaces),
  }
}
