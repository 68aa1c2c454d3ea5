import { Context, type Effect } from "effect"
import type { Feed } from "../../schema/ids.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"

/**
 * What is counted by the hour. `amount` is the gross centavos of the paid charges; `refunded_amount` and `disputed_amount` are those
 * of refunds that succeeded and of chargebacks.
 */
export type SeriesCount =
  | "created"
  | "paid"
  | "amount"
  | "refunded"
  | "refunded_amount"
  | "disputed"
  | "disputed_amount"
  | AttemptCount

/** What is counted of attempts. */
export type AttemptCount = "succeeded" | "failed"

/** Hours since 1970, both included. */
export interface HourSpan {
  readonly fromHour: number
  readonly toHour: number
}

/**
 * What plots show of a seller's mode, by the hour (UTC) of its events and attempts. Charges are counted in the commits that
 * create them and book their payments, refunds that succeeded and chargebacks in those that book them, attempts in those that record
 * them.
 */
export class SeriesStore extends Context.Service<
  SeriesStore,
  {
    /** A count by hour; hours in which nothing was counted, or that are no longer kept, are absent. */
    readonly counts: (
      feed: Feed,
      count: SeriesCount,
      span: HourSpan,
    ) => Effect.Effect<ReadonlyMap<number, number>, StoreUnavailable>
    /** The centavos that all sellers received in live in these hours, of which the last three days are kept. */
    readonly received: (span: HourSpan) => Effect.Effect<number, StoreUnavailable>
    /** How many attempts took how long, by hour: a count for each bin (actors/values/latencyBins.ts). */
    readonly times: (
      feed: Feed,
      span: HourSpan,
    ) => Effect.Effect<ReadonlyMap<number, ReadonlyArray<number>>, StoreUnavailable>
    /** The same counts of one endpoint's attempts, which are kept as long as durations; none of one that is deleted. */
    readonly endpointCounts: (
      endpointId: string,
      count: AttemptCount,
      span: HourSpan,
    ) => Effect.Effect<ReadonlyMap<number, number>, StoreUnavailable>
    /** How long one endpoint's attempts took, as `times`. */
    readonly endpointTimes: (
      endpointId: string,
      span: HourSpan,
    ) => Effect.Effect<ReadonlyMap<number, ReadonlyArray<number>>, StoreUnavailable>
  }
>()("corrente/actors/SeriesStore") {}
