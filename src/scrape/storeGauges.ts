import { Effect } from "effect"
import { Acquirers } from "../../actors/ports/acquirer.ts"
import { ExceptionStore } from "../../actors/ports/exceptionStore.ts"
import { PayoutGate } from "../../actors/ports/payoutGate.ts"
import { RefundStore } from "../../actors/ports/refundStore.ts"
import { SweepStore } from "../../actors/ports/sweepStore.ts"
import { exceptionKinds } from "../../schema/resources/exception.ts"
import * as keys from "../store/keys.ts"
import { RedisClient } from "../store/redis/redisClient.ts"
import { StoreOptions } from "../store/storeOptions.ts"
import type { Gauge, Report } from "./series.ts"

const gauge = (
  name: string,
  description: string,
  value: number,
  labels: Readonly<Record<string, string>> = {},
): Gauge => ({ kind: "gauge", name, description, labels, value })

/** How much of a queue of all partitions is due, from the replies to ZCOUNT and ZRANGE of each. */
const dueGauges = (queue: string, replies: ReadonlyArray<unknown>, nowMillis: number): Report => {
  let due = 0
  let oldestMillis = nowMillis
  for (const reply of replies) {
    if (!Array.isArray(reply)) due += Number(reply)
    else if (reply.length > 0) oldestMillis = Math.min(oldestMillis, Number(reply[1]))
  }
  const labels = { queue }
  return [
    gauge("corrente_due", "What is due now: destinations with deliveries, and timers", due, labels),
    gauge(
      "corrente_due_oldest_seconds",
      "How long the oldest of what is due has been due",
      (nowMillis - oldestMillis) / 1_000,
      labels,
    ),
  ]
}

/**
 * Makes the readers of the gauges that are the same for every process: they are read from Redis when a scrape is rendered, one after
 * the other. A read asks each partition; all reads at once would hold the event loop for a thousand commands.
 */
export const makeStoreGauges = Effect.gen(function* () {
  const client = yield* RedisClient
  const { partitions } = yield* StoreOptions
  const exceptions = yield* ExceptionStore
  const sweeps = yield* SweepStore
  const refunds = yield* RefundStore
  const gate = yield* PayoutGate
  const { live } = yield* Acquirers
  const tags = Array.from({ length: partitions }, (_, partition) => keys.partitionTag(partition))

  const due = Effect.fnUntraced(function* (queue: string, keyOf: (tag: string) => string) {
    const nowMillis = yield* sweeps.now
    const replies = yield* client.callAll(
      tags.flatMap((tag) => [
        ["ZCOUNT", [keyOf(tag), "-inf", nowMillis]] as const,
        ["ZRANGE", [keyOf(tag), 0, 0, "WITHSCORES"]] as const,
      ]),
    )
    return dueGauges(queue, replies, nowMillis)
  })

  const openExceptions = Effect.forEach(exceptionKinds, (kind) =>
    Effect.map(exceptions.countOpen([kind]), (open) =>
      gauge("corrente_exceptions_open", "Open exceptions of live, by kind", open, { kind }),
    ),
  )

  const payouts = Effect.gen(function* () {
    const reason = yield* gate.frozen("live")
    const counts = yield* client.callAll(
      tags.map((tag) => ["ZCARD", [keys.partitionWithdrawalsKey(tag, "live", "approved")]] as const),
    )
    const waiting = counts.reduce((sum: number, count) => sum + Number(count), 0)
    return [
      gauge(
        "corrente_payouts_frozen",
        "1 while payouts and refunds of live are frozen, else 0",
        reason ? 1 : 0,
      ),
      gauge(
        "corrente_payouts_waiting",
        "Approved withdrawals of live that are not handed to the acquirer yet; a freeze holds them",
        waiting,
      ),
    ]
  })

  const stuckRefunds = Effect.gen(function* () {
    const nowMillis = yield* sweeps.now
    const { count, oldest } = yield* refunds.stuck()
    return [
      gauge(
        "corrente_refunds_stuck",
        "Refunds of live that are processing for longer than PAYOUT_STUCK_SECONDS",
        count,
      ),
      gauge(
        "corrente_refunds_stuck_oldest_seconds",
        "How long the oldest of the stuck refunds has been processing",
        oldest === undefined ? 0 : Math.max(0, nowMillis - oldest.sinceMillis) / 1_000,
      ),
    ]
  })

  const sweep = Effect.map(sweeps.load(live.account), ({ completedToMillis, unreadableCount }) => [
    gauge(
      "corrente_sweep_completed_at_seconds",
      "Unix time, by Redis' clock, up to which the acquirer's books were last compared with ours; 0 before the first sweep",
      completedToMillis / 1_000,
    ),
    gauge(
      "corrente_sweep_unreadable_items",
      "Items of the acquirer's books that the last sweep could not read and no operator has accepted",
      unreadableCount,
    ),
  ])

  return Effect.map(
    Effect.all([
      due("deliveries", keys.dueKey),
      due("timers", keys.timersKey),
      openExceptions,
      payouts,
      stuckRefunds,
      sweep,
    ]),
    (gauges): Report => gauges.flat(),
  )
})
