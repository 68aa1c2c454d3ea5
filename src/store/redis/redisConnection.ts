import { Effect } from "effect"
import { Command, Redis } from "ioredis"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { limits } from "../../../schema/limits.ts"
import { type SentinelTarget, type ServerTarget, withoutPassword } from "../../config/redisUrl.ts"
import { watchSentinels } from "./sentinelWatch.ts"

/** A reply as the protocol gives it; callers narrow it. */
export type Reply = string | number | null | ReadonlyArray<Reply>

/** A command's argument. */
export type Argument = string | number | Buffer

/** How a command ends: exactly one of the two methods is called, once. */
export interface Outcome {
  /** `atMillis` is when the reply was there, by `performance.now()`. */
  readonly answered: (reply: Reply, atMillis: number) => void
  readonly failed: (cause: unknown) => void
}

/** For a command whose end nobody needs. */
export const ignored: Outcome = { answered: () => {}, failed: () => {} }

/** A connection to one server. It reconnects by itself. */
export interface RedisConnection {
  /** Sends now or fails: nothing is queued while the server is away, nothing is resent. */
  readonly send: (command: Command, outcome: Outcome) => void
  readonly isReady: () => boolean
  /** How many commands have no answer yet. */
  readonly pending: () => number
  /** Cuts the connection if it has stopped answering. To be called every {@link livenessCheckMillis}. */
  readonly checkLiveness: () => void
}

/** How long closing a connection may take; a server that hangs never closes its side. */
const disconnectMillis = 100
/** How often connections are checked. */
export const livenessCheckMillis = 250
/**
 * A connection that is not ready by then is replaced: the network may have lost it. Each one that follows gets a second more, up to the
 * maximum, because on a slow machine none would ever be ready; more than that, and a server that is back would be found too late.
 */
const handshakeTimeoutMillis = 1_000
const handshakeTimeoutMillisMax = 3_000
/** How long a start waits for a server, which may be loading a large data set. */
export const firstReadyTimeoutMillis = 30_000
/** How often a start tries again where a connection was not open in time: a packet was lost, or this process stalled. */
const slowConnectRetries = 5
/** A Sentinel that does not answer within this time is skipped. */
const sentinelTimeoutMillis = 1_000

/** Options of all our connections: fail fast, reconnect fast, never resend. */
export const connectionOptions = (name: string) => ({
  connectionName: `corrente-${name}`,
  protocol: 2 as const,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  // The subscriber resubscribes: a failure inside ioredis is an unhandled rejection, which ends the process.
  autoResubscribe: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 2_000,
  disconnectTimeout: disconnectMillis,
  // Otherwise a loading server is asked again after its own estimate, a second at least.
  maxLoadingRetryTime: 100,
  keepAlive: 10_000,
  noDelay: true,
  lazyConnect: true,
  retryStrategy: (times: number) => Math.min(50 * times, 500),
})

/** A command whose reply comes as text. */
export const newCommand = (name: string, args: ReadonlyArray<Argument>): Command =>
  new Command(name, args as Array<Argument>, { replyEncoding: "utf8" })

export const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** Whether a failure says that a connection which there was has broken, or that its server is a primary no longer. */
export const saysBroken = (reason: string): boolean =>
  /isn't writeable|max retries per request|Connection is closed|ECONNRESET|EPIPE|^(READONLY|MASTERDOWN|CLUSTERDOWN) /.test(
    reason,
  )

/** The error for whoever set this URL: what is wrong and what to do. */
export const firstFailure = (url: string, cause: unknown): StoreUnavailable => {
  const [at, reason] = [withoutPassword(url), reasonOf(cause)]
  if (/WRONGPASS|NOAUTH|NOPERM|invalid password/i.test(reason)) {
    return new StoreUnavailable({
      operation: "connect",
      reason: `The Redis at ${at} refuses the credentials of REDIS_URL (${reason}). Correct them: redis://user:password@host:port.`,
    })
  }
  return new StoreUnavailable({
    operation: "connect",
    reason: `No Redis answers at ${at} (${reason}). Start it, correct REDIS_URL, or leave REDIS_URL out to run one of our own.`,
  })
}

/** The server of a URL, or the primary that its Sentinels name at every (re)connection. */
export const redisOf = (target: ServerTarget | SentinelTarget, name: string): Redis => {
  const options = connectionOptions(name)
  if (target.kind === "server") return new Redis(target.url, options)
  let hasBeenReady = false
  const tls = target.isTls ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {}
  const redis = new Redis({
    ...options,
    ...tls,
    sentinels: target.sentinels.map((sentinel) => ({ ...sentinel })),
    name: target.masterName,
    db: target.db,
    ...(target.username === undefined ? {} : { username: target.username }),
    ...(target.password === undefined ? {} : { password: target.password }),
    ...(target.sentinelUsername === undefined ? {} : { sentinelUsername: target.sentinelUsername }),
    ...(target.sentinelPassword === undefined ? {} : { sentinelPassword: target.sentinelPassword }),
    sentinelCommandTimeout: sentinelTimeoutMillis,
    // Sentinels announce a new primary at once: the old one may be cut off from them and still answer us.
    failoverDetector: true,
    sentinelReconnectStrategy: () => sentinelTimeoutMillis,
    // The old primary has become a replica; the Sentinels know the new one.
    reconnectOnError: (error) => /^(READONLY|MASTERDOWN)/.test(error.message),
    // Give up at start, with an error; later keep trying.
    sentinelRetryStrategy: (times) => (hasBeenReady ? Math.min(50 * times, 500) : null),
  })
  watchSentinels(redis)
  redis.once("ready", () => {
    hasBeenReady = true
  })
  return redis
}

