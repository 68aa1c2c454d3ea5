import { Effect, Layer } from "effect"
import {
  type AttemptCount,
  type HourSpan,
  type SeriesCount,
  SeriesStore,
} from "../../actors/ports/seriesStore.ts"
import { latencyBins } from "../../actors/values/latencyBins.ts"
import type { Feed } from "../../schema/ids.ts"
import * as keys from "./keys.ts"
import { RedisClient, type RedisCommand } from "./redis/redisClient.ts"
import { StoreOptions } from "./storeOptions.ts"

type Client = RedisClient["Service"]

/** The hours of a day: 0 to 23. */
const hoursOfDay = Array.from({ length: 24 }, (_, hour) => hour)

/** The days (UTC, since 1970) that a span touches. */
const daysOf = ({ fromHour, toHour }: HourSpan): ReadonlyArray<number> => {
  const first = Math.floor(fromHour / 24)
  return Array.from({ length: Math.max(0, Math.floor(toHour / 24) - first + 1) }, (_, i) => first + i)
}

/** Where a day's string has the numbers that are read of each hour. */
interface DayStrings {
  readonly keyOf: (day: number) => string
  readonly type: "u24" | "u32"
  /** Places of the numbers of an hour of the day, as many for each hour. */
  readonly placesOf: (hourOfDay: number) => ReadonlyArray<number>
}

/** Reads numbers of each hour of a span in which any of them is not 0. */
const readHours = Effect.fnUntraced(function* (
  client: Client,
  { keyOf, type, placesOf }: DayStrings,
  span: HourSpan,
) {
  const days = daysOf(span)
  const lengths = yield* client.callAll(days.map((day): RedisCommand => ["STRLEN", [keyOf(day)]]))
  const places = hoursOfDay.map(placesOf)
  const count = places[0]?.length ?? 0
  const reads = places.flat().flatMap((place) => ["GET", type, `#${place}`])
  const found = new Map<number, ReadonlyArray<number>>()
  for (const day of days.filter((_, i) => Number(lengths[i]) > 0)) {
    // A day is thousands of arguments: a year of them at once would keep Redis from everybody else.
    const [reply] = yield* client.callAll([["BITFIELD_RO", [keyOf(day), ...reads]]])
    const values = (reply as ReadonlyArray<number>).map(Number)
    for (const hourOfDay of hoursOfDay) {
      const numbers = values.slice(hourOfDay * count, (hourOfDay + 1) * count)
      const hour = day * 24 + hourOfDay
      const isWanted = hour >= span.fromHour && hour <= span.toHour
      if (isWanted && numbers.some((value) => value > 0)) found.set(hour, numbers)
    }
  }
  return found
})

/** Before the bins of an hour there are its two outcomes. */
const outcomes = 2
const placesOfHour = outcomes + latencyBins
const placeOf: Readonly<Record<AttemptCount, number>> = { succeeded: 0, failed: 1 }
const binPlaces = Array.from({ length: latencyBins }, (_, bin) => outcomes + bin)

const readOfEndpoint = (client: Client, endpointId: string, span: HourSpan, places: ReadonlyArray<number>) =>
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
export const endpointOutcomes = (client: Client, endpointId: string, span: HourSpan) =>
  Effect.map(
    readOfEndpoint(client, endpointId, span, [placeOf.succeeded, placeOf.failed]),
    (hours) =>
      new Map([...hours].map(([hour, [succeeded = 0, failed = 0]]) => [hour, { succeeded, failed }])),
  )

/** Series of endpoints on Redis. */
const makeEndpointSeries = (client: Client) => ({
  endpointCounts: (endpointId: string, count: AttemptCount, span: HourSpan) =>
    Effect.map(
      readOfEndpoint(client, endpointId, span, [placeOf[count]]),
      (hours) => new Map([...hours].map(([hour, [value = 0]]) => [hour, value])),
    ),
  endpointTimes: (endpointId: string, span: HourSpan) => readOfEndpoint(client, endpointId, span, binPlaces),
})

/** The places of every bin of an hour. */
const binsOf = (hourOfDay: number) =>
  Array.from({ length: latencyBins }, (_, bin) => hourOfDay * latencyBins + bin)

/** Series on Redis. */
export const SeriesStoreLive = Layer.effect(
  SeriesStore,
  Effect.gen(function* () {
    const client = yield* RedisClient
    const { partitions } = yield* StoreOptions

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
    /** A hash for each partition and UTC day: a day of Sao Paulo has hours of two of them. */
    const received = Effect.fnUntraced(function* ({ fromHour, toHour }: HourSpan) {
      const reads = daysOf({ fromHour, toHour }).flatMap((day) => {
        const hours = hoursOfDay.filter((hour) => {
          const hourSince = day * 24 + hour
          return hourSince >= fromHour && hourSince <= toHour
        })
        return Array.from(
          { length: partitions },
          (_, partition): RedisCommand => ["HMGET", [keys.receivedKey(partition, day), ...hours]],
        )
      })
      const replies = yield* client.callAll(reads)
      return (replies as ReadonlyArray<ReadonlyArray<string | null>>)
        .flat()
        .reduce((sum, amount) => sum + Number(amount ?? 0), 0)
    })
    return SeriesStore.of({ counts, received, times, ...makeEndpointSeries(client) })
  }),
)
