import { Context, Effect, Layer, type Scope } from "effect"
import { Command, Redis } from "ioredis"
import { StoreUnavailable } from "../../actors/ports/store.ts"
import { limits } from "../../schema/limits.ts"

/** A reply as the protocol gives it: commands narrow it, each in its own file. */
export type Reply = string | number | null | ReadonlyArray<Reply>

/** What a command's arguments may be. */
export type Argument = string | number | Buffer

/** A command's name and its arguments. */
export type RedisCommand = readonly [name: string, args: ReadonlyArray<Argument>]

/**
 * The connection that commands go over. Commands of one turn of the event loop leave in one write.
 * A broken connection fails what is in flight at once (unknown, rule 7); nothing is queued while Redis is away and
 * nothing is sent twice behind our back.
 */
export class RedisClient extends Context.Service<
  RedisClient,
  {
    readonly call: (command: string, args: ReadonlyArray<Argument>) => Effect.Effect<Reply, StoreUnavailable>
    /** Several commands in one write; replies in order. Fails with the first that failed. */
    readonly callAll: (
      commands: ReadonlyArray<RedisCommand>,
    ) => Effect.Effect<ReadonlyArray<Reply>, StoreUnavailable>
    readonly isReady: () => boolean
    /** Runs `listener` at every (re)connection, and now if connected. */
    readonly onReady: (listener: () => void) => Effect.Effect<void, never, Scope.Scope>
  }
>()("corrente/store/RedisClient") {}

/** How long a closed connection may take to end; a server that hangs never ends its side. */
const disconnectMillis = 100
/** How often connections are looked at. */
const lookMillis = 250
/** A connection that was made and is not ready by then is made anew: the network may have swallowed it. */
const handshakeTimeoutMillis = 1_000
/** A server that loads a large data set is waited for at start, but not without a word. */
const firstReadyTimeoutMillis = 30_000

/** Options of all our connections: fail fast, reconnect fast, never resend. */
const connectionOptions = (name: string) => ({
  connectionName: `corrente-${name}`,
  protocol: 2 as const,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  autoResubscribe: true,
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

/** What the user is told who gave us this URL. */
const firstFailure = (url: string, cause: unknown): StoreUnavailable => {
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

/** Makes a connection anew that was made and does not become ready: its server hangs, or the network lost it. */
const watchHandshake = (redis: Redis) =>
  Effect.gen(function* () {
    let looks = 0
    while (true) {
      yield* Effect.sleep(lookMillis)
      looks = redis.status === "connect" ? looks + 1 : 0
      if (looks * lookMillis < handshakeTimeoutMillis) continue
      looks = 0
      redis.disconnect(true)
    }
  })

/** Opens a connection and waits for it; a first failure says what is wrong and what to do. */
export const openConnection = Effect.fnUntraced(function* (url: string, name: string) {
  const redis = yield* Effect.acquireRelease(
    Effect.sync(() => new Redis(url, connectionOptions(name))),
    (connection) => Effect.sync(() => connection.disconnect()),
  )
  let lastError: Error | undefined
  // Errors reach callers through their commands; without a listener ioredis would print each.
  redis.on("error", (error: Error) => {
    lastError = error
  })
  yield* Effect.tryPromise({
    try: () => redis.connect(),
    // What connect() itself fails with says no more than that the connection is closed.
    catch: (cause) => firstFailure(url, lastError ?? cause),
  }).pipe(
    Effect.timeoutOrElse({
      duration: firstReadyTimeoutMillis,
      orElse: () => Effect.fail(firstFailure(url, `not ready after ${firstReadyTimeoutMillis / 1_000} s`)),
    }),
  )
  yield* Effect.forkScoped(watchHandshake(redis))
  return redis
})

/** The URL as it may be shown. */
export const withoutPassword = (url: string): string => url.replace(/\/\/[^@/]*@/, "//")

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/**
 * Cuts a connection that takes commands and answers none (a hung server, a dead network), so that they fail.
 * One look for all of them instead of a timer a command.
 */
const watchProgress = (redis: Redis, state: { pending: number; lastProgressMillis: number }) => {
  const stalledMillisMax = limits.redisCommandTimeoutMillis - lookMillis - disconnectMillis
  return Effect.gen(function* () {
    yield* Effect.sleep(lookMillis)
    const stalledMillis = performance.now() - state.lastProgressMillis
    if (state.pending > 0 && stalledMillis > stalledMillisMax) redis.disconnect(true)
  }).pipe(Effect.forever)
}

/** A client on its own connection. */
export const makeRedisClient = Effect.fnUntraced(function* (url: string, name: string) {
  const redis = yield* openConnection(url, name)
  const state = { pending: 0, lastProgressMillis: 0, corked: undefined as { uncork: () => void } | undefined }
  yield* Effect.forkScoped(watchProgress(redis, state))

  const uncork = () => {
    state.corked?.uncork()
    state.corked = undefined
  }

  const send = (command: string, args: ReadonlyArray<Argument>): Promise<Reply> => {
    const socket = redis.stream
    if (state.corked === undefined && socket !== undefined) {
      socket.cork()
      state.corked = socket
      setImmediate(uncork)
    }
    if (state.pending === 0) state.lastProgressMillis = performance.now()
    state.pending += 1
    return redis.sendCommand(
      new Command(command, args as Array<Argument>, { replyEncoding: "utf8" }),
    ) as Promise<Reply>
  }
  const settled = () => {
    state.pending -= 1
    state.lastProgressMillis = performance.now()
  }
  const failed = (command: string, args: ReadonlyArray<Argument>, cause: unknown) => {
    settled()
    const operation = command === "FCALL" ? String(args[0]) : command
    return Effect.fail(new StoreUnavailable({ operation, reason: reasonOf(cause) }))
  }

  const call = (command: string, args: ReadonlyArray<Argument>): Effect.Effect<Reply, StoreUnavailable> =>
    Effect.callback<Reply, StoreUnavailable>((resume) => {
      send(command, args).then(
        (reply) => {
          settled()
          resume(Effect.succeed(reply))
        },
        (cause) => resume(failed(command, args, cause)),
      )
    })

  /** One suspension for all of them: a fiber a command would cost more than the command. */
  const callAll = (
    commands: ReadonlyArray<RedisCommand>,
  ): Effect.Effect<ReadonlyArray<Reply>, StoreUnavailable> => {
    if (commands.length === 0) return Effect.succeed([])
    return Effect.callback<ReadonlyArray<Reply>, StoreUnavailable>((resume) => {
      const replies: Array<Reply> = new Array(commands.length).fill(null)
      let missing = commands.length
      for (const [i, [command, args]] of commands.entries()) {
        send(command, args).then(
          (reply) => {
            settled()
            replies[i] = reply
            missing -= 1
            if (missing === 0) resume(Effect.succeed(replies))
          },
          (cause) => resume(failed(command, args, cause)),
        )
      }
    })
  }

  return RedisClient.of({
    call,
    callAll,
    isReady: () => redis.status === "ready",
    onReady: (listener) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          redis.on("ready", listener)
          if (redis.status === "ready") listener()
        }),
        () => Effect.sync(() => redis.off("ready", listener)),
      ).pipe(Effect.asVoid),
  })
})

/** The client as a service. */
export const RedisClientLive = (url: string) => Layer.effect(RedisClient, makeRedisClient(url, "commands"))
