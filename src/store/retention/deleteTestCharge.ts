import { Effect } from "effect"
import { timerNames } from "../../../actors/seller/decisions/transactionTransitions.ts"
import { refundTimers } from "../../../actors/values/refundTimers.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: [
    ...(["transaction", "index", "status_index", "refunds_of", "refund_index"] as const),
    ...(["events", "ledger", "deleted", "base", "timers"] as const),
  ],
  args: [
    ...(["transaction_id", "seller_id", "version", "newest_event", "changed_millis"] as const),
    ...(["retention_millis", "may_have_moved_then_digests", "refund_prefix", "timers_count"] as const),
    "...timers_then_refunds",
  ],
})

/** A refund that goes with its charge, as it was decided on. */
export interface EndedRefund {
  readonly id: string
  readonly version: string
  readonly status: string
  /** Whether the ledger may name it. */
  readonly isInLedger: boolean
}

/** A charge that has ended, as it was decided on. */
export interface EndedCharge {
  readonly id: string
  readonly version: string
  readonly status: string
  /** The newest event of the charge and its refunds. */
  readonly newestEvent: string
  /** When one of them changed last, in ms of the streams. */
  readonly changedMillis: number
  readonly isInLedger: boolean
  /** By which it is found. */
  readonly digests: ReadonlyArray<string>
  /** All of them. */
  readonly refunds: ReadonlyArray<EndedRefund>
}

const flag = (is: boolean): string => (is ? "1" : "0")

const timersOf = ({ id, refunds }: EndedCharge): ReadonlyArray<string> => [
  ...Object.values(timerNames).map((name) => `${id}:${name}`),
  ...refunds.flatMap((refund) => Object.values(refundTimers).map((name) => `${refund.id}:${name}`)),
]

/** Deletes a charge of a seller's test mode with its refunds: `deleted`, or refused as `stale`. */
export const deleteTestCharge = (
  client: RedisClient["Service"],
  retentionMillis: number,
  sellerId: string,
  charge: EndedCharge,
) => {
  const feed = { sellerId, mode: "test" } as const
  const tag = keys.tagOf(sellerId)
  const timers = timersOf(charge)
  return Effect.flatMap(
    callFunction(
      client,
      declaration,
      {
        transaction: keys.transactionKey(charge.id),
        index: keys.transactionsKey(sellerId, feed.mode),
        status_index: keys.transactionsKey(sellerId, feed.mode, charge.status),
        refunds_of: keys.refundsOfKey(charge.id),
        refund_index: keys.refundsKey(sellerId, feed.mode),
        events: keys.eventsKey(feed),
        ledger: keys.ledgerKey(feed),
        deleted: keys.ledgerDeletedKey(feed),
        base: keys.ledgerBaseKey(feed),
        timers: keys.timersKey(tag),
      },
      {
        transaction_id: charge.id,
        seller_id: sellerId,
        version: charge.version,
        newest_event: charge.newestEvent,
        changed_millis: charge.changedMillis,
        retention_millis: retentionMillis,
        may_have_moved_then_digests: [flag(charge.isInLedger), ...charge.digests].join(" "),
        refund_prefix: keys.refundPrefix(tag),
        timers_count: timers.length,
        timers_then_refunds: [
          ...timers,
          ...charge.refunds.flatMap(({ id, version, status, isInLedger }) => [
            ...[id, version, status],
            flag(isInLedger),
          ]),
        ],
      },
    ),
    readKind(declaration, { deleted: "deleted", stale: "stale" }),
  )
}
