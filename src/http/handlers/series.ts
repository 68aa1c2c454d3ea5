import { Clock, Effect } from "effect"
import {
  type AttemptCount,
  type HourSpan,
  type SeriesCount,
  SeriesStore,
} from "../../../actors/ports/seriesStore.ts"
import { percentileOf } from "../../../actors/values/latencyBins.ts"
import { dayAfter, dayOf, dayStartMillis } from "../../../actors/values/saoPauloDays.ts"
import type { SeriesBucket, SeriesMetric } from "../../../schema/api/insights.ts"
import { ApiError, validationFailed } from "../../../schema/errors.ts"
import type { Feed } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { EndpointManagement } from "../../accounts/webhookSettings/endpointManagement.ts"
import { momentOf } from "../contract/moments.ts"
import { makeClockWindows } from "./clockWindows.ts"

const hourMillis = 3_600_000

/** What a series is asked for. */
export interface SeriesQuery {
  readonly metric: SeriesMetric
  readonly bucket?: SeriesBucket
  readonly endpoint_id?: string
  readonly from?: string
  readonly to?: string
}

/** A bucket: its first moment, and the hours it has. */
interface Bucket extends HourSpan {
  readonly atMillis: number
}

const bucketsMax = { hour: limits.seriesHoursMax, day: limits.seriesDaysMax } as const
const defaultMillis = { hour: 23 * hourMillis, day: 29 * 24 * hourMillis } as const

const tooLong = (bucket: SeriesBucket, asked: number): ApiError<"validation_failed"> =>
  new ApiError({
    code: "validation_failed",
    param: "from",
    message: `A series has at most ${bucketsMax[bucket]} ${bucket}s, and this would have ${asked}. Ask for a shorter range.`,
    details: { bucket, buckets: asked, buckets_max: bucketsMax[bucket] },
  })

const hoursBetween = (fromMillis: number, toMillis: number): ReadonlyArray<Bucket> => {
  const first = Math.floor(fromMillis / hourMillis)
  const count = Math.floor(toMillis / hourMillis) - first + 1
  return Array.from({ length: count }, (_, i) => ({
    atMillis: (first + i) * hourMillis,
    fromHour: first + i,
    toHour: first + i,
  }))
}

const daysBetween = (fromMillis: number, toMillis: number): ReadonlyArray<Bucket> => {
  const last = dayOf(toMillis)
  const days: Array<Bucket> = []
  for (let day = dayOf(fromMillis); day <= last; day = dayAfter(day)) {
    const [start, end] = [dayStartMillis(day), dayStartMillis(dayAfter(day))]
    days.push({
      atMillis: start,
      fromHour: Math.floor(start / hourMillis),
      toHour: Math.ceil(end / hourMillis) - 1,
    })
  }
  return days
}

/** The buckets from one moment to another, both included, or why they cannot be shown. */
const bucketsOf = (
  query: SeriesQuery,
  nowMillis: number,
): ReadonlyArray<Bucket> | ApiError<"validation_failed"> => {
  const bucket = query.bucket ?? "hour"
  const toMillis = query.to === undefined ? nowMillis : momentOf(query.to, "end")
  const fromMillis =
    query.from === undefined ? toMillis - defaultMillis[bucket] : momentOf(query.from, "start")
  if (fromMillis > toMillis) return validationFailed("to", "to must not be before from.")
  const width = bucket === "hour" ? hourMillis : 24 * hourMillis
  // Far more than allowed is not listed to be counted.
  const about = Math.floor((toMillis - fromMillis) / width) + 1
  if (about > bucketsMax[bucket]) return tooLong(bucket, about)
  const buckets = (bucket === "hour" ? hoursBetween : daysBetween)(fromMillis, toMillis)
  return buckets.length > bucketsMax[bucket] ? tooLong(bucket, buckets.length) : buckets
}

