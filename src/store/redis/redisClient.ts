import { Context, Effect, Fiber, Layer, type Scope } from "effect"
import { makeRegistrar } from "../../../actors/metrics/registrar.ts"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import {
  type HostAndPort,
  parseRedisUrl,
  type Replication,
  type SentinelTarget,
  type ServerTarget,
  withoutPassword,
} from "../../config/redisUrl.ts"
import { barrierKey } from "../keys.ts"
import { loginOf, redisOfNode } from "./clusterDiscovery.ts"
import { tracedOutcome } from "./commandSpans.ts"
import { makeCommandTimes, type Send } from "./commandTimes.ts"
import { plainName } from "./luaFunction.ts"
import { openCluster } from "./redisCluster.ts"
import {
  type Argument,
  connectionOn,
  countBreaks,
  firstFailure,
  newCommand,
  type Outcome,
  openConnection,
  type Reply,
  reasonOf,
  redisOf,
  repeatCheck,
} from "./redisConnection.ts"
import {
  type BarrierConnection,
  BarrierCounts,
  type Barriers,
  ReplicationBarrier,
} from "./replicationBarrier.ts"
import { replicasNamed } from "./sentinelWatch.ts"

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
    /** Ends once enough replicas have all that was written before; undefined where nobody waits for replicas. */
    readonly awaitReplicas: Effect.Effect<void, StoreUnavailable> | undefined
  }
>()("corrente/store/RedisClient") {}

/**
 * How a server refuses while a slot moves: by the fence of `ops partition move`, or because keys that a command or a function needs
 * may be at the slot's next server.
 */
const slotMoves = /^(MOVING|ASK|TRYAGAIN) |non local key/

const failureOf = (command: string, args: ReadonlyArray<Argument>, cause: unknown) => {
  const operation = command === "FCALL" ? plainName(String(args[0])) : command
  const reason = reasonOf(cause)
  return Effect.fail(
    new StoreUnavailable({ operation, reason, ...(slotMoves.test(reason) ? { isMoving: true } : {}) }),
  )
}

/** `isHeld`: replies wait for replicas. */
const callBy =
  (send: Send, isHeld = false): Call =>
  (command, args) =>
    Effect.callback<Reply, StoreUnavailable>((resume) => {
      const outcome: Outcome = {
        answered: (reply) => resume(Effect.succeed(reply)),
        failed: (cause) => resume(failureOf(command, args, cause)),
      }
      send(command, args, tracedOutcome(Fiber.getCurrent(), command, args, outcome, isHeld))
    })

/** Suspends once for all commands: a fiber per command would cost more than the command. */
const callAllBy =
  (send: Send, isHeld: boolean): RedisClient["Service"]["callAll"] =>
  (commands) => {
    if (commands.length === 0) return Effect.succeed([])
    return Effect.callback<ReadonlyArray<Reply>, StoreUnavailable>((resume) => {
      const replies: Array<Reply> = new Array(commands.length).fill(null)
      let missing = commands.length
      const fiber = Fiber.getCurrent()
      for (const [i, [command, args]] of commands.entries()) {
        const outcome: Outcome = {
          answered: (reply) => {
            replies[i] = reply
            missing -= 1
            if (missing === 0) resume(Effect.succeed(replies))
          },
          failed: (cause) => resume(failureOf(command, args, cause)),
        }
        send(command, args, tracedOutcome(fiber, command, args, outcome, isHeld))
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

/** The barrier of the only server. */
const openBarrier = Effect.fnUntraced(function* (
  { replication, counts }: Barriers,
  commands: BarrierConnection,
  target: ServerTarget | SentinelTarget,
  name: string,
  url: string,
) {
  const redis = yield* openConnection(() => redisOf(target, `${name}-wait`), url)
  const waiting = { redis, connection: connectionOn(redis) }
  const keyHere = () => barrierKey("0")
  const login = loginOf(target)
  const successors = {
    known: () => replicasNamed(commands.redis),
    connect: (place: HostAndPort) => redisOfNode(login, place, `${name}-role`),
  }
  const barrier = yield* Effect.acquireRelease(
    Effect.sync(() => new ReplicationBarrier(replication, counts, commands, waiting, keyHere, successors)),
    (opened) => Effect.sync(() => opened.close()),
  )
  yield* repeatCheck(() => barrier.check())
  return barrier
})

/** Ends once all barriers have let a reply of now pass. */
const awaitAll = (holds: ReadonlyArray<(outcome: Outcome) => Outcome>) =>
  Effect.forEach(
    holds,
    (hold) =>
      Effect.callback<void, StoreUnavailable>((resume) =>
        hold({
          answered: () => resume(Effect.void),
          failed: (cause) => resume(failureOf("WAIT", [], cause)),
        }).answered(null, performance.now()),
      ),
    { concurrency: "unbounded", discard: true },
  )

/**
 * A client on its own connection, or with a cluster on its own connections to the primaries. With `replication` whatever has a key is
 * answered only once replicas have what the answer tells.
 */
export const makeRedisClient = Effect.fnUntraced(function* (
  url: string,
  name: string,
  replication?: Replication,
): Effect.fn.Return<RedisClient["Service"], StoreUnavailable, Scope.Scope> {
  const target = parseRedisUrl(url)
  if (target === undefined) return yield* firstFailure(url, "unsupported URL")
  const times = yield* makeCommandTimes
  const barriers = replication && { replication, counts: new BarrierCounts(yield* makeRegistrar) }
  if (target.kind === "cluster") {
    const cluster = yield* openCluster(target, url, name, barriers)
    times.countBreaks(cluster.breaks)
    const send = times.timed(cluster.send)
    return {
      call: callBy(send, barriers !== undefined),
      callAll: callAllBy(send, barriers !== undefined),
      isCluster: true,
      servers: () =>
        cluster.primaries().map((primary) => ({ address: primary.address, call: callBy(primary.send) })),
      breaks: cluster.breaks,
      awaitReplicas: barriers && Effect.suspend(() => awaitAll(cluster.primaries().map(({ hold }) => hold))),
    }
  }
  const redis = yield* openConnection(() => redisOf(target, name), url)
  const connection = connectionOn(redis)
  yield* repeatCheck(connection.checkLiveness)
  const breaks = countBreaks(redis)
  times.countBreaks(breaks)
  const sendAtOnce = times.timed((command, args, outcome) =>
    connection.send(newCommand(command, args), outcome),
  )
  const call = callBy(sendAtOnce)
  yield* refuseOtherModes(url, call)
  const barrier = barriers && (yield* openBarrier(barriers, { redis, connection }, target, name, url))
  const send = barrier
    ? times.timed((command, args, outcome) =>
        connection.send(newCommand(command, args), barrier.hold(outcome)),
      )
    : sendAtOnce
  return {
    call: callBy(send, barrier !== undefined),
    callAll: callAllBy(send, barrier !== undefined),
    isCluster: false,
    // Read each time: Sentinels may have named another server meanwhile.
    servers: () => [{ address: `${redis.stream?.remoteAddress}:${redis.stream?.remotePort}`, call }],
    breaks,
    awaitReplicas: barrier && awaitAll([(outcome) => barrier.hold(outcome)]),
  }
})

/** The client as a service. */
export const RedisClientLive = (url: string, replication?: Replication) =>
  Layer.effect(RedisClient, makeRedisClient(url, "commands", replication))
