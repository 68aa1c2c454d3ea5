import { Cause, Clock, Context, Effect, Layer, type Scope } from "effect"
import { makeRegistrar } from "../../../actors/metrics/registrar.ts"
import type { RequestLogStore } from "../../../actors/ports/requestLogStore.ts"
import type { Mode } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { type Load, makeLoad } from "../../load/load.ts"
import { maskSecrets } from "../contract/failure.ts"
import type { LogRefusal } from "../contract/refusalLog.ts"
import { defaultHeadersOf } from "./answer.ts"
import {
  type ConnectionCaps,
  Connections,
  connectionCapsOf,
  openFilesMax,
  readRemoteAddresses,
} from "./connections.ts"
import { type ListenFailed, listen } from "./listen.ts"
import { keepRequestLog } from "./requestLog.ts"
import { RequestMetrics } from "./requestMetrics.ts"
import type { Route } from "./route.ts"
import { register } from "./router.ts"
import { type ReportDefect, RequestIds, ServerState, type ServerTimeouts } from "./serverState.ts"
import { App, closeListenSocket, localPort, type TemplatedApp } from "./uws.ts"

export interface HttpServerOptions {
  readonly host: string
  /** 0 lets the operating system choose; `HttpServer.port` tells which. */
  readonly port: number
  readonly routes: ReadonlyArray<Route>
  /** Whether several processes of the service listen on the same port, which then must not be 0. Default: no. */
  readonly shared?: boolean
  /** Run when draining begins: they tell open streams to reconnect, and end them. */
  readonly drainHooks?: ReadonlyArray<Effect.Effect<void>>
  /** How long requests and streams in progress may delay the end. Default: limits.drainTimeoutMillis. */
  readonly drainTimeoutMillis?: number
  /**
   * How long of it idle connections stay open: the answer to their next request ends them. Closed at once, they would cut a request that
   * is on its way, which its client may not repeat. Default: 0.
   */
  readonly drainLingerMillis?: number
  /** Measures and admits requests. Default: an instance of its own. */
  readonly load?: Load["Service"]
  /** Modes whose acquirer is remote. Default: none. */
  readonly remoteModes?: ReadonlySet<Mode>
  /** Default: limits.bodyTimeoutMillis and limits.requestTimeoutMillis. */
  readonly timeouts?: ServerTimeouts
  /** Default: what the open files allow, and no proxies. */
  readonly connections?: ConnectionOptions
  /** Whether clients reach the service by https, through a proxy. Default: no. */
  readonly isHttps?: boolean
  /** Draws a random number from 0 (inclusive) to 1. Default: Math.random. */
  readonly chance?: () => number
  /** Where sellers' requests are logged. Default: nowhere. */
  readonly requestLog?: RequestLogStore["Service"]
  /** Logs requests that were refused for their credential. Default: nobody does. */
  readonly logRefusal?: LogRefusal
}

/** How many connections are accepted, and from whom. */
export interface ConnectionOptions {
  readonly caps: ConnectionCaps
  /** Addresses and ranges that stand for many clients. */
  readonly trustedProxies: ReadonlyArray<string>
  /** How many processes listen on the port. */
  readonly processes: number
}

const defaultConnections = (): ConnectionOptions => ({
  caps: connectionCapsOf({
    connectionsMax: undefined,
    connectionsPerAddressMax: undefined,
    processes: 1,
    openFilesMax: openFilesMax(),
  }),
  trustedProxies: [],
  processes: 1,
})
/** Admission target of the default `load`, as in the default settings. */
const defaultTargetMillis = 500

const defaultTimeouts: ServerTimeouts = {
  bodyMillis: limits.bodyTimeoutMillis,
  answerMillis: limits.requestTimeoutMillis,
}

/** The listening server. It drains and closes when its scope closes. */
export class HttpServer extends Context.Service<
  HttpServer,
  {
    readonly host: string
    /** The bound port. */
    readonly port: number
    /**
     * Stops accepting connections, answers new requests on open ones with 503 and `Connection: close`, runs the
     * hooks, and returns when nothing is in progress or the time is over. Never fails; a second call waits for the
     * same end.
     */
    readonly drain: Effect.Effect<void>
  }
>()("corrente/http/HttpServer") {
  /** The service for given options; see {@link serve}. */
  static readonly layer = (options: HttpServerOptions): Layer.Layer<HttpServer, ListenFailed> =>
    Layer.effect(HttpServer, serve(options))
}

