import { Effect } from "effect"
import type { Feed } from "../../schema/ids.ts"
import { compareEndpointSeries } from "../store/audit/compareEndpointSeries.ts"
import * as keys from "../store/keys.ts"
import type { RedisClient } from "../store/redis/redisClient.ts"
import { differs } from "./difference.ts"
import { type AuditFailure, forEachPage } from "./reads.ts"
import type { RepairReport } from "./repairReport.ts"

type Client = RedisClient["Service"]

/** Checks that the series of a mode's endpoints have what builds before counted in statistics. */
export const auditEndpointSeries = (client: Client, feed: Feed): Effect.Effect<void, AuditFailure> =>
  forEachPage(client, keys.endpointsKey(feed), (ids) =>
    Effect.gen(function* () {
      for (const id of ids) {
        const [wrong] = yield* compareEndpointSeries(client, id, false)
        if (wrong === undefined) continue
        yield* differs("series", keys.endpointSeriesKey(id, Math.floor(wrong.hour / 24)), {
          expected: `succeeded, failed ${wrong.expected} in hour ${wrong.hour % 24}, as the endpoint's statistics have them`,
          found: wrong.found,
        })
      }
    }),
  )

/** Sets the series of a mode's endpoints to the statistics, where these have more. */
export const repairEndpointSeries = (
  client: Client,
  feed: Feed,
  report: RepairReport,
): Effect.Effect<void, AuditFailure> =>
  forEachPage(client, keys.endpointsKey(feed), (ids) =>
    Effect.gen(function* () {
      for (const id of ids) {
        for (const { hour, found } of yield* compareEndpointSeries(client, id, true)) {
          const key = keys.endpointSeriesKey(id, Math.floor(hour / 24))
          report.counters.push(`${key}: succeeded, failed of hour ${hour % 24} was ${found}`)
        }
      }
    }),
  )
