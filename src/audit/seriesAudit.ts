import { Effect } from "effect"
import type { SeriesCount } from "../../actors/ports/seriesStore.ts"
import type { Feed } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { auditEvents, type EventHead, repairSeries } from "../store/audit.ts"
import * as keys from "../store/keys.ts"
import type { RedisClient, RedisCommand } from "../store/redis/redisClient.ts"
import { differs } from "./difference.ts"
import type { RawEntry } from "./ledgerEntry.ts"
import { type AuditFailure, lookAgain, readStream } from "./reads.ts"
import type { RepairReport } from "./repairReport.ts"

type Client = RedisClient["Service"]

const hourMillis = 3_600_000
const hourOf = (entryId: string): number => Math.floor(Number(entryId.split("-")[0]) / hourMillis)
/** 0.1 does not count these, so that fewer than there were is no damage (docs/contract/versioning.md#stored-data). */
const returnCounts = ["refunded", "refunded_amount", "disputed", "disputed_amount"] as const
const countNames = [
  ...(["created", "paid", "amount"] as const),
  ...returnCounts,
] as const satisfies ReadonlyArray<SeriesCount>
type CountName = (typeof countNames)[number]

/** What a kind of movement adds to: `counts_of_kind` of src/store/series.lua. A payment's count is that of its events. */
const refunded = { count: "refunded", amount: "refunded_amount" } as const
const disputed = { count: "disputed", amount: "disputed_amount" } as const
const countsOfKind: Readonly<Record<string, { readonly count?: CountName; readonly amount: CountName }>> = {
  charge_paid: { amount: "amount" },
  charge_refunded: refunded,
  charge_partially_refunded: refunded,
  refund_settled: refunded,
  charge_chargeback: disputed,
  charge_partial_chargeback: disputed,
}

/** Counts by hour, those of `countNames` as text; hours without any are absent. */
type Hours = ReadonlyMap<number, string>
const none = countNames.map(() => "0").join(" ")

const textOf = (counts: ReadonlyMap<string, bigint>, hour: number): string =>
  countNames.map((name) => counts.get(`${hour}:${name}`) ?? 0n).join(" ")

const hoursOf = (counts: ReadonlyMap<string, bigint>): Hours =>
  new Map(
    [...counts.keys()].map((key) => Number(key.split(":")[0])).map((hour) => [hour, textOf(counts, hour)]),
  )

/**
 * The hours that an audit counts, both included. From the beginning: all whose events are kept, of which the first may be cut, unless it
 * has the feed's first event. From an entry on: those that were not over then and are now, because the feed has an event of a later one.
 * So each hour is counted once, however many events the running one has. Where none is left, the first is after the last.
 */
export const hoursToCount = (
  oldest: Pick<EventHead, "entryId" | "seq">,
  newestEntryId: string,
  afterEntryId: string,
) => {
  const kept = hourOf(oldest.entryId) + (oldest.seq === "1" ? 0 : 1)
  const newest = hourOf(newestEntryId)
  return afterEntryId === ""
    ? { fromHour: kept, toHour: newest }
    : { fromHour: Math.max(kept, hourOf(afterEntryId)), toHour: newest - 1 }
}

const spanOf = Effect.fnUntraced(function* (client: Client, feed: Feed, afterEntryId: string) {
  const newest = yield* client.call("HGET", [keys.feedKey(feed), "last"])
  const [[oldest] = []] = yield* auditEvents(client, feed, [["-", "+"]], 1)
  return newest === null || oldest === undefined
    ? undefined
    : hoursToCount(oldest, String(newest), afterEntryId)
})

/** Counts charges and payments of some hours by the events and the ledger. */
const recount = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  fromHour: number,
  toHour: number,
): Effect.fn.Return<ReadonlyMap<string, bigint>, AuditFailure> {
  const counts = new Map<string, bigint>()
  const add = (entryId: string, name: CountName, amount: bigint) => {
    const key = `${hourOf(entryId)}:${name}`
    counts.set(key, (counts.get(key) ?? 0n) + amount)
  }
  const end = (toHour + 1) * hourMillis - 1
  for (let from = String(fromHour * hourMillis); ; ) {
    const [page = []] = yield* auditEvents(client, feed, [[from, String(end)]], limits.auditPageEntries)
    for (const { entryId, type } of page) {
      if (type === "transaction.created") add(entryId, "created", 1n)
      if (type === "transaction.paid") add(entryId, "paid", 1n)
    }
    if (page.length < limits.auditPageEntries) break
    from = `(${page.at(-1)?.entryId}`
  }
  const booked = new Set<string>()
  // Clocks may go back: the entry of a movement then differs in time from its event's.
  for (let position = String(fromHour * hourMillis - hourMillis); ; ) {
    const page: ReadonlyArray<RawEntry> = yield* readStream(
      client,
      keys.ledgerKey(feed),
      position,
      String(end),
    )
    for (const [, values] of page) {
      const event = values[9] ?? ""
      const hour = event === "" ? -1 : hourOf(event)
      const isFirst = !booked.has(event)
      const names = countsOfKind[values[3] ?? ""]
      const amount = /external:-?(\d+)/.exec(values[11] ?? "")?.[1]
      const isWanted = names !== undefined && isFirst && hour >= fromHour && hour <= toHour
      if (isWanted && amount !== undefined) {
        booked.add(event)
        add(event, names.amount, BigInt(amount))
        if (names.count !== undefined) add(event, names.count, 1n)
      }
    }
    if (page.length < limits.auditPageEntries) return counts
    position = page.at(-1)?.[0] ?? ""
  }
})

