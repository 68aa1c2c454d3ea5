import { Deferred, Effect, Layer, Schedule } from "effect"
import { EndpointActors } from "../../actors/endpoint/endpointActor.ts"
import { Acquirers } from "../../actors/ports/acquirer.ts"
import { RequestLogStore } from "../../actors/ports/requestLogStore.ts"
import { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { api } from "../../schema/api/index.ts"
import { modes } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import type { SettingsShape } from "../config/settingsShape.ts"
import { FeedHub } from "../feed/hub.ts"
import { pagesFolder } from "../http/app/buildFiles.ts"
import { readPagesBuild } from "../http/app/pagesBuild.ts"
import { appRoutes } from "../http/app/routes.ts"
import { bindApi } from "../http/contract/bind.ts"
import { makeKeyLimit } from "../http/contract/quota.ts"
import { makeRefusalLog } from "../http/contract/refusalLog.ts"
import { makeFileStreams } from "../http/handlers/fileStream.ts"
import { makeHandlers } from "../http/handlers/index.ts"
import { paymentRoutes } from "../http/pay/routes.ts"
import { connectionCapsOf, openFilesMax } from "../http/server/connections.ts"
import { documentRoutes } from "../http/server/documents.ts"
import { serve } from "../http/server/server.ts"
import { Load } from "../load/load.ts"
import { OwnAddress } from "../mail/ownAddress.ts"
import { Scheduler } from "../scheduler/scheduler.ts"
import { type GatherReports, metricsRoute } from "../scrape/route.ts"
import { makeStoreGauges } from "../scrape/storeGauges.ts"
import { ServiceLive } from "../service.ts"
import { cutWriteProblem, durabilityProblem, replicasProblem } from "../store/redis/durability.ts"
import { RedisClient } from "../store/redis/redisClient.ts"
import { saysBroken } from "../store/redis/redisConnection.ts"
import { TracesLive } from "../tracing/tracesLive.ts"
import type { Shutdown } from "./shutdown.ts"
import { version } from "./version.ts"

/** How a process serves. */
export interface ServingOptions {
  readonly redisUrl: string
  /** Whether other processes of the service listen on the same port, which then must not be 0. */
  readonly isShared: boolean
  /** Whether to warn of what is amiss on this machine; one of its processes does. */
  readonly warns: boolean
  /** How to get the metrics of all processes of this machine. Default: this is the only one. */
  readonly gatherReports?: GatherReports
  /** Runs when the server listens, before `Shutdown.listening` is done. */
  readonly onListening: (address: { readonly host: string; readonly port: number }) => Effect.Effect<void>
}

/** Streams get `reconnect`, requests finish, partitions are handed over, running attempts end. */
const drain = (http: { readonly drain: Effect.Effect<void> }) =>
  Effect.gen(function* () {
    const scheduler = yield* Scheduler
    const endpoints = yield* EndpointActors
    yield* Effect.all([http.drain, Effect.andThen(scheduler.stop, endpoints.drain)], { concurrency: 2 }).pipe(
      Effect.timeoutOption(limits.drainTimeoutMillis),
    )
  })

const remoteModes = Effect.map(
  Acquirers,
  (acquirers) => new Set(modes.filter((mode) => !acquirers[mode].isLocal)),
)

const warnOfRedis = Effect.fnUntraced(function* ({ replication }: SettingsShape) {
  const client = yield* RedisClient
  const problem = yield* durabilityProblem(client)
  if (problem !== undefined && problem !== "skipped") yield* Effect.logWarning(problem)
  const cutWrites = yield* cutWriteProblem(client)
  if (cutWrites !== undefined) yield* Effect.logWarning(cutWrites)
  const replicas = yield* replicasProblem(client, replication?.replicas ?? 0)
  if (replicas !== undefined) yield* Effect.logWarning(replicas)
})

const run = (settings: SettingsShape, options: ServingOptions, { stop, listening }: Shutdown) =>
  Effect.gen(function* () {
    const pages = readPagesBuild(pagesFolder)
    if (options.warns) {
      yield* warnOfRedis(settings)
      if (pages === undefined) yield* Effect.logWarning("/app is not served: build it with `npm run build`.")
    }
    const feedHub = yield* FeedHub
    const limit = yield* makeKeyLimit(settings.apiRateLimitPerSecond)
    const openFile = yield* makeFileStreams
    const routes = [
      ...(yield* bindApi(api, yield* makeHandlers(version, openFile), limit)),
      ...appRoutes(pages, settings.publicUrl),
      ...documentRoutes(settings.publicUrl, `http://127.0.0.1:${settings.port}`),
      ...(yield* paymentRoutes(settings.trustedProxies, openFile)),
      yield* metricsRoute({
        token: settings.metricsToken,
        isProduction: settings.environment === "production",
        gather: options.gatherReports,
        storeGauges: yield* makeStoreGauges,
      }),
    ]
    const http = yield* serve({
      host: settings.host,
      port: settings.port,
      routes,
      shared: options.isShared,
      drainHooks: [feedHub.drain],
      drainLingerMillis: limits.drainLingerMillis,
      load: yield* Load,
      isHttps: settings.publicUrl?.startsWith("https:") ?? false,
      connections: {
        caps: connectionCapsOf({ ...settings, openFilesMax: openFilesMax() }),
        trustedProxies: settings.trustedProxies,
        processes: settings.processes,
      },
      remoteModes: yield* remoteModes,
      requestLog: yield* RequestLogStore,
      logRefusal: yield* makeRefusalLog(settings.trustedProxies),
    })
    yield* (yield* OwnAddress).listensAt(http.port)
    yield* options.onListening(http)
    yield* Deferred.succeed(listening, undefined)
    const signal = yield* Deferred.await(stop)
    yield* Effect.logInfo(`${signal}: draining`)
    yield* drain(http)
  })

/** How long a start that was interrupted tries again, and how often. A failover takes some seconds. */
const startAgain = Schedule.spaced("500 millis").pipe(Schedule.upTo({ duration: "30 seconds" }))

/**
 * Begins a start anew where a connection to Redis breaks while it is under way, as in a failover: nobody has been served yet. A start
 * that never reached Redis fails at once.
 */
const withoutBreaks = <A, E, R>(start: Effect.Effect<A, E, R>, { listening }: Shutdown) =>
  Effect.suspend(() => {
    let wasBroken = false
    const mayBeginAnew = (error: E) => {
      if (!(error instanceof StoreUnavailable) || Deferred.isDoneUnsafe(listening)) return false
      if (wasBroken) return true
      wasBroken = saysBroken(error.reason)
      if (!wasBroken) return false
      return Effect.as(
        Effect.logWarning(
          `${error.operation}: ${error.reason}. Redis broke the connection: the start begins anew.`,
        ),
        true,
      )
    }
    return Effect.retry(start, { while: mayBeginAnew, schedule: startAgain })
  })

/** Serves in this process until asked to stop, then drains. Fails if it cannot start. */
export const serveUntilStopped = (settings: SettingsShape, options: ServingOptions, shutdown: Shutdown) =>
  withoutBreaks(
    Effect.scoped(run(settings, options, shutdown)).pipe(
      Effect.provide(
        ServiceLive(settings, options.redisUrl).pipe(
          Layer.provideMerge(TracesLive(settings.traces, version)),
        ),
      ),
    ),
    shutdown,
  )