const makeReporter = (context: Context.Context<never>): ReportDefect => {
  const fork = Effect.runForkWith(context)
  return (what, cause, requestId) => {
    const line = Effect.logError(`${what} died: ${maskSecrets(Cause.pretty(cause))}`)
    fork(requestId === undefined ? line : Effect.annotateLogs(line, "request_id", requestId))
  }
}

const makeServerState = (
  timeouts: ServerTimeouts,
  load: Load["Service"],
  remoteModes: ReadonlySet<Mode> = new Set(),
): Effect.Effect<ServerState, never, Scope.Scope> =>
  Effect.gen(function* () {
    const context = yield* Effect.context()
    const clock = yield* Clock.Clock
    const requestIds = new RequestIds(() => clock.currentTimeMillisUnsafe())
    const metrics = new RequestMetrics(yield* makeRegistrar)
    const state = new ServerState(timeouts, requestIds, makeReporter(context), load, remoteModes, metrics)
    yield* Effect.acquireRelease(
      Effect.sync(() => setInterval(() => state.sweep(), state.sweepMillis)),
      (timer) => Effect.sync(() => clearInterval(timer)),
    )
    return state
  })

const idle = (state: ServerState): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    state.whenIdle(() => resume(Effect.void))
  })

const allLeft = (state: ServerState): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    state.whenLeft(() => resume(Effect.void))
  })

const runHooks = (hooks: ReadonlyArray<Effect.Effect<void>>): Effect.Effect<void> =>
  Effect.forEach(
    hooks,
    (hook) => Effect.catchCause(hook, (cause) => Effect.logError("A drain hook died", cause)),
    { concurrency: "unbounded", discard: true },
  )

const watchConnections = (
  app: TemplatedApp,
  state: ServerState,
  options: ConnectionOptions,
  context: Context.Context<never>,
  portOf: () => number,
): void => {
  const fork = Effect.runForkWith(context)
  const onRefused = (count: number): void => {
    const line = `Refused ${count} connections above CONNECTIONS_MAX or CONNECTIONS_PER_ADDRESS_MAX.`
    fork(Effect.logWarning(line))
  }
  const watch = { ...options, onRefused, readRemoteAddresses: () => readRemoteAddresses(portOf()) }
  new Connections(state, options.caps, watch).watch(app)
}

/**
 * Listens and serves `routes` until the scope closes. Fails with {@link ListenFailed}, whose message names the
 * setting to change. Drain first: closing cuts every socket, answered or not.
 */
export const serve = (
  options: HttpServerOptions,
): Effect.Effect<HttpServer["Service"], ListenFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const { host, routes, shared = false, drainHooks = [] } = options
    const context = yield* Effect.context()
    const drainTimeoutMillis = options.drainTimeoutMillis ?? limits.drainTimeoutMillis
    const state = yield* makeServerState(
      options.timeouts ?? defaultTimeouts,
      options.load ?? (yield* makeLoad(defaultTargetMillis)),
      options.remoteModes,
    )
    state.defaultHeaders = defaultHeadersOf(options.isHttps ?? false)
    if (options.chance !== undefined) state.chance = options.chance
    const connections = options.connections ?? defaultConnections()
    if (options.requestLog !== undefined) {
      state.requestLog = yield* keepRequestLog(options.requestLog, connections.trustedProxies)
    }
    state.logRefusal = options.logRefusal
    const app = App()
    register(app, state, routes)
    let port = 0
    watchConnections(app, state, connections, context, () => port)
    const socket = yield* Effect.acquireRelease(listen(app, host, options.port, shared), () =>
      Effect.sync(() => app.close()),
    )
    port = localPort(socket)
    const drain = yield* Effect.cached(
      Effect.gen(function* () {
        state.draining = true
        closeListenSocket(socket)
        const lingering = Effect.timeoutOption(allLeft(state), options.drainLingerMillis ?? 0)
        yield* Effect.all([runHooks(drainHooks), lingering], { concurrency: 2 }).pipe(
          Effect.andThen(idle(state)),
          Effect.timeoutOption(drainTimeoutMillis),
        )
      }).pipe(Effect.provideContext(context)),
    )
    yield* Effect.addFinalizer(() => drain)
    return { host, port, drain }
  })
