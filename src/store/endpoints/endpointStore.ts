import { Clock, Effect, Layer } from "effect"
import { type EndpointScope, EndpointStore } from "../../../actors/ports/endpointStore.ts"
import { encodeTime } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { type MissedStep, oweMissed } from "../deliveries/oweMissed.ts"
import { recoverDeliveries } from "../deliveries/recoverDeliveries.ts"
import { isBefore } from "../events/eventLog.ts"
import * as keys from "../keys.ts"
import { RedisClient, type Reply } from "../redis/redisClient.ts"
import { StoreOptions } from "../storeOptions.ts"
import { deleteEndpoint } from "./deleteEndpoint.ts"
import { rangeWithin, readOutages } from "./outages.ts"
import { pingEndpoint } from "./pingEndpoint.ts"
import { rotateEndpointSecret } from "./rotateEndpointSecret.ts"
import { shownFields, updateEndpoint } from "./updateEndpoint.ts"
import { waitingEvents } from "./waitingEvents.ts"

const hourMillis = 60 * 60 * 1000

/** Sums the counts of the hours in the window. */
const sumHours = (values: ReadonlyArray<string>, nowMillis: number) => {
  const oldest = Math.floor(nowMillis / hourMillis) - limits.endpointStatsHours
  const sum = { attempts: 0, successes: 0 }
  for (let i = 0; i + 1 < values.length; i += 2) {
    const [hour, kind] = (values[i] ?? "").split(":")
    if (Number(hour) < oldest) continue
    if (kind === "ok") sum.successes += Number(values[i + 1])
    else sum.attempts += Number(values[i + 1])
  }
  return sum
}

const compareEntries = (a: string, b: string): number => (isBefore(a, b) ? -1 : 1)

const millisOf = (text: string | undefined): number | undefined => (text ? Number(text) : undefined)

/** Webhook endpoints on Redis. */
export const EndpointStoreLive = Layer.effect(
  EndpointStore,
  Effect.gen(function* () {
    const client = yield* RedisClient
    const options = yield* StoreOptions
    const requeue = recoverDeliveries(client)
    const owe = oweMissed(client, options)

    const get = Effect.fnUntraced(function* ({ feed, endpointId }: EndpointScope) {
      const [score, values] = yield* client.callAll([
        ["ZSCORE", [keys.endpointsKey(feed), endpointId]],
        ["HGETALL", [keys.destinationKey(endpointId)]],
      ])
      return score === null ? undefined : shownFields(endpointId, values as ReadonlyArray<string>)
    })

    /** A batch of attempts of the index, from an id on: the entries they are of, and the last attempt's id. */
    const entriesAfter = Effect.fnUntraced(function* (index: string, from: string, to: string) {
      const range = [index, from, to, "BYLEX", "LIMIT", 0, limits.recoverBatchMax]
      const attemptIds = (yield* client.call("ZRANGE", range)) as ReadonlyArray<string>
      const entries = yield* client.callAll(
        attemptIds.map((id) => ["HGET", [keys.attemptKey(id), "entry"]] as const),
      )
      return {
        lastId: attemptIds.at(-1),
        entries: entries.filter((entry: Reply) => entry !== null).map(String),
      }
    })

    const recover: EndpointStore["Service"]["recover"] = Effect.fnUntraced(function* (scope, window) {
      const { sellerId, mode } = scope.feed
      const index = keys.attemptsKey(sellerId, mode, { kind: "endpoint", value: scope.endpointId })
      const to = `(whd_${encodeTime(window.toMillis + 1)}`
      const seen = new Set<string>()
      let queued = 0
      let from: string | undefined = `[whd_${encodeTime(window.fromMillis)}`
      while (from !== undefined) {
        const batch: { readonly lastId: string | undefined; readonly entries: ReadonlyArray<string> } =
          yield* entriesAfter(index, from, to)
        // A delivery has one attempt for each failure.
        const fresh = [...new Set(batch.entries)].filter((entry) => !seen.has(entry)).sort(compareEntries)
        for (const entry of fresh) seen.add(entry)
        if (fresh.length > 0) queued += yield* requeue(scope, fresh)
        from = batch.lastId === undefined ? undefined : `(${batch.lastId}`
      }
      return queued
    })

    const recoverMissed: EndpointStore["Service"]["recoverMissed"] = Effect.fnUntraced(
      function* (scope, window, pause) {
        const fields = yield* client.call("HMGET", [
          keys.destinationKey(scope.endpointId),
          ...["outages", "created_at"],
        ])
        const [outages, createdAt] = fields as ReadonlyArray<string | null>
        let missed = 0
        for (const outage of readOutages(outages ?? undefined)) {
          const range = rangeWithin(outage, window, Date.parse(createdAt ?? ""))
          let from = range?.from
          while (range !== undefined && from !== undefined) {
            const step: MissedStep = yield* owe(scope, from, range.to)
            missed += step.owed
            from = step.lastEntryId === undefined ? undefined : `(${step.lastEntryId}`
            yield* pause
          }
        }
        return missed
      },
    )

    return EndpointStore.of({
      get,
      update: updateEndpoint(client),
      delete: deleteEndpoint(client, options),
      rotateSecret: rotateEndpointSecret(client),
      ping: pingEndpoint(client, options),
      stats: Effect.fnUntraced(function* (scope) {
        const fields = yield* get(scope)
        if (fields === undefined) return undefined
        const values = yield* client.call("HGETALL", [keys.endpointStatsKey(scope.endpointId)])
        const nowMillis = yield* Clock.currentTimeMillis
        const { last_ping_at, last_ping_ok } = fields
        return {
          ...sumHours(values as ReadonlyArray<string>, nowMillis),
          lastPingAtMillis: millisOf(last_ping_at),
          lastPingSucceeded: last_ping_ok === undefined ? undefined : last_ping_ok === "1",
        }
      }),
      waiting: waitingEvents(client),
      recover,
      recoverMissed,
    })
  }),
)
