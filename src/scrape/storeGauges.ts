import { Effect } from "effect"
import { Acquirers } from "../../actors/ports/acquirer.ts"
import { PayoutGate } from "../../actors/ports/payoutGate.ts"
import { SweepStore } from "../../actors/ports/sweepStore.ts"
import { exceptionKinds } from "../../schema/resources/exception.ts"
import * as keys from "../store/keys.ts"
import { countDue, type DueCount } from "../store/partitions.ts"
import { RedisClient } from "../store/redis/redisClient.ts"
import { StoreOptions } from "../store/storeOptions.ts"
import type { Gauge, Report } from "./series.ts"

const gauge = (
  name: string,
  description: string,
  value: number,
  labels: Readonly<Record<string, string>> = {},
): Gauge => ({ kind: "gauge", name, description, labels, value })

const dueOf = (queue: string, { due, oldestMillis }: DueCount): Report => [
  gauge("corrente_due", "What is due now: destinations with deliveries, and timers", due, { queue }),
  gauge(
    "corrente_due_oldest_seconds",
    "How long the oldest of what is due has been due",
    oldestMillis / 1_000,
    {
      queue,
    },
  ),
]

const stuckRefundsOf = ({ due, oldestMillis }: DueCount): Report => [
  gauge(
    "corrente_refunds_stuck",
    "Refunds of live that are processing for longer than PAYOUT_STUCK_SECONDS",
    due,
  ),
  gauge(
    "corrente_refunds_stuck_oldest_seconds",
    "How long the oldest of the stuck refunds has been processing",
    oldestMillis / 1_000,
  ),
]

const waitingPayoutsOf = ({ due }: DueCount): Report => [
  gauge(
    "corrente_payouts_waiting",
    "Approved withdrawals of live that are not handed to the acquirer yet; a freeze holds them",
    due,
  ),
]

/** The sorted sets that each partition has, by its tag, and the gauges of one over all partitions. */
const sets: ReadonlyArray<{
  readonly keyOf: (tag: string) => string
  readonly gaugesOf: (total: DueCount) => Report
}> = [
  { keyOf: keys.dueKey, gaugesOf: (total) => dueOf("deliveries", total) },
  { keyOf: keys.timersKey, gaugesOf: (total) => dueOf("timers", total) },
  { keyOf: keys.stuckRefundsKey, gaugesOf: stuckRefundsOf },
  {
    keyOf: (tag) => keys.partitionWithdrawalsKey(tag, "live", "approved"),
    gaugesOf: waitingPayoutsOf,
  },
  ...exceptionKinds.map((kind) => ({
    keyOf: (tag: string) => keys.exceptionsOfKindKey(tag, "open", kind, "live"),
    gaugesOf: ({ due }: DueCount): Report => [
      gauge("corrente_exceptions_open", "Open exceptions of live, by kind", due, { kind }),
    ],
  })),
]

const totalOf = (counts: ReadonlyArray<DueCount>): DueCount => ({
  due: counts.reduce((sum, { due }) => sum + due, 0),
  oldestMillis: Math.max(0, ...counts.map(({ oldestMillis }) => oldestMillis)),
})

/** Makes the reader of the gauges that are the same for every process. It reads them from Redis when a scrape is rendered. */
export const makeStoreGauges = Effect.gen(function* () {
  const client = yield* RedisClient
  const { partitions } = yield* StoreOptions
  const sweeps = yield* SweepStore
  const gate = yield* PayoutGate
  const { live } = yield* Acquirers
  const tags = Array.from({ length: partitions }, (_, partition) => keys.partitionTag(partition))

  // One call for all; with a cluster one a partition, as each lies in a slot of its own.
  const groups = client.isCluster ? tags.map((tag) => [tag]) : [tags]
  const keysOf = (tag: string) => sets.map(({ keyOf }) => keyOf(tag))

  const due = Effect.map(
    Effect.forEach(groups, (group) => countDue(client, group.flatMap(keysOf)), { concurrency: "unbounded" }),
    (counts) =>
      sets.flatMap(({ gaugesOf }, i) =>
        gaugesOf(totalOf(counts.flat().filter((_, at) => at % sets.length === i))),
      ),
  )

  const freeze = Effect.map(gate.frozen("live"), (reason) => [
    gauge(
      "corrente_payouts_frozen",
      "1 while payouts and refunds of live are frozen, else 0",
      reason ? 1 : 0,
    ),
  ])

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
    Effect.all([due, freeze, sweep], { concurrency: "unbounded" }),
    (gauges): Report => gauges.flat(),
  )
})
