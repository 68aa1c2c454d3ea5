import { DateTime } from "effect"

/** Days are counted as sellers count them, by the time zone database. */
const timeZone = "America/Sao_Paulo"

/** Sweden writes dates and times as ISO 8601 does: `2026-11-21 00:07:35`. */
const format = new Intl.DateTimeFormat("sv-SE", {
  timeZone,
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
})

const pattern = /^(\d{4})-(\d{2})-(\d{2})$/
const dayMillis = 24 * 60 * 60 * 1000

/** The day and the time of day of a moment (ms) in America/Sao_Paulo: `2026-11-21`, `00:07:35`. */
export const localTimeOf = (millis: number): { readonly day: string; readonly time: string } => {
  const text = format.format(millis)
  return { day: text.slice(0, 10), time: text.slice(11) }
}

/** The day of a moment (ms) in America/Sao_Paulo, as `2026-11-21`. */
export const dayOf = (millis: number): string => localTimeOf(millis).day

/** The day that is `count` days after `day`; before it for a negative count. */
export const dayAfter = (day: string, count = 1): string =>
  new Date(Date.parse(`${day}T00:00Z`) + count * dayMillis).toISOString().slice(0, 10)

/** How many days there are from one day to another, both included. */
export const daysBetween = (from: string, to: string): number =>
  (Date.parse(`${to}T00:00Z`) - Date.parse(`${from}T00:00Z`)) / dayMillis + 1

/**
 * The first moment of a day in America/Sao_Paulo, in ms: 00:00, or 01:00 where clocks go forward at midnight. Takes days
 * of the calendar only, and ten microseconds.
 */
export const dayStartMillis = (day: string): number => {
  const [year, month, date] = (pattern.exec(day) ?? []).slice(1).map(Number)
  return DateTime.toEpochMillis(
    DateTime.makeZonedUnsafe(
      { year: year ?? 0, month: month ?? 0, day: date ?? 0 },
      { timeZone, adjustForTimeZone: true, disambiguation: "compatible" },
    ),
  )
}

/** The last millisecond of a day in America/Sao_Paulo. */
export const dayEndMillis = (day: string): number => dayStartMillis(dayAfter(day)) - 1
