import { Context, Effect, Layer, type Scope } from "effect"
import { StoreUnavailable } from "../../../actors/ports/store.ts"
import { parseRedisUrl, withoutPassword } from "../../config/redisUrl.ts"
import { openCluster } from "./redisCluster.ts"
import {
  type Argument,
  connectionOn,
  firstFailure,
  lookAgainAndAgain,
  newCommand,
  type Outcome,
  openConnection,
  type Reply,
  reasonOf,
  redisOf,
} from "./redisConnection.ts"

export type { Argument, Reply } from "./redisConnection.ts"
export { withoutPassword }

/** A command's name and its arguments. */
export type RedisCommand = readonly [name: string, args: ReadonlyArray<Argument>]

type Call = (command: string, args: ReadonlyArray<Argument>) => Effect.Effect<Reply, StoreUnavailable>

/** One server that holds keys, for what is asked of servers: their settings, their functions, whether they answer. */
export interface RedisServer {
  /** `host:port`, to tell it from the others. */
  readonly address: string
  readonly call: Call
}

/**
 * The connection that commands go over; with a cluster one to each primary, and a command goes where its first key is.
 * Commands of one turn of the event loop leave in one write. A broken connection fails what is in flight at once
 * (unknown, rule 7); nothing is queued while Redis is away and nothing is sent twice behind our back. Only for a primary
 * that is new to us commands wait, a second at most, until it is connected to.
 */
export class RedisClient extends Context.Service<
  RedisClient,
  {
    /** A command with a key; a cluster refuses those without one, which go to {@link RedisServer}s. */
    readonly call: Call
    /** Several commands at once; replies in order. Fails with the first that failed. */
    readonly callAll: (
      commands: ReadonlyArray<RedisCommand>,
    ) => Effect.Effect<ReadonlyArray<Reply>, StoreUnavailable>
    /** The server, or all primaries of the cluster as they are now. */
    readonly servers: () => ReadonlyArray<RedisServer>
  }
>()("corrente/store/RedisClient") {}

/** Sends a command; fails at once where it cannot. */
type Send = (command: string, args: ReadonlyArray<Argument>, outcome: Outcome) => void

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

/** One suspension for all of them: a fiber a command would cost more than the command. */
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

/** A cluster's node would send most commands elsewhere, a Sentinel knows none of them: both have forms of their own. */
const refuseOtherModes = Effect.fnUntraced(function* (url: string, call: Call) {
  // Who may not ask is told by the commands.
  const info = yield* Effect.orElseSucceed(call("INFO", ["server"]), () => "")
  const mode = /^redis_mode:(\w+)/m.exec(String(info))?.[1]
  if (mode !== "cluster" && mode !== "sentinel") return
  const form = mode === "cluster" ? "redis+cluster://host:port,host:port" : "redis+sentinel://host:port/name"
  return yield* new StoreUnavailable({
    operation: "connect",
    reason: `The Redis at ${withoutPassword(url)} is a ${mode === "cluster" ? "node of a cluster" : "Sentinel"}. Name it by ${form}.`,
  })
})

/** A client on its own connection, or on its own connections to the primaries of a cluster. */
export const makeRedisClient = Effect.fnUntraced(function* (
  url: string,
  name: string,
): Effect.fn.Return<RedisClient["Service"], StoreUnavailable, Scope.Scope> {
  const target = parseRedisUrl(url)
  if (target === undefined) return yield* firstFailure(url, "not a URL that we read")
  if (target.kind === "cluster") {
    const { send, primaries } = yield* openCluster(target, url, name)
    return {
      call: callBy(send),
      callAll: callAllBy(send),
      servers: () => primaries().map((primary) => ({ address: primary.address, call: callBy(primary.send) })),
    }
  }
  const redis = yield* openConnection(() => redisOf(target, name), url)
  const connection = connectionOn(redis)
  yield* lookAgainAndAgain(connection.look)
  const send: Send = (command, args, outcome) => connection.send(newCommand(command, args), outcome)
  const call = callBy(send)
  yield* refuseOtherModes(url, call)
  return {
    call,
    callAll: callAllBy(send),
    // Sentinels may have named another one meanwhile.
    servers: () => [{ address: `${redis.stream?.remoteAddress}:${redis.stream?.remotePort}`, call }],
  }
})

/** The client as a service. */
export const RedisClientLive = (url: string) => Layer.effect(RedisClient, makeRedisClient(url, "commands"))
