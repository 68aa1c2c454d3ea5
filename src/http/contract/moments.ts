import { DateTime } from "effect"

/** Lists count days as sellers do, by the time zone database. */
const timeZone = "America/Sao_Paulo"

const datePattern = /^(\d{4})-(\d{2})-(\d{2})$/

/** The first moment of a day in ms: 00:00, or 01:00 if clocks go forward at midnight. */
const dayStartMillis = (year: number, month: number, day: number): number =>
  DateTime.toEpochMillis(
    DateTime.makeZonedUnsafe(
      { year, month, day },
      { timeZone, adjustForTimeZone: true, disambiguation: "compatible" },
    ),
  )

/**
 * The time in ms of a validated date-time text. A date alone is that whole day in America/Sao_Paulo: its first moment
 * as a `start`, its last millisecond as an `end`.
 */
export const momentOf = (text: string, edge: "start" | "end"): number => {
  const date = datePattern.exec(text)
  if (date === null) return Date.parse(text)
  const [year, month, day] = date.slice(1).map(Number) as [number, number, number]
  return edge === "start" ? dayStartMillis(year, month, day) : dayStartMillis(year, month, day + 1) - 1
}
