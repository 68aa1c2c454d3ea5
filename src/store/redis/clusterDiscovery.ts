import { Effect } from "effect"
import { Redis } from "ioredis"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import {
  type ClusterTarget,
  type HostAndPort,
  type RedisTarget,
  withoutPassword,
} from "../../config/redisUrl.ts"
import { type ClusterView, isWhole, readSlots } from "./clusterView.ts"
import {
  type Argument,
  connectionOn,
  connectionOptions,
  firstFailure,
  firstReadyTimeoutMillis,
  livenessCheckMillis,
  newCommand,
  openConnection,
  type RedisConnection,
  type Reply,
  redisOf,
} from "./redisConnection.ts"

/** A node that has not described the cluster by then is skipped. */
const viewTimeoutMillis = 1_000

/** What connections to all servers of a REDIS_URL have in common. */
export type NodeLogin = Pick<ClusterTarget, "username" | "password" | "isTls">

/** The login of a REDIS_URL, for any of its servers. */
export const loginOf = (target: RedisTarget): NodeLogin => {
  if (target.kind !== "server") return target
  // Read as the service reads it. It does not connect before it is told to.
  const { username, password, tls } = redisOf(target, "login").options
  return { username: username ?? undefined, password: password ?? undefined, isTls: tls !== undefined }
}

/** A connection to one of several servers, not opened yet. */
export const redisOfNode = (target: NodeLogin, { host, port }: HostAndPort, name: string): Redis =>
  new Redis({
    ...connectionOptions(name),
    host,
    port,
    ...(target.username === undefined ? {} : { username: target.username }),
    ...(target.password === undefined ? {} : { password: target.password }),
    ...(target.isTls ? { tls: {} } : {}),
  })

/** Sends a command to one node, for its reply. */
export const ask = (connection: RedisConnection, name: string, args: ReadonlyArray<Argument>) =>
  Effect.callback<Reply, unknown>((resume) =>
    connection.send(newCommand(name, args), {
      answered: (reply) => resume(Effect.succeed(reply)),
      failed: (cause) => resume(Effect.fail(cause)),
    }),
  )

/**
 * How a node sees the cluster; undefined while it considers it broken. A node cut off from most others does, and would name
 * primaries that no longer are.
 */
export const viewOf = (
  connection: RedisConnection,
  place: HostAndPort,
): Effect.Effect<ClusterView | undefined, unknown> =>
  Effect.all([ask(connection, "CLUSTER", ["INFO"]), ask(connection, "CLUSTER", ["SLOTS"])], {
    concurrency: 2,
  }).pipe(
    Effect.map(([info, slots]) => (isWhole(info) ? readSlots(slots, place) : undefined)),
    Effect.timeout(viewTimeoutMillis),
  )

const refusal = (url: string, cause: unknown): StoreUnavailable =>
  /cluster support disabled/i.test(String(cause))
    ? new StoreUnavailable({
        operation: "connect",
        reason: `The Redis at ${withoutPassword(url)} is not a cluster. Use redis://host:port instead.`,
      })
    : firstFailure(url, cause)

/** Asks the nodes of the URL in turn for the first that sees a whole cluster. */
const askNodes = Effect.fnUntraced(function* (target: ClusterTarget, url: string, name: string) {
  const failures: Array<StoreUnavailable> = []
  for (const place of target.nodes) {
    const view = yield* openConnection(() => redisOfNode(target, place, name), url).pipe(
      Effect.flatMap((redis) => viewOf(connectionOn(redis), place)),
      Effect.scoped,
      Effect.catch((cause) =>
        Effect.sync(() => {
          failures.push(cause instanceof StoreUnavailable ? cause : refusal(url, cause))
          return undefined
        }),
      ),
    )
    if (view !== undefined) return view
  }
  const [failure] = failures
  // If any node answered, the cluster is just not complete yet.
  return failures.length < target.nodes.length || failure === undefined ? undefined : yield* failure
})

/** The cluster of a URL. Waits while it starts or fails over; `url` is for error messages. */
export const discoverCluster = Effect.fnUntraced(
  function* (target: ClusterTarget, url: string, name: string) {
    for (;;) {
      const view = yield* askNodes(target, url, name)
      if (view !== undefined) return view
      yield* Effect.sleep(livenessCheckMillis)
    }
  },
  (discovery, _target, url) =>
    Effect.timeoutOrElse(discovery, {
      duration: firstReadyTimeoutMillis,
      orElse: () =>
        Effect.fail(
          new StoreUnavailable({
            operation: "connect",
            reason: `The cluster at ${withoutPassword(url)} is still incomplete after ${firstReadyTimeoutMillis / 1_000} s. CLUSTER INFO and CLUSTER SHARDS on its nodes say why.`,
          }),
        ),
    }),
)
