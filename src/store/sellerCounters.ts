import { Clock, Effect } from "effect"
import { encodeTime, type Feed } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import type { Counters } from "../../schema/resources/account.ts"
import type { KycStatus } from "../../schema/resources/seller.ts"
import { transactionStatuses } from "../../schema/resources/transaction.ts"
import { withdrawalStatuses } from "../../schema/resources/withdrawal.ts"
import * as keys from "./keys.ts"
import { writeKey } from "./partitions.ts"
import { RedisClient, type Reply } from "./redis/redisClient.ts"

/** The window of `failed_24h`. */
const failedWindowMillis = 24 * 60 * 60 * 1000

const ledgerFields = ["entries", "credits", "debits", "reserve_entries", "withdrawal_entries"] as const

const countsOf = <Status extends string>(
  statuses: ReadonlyArray<Status>,
  replies: ReadonlyArray<Reply>,
): Record<Status, number> =>
  Object.fromEntries(statuses.map((status, i) => [status, Number(replies[i] ?? 0)])) as Record<Status, number>

const counted = (replies: ReadonlyArray<Reply>): Counters => {
  const [kyc, failed, dead, pixKeys, ledger, ...counts] = replies
  const [entries, credits, debits, reserve, withdrawals] = (ledger as ReadonlyArray<string | null>).map(
    Number,
  )
  return {
    webhook_deliveries: { failed_24h: Number(failed), dead: Number(dead) },
    kyc_status: (kyc ?? "none") as KycStatus,
    transactions: countsOf(transactionStatuses, counts),
    withdrawals: countsOf(withdrawalStatuses, counts.slice(transactionStatuses.length)),
    pix_keys: { pending_approval: Number(pixKeys) },
    ledger: {
      entries: entries ?? 0,
      credits: credits ?? 0,
      debits: debits ?? 0,
      reserve: reserve ?? 0,
      withdrawals: withdrawals ?? 0,
    },
  }
}

/** Makes the store of a dashboard's counters, which are read from indexes and cached for all processes. */
export const makeCounterStore = Effect.map(RedisClient, (client) => ({
  /** Reads the counters from the indexes. */
  count: Effect.fnUntraced(function* ({ sellerId, mode }: Feed) {
    const oldest = `[whd_${encodeTime((yield* Clock.currentTimeMillis) - failedWindowMillis)}`
    const attemptsOf = (value: string) => keys.attemptsKey(sellerId, mode, { kind: "status", value })
    const replies = yield* client.callAll([
      ["HGET", [keys.sellerKey(sellerId), "kyc_status"]],
      ["ZLEXCOUNT", [attemptsOf("failed"), oldest, "+"]],
      ["ZCARD", [attemptsOf("dead")]],
      ["ZCARD", [keys.pixKeysKey(sellerId, mode, "pending_approval")]],
      ["HMGET", [keys.balanceKey({ sellerId, mode }), ...ledgerFields]],
      ...transactionStatuses.map(
        (status) => ["ZCARD", [keys.transactionsKey(sellerId, mode, status)]] as const,
      ),
      ...withdrawalStatuses.map(
        (status) => ["ZCARD", [keys.withdrawalsKey(sellerId, mode, status)]] as const,
      ),
    ])
    return counted(replies)
  }),
  /** The cached text; undefined if there is none. */
  kept: ({ sellerId, mode }: Feed) =>
    Effect.map(client.call("GET", [keys.countersKey(sellerId, mode)]), (text) =>
      text === null ? undefined : String(text),
    ),
  /** Caches a text for `countersCacheMillis`; answers the cached one, which another process may have set first. */
  keep: ({ sellerId, mode }: Feed, text: string) => {
    const key = keys.countersKey(sellerId, mode)
    return Effect.map(
      writeKey(client, "SET", key, text, "NX", "GET", "PX", limits.countersCacheMillis),
      (first) => (first === null ? text : String(first)),
    )
  },
}))
