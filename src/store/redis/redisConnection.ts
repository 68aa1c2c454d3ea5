import { Effect } from "effect"
import { Command, Redis } from "ioredis"
import { StoreUnavailable } from "../../../actors/ports/store.ts"
import { limits } from "../../../schema/limits.ts"
import { type SentinelTarget, type ServerTarget, withoutPassword } from "../../config/redisUrl.ts"

/** A reply as the protocol gives it: commands narrow it, each in its own file. */
export type Reply = string | number | null | ReadonlyArray<Reply>

/** What a command's arguments may be. */
export type Argument = string | number | Buffer

/** How a command ends: one of the two is called, once. */
export interface Outcome {
  readonly answered: (reply: Reply) => void
  readonly failed: (cause: unknown) => void
}

/** A connection to one server. It is made anew by itself whenever it breaks. */
export interface RedisConnection {
  /** Sends now or fails: nothing is queued while the server is away, nothing is sent twice. */
  readonly send: (command: Command, outcome: Outcome) => void
  readonly isReady: () => boolean
  /** Commands without an answer. */
  readonly pending: () => number
  /** Cuts it where it does not answer. To be called every {@link lookMillis}. */
  readonly look: () => void
}

/** How long a closed connection may take to end; a server that hangs never ends its side. */
const disconnectMillis = 100
/** How often connections are looked at. */
export const lookMillis = 250
/** A connection that was made and is not ready by then is made anew: the network may have swallowed it. */
const handshakeTimeoutMillis = 1_000
/** A server that loads a large data set is waited for at start, but not without a word. */
export const firstReadyTimeoutMillis = 30_000
/** A Sentinel that does not answer within this is passed over. */
const sentinelTimeoutMillis = 1_000

/** Options of all our connections: fail fast, reconnect fast, never resend. */
export const connectionOptions = (name: string) => ({
  connectionName: `corrente-${name}`,
  protocol: 2 as const,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  // The subscriber does it: ioredis leaves a failure to nobody, and a rejection that nobody handles ends the process.
  autoResubscribe: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 2_000,
  disconnectTimeout: disconnectMillis,
  // Else a loading server is asked again after its own guess, which is a second at least.
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

/** What the user is told who gave us this URL. */
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

/** The part of ioredis that connects to Sentinels; it declares it private. */
interface SentinelConnections {
  connectToSentinel: (...args: ReadonlyArray<unknown>) => Redis
}

/**
 * Handles what ioredis leaves to nobody on its own connections to Sentinels: it subscribes again after a break, and a
 * rejection that nobody handles ends the process. A Sentinel that does not take the subscription is connected to anew.
 */
const handleSentinelFailures = (redis: Redis): void => {
  const { connector } = redis as unknown as { readonly connector: SentinelConnections }
  const connectToSentinel = connector.connectToSentinel.bind(connector)
  connector.connectToSentinel = (...args) => {
    const sentinel = connectToSentinel(...args)
    // Without a listener ioredis would print each.
    sentinel.on("error", () => {})
    const subscribe = sentinel.subscribe.bind(sentinel) as (
      ...names: ReadonlyArray<unknown>
    ) => Promise<unknown>
    const subscribeOrReconnect = (...names: ReadonlyArray<unknown>) => {
      const subscribed = subscribe(...names)
      subscribed.catch(() => {
        if (sentinel.status === "ready") sentinel.disconnect(true)
      })
      return subscribed
    }
    return Object.assign(sentinel, { subscribe: subscribeOrReconnect })
  }
}

/** The server of a URL, or the primary that its Sentinels name: they are asked at every (re)connection. */
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
    // They tell of another primary at once: the one before may be cut off from them and still answer us.
    failoverDetector: true,
    sentinelReconnectStrategy: () => sentinelTimeoutMillis,
    // The one before has become a replica: the Sentinels know which is the primary now.
    reconnectOnError: (error) => /^(READONLY|MASTERDOWN)/.test(error.message),
    // At the start the user is told; later none that answers is no reason to give up.
    sentinelRetryStrategy: (times) => (hasBeenReady ? Math.min(50 * times, 500) : null),
  })
  handleSentinelFailures(redis)
  redis.once("ready", () => {
    hasBeenReady = true
  })
  return redis
}

/** Makes a connection anew that was made and does not become ready: its server hangs, or the network lost it. */
export const handshakeLook = (redis: Redis) => {
  let looks = 0
  return () => {
    looks = redis.status === "connect" ? looks + 1 : 0
    if (looks * lookMillis < handshakeTimeoutMillis) return
    looks = 0
    redis.disconnect(true)
  }
}

/** Runs a look now and then, until the scope closes. */
export const lookAgainAndAgain = (look: () => void) =>
  Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(lookMillis), Effect.sync(look))))

/** Connects and waits for it; a first failure says what is wrong and what to do. `url` is shown without its password. */
export const openConnection = Effect.fnUntraced(function* (make: () => Redis, url: string) {
  const redis = yield* Effect.acquireRelease(Effect.sync(make), (connection) =>
    Effect.sync(() => connection.disconnect()),
  )
  let lastError: Error | undefined
  let sentinelError: Error | undefined
  // Errors reach callers through their commands; without a listener ioredis would print each.
  redis.on("error", (error: Error) => {
    lastError = error
  })
  redis.on("sentinelError", (error: Error) => {
    sentinelError = error
  })
  yield* Effect.tryPromise({
    try: () => redis.connect(),
    // What connect() itself fails with says no more than that the connection is closed.
    catch: (cause) => firstFailure(url, sentinelError ?? lastError ?? cause),
  }).pipe(
    Effect.timeoutOrElse({
      duration: firstReadyTimeoutMillis,
      orElse: () => Effect.fail(firstFailure(url, `not ready after ${firstReadyTimeoutMillis / 1_000} s`)),
    }),
  )
  yield* lookAgainAndAgain(handshakeLook(redis))
  return redis
})

/**
 * Sends over a connection. Commands of one turn of the event loop leave in one write; a connection that takes commands
 * and answers none (a hung server, a dead network) is cut, so that they fail: one look for all of them instead of a
 * timer a command.
 */
export const connectionOn = (redis: Redis): RedisConnection => {
  const stalledMillisMax = limits.redisCommandTimeoutMillis - lookMillis - disconnectMillis
  const state = { pending: 0, lastProgressMillis: 0, corked: undefined as { uncork: () => void } | undefined }
  const uncork = () => {
    state.corked?.uncork()
    state.corked = undefined
  }
  const settled = () => {
    state.pending -= 1
    state.lastProgressMillis = performance.now()
  }
  return {
    send: (command, { answered, failed }) => {
      const socket = redis.stream
      if (state.corked === undefined && socket !== undefined) {
        socket.cork()
        state.corked = socket
        setImmediate(uncork)
      }
      if (state.pending === 0) state.lastProgressMillis = performance.now()
      state.pending += 1
      ;(redis.sendCommand(command) as Promise<Reply>).then(
        (reply) => {
          settled()
          answered(reply)
        },
        (cause) => {
          settled()
          failed(cause)
        },
      )
    },
    isReady: () => redis.status === "ready",
    pending: () => state.pending,
    look: () => {
      const stalledMillis = performance.now() - state.lastProgressMillis
      if (state.pending > 0 && stalledMillis > stalledMillisMax) redis.disconnect(true)
    },
  }
}
