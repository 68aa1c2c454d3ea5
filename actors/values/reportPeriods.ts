import { limits } from "../../schema/limits.ts"
import type { ReportPeriod } from "../../schema/names.ts"
import { dayAfter, dayOf, dayStartMillis } from "./saoPauloDays.ts"

/** The kind of a report's timer. */
export const reportTimerName = "report"

/** Days of America/Sao_Paulo, both included. */
export interface ReportDays {
  readonly from: string
  readonly to: string
}

/** Days since Monday. */
const weekdayOf = (day: string): number => (new Date(`${day}T00:00Z`).getUTCDay() + 6) % 7

/** The first day of the period that a day is in: itself, its week's Monday, or the first of its month. */
const periodStart = (every: ReportPeriod, day: string): string => {
  if (every === "day") return day
  return every === "week" ? dayAfter(day, -weekdayOf(day)) : `${day.slice(0, 7)}-01`
}

/** The first day of the period after the one that a day is in. */
const nextStart = (every: ReportPeriod, day: string): string => {
  const start = periodStart(every, day)
  if (every === "day") return dayAfter(start)
  // No month has more days: that day is in the next one.
  return every === "week" ? dayAfter(start, 7) : periodStart("month", dayAfter(start, 31))
}

/** The last period that had ended at a moment (ms): that of which a report is due. */
export const lastPeriod = (every: ReportPeriod, nowMillis: number): ReportDays => {
  const to = dayAfter(periodStart(every, dayOf(nowMillis)), -1)
  return { from: periodStart(every, to), to }
}

/** Which minute of the hour of reports is this one's, in ms: ids end at random. */
const spreadOf = (reportId: string): number => {
  const digits = [...reportId.slice(-6)].reduce((sum, character) => sum * 31 + character.charCodeAt(0), 0)
  return (digits * 60_000) % limits.reportSpreadMillis
}

/**
 * When a report goes out next, in ms: in the early morning after a period has ended, later than the moment given
 * (`docs/contract/reports.md#when`).
 */
export const nextReportMillis = (reportId: string, every: ReportPeriod, nowMillis: number): number => {
  const dueOn = (day: string) => dayStartMillis(day) + limits.reportHourMillis + spreadOf(reportId)
  const today = dayOf(nowMillis)
  const dueMillis = dueOn(periodStart(every, today))
  return dueMillis > nowMillis ? dueMillis : dueOn(nextStart(every, today))
}
