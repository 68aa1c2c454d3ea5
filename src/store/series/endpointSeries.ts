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

const read = (
  client: RedisClient["Service"],
  endpointId: string,
  span: HourSpan,
  places: ReadonlyArray<number>,
) =>
  readHours(
    client,
    {
      keyOf: (day) => keys.endpointSeriesKey(endpointId, day),
      type: "u24",
      placesOf: (hourOfDay) => places.map((place) => hourOfDay * placesOfHour + place),
    },
    span,
  )

/** An endpoint's attempts by hour: those that succeeded and all others. Hours without any are left out. */
export const endpointOutcomes = (client: RedisClient["Service"], endpointId: string, span: HourSpan) =>
  Effect.map(
    read(client, endpointId, span, [placeOf.succeeded, placeOf.failed]),
    (hours) =>
      new Map([...hours].map(([hour, [succeeded = 0, failed = 0]]) => [hour, { succeeded, failed }])),
  )

/** Series of endpoints on Redis. */
export const makeEndpointSeries = (client: RedisClient["Service"]) => ({
  endpointCounts: (endpointId: string, count: AttemptCount, span: HourSpan) =>
    Effect.map(
      read(client, endpointId, span, [placeOf[count]]),
      (hours) => new Map([...hours].map(([hour, [value = 0]]) => [hour, value])),
    ),
  endpointTimes: (endpointId: string, span: HourSpan) => read(client, endpointId, span, binPlaces),
})
