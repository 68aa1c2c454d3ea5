import { Effect } from "effect"
import { heldReserve } from "../../actors/seller/decisions/movements.ts"
import { dayOf } from "../../actors/values/saoPauloDays.ts"
import type { Feed } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { auditAnchor, repairReleases } from "../store/audit.ts"
import * as keys from "../store/keys.ts"
import { readReleaseDays, readReleaseHash } from "../store/ledger.ts"
import type { RedisClient } from "../store/redis/redisClient.ts"
import { differs } from "./difference.ts"
import { readChargeDocument } from "./documents.ts"
import { type AuditFailure, forEachPage, lookAgain } from "./reads.ts"
import type { RepairReport } from "./repairReport.ts"

type Client = RedisClient["Service"]
type Calendar = Readonly<Record<string, string>>

/** A calendar as text, by which two are compared. */
const textOf = (calendar: Calendar): string =>
  readReleaseDays(calendar)
    .map(({ day, amount, charges }) => `${day} ${amount} of ${charges}`)
    .join(", ") || "no day"

const sumOf = (calendar: Calendar): number =>
  readReleaseDays(calendar).reduce((sum, { amount }) => sum + amount, 0)

/** The fields of a calendar, as the documents of the charges add up to them. */
const recount = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
): Effect.fn.Return<Calendar, AuditFailure> {
  const sums = new Map<string, number>()
  const add = (field: string, gain: number) => sums.set(field, (sums.get(field) ?? 0) + gain)
  yield* forEachPage(client, keys.transactionsKey(feed.sellerId, feed.mode, "paid"), (ids) =>
    Effect.gen(function* () {
      const documents = yield* client.callAll(
        ids.map((id) => ["HGET", [keys.transactionKey(id), "document"]] as const),
      )
      for (const document of documents) {
        const charge = readChargeDocument(document === null ? undefined : String(document))
        const held = charge?.status === "paid" ? heldReserve(charge) : 0
        if (held === 0 || !charge?.reserve) continue
        const day = dayOf(Date.parse(charge.reserve.release_at))
        add("held", held)
        add(day, held)
        add(`${day}:charges`, 1)
      }
    }),
  )
  return Object.fromEntries([...sums].map(([field, sum]) => [field, String(sum)]))
})

const newestOf = (client: Client, feed: Feed) =>
  Effect.map(auditAnchor(client, feed), ({ newestLedgerEntryId }) => newestLedgerEntryId)

/** Recounts a calendar and reads the stored one; undefined where money moved meanwhile. */
const compared = Effect.fnUntraced(function* (client: Client, feed: Feed) {
  const newestEntryId = yield* newestOf(client, feed)
  const expected = yield* recount(client, feed)
  const { reserve, hash } = yield* readReleaseHash(client, feed)
  return (yield* newestOf(client, feed)) === newestEntryId
    ? { newestEntryId, expected, reserve, hash }
    : undefined
})

/**
 * Checks that the calendar of releases adds up to the reserve and, where all is audited, that its days are those of the charges. One
 * whose days are not known is left alone, and so is one that changes during each look.
 */
export const auditReleases = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  isFull: boolean,
): Effect.fn.Return<void, AuditFailure> {
  const key = keys.releasesKey(feed)
  const { reserve, hash } = yield* readReleaseHash(client, feed)
  if (hash.held !== reserve) return
  if (sumOf(hash) !== Number(reserve)) {
    return yield* differs("balance", key, { expected: `days that sum to ${reserve}`, found: textOf(hash) })
  }
  if (!isFull) return
  yield* lookAgain(
    Effect.gen(function* () {
      const both = yield* compared(client, feed)
      if (both === undefined || both.hash.held !== both.reserve) return
      const [expected, found] = [textOf(both.expected), textOf(both.hash)]
      if (expected !== found) yield* differs("balance", key, { expected, found })
    }),
  )
})

/** Sets the calendar of releases to what the charges add up to, where that is what the reserve holds. */
export const repairReleasesOf = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  report: RepairReport,
): Effect.fn.Return<void, AuditFailure> {
  for (let tries = 0; tries < limits.repairCountersTriesMax; tries++) {
    const both = yield* compared(client, feed)
    if (both === undefined) continue
    const { newestEntryId, expected, reserve, hash } = both
    const isKnown = (hash.held ?? "0") === reserve && textOf(hash) === textOf(expected)
    if (isKnown || (expected.held ?? "0") !== reserve) return
    if (!(yield* repairReleases(client, feed, { newestEntryId, calendar: expected }))) continue
    report.counters.push(`${keys.releasesKey(feed)}: it was ${textOf(hash)}`)
    return
  }
})
