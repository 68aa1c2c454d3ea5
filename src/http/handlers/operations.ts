import { Effect } from "effect"
import { Acquirers } from "../../../actors/ports/acquirer.ts"
import { PayoutGate } from "../../../actors/ports/payoutGate.ts"
import { RefundStore } from "../../../actors/ports/refundStore.ts"
import { SweepStore } from "../../../actors/ports/sweepStore.ts"
import type { operationsGroup, ServiceHealth } from "../../../schema/api/operations.ts"
import { modes } from "../../../schema/ids.ts"
import { Scheduler } from "../../scheduler/scheduler.ts"
import { readAuditResult } from "../../store/audit.ts"
import { type DeadDelivery, deadDeliveries } from "../../store/deadDeliveries.ts"
import * as keys from "../../store/keys.ts"
import { RedisClient } from "../../store/redis/redisClient.ts"
import { countWaitingPayouts, readProcesses, readQueue } from "../../store/serviceState.ts"
import { StoreOptions } from "../../store/storeOptions.ts"
import { Readiness } from "../readiness.ts"
import type { GroupHandlers } from "../server/request.ts"
import { Cursors } from "./cursors.ts"
import { orFail, pageOf, pageSize } from "./page.ts"
import { makeSellerNames } from "./sellerNames.ts"

const isoOrNull = (millis: number | undefined): string | null =>
  millis === undefined || millis === 0 ? null : new Date(millis).toISOString()

const shownDelivery = (
  { row, sellerId, mode, resourceId }: DeadDelivery,
  names: ReadonlyMap<string, string>,
): string => {
  const seller = { seller_id: sellerId, seller_name: names.get(sellerId) ?? null }
  const more = { ...seller, mode, resource_id: resourceId ?? null }
  return `${row.slice(0, -1)},${JSON.stringify(more).slice(1)}`
}

/** Reads how the service is, over all processes. */
const makeServiceHealth = Effect.gen(function* () {
  const client = yield* RedisClient
  const { partitions } = yield* StoreOptions
  const readiness = yield* Readiness
  const scheduler = yield* Scheduler
  const sweeps = yield* SweepStore
  const refunds = yield* RefundStore
  const gate = yield* PayoutGate
  const { live } = yield* Acquirers

  return Effect.gen(function* () {
    const nowMillis = yield* sweeps.now
    const checks = yield* readiness.checks
    const deliveries = yield* readQueue(client, partitions, keys.dueKey, nowMillis)
    const timers = yield* readQueue(client, partitions, keys.timersKey, nowMillis)
    const { processes, held } = yield* readProcesses(client, partitions)
    const audit = yield* readAuditResult(client)
    const reason = yield* gate.frozen("live")
    const stuck = yield* refunds.stuck()
    const { completedToMillis, unreadableCount } = yield* sweeps.load(live.account)
    const health: ServiceHealth = {
      object: "service_health",
      status: Object.values(checks).every((check) => typeof check === "string") ? "ok" : "degraded",
      scheduler_lag_seconds:
        Math.max(0, scheduler.lagMillis(yield* Effect.clockWith((clock) => clock.currentTimeMillis))) / 1_000,
      deliveries: { due: deliveries.due, oldest_seconds: deliveries.oldestSeconds },
      timers: { due: timers.due, oldest_seconds: timers.oldestSeconds },
      processes: processes.map((process) => ({
        id: process.id,
        last_heartbeat_at: new Date(process.lastHeartbeatMillis).toISOString(),
        partitions: process.partitions,
        streams: process.streams,
      })),
      partitions: { total: partitions, held },
      open_streams: processes.reduce((sum, { streams }) => sum + streams, 0),
      audit:
        audit === undefined
          ? null
          : {
              ended_at: new Date(audit.endedMillis).toISOString(),
              is_ok: audit.differingCheck === undefined,
              differing_check: audit.differingCheck ?? null,
              oldest_full_at: isoOrNull(audit.oldestFullMillis),
            },
      payouts: {
        is_frozen: reason !== undefined,
        reason: reason ?? null,
        waiting: yield* countWaitingPayouts(client, partitions),
      },
      refunds: {
        stuck: stuck.count,
        oldest_id: stuck.oldest?.id ?? null,
        oldest_since: isoOrNull(stuck.oldest?.sinceMillis),
      },
      sweep: { completed_to: isoOrNull(completedToMillis), unreadable_items: unreadableCount },
    }
    return health
  })
})

/** Routes of what operators watch. */
export const makeOperationsHandlers = Effect.gen(function* () {
  const client = yield* RedisClient
  const { partitions } = yield* StoreOptions
  const cursors = yield* Cursors
  const readHealth = yield* makeServiceHealth
  const namesOf = yield* makeSellerNames

  const handlers: GroupHandlers<typeof operationsGroup> = {
    listDeadDeliveries: Effect.fnUntraced(function* ({ query }) {
      const { limit, cursor, ...filters } = query
      const scope = { list: "dead deliveries", filters }
      const beforeId = yield* orFail(cursors.decode(scope, cursor))
      const size = pageSize(limit)
      const chosen = query.mode === undefined ? modes : [query.mode]
      const found = yield* deadDeliveries(client, partitions, { modes: chosen, beforeId, count: size + 1 })
      const names = yield* namesOf(found)
      return pageOf(
        found,
        size,
        (delivery) => shownDelivery(delivery, names),
        (last) => cursors.encode(scope, last.id),
      )
    }),
    getServiceHealth: () =>
      Effect.map(readHealth, (health) => ({ status: 200, body: JSON.stringify(health) })),
  }
  return handlers
})
