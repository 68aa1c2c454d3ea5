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

/** Options of all our connections: fail fast, reconnect fast, never resend. */
const connectionOptions = (name: string) => ({
  connectionName: `corrente-${name}`,
  protocol: 2 as const,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  autoResubscribe: true,
  maxRetriesPerRequest: 0,
  connectTimeout: 2_000,
  keepAlive: 10_000,
  noDelay: true,
  lazyConnect: true,
  retryStrategy: (times: number) => Math.min(50 * times, 500),
})

/** Opens a connection and waits for it; a first failure says where Redis was looked for. */
export const openConnection = Effect.fnUntraced(function* (url: string, name: string) {
  const redis = yield* Effect.acquireRelease(
    Effect.sync(() => new Redis(url, connectionOptions(name))),
    (connection) => Effect.sync(() => connection.disconnect()),
  )
  // Errors reach callers through their commands; without a listener ioredis would print each.
  redis.on("error", () => {})
  yield* Effect.tryPromise({
    try: () => redis.connect(),
    catch: (cause) =>
      new StoreUnavailable({
        operation: "connect",
        reason: `no Redis answers at ${withoutPassword(url)} (${reasonOf(cause)})`,
      }),
  })
  return redis
})

/** The URL as it may be shown. */
export const withoutPassword = (url: string): string => url.replace(/\/\/[^@/]*@/, "//")

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/**
 * Cuts a connection that takes commands and answers none (a hung server, a dead network), so that they fail.
 * One look a second instead of a timer a command.
 */
const watchProgress = (redis: Redis, state: { pending: number; lastProgressMillis: number }) =>
  Effect.gen(function* () {
    yield* Effect.sleep(1_000)
    const stalledMillis = performance.now() - state.lastProgressMillis
    if (state.pending > 0 && stalledMillis > limits.redisCommandTimeoutMillis) redis.disconnect(true)
  }).pipe(Effect.forever)

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
