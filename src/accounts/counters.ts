import { Clock, Context, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../actors/ports/store.ts"
import { encodeTime, type Feed } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import type { Counters as CountersResource } from "../../schema/resources/account.ts"
import type { KycStatus } from "../../schema/resources/seller.ts"
import { transactionStatuses } from "../../schema/resources/transaction.ts"
import * as keys from "../store/keys.ts"
import { RedisClient, type Reply } from "../store/redisClient.ts"

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

/** Nothing of these exists yet, so there is nothing to count. */
const absent = {
  pix_keys: { pending_approval: 0 },
  withdrawals: {
    awaiting: 0,
    approved: 0,
    rejected: 0,
    processing: 0,
    successful: 0,
    failed: 0,
    cancelled: 0,
  },
  ledger: { entries: 0, credits: 0, debits: 0, reserve: 0, withdrawals: 0 },
}

const counted = (replies: ReadonlyArray<Reply>): CountersResource => {
  const [kyc, failed, dead, ...transactions] = replies
  const counts = Object.fromEntries(transactionStatuses.map((status, i) => [status, Number(transactions[i])]))
  return {
    webhook_deliveries: { failed_24h: Number(failed), dead: Number(dead) },
    kyc_status: (kyc ?? "none") as KycStatus,
    transactions: counts as CountersResource["transactions"],
    ...absent,
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
        ...transactionStatuses.map(
          (status) => ["ZCARD", [keys.transactionsKey(sellerId, mode, status)]] as const,
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
