import { Context, Effect, Layer, type Scope } from "effect"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { parseRedisUrl, withoutPassword } from "../../config/redisUrl.ts"
import { makeCommandTimes, type Send } from "./commandTimes.ts"
import { openCluster } from "./redisCluster.ts"
import {
  type Argument,
  connectionOn,
  countBreaks,
  firstFailure,
  newCommand,
  openConnection,
  type Reply,
  reasonOf,
  redisOf,
  repeatCheck,
} from "./redisConnection.ts"

export type { Argument, Reply } from "./redisConnection.ts"
export { withoutPassword }

/** A command's name and arguments. */
export type RedisCommand = readonly [name: string, args: ReadonlyArray<Argument>]

type Call = (command: string, args: ReadonlyArray<Argument>) => Effect.Effect<Reply, StoreUnavailable>

/** A server that holds keys, for commands about the server itself: settings, functions, health. */
export interface RedisServer {
  /** `host:port`. */
  readonly address: string
  readonly call: Call
}

/**
 * The connection for commands; with a cluster one to each primary, and a command goes to the primary of its first key.
 * Commands of one turn of the event loop leave in one write. If the connection breaks, commands in flight fail at once with
 * an unknown outcome (docs/architecture.md#rule-7); nothing is queued while Redis is away and nothing is resent
 * (docs/decisions/0013-no-offline-queue.md). Only commands to a new primary wait, a second at most, for its connection.
 */
export class RedisClient extends Context.Service<
  RedisClient,
  {
    /** Sends a command that has a key. Commands without one fail with a cluster; send them to each {@link RedisServer}. */
    readonly call: Call
    /** Sends several commands at once; replies in order. Fails with the first failure. */
    readonly callAll: (
      commands: ReadonlyArray<RedisCommand>,
    ) => Effect.Effect<ReadonlyArray<Reply>, StoreUnavailable>
    /** Whether keys lie on several servers: then all keys of one call must have the same tag. */
    readonly isCluster: boolean
    /** The server, or all current primaries of the cluster. */
    readonly servers: () => ReadonlyArray<RedisServer>
    /**
     * How often what this client had read may have been lost since it was made: connections that broke, and with a cluster slots
     * that have another primary. A failover or a restored backup counts, and so does a mere break.
     */
    readonly breaks: () => number
  }
>()("corrente/store/RedisClient") {}

const failureOf = (command: string, args: ReadonlyArray<Argument>, cause: unknown) => {
  const operation = command === "FCALL" ? String(args[0]) : command
  return Effect.fail(new StoreUnavailable({ operation, reason: reasonOf(cause) }))
}

const callBy =
  (send: Send): Call =>
  (command, args) =>
    Effect.callback<Reply, StoreUnavailable>((resume) =>
      send(command, args, {
        answered: (reply) => resume(Effect.succeed(reply)),
        failed: (cause) => resume(failureOf(command, args, cause)),
      }),
    )

/** Suspends once for all commands: a fiber per command would cost more than the command. */
const callAllBy =
  (send: Send): RedisClient["Service"]["callAll"] =>
  (commands) => {
    if (commands.length === 0) return Effect.succeed([])
    return Effect.callback<ReadonlyArray<Reply>, StoreUnavailable>((resume) => {
      const replies: Array<Reply> = new Array(commands.length).fill(null)
      let missing = commands.length
      for (const [i, [command, args]] of commands.entries()) {
        send(command, args, {
          answered: (reply) => {
            replies[i] = reply
            missing -= 1
            if (missing === 0) resume(Effect.succeed(replies))
          },
          failed: (cause) => resume(failureOf(command, args, cause)),
        })
      }
    })
  }

/** Rejects a URL that names a cluster's node or a Sentinel as if it were a single server. */
const refuseOtherModes = Effect.fnUntraced(function* (url: string, call: Call) {
  // Missing permissions surface with the first command.
  const info = yield* Effect.orElseSucceed(call("INFO", ["server"]), () => "")
  const mode = /^redis_mode:(\w+)/m.exec(String(info))?.[1]
  if (mode !== "cluster" && mode !== "sentinel") return
  const form = mode === "cluster" ? "redis+cluster://host:port,host:port" : "redis+sentinel://host:port/name"
  return yield* new StoreUnavailable({
    operation: "connect",
    reason: `The Redis at ${withoutPassword(url)} is a ${mode === "cluster" ? "node of a cluster" : "Sentinel"}. Use ${form} instead.`,
  })
})

/** A client on its own connection, or with a cluster on its own connections to the primaries. */
export const makeRedisClient = Effect.fnUntraced(function* (
  url: string,
  name: string,
): Effect.fn.Return<RedisClient["Service"], StoreUnavailable, Scope.Scope> {
  const target = parseRedisUrl(url)
  if (target === undefined) return yield* firstFailure(url, "unsupported URL")
  if (target.kind === "cluster") {
    const { send: sendAnyhow, primaries, breaks } = yield* openCluster(target, url, name)
    const times = yield* makeCommandTimes
    times.countBreaks(breaks)
    const send = times.timed(sendAnyhow)
    return {
      call: callBy(send),
      callAll: callAllBy(send),
      isCluster: true,
      servers: () => primaries().map((primary) => ({ address: primary.address, call: callBy(primary.send) })),
      breaks,
    }
  }
  const redis = yield* openConnection(() => redisOf(target, name), url)
  const connection = connectionOn(redis)
  yield* repeatCheck(connection.checkLiveness)
  const breaks = countBreaks(redis)
  const times = yield* makeCommandTimes
  times.countBreaks(breaks)
  const send = times.timed((command, args, outcome) => connection.send(newCommand(command, args), outcome))
  const call = callBy(send)
  yield* refuseOtherModes(url, call)
  return {
    call,
    callAll: callAllBy(send),
    isCluster: false,
    // Read each time: Sentinels may have named another server meanwhile.
    servers: () => [{ address: `${redis.stream?.remoteAddress}:${redis.stream?.remotePort}`, call }],
    breaks,
  }
})

/** The client as a service. */
export const RedisClientLive = (url: string) => Layer.effect(RedisClient, makeRedisClient(url, "commands"))
