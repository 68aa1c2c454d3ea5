import type { HourSpan } from "../../../actors/ports/seriesStore.ts"

/** The days (UTC, since 1970) that a span touches. */
export const daysOf = ({ fromHour, toHour }: HourSpan): ReadonlyArray<number> => {
  const first = Math.floor(fromHour / 24)
  return Array.from({ length: Math.max(0, Math.floor(toHour / 24) - first + 1) }, (_, i) => first + i)
}
