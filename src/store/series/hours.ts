import { Effect } from "effect"
import type { HourSpan } from "../../../actors/ports/seriesStore.ts"
import type { RedisClient, RedisCommand } from "../redis/redisClient.ts"

/** The hours of a day: 0 to 23. */
export const hoursOfDay = Array.from({ length: 24 }, (_, hour) => hour)

/** The days (UTC, since 1970) that a span touches. */
export const daysOf = ({ fromHour, toHour }: HourSpan): ReadonlyArray<number> => {
  const first = Math.floor(fromHour / 24)
  return Array.from({ length: Math.max(0, Math.floor(toHour / 24) - first + 1) }, (_, i) => first + i)
}

/** Where a day's string has the numbers that are read of each hour. */
export interface DayStrings {
  readonly keyOf: (day: number) => string
  readonly type: "u24" | "u32"
  /** Places of the numbers of an hour of the day, as many for each hour. */
  readonly placesOf: (hourOfDay: number) => ReadonlyArray<number>
}

/** Reads numbers of each hour of a span in which any of them is not 0. */
export const readHours = Effect.fnUntraced(function* (
  client: RedisClient["Service"],
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