/**
 * Returns a check that reconnects if the handshake stalls: the server hangs, or the network lost the connection. To be called every
 * {@link livenessCheckMillis}.
 */
export const handshakeCheck = (redis: Pick<Redis, "status" | "disconnect">) => {
  let stalledChecks = 0
  let timeoutMillis = handshakeTimeoutMillis
  return () => {
    if (redis.status === "ready") timeoutMillis = handshakeTimeoutMillis
    stalledChecks = redis.status === "connect" ? stalledChecks + 1 : 0
    if (stalledChecks * livenessCheckMillis < timeoutMillis) return
    stalledChecks = 0
    timeoutMillis = Math.min(timeoutMillis + handshakeTimeoutMillis, handshakeTimeoutMillisMax)
    redis.disconnect(true)
  }
}

/**
 * Returns a check that connects again where ioredis has given up for good. It does so where a failover is announced while it
 * asks the Sentinels for the primary, however well they answer.
 */
const abandonedCheck = (redis: Redis) => () => {
  // The next check tries again.
  if (redis.status === "end") redis.connect().catch(() => {})
}

/** Counts how often a connection has broken from now on, whatever the cause. A count is never late: it precedes reconnecting. */
export const countBreaks = (redis: Redis): (() => number) => {
  let breaks = 0
  redis.on("close", () => {
    breaks += 1
  })
  return () => breaks
}

/** Runs checks every {@link livenessCheckMillis} until the scope closes. */
export const repeatCheck = (...checks: ReadonlyArray<() => void>) => {
  const run = Effect.sync(() => {
    for (const check of checks) check()
  })
  return Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(livenessCheckMillis), run)))
}

/** Whether a connection was not open within `connectTimeout`, which says nothing about the server. */
const isSlowConnect = (error: NodeJS.ErrnoException | undefined): boolean => error?.code === "ETIMEDOUT"

/**
 * Connects and waits until ready; tries again where opening takes too long, and fails at once where the server refuses. A failure
 * says what is wrong and what to do; it shows `url` without its password.
 */
export const openConnection = Effect.fnUntraced(function* (make: () => Redis, url: string) {
  const redis = yield* Effect.acquireRelease(Effect.sync(make), (connection) =>
    Effect.sync(() => connection.disconnect()),
  )
  let lastError: Error | undefined
  let sentinelError: Error | undefined
  // Commands carry errors to callers; without a listener ioredis would print each.
  redis.on("error", (error: Error) => {
    lastError = error
  })
  redis.on("sentinelError", (error: Error) => {
    sentinelError = error
  })
  yield* Effect.tryPromise({
    try: () => redis.connect(),
    // The failure of connect() itself only says that the connection is closed.
    catch: (cause) => firstFailure(url, sentinelError ?? lastError ?? cause),
  }).pipe(
    Effect.retry({ times: slowConnectRetries, while: () => isSlowConnect(lastError) }),
    Effect.timeoutOrElse({
      duration: firstReadyTimeoutMillis,
      orElse: () => Effect.fail(firstFailure(url, `not ready after ${firstReadyTimeoutMillis / 1_000} s`)),
    }),
  )
  yield* repeatCheck(handshakeCheck(redis), abandonedCheck(redis))
  return redis
})

/**
 * Sends over a connection. Commands of one turn of the event loop leave in one write. If the server stops answering (hung
 * server, dead network), the connection is cut so that commands fail: one check for all instead of a timer per command.
 */
export const connectionOn = (redis: Redis): RedisConnection => {
  const stalledMillisMax = limits.redisCommandTimeoutMillis - livenessCheckMillis - disconnectMillis
  const state = { pending: 0, lastProgressMillis: 0, corked: undefined as { uncork: () => void } | undefined }
  const uncork = () => {
    state.corked?.uncork()
    state.corked = undefined
  }
  /** Returns the time. */
  const settled = (): number => {
    state.pending -= 1
    state.lastProgressMillis = performance.now()
    return state.lastProgressMillis
  }
  return {
    send: (command, outcome) => {
      const socket = redis.stream
      if (state.corked === undefined && socket !== undefined) {
        socket.cork()
        state.corked = socket
        setImmediate(uncork)
      }
      if (state.pending === 0) state.lastProgressMillis = performance.now()
      state.pending += 1
      ;(redis.sendCommand(command) as Promise<Reply>).then(
        (reply) => outcome.answered(reply, settled()),
        (cause) => {
          settled()
          outcome.failed(cause)
        },
      )
    },
    isReady: () => redis.status === "ready",
    pending: () => state.pending,
    checkLiveness: () => {
      const stalledMillis = performance.now() - state.lastProgressMillis
      if (state.pending > 0 && stalledMillis > stalledMillisMax) redis.disconnect(true)
    },
  }
}
