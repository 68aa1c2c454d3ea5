import { Effect } from "effect"
import { withdrawalTimers } from "../../../actors/seller/decisions/withdrawalTransitions.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: [
    ...(["withdrawal", "index", "status_index", "partition_index", "balance"] as const),
    ...(["events", "ledger", "deleted", "base", "timers"] as const),
  ],
  args: [
    ...(["withdrawal_id", "seller_id", "version", "newest_event", "changed_millis"] as const),
    ...(["retention_millis", "...timers"] as const),
  ],
})

/** A withdrawal that has ended, as it was decided on. */
export interface EndedWithdrawal {
  readonly id: string
  readonly version: string
  readonly status: string
  readonly newestEvent: string
  /** When it changed last, in ms of the streams. */
  readonly changedMillis: number
}

/** Deletes a withdrawal of a seller's test mode: `deleted`, or refused as `stale`. */
export const deleteTestWithdrawal = (
  client: RedisClient["Service"],
  retentionMillis: number,
  sellerId: string,
  { id, version, status, newestEvent, changedMillis }: EndedWithdrawal,
) => {
  const feed = { sellerId, mode: "test" } as const
  const tag = keys.tagOf(sellerId)
  return Effect.flatMap(
    callFunction(
      client,
      declaration,
      {
        withdrawal: keys.withdrawalKey(id),
        index: keys.withdrawalsKey(sellerId, feed.mode),
        status_index: keys.withdrawalsKey(sellerId, feed.mode, status),
        partition_index: keys.partitionWithdrawalsKey(tag, feed.mode, status),
        balance: keys.balanceKey(feed),
        events: keys.eventsKey(feed),
        ledger: keys.ledgerKey(feed),
        deleted: keys.ledgerDeletedKey(feed),
        base: keys.ledgerBaseKey(feed),
        timers: keys.timersKey(tag),
      },
      {
        withdrawal_id: id,
        seller_id: sellerId,
        version,
        newest_event: newestEvent,
        changed_millis: changedMillis,
        retention_millis: retentionMillis,
        timers: Object.values(withdrawalTimers).map((name) => `${id}:${name}`),
      },
    ),
    readKind(declaration, { deleted: "deleted", stale: "stale" }),
  )
}
