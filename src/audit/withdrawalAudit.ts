import { Clock, Effect } from "effect"
import { encodeTime, type Feed } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { isWithdrawalOver, withdrawalStatuses } from "../../schema/resources/withdrawal.ts"
import * as keys from "../store/keys.ts"
import type { RedisClient, RedisCommand } from "../store/redis/redisClient.ts"
import { differs, type Fault, shown } from "./difference.ts"
import { readWithdrawalDocument } from "./documents.ts"
import { type Fields, forEachPage, lookAgain, readFields } from "./reads.ts"

type Client = RedisClient["Service"]

const openStatuses = withdrawalStatuses.filter((status) => !isWithdrawalOver(status))

/** The open withdrawal by the balance, by the indexes and by its hash. */
export interface OpenWithdrawal {
  readonly balance: Fields
  /** Ids in the indexes of the statuses that are not final. */
  readonly indexed: ReadonlyArray<string>
  /** `status` and `document` of the withdrawal that the balance names. */
  readonly record: Fields
}

/**
 * The fault of the open withdrawal, of which there is at most one (docs/contract/withdrawals.md#preconditions): the
 * balance names it, the indexes hold it and no other, and its total is what is held.
 */
const openFault = ({ balance, indexed, record }: OpenWithdrawal): Fault | undefined => {
  const open = balance.open ?? ""
  const found = indexed.join(", ")
  if (found !== open) {
    return {
      expected: `open ${found || "to be empty"}, as in the indexes of ${openStatuses.join(", ")}`,
      found: shown(open),
    }
  }
  const total = open === "" ? 0 : readWithdrawalDocument(record.document)?.total
  const held = balance.pending_withdraw ?? "0"
  if (held === String(total)) return undefined
  return { expected: `pending_withdraw ${total}, the total of ${open || "no withdrawal"}`, found: held }
}

const readOpen = Effect.fnUntraced(function* (client: Client, feed: Feed) {
  const names = ["open", "pending_withdraw"]
  const [hash, ...ranges] = yield* client.callAll([
    ["HMGET", [keys.balanceKey(feed), ...names]],
    ...openStatuses.map(
      (status): RedisCommand => ["ZRANGE", [keys.withdrawalsKey(feed.sellerId, feed.mode, status), 0, 1]],
    ),
  ])
  const balance = readFields(names, hash)
  const fields = ["status", "document"]
  const record = balance.open
    ? readFields(fields, yield* client.call("HMGET", [keys.withdrawalKey(balance.open), ...fields]))
    : {}
  return { balance, indexed: ranges.flat() as ReadonlyArray<string>, record }
})

/** Checks the open withdrawal of a seller and mode, if there is one. */
export const auditOpenWithdrawal = (client: Client, feed: Feed) =>
  lookAgain(
    Effect.gen(function* () {
      const fault = openFault(yield* readOpen(client, feed))
      if (fault !== undefined) yield* differs("withdrawal", keys.balanceKey(feed), fault)
    }),
  )

/** A day's withdrawals: the centavos of those that count, and how many there are in all. */
export interface DayCount {
  readonly value: number
  readonly count: number
}

/**
 * A day with one more withdrawal; rejected, failed and cancelled ones do not count in its value
 * (docs/contract/withdrawals.md#daily-limits).
 */
const countInDay = (day: DayCount | undefined, status: string, amount: number): DayCount => {
  const counts = status !== "rejected" && status !== "failed" && status !== "cancelled"
  return { value: (day?.value ?? 0) + (counts ? amount : 0), count: (day?.count ?? 0) + 1 }
}

const recount = Effect.fnUntraced(function* (client: Client, feed: Feed, afterId: string) {
  const days = new Map<string, DayCount>()
  const fields = ["day", "status", "document"]
  const count = (ids: ReadonlyArray<string>) =>
    Effect.map(
      client.callAll(ids.map((id) => ["HMGET", [keys.withdrawalKey(id), ...fields]] as const)),
      (replies) => {
        for (const reply of replies) {
          const { day = "", status = "", document } = readFields(fields, reply)
          days.set(day, countInDay(days.get(day), status, readWithdrawalDocument(document)?.amount ?? 0))
        }
      },
    )
  yield* forEachPage(client, keys.withdrawalsKey(feed.sellerId, feed.mode), count, afterId)
  const [first] = days.keys()
  // Some of its withdrawals may be older.
  if (afterId !== "" && first !== undefined) days.delete(first)
  return days
})

/** An id older than those of withdrawals that still count in a day's sums. */
const beforeDaysKept = (nowMillis: number): string =>
  `wd_${encodeTime(Math.max(0, nowMillis - limits.auditWithdrawalDaysMillis))}`

/**
 * Checks that each day that is still kept has the value and count of its withdrawals; unless `isFull` only days that began
 * recently, which are those that are kept unless the service's or a seller's clock was changed.
 */
export const auditWithdrawalDays = (client: Client, feed: Feed, isFull: boolean) =>
  lookAgain(
    Effect.gen(function* () {
      const afterId = isFull ? "" : beforeDaysKept(yield* Clock.currentTimeMillis)
      const days = [...(yield* recount(client, feed, afterId))]
      const names = ["value", "count"]
      const replies = yield* client.callAll(
        days.map(([day]) => ["HMGET", [keys.withdrawalDayKey(feed, day), ...names]] as const),
      )
      for (const [i, [day, { value, count }]] of days.entries()) {
        const kept = readFields(names, replies[i])
        if (Object.keys(kept).length === 0) continue
        const expected = `value ${value}, count ${count}`
        const found = `value ${kept.value ?? "0"}, count ${kept.count ?? "0"}`
        if (found !== expected) {
          yield* differs("withdrawal", keys.withdrawalDayKey(feed, day), { expected, found })
        }
      }
    }),
  )
