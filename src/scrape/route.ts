import { type Context, Effect } from "effect"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { type ApiError, serviceUnavailable } from "../../schema/errors.ts"
import type { TextReply } from "../http/server/reply.ts"
import type { Route } from "../http/server/route.ts"
import { type AccessRules, makeAccess } from "./access.ts"
import { expositionOf } from "./exposition.ts"
import { mergeReports } from "./merge.ts"
import { type Gauge, type Report, reportOf } from "./series.ts"

/** The metrics of all processes of this machine, merged. */
export interface GatheredReports {
  readonly report: Report
  /** How many processes did not answer in time: their last known values count. */
  readonly silent: number
  /** The number of this process among them; 0 if it is the only one. */
  readonly process: number
}

/** Asks all processes of this machine for their metrics; undefined if nobody could be asked. */
export type GatherReports = Effect.Effect<GatheredReports | undefined>

/** How metrics are scraped. */
export interface ScrapeOptions extends AccessRules {
  /** Default: this process is the only one. */
  readonly gather?: GatherReports | undefined
  /** Metrics that are read from the store. */
  readonly storeGauges: Effect.Effect<Report, StoreUnavailable>
}

/** A scrape is rendered at most this often; meanwhile it is answered from the last rendering. */
export const renderedEveryMillis = 1_000

/** Redis may be away, which must not hide the rest. */
const storeTimeoutMillis = 2_000

const gauge = (name: string, description: string, value: number): Gauge => ({
  kind: "gauge",
  name,
  description,
  labels: {},
  value,
})

const aboutScrape = ({ silent, process }: GatheredReports, isStoreRead: boolean): Report => [
  gauge(
    "corrente_scrape_silent_processes",
    "Processes that did not answer this scrape in time: their last known values count",
    silent,
  ),
  gauge(
    "corrente_scrape_process",
    "Number of the process that answered this scrape; 0 if there is only one",
    process,
  ),
  gauge(
    "corrente_scrape_store_read",
    "1 if the metrics that are read from Redis are in this scrape, else 0",
    isStoreRead ? 1 : 0,
  ),
]

const notGathered = serviceUnavailable("The other processes' metrics could not be gathered. Try again.")

const ownReport: GatherReports = Effect.map(Effect.context<never>(), (context) => ({
  report: reportOf(context),
  silent: 0,
  process: 0,
}))

const scrape = ({ gather = ownReport, storeGauges }: ScrapeOptions) => {
  const stored = storeGauges.pipe(
    Effect.catch((error) => Effect.as(Effect.logDebug(`/metrics: ${error.reason}`), undefined)),
    Effect.timeoutOption(storeTimeoutMillis),
    Effect.map((read) => (read._tag === "Some" ? read.value : undefined)),
  )
  return Effect.gen(function* (): Effect.fn.Return<TextReply, ApiError> {
    const [gathered, read] = yield* Effect.all([gather, stored], { concurrency: 2 })
    if (gathered === undefined) return yield* notGathered
    const reports = [gathered.report, read ?? [], aboutScrape(gathered, read !== undefined)]
    return {
      status: 200,
      text: expositionOf(mergeReports(reports)),
      contentType: "text/plain; version=0.0.4; charset=utf-8",
    }
  })
}

/**
 * `GET /metrics`: what this machine's processes do, in Prometheus' text format (docs/operations.md#metrics), rendered at most once a
 * second. 403 `permission_denied` for whoever may not read it; 503 while the service is overloaded.
 */
export const metricsRoute = (options: ScrapeOptions): Effect.Effect<Route> =>
  Effect.gen(function* (): Effect.fn.Return<Route> {
    const context: Context.Context<never> = yield* Effect.context<never>()
    const refusalOf = makeAccess(options)
    const program = yield* Effect.cachedWithTTL(scrape(options), renderedEveryMillis)
    return {
      method: "GET",
      path: "/metrics",
      paramCount: 0,
      headerNames: [],
      takesAllHeaders: true,
      takesQuery: false,
      takesBody: false,
      secured: true,
      streams: false,
      cors: undefined,
      // It waits for the other processes and for Redis.
      routeClass: "outside",
      asksAcquirer: false,
      sellerOf: undefined,
      start: (incoming) => {
        const refusal = refusalOf(incoming)
        return Effect.runForkWith(context)(refusal === undefined ? program : Effect.fail(refusal))
      },
    }
  })
