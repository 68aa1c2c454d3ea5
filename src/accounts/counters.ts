import { Clock, Context, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../actors/ports/store.ts"
import { encodeTime, type Feed } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import type { Counters as CountersResource } from "../../schema/resources/account.ts"
import type { KycStatus } from "../../schema/resources/seller.ts"
import { transactionStatuses } from "../../schema/resources/transaction.ts"
import { withdrawalStatuses } from "../../schema/resources/withdrawal.ts"
import * as keys from "../store/keys.ts"
import { RedisClient, type Reply } from "../store/redis/redisClient.ts"

/** What a dashboard shows as badges (spec 2). */
export class Counters extends Context.Service<
  Counters,
  {
    /** The counters as JSON text, up to 10 s old and the same in every process (spec 4.6). */
    readonly of: (feed: Feed) => Effect.Effect<string, StoreUnavailable>
  }
>()("corrente/accounts/Counters") {}

/** spec 2: `failed_24h`. */
const failedWindowMillis = 24 * 60 * 60 * 1000

const ledgerFields = ["entries", "credits", "debits", "reserve_entries", "withdrawal_entries"] as const

const countsOf = <Status extends string>(
  statuses: ReadonlyArray<Status>,
  replies: ReadonlyArray<Reply>,
): Record<Status, number> =>
  Object.fromEntries(statuses.map((status, i) => [status, Number(replies[i] ?? 0)])) as Record<Status, number>

const counted = (replies: ReadonlyArray<Reply>): CountersResource => {
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

export const CountersLive = Layer.effect(
  Counters,
  Effect.gen(function* () {
    const client = yield* RedisClient

    const count = Effect.fnUntraced(function* ({ sellerId, mode }: Feed) {
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
      return JSON.stringify(counted(replies))
    })

    return Counters.of({
      of: Effect.fnUntraced(function* (feed) {
        const key = keys.countersKey(feed.sellerId, feed.mode)
        const cached = yield* client.call("GET", [key])
        if (cached !== null) return String(cached)
        const fresh = yield* count(feed)
        // Where another process was faster, its counters are the ones that all show.
        const first = yield* client.call("SET", [key, fresh, "NX", "GET", "PX", limits.countersCacheMillis])
        return first === null ? fresh : String(first)
      }),
    })
  }),
)
