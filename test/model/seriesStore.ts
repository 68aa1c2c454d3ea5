import { Effect } from "effect"
import { type HourSpan, type SeriesCount, SeriesStore } from "../../actors/ports/seriesStore.ts"
import { goneEventType } from "../../actors/values/goneEvent.ts"
import { latencyBinOf, latencyBins } from "../../actors/values/latencyBins.ts"
import { pingEventType } from "../../schema/events.ts"
import type { Feed } from "../../schema/ids.ts"
import type { Delivery } from "../../schema/resources/delivery.ts"
import type { LedgerKind } from "../../schema/resources/ledger.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { entryMillis, feedState } from "./feeds.ts"
import { balanceOf } from "./ledger.ts"
import { shownMillis } from "./sellerClock.ts"
import type { MemoryState } from "./state.ts"

const hourOf = (millis: number): number => Math.floor(millis / 3_600_000)

/** What happened in a mode, each with its hour: recomputed from events and attempts each time. */
const happenings = (state: MemoryState, feed: Feed) => {
  const entries = feedState(state, feed).entries.map((entry) => ({
    hour: hourOf(shownMillis(state, feed, entryMillis(entry.entryId))),
    entry,
  }))
  const attempts = [...state.attempts.values()]
    .filter(({ feed: { sellerId, mode } }) => sellerId === feed.sellerId && mode === feed.mode)
    .filter(({ eventType }) => eventType !== pingEventType && eventType !== goneEventType)
    .map((attempt) => ({ hour: hourOf(shownMillis(state, feed, attempt.recordedAtMillis)), attempt }))
  return { entries, attempts }
}

/** What went back to payers, by the kinds of its movements. */
const returnKinds = {
  refunded: ["charge_refunded", "charge_partially_refunded", "refund_settled"],
  disputed: ["charge_chargeback", "charge_partial_chargeback"],
} as const satisfies Readonly<Record<string, ReadonlyArray<LedgerKind>>>

/** The movements of kinds that an event tells of, each with what it takes out. */
const returnsOf = (state: MemoryState, feed: Feed, kinds: ReadonlyArray<LedgerKind>) =>
  balanceOf(state, feed).entries.flatMap(({ kind, eventEntryId, postings }) => {
    if (eventEntryId === undefined || !kinds.includes(kind)) return []
    const hour = hourOf(shownMillis(state, feed, entryMillis(eventEntryId)))
    return [{ hour, amount: postings.find(({ bucket }) => bucket === "external")?.amount ?? 0 }]
  })
const gainsOf = (state: MemoryState, feed: Feed, count: SeriesCount) => {
  const { entries, attempts } = happenings(state, feed)
  const ofType = (type: string) => entries.filter(({ entry }) => entry.type === type)
  switch (count) {
    case "created":
      return ofType("transaction.created").map(({ hour }) => ({ hour, gain: 1 }))
    case "paid":
      return ofType("transaction.paid").map(({ hour }) => ({ hour, gain: 1 }))
    case "amount":
      return ofType("transaction.paid").map(({ hour, entry }) => ({
        hour,
        gain: (JSON.parse(entry.data) as Transaction).amount,
      }))
    case "refunded":
    case "disputed":
      return returnsOf(state, feed, returnKinds[count]).map(({ hour }) => ({ hour, gain: 1 }))
    case "refunded_amount":
    case "disputed_amount": {
      const kinds = returnKinds[count === "refunded_amount" ? "refunded" : "disputed"]
      return returnsOf(state, feed, kinds).map(({ hour, amount }) => ({ hour, gain: amount }))
    }
    default:
      return attempts
        .filter(({ attempt }) => (attempt.status === "success") === (count === "succeeded"))
        .map(({ hour }) => ({ hour, gain: 1 }))
  }
}

const isWithin = ({ fromHour, toHour }: HourSpan, hour: number): boolean => hour >= fromHour && hour <= toHour

/** The attempts of an endpoint that is not deleted. */
const attemptsOf = (state: MemoryState, endpointId: string) => {
  const record = state.endpoints.get(endpointId)
  if (record === undefined || record.deleted) return []
  return happenings(state, record.endpoint).attempts.filter(
    ({ attempt }) => attempt.destinationId === endpointId,
  )
}

const timesOf = (attempts: ReturnType<typeof happenings>["attempts"], span: HourSpan) => {
  const times = new Map<number, Array<number>>()
  for (const { hour, attempt } of attempts) {
    const { response_ms } = JSON.parse(attempt.row) as Partial<Delivery>
    if (!isWithin(span, hour) || typeof response_ms !== "number") continue
    const bins = times.get(hour) ?? Array.from({ length: latencyBins }, () => 0)
    const bin = latencyBinOf(response_ms)
    bins[bin] = (bins[bin] ?? 0) + 1
    times.set(hour, bins)
  }
  return times
}

/** SeriesStore over the memory state. */
export const makeSeriesStore = (state: MemoryState): SeriesStore["Service"] =>
  SeriesStore.of({
    counts: (feed, count, span) =>
      Effect.sync(() => {
        const counts = new Map<number, number>()
        for (const { hour, gain } of gainsOf(state, feed, count)) {
          if (isWithin(span, hour)) counts.set(hour, (counts.get(hour) ?? 0) + gain)
        }
        return counts
      }),
    received: (span) =>
      Effect.sync(() =>
        [...state.sellers.keys()]
          .flatMap((sellerId) => gainsOf(state, { sellerId, mode: "live" }, "amount"))
          .reduce((sum, { hour, gain }) => (isWithin(span, hour) ? sum + gain : sum), 0),
      ),
    times: (feed, span) => Effect.sync(() => timesOf(happenings(state, feed).attempts, span)),
    endpointCounts: (endpointId, count, span) =>
      Effect.sync(() => {
        const counts = new Map<number, number>()
        for (const { hour, attempt } of attemptsOf(state, endpointId)) {
          if (!isWithin(span, hour) || (attempt.status === "success") !== (count === "succeeded")) continue
          counts.set(hour, (counts.get(hour) ?? 0) + 1)
        }
        return counts
      }),
    endpointTimes: (endpointId, span) => Effect.sync(() => timesOf(attemptsOf(state, endpointId), span)),
  })
