import { formLimits } from "../../../../schema/formLimits.ts"
import { dayMillis, hourMillis } from "../../text/spans.ts"
import { dayBefore } from "../../text/today.ts"
import { type Point, sumOf } from "../../ui/series.ts"

/** The periods that the home page names; all but the custom one end today. */
export const periodNames = ["1d", "7d", "30d", "custom"] as const
export type PeriodName = (typeof periodNames)[number]

/** Days (`YYYY-MM-DD`), both included. */
export interface Days {
  readonly from: string
  readonly to: string
}

/** What the home page shows: days that have a name, or chosen ones. */
export type Period = { readonly name: Exclude<PeriodName, "custom"> } | ({ readonly name: "custom" } & Days)

const daysOf: Readonly<Record<Exclude<PeriodName, "custom">, number>> = { "1d": 1, "7d": 7, "30d": 30 }

const isBefore = (day: string, other: string): boolean => day < other

/** How many days a range has. */
const lengthOf = ({ from, to }: Days): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / dayMillis) + 1

/**
 * Chosen days that the API takes: none after today, the end not before the beginning, and at most `seriesDaysMax`, the last ones of a
 * longer range. What is no day is left out by {@link readPeriod}.
 */
export const chosenDays = (
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  today: string,
): Days => {
  const last = to === undefined || isBefore(today, to) ? today : to
  const first = from === undefined || isBefore(last, from) ? last : from
  const earliest = dayBefore(last, formLimits.seriesDaysMax - 1)
  return { from: isBefore(first, earliest) ? earliest : first, to: last }
}

/** Chosen days after one end was moved: the other end follows where the range would be empty or too long. */
export const movedDays = (days: Days, end: "from" | "to", day: string, today: string): Days => {
  if (end === "to") return chosenDays({ from: days.from, to: day }, today)
  const latest = dayBefore(day, 1 - formLimits.seriesDaysMax)
  const to = isBefore(latest, days.to) ? latest : days.to
  return chosenDays({ from: day, to: isBefore(to, day) ? day : to }, today)
}

/** A period and the one that it is compared with, in days (`YYYY-MM-DD`), both ends included. */
export interface PeriodRange extends Days {
  readonly previousFrom: string
  /** The day that stands where `to` does: if that is today, only what came until the same time of it is compared. */
  readonly previousTo: string
  readonly daysBack: number
  readonly bucket: "hour" | "day"
  /** Whether the period lasts until now, so that events add to it. */
  readonly isOpen: boolean
  /** Whether all of the previous period is still counted. */
  readonly isCompared: boolean
}

/** The days of a period. */
export const rangeOf = (period: Period, today: string): PeriodRange => {
  const { from, to } =
    period.name === "custom" ? period : { from: dayBefore(today, daysOf[period.name] - 1), to: today }
  const length = lengthOf({ from, to })
  // A day is compared with the same day of the week before, since a Sunday says nothing of a Monday.
  const daysBack = period.name === "1d" ? 7 : length
  const previousFrom = dayBefore(from, daysBack)
  return {
    from,
    to,
    previousFrom,
    previousTo: dayBefore(to, daysBack),
    daysBack,
    bucket: length === 1 ? "hour" : "day",
    isOpen: to === today,
    isCompared: isBefore(dayBefore(today, formLimits.seriesDaysKept), previousFrom),
  }
}

const isBegun =
  (nowMillis: number) =>
  ({ at }: Point) =>
    Date.parse(at) <= nowMillis

/** Points without values for hours that have not begun. */
export const untilNow = (points: ReadonlyArray<Point>, nowMillis: number): ReadonlyArray<Point> =>
  points.map((point) => (isBegun(nowMillis)(point) ? point : { ...point, value: null }))

/** What the hours of a day hold until a moment; of the hour that it is in, the share that has passed. */
export const sumUntil = (hours: ReadonlyArray<Point>, untilMillis: number): number =>
  Math.round(
    hours.reduce((sum, { at, value }) => {
      const share = Math.min(1, Math.max(0, (untilMillis - Date.parse(at)) / hourMillis))
      return sum + (value ?? 0) * share
    }, 0),
  )

/** A count or sum of a period, by its buckets. */
export interface Measure {
  readonly points: ReadonlyArray<Point>
  readonly previous: ReadonlyArray<Point>
  /** What the previous period held when it was as old as this one is. */
  readonly before: number
}

/** A measure whose last previous day, given by hours, counts until `untilMillis` alone. */
export const measureOf = (
  points: ReadonlyArray<Point>,
  previous: ReadonlyArray<Point>,
  lastDay: ReadonlyArray<Point>,
  untilMillis: number,
): Measure => ({
  points,
  previous,
  before: sumOf(previous) - sumOf(lastDay) + sumUntil(lastDay, untilMillis),
})

/** A measure with `value` added to the bucket of a moment: the last that has begun by then. */
export const added = (measure: Measure, value: number, atMillis: number): Measure => {
  const last = measure.points.findLastIndex(isBegun(atMillis))
  return {
    ...measure,
    points: measure.points.map((point, index) =>
      index === last ? { ...point, value: (point.value ?? 0) + value } : point,
    ),
  }
}

/** By which share something grew, 0.12 for 12 %; undefined where there was nothing before. */
export const changeOf = (now: number, before: number): number | undefined =>
  before === 0 ? undefined : now / before - 1
