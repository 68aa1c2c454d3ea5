import { hourMillis } from "../../text/spans.ts"
import { dayBefore } from "../../text/today.ts"
import { type Point, sumOf } from "../../ui/series.ts"

/** How far back the home page looks, today included. */
export const periods = ["1d", "7d", "30d"] as const
export type Period = (typeof periods)[number]

const daysOf: Readonly<Record<Period, number>> = { "1d": 1, "7d": 7, "30d": 30 }
/** A day is compared with the same day of the week before, since a Sunday says nothing of a Monday. */
const daysBackOf: Readonly<Record<Period, number>> = { "1d": 7, "7d": 7, "30d": 30 }

/** A period and the one that it is compared with, in days (`YYYY-MM-DD`), both ends included. */
export interface PeriodRange {
  readonly from: string
  readonly to: string
  readonly previousFrom: string
  /** The day that stands where today does: only what came until the same time of it is compared. */
  readonly previousTo: string
  readonly daysBack: number
  readonly bucket: "hour" | "day"
}

/** The days of a period that ends today. */
export const rangeOf = (period: Period, today: string): PeriodRange => {
  const from = dayBefore(today, daysOf[period] - 1)
  const daysBack = daysBackOf[period]
  return {
    from,
    to: today,
    previousFrom: dayBefore(from, daysBack),
    previousTo: dayBefore(today, daysBack),
    daysBack,
    bucket: period === "1d" ? "hour" : "day",
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