/** What is stored of some hours. */
const readStored = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  fromHour: number,
  toHour: number,
) {
  const first = Math.floor(fromHour / 24)
  const days = Array.from({ length: Math.max(0, Math.floor(toHour / 24) - first + 1) }, (_, i) => first + i)
  const fields = Array.from({ length: 24 }, (_, hour) => countNames.map((name) => `${hour}:${name}`)).flat()
  const replies = yield* client.callAll(
    days.map((day): RedisCommand => ["HMGET", [keys.seriesKey(feed, day), ...fields]]),
  )
  const hours = new Map<number, string>()
  for (const [i, day] of days.entries()) {
    const values = (replies[i] ?? []) as ReadonlyArray<string | null>
    for (let hourOfDay = 0; hourOfDay < 24; hourOfDay++) {
      const hour = day * 24 + hourOfDay
      const text = countNames
        .map((_, place) => values[hourOfDay * countNames.length + place] ?? "0")
        .join(" ")
      if (text !== none && hour >= fromHour && hour <= toHour) hours.set(hour, text)
    }
  }
  return hours
})

/** The hours of a span whose stored counts are not those of events and ledger. */
const wrongHours = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  fromHour: number,
  toHour: number,
) {
  const expected = hoursOf(yield* recount(client, feed, fromHour, toHour))
  const found = yield* readStored(client, feed, fromHour, toHour)
  return [...new Set([...expected.keys(), ...found.keys()])]
    .map((hour) => ({ hour, expected: expected.get(hour) ?? none, found: found.get(hour) ?? none }))
    .filter((one) => one.expected !== one.found)
})

const isReturnCount = (name: CountName): boolean => (returnCounts as ReadonlyArray<CountName>).includes(name)

/** Whether counts are wrong in another way than that a build without some of them has written the hour. */
const isDamaged = ({ expected, found }: { readonly expected: string; readonly found: string }): boolean => {
  const [sums, counts] = [expected.split(" ").map(Number), found.split(" ").map(Number)]
  return countNames.some((name, i) => {
    const [sum = 0, count = 0] = [sums[i], counts[i]]
    return count !== sum && !(isReturnCount(name) && count < sum)
  })
}

/** Whether a test clock has moved the hours in which the feed is counted away from those of its entries. Such counts are not audited. */
const isCountedAhead = (client: Client, { sellerId, mode }: Feed) =>
  mode === "live"
    ? Effect.succeed(false)
    : Effect.map(client.call("ZCARD", [keys.clockStepsKey(sellerId)]), (count) => Number(count) > 0)

const lastOf = (client: Client, feed: Feed) =>
  Effect.map(client.call("HGET", [keys.feedKey(feed), "last"]), String)

/**
 * Checks the counts of charges, payments and what went back by the hour with the events that are kept: all hours, or with an entry those of
 * {@link hoursToCount}. An hour in which something happens during each look is left to the next audit.
 */
export const auditSeries = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  afterEntryId: string,
): Effect.fn.Return<void, AuditFailure> {
  if (yield* isCountedAhead(client, feed)) return
  const span = yield* spanOf(client, feed, afterEntryId)
  if (span === undefined || span.fromHour > span.toHour) return
  const wrong = yield* wrongHours(client, feed, span.fromHour, span.toHour)
  for (const { hour } of wrong.filter(isDamaged)) {
    yield* lookAgain(
      Effect.gen(function* () {
        const before = yield* lastOf(client, feed)
        const [again] = yield* wrongHours(client, feed, hour, hour)
        if (again === undefined || !isDamaged(again) || (yield* lastOf(client, feed)) !== before) return
        yield* differs("series", keys.seriesKey(feed, Math.floor(hour / 24)), {
          expected: `${countNames.join(", ")} ${again.expected} in hour ${hour % 24}, as events and ledger have them`,
          found: again.found,
        })
      }),
    )
  }
})

/** Sets the counts of all hours whose events are kept to what these add up to. */
export const repairSeriesOf = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  report: RepairReport,
): Effect.fn.Return<void, AuditFailure> {
  if (yield* isCountedAhead(client, feed)) return
  const [[oldest] = []] = yield* auditEvents(client, feed, [["-", "+"]], 1)
  if (oldest === undefined) return
  const { fromHour } = hoursToCount(oldest, oldest.entryId, "")
  for (let tries = 0; tries < limits.repairCountersTriesMax; tries++) {
    const last = yield* lastOf(client, feed)
    const wrong = yield* wrongHours(client, feed, fromHour, hourOf(last))
    const hours = wrong.map(({ hour, expected }) => ({ hour, counts: expected.split(" ") }))
    if (!(yield* repairSeries(client, feed, { last, hours, countNames }))) continue
    report.counters.push(
      ...wrong.map(({ hour, found }) => {
        const key = keys.seriesKey(feed, Math.floor(hour / 24))
        return `${key}: ${countNames.join(", ")} of hour ${hour % 24} was ${found}`
      }),
    )
    return
  }
})