const attemptCountOf: Readonly<Partial<Record<SeriesMetric, AttemptCount>>> = {
  deliveries_succeeded: "succeeded",
  deliveries_failed: "failed",
}

const countOf: Readonly<Partial<Record<SeriesMetric, SeriesCount>>> = {
  ...attemptCountOf,
  charges_created: "created",
  charges_paid: "paid",
  paid_amount: "amount",
  refunds_completed: "refunded",
  refunded_amount: "refunded_amount",
  chargebacks_opened: "disputed",
  chargeback_amount: "disputed_amount",
}

const shareOf: Readonly<Partial<Record<SeriesMetric, number>>> = { delivery_p50: 0.5, delivery_p95: 0.95 }

const hoursOf = ({ fromHour, toHour }: HourSpan): ReadonlyArray<number> =>
  Array.from({ length: toHour - fromHour + 1 }, (_, i) => fromHour + i)

/** Adds the bins of hours up; undefined where nothing was measured. */
const addBins = (hours: ReadonlyArray<ReadonlyArray<number> | undefined>): ReadonlyArray<number> => {
  const sums: Array<number> = []
  for (const bins of hours) {
    for (const [bin, count] of (bins ?? []).entries()) sums[bin] = (sums[bin] ?? 0) + count
  }
  return sums
}

const sumsOf = (counts: ReadonlyMap<number, number>) => (bucket: Bucket) =>
  hoursOf(bucket).reduce((sum, hour) => sum + (counts.get(hour) ?? 0), 0)

const percentilesOf =
  (times: ReadonlyMap<number, ReadonlyArray<number>>, share: number) => (bucket: Bucket) =>
    percentileOf(addBins(hoursOf(bucket).map((hour) => times.get(hour))), share)

const ofDeliveriesOnly = (): ApiError<"validation_failed"> =>
  validationFailed("endpoint_id", "endpoint_id goes with metrics of deliveries only.")

/** Makes the reader of series (`docs/contract/series.md`). */
export const makeSeries = Effect.gen(function* () {
  const store = yield* SeriesStore
  const { shownAt } = yield* makeClockWindows
  const endpoints = yield* EndpointManagement

  const valuesOf = Effect.fnUntraced(function* (feed: Feed, metric: SeriesMetric, span: HourSpan) {
    const count = countOf[metric]
    if (count !== undefined) return sumsOf(yield* store.counts(feed, count, span))
    return percentilesOf(yield* store.times(feed, span), shareOf[metric] ?? 0)
  })

  /** The same of an endpoint, which must be the seller's. */
  const valuesOfEndpoint = Effect.fnUntraced(function* (
    feed: Feed,
    endpointId: string,
    metric: SeriesMetric,
    span: HourSpan,
  ) {
    const count = attemptCountOf[metric]
    const share = shareOf[metric]
    if (count === undefined && share === undefined) return yield* ofDeliveriesOnly()
    yield* endpoints.get(feed, endpointId)
    if (count !== undefined) return sumsOf(yield* store.endpointCounts(endpointId, count, span))
    return percentilesOf(yield* store.endpointTimes(endpointId, span), share ?? 0)
  })

  return Effect.fnUntraced(function* (feed: Feed, query: SeriesQuery) {
    const buckets = bucketsOf(query, yield* shownAt(feed, yield* Clock.currentTimeMillis))
    if (buckets instanceof ApiError) return yield* buckets
    const fromHour = buckets[0]?.fromHour ?? 0
    const span = { fromHour, toHour: buckets.at(-1)?.toHour ?? fromHour }
    const { metric, endpoint_id: endpointId } = query
    const valueOf = yield* endpointId === undefined
      ? valuesOf(feed, metric, span)
      : valuesOfEndpoint(feed, endpointId, metric, span)
    return buckets.map((bucket) => ({
      at: new Date(bucket.atMillis).toISOString(),
      value: valueOf(bucket),
    }))
  })
})
