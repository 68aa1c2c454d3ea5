import { Effect } from "effect"
import { Redis } from "ioredis"
import { StoreUnavailable } from "../../../actors/ports/store.ts"
import { type ClusterTarget, type HostAndPort, withoutPassword } from "../../config/redisUrl.ts"
import { type ClusterView, isWhole, readSlots } from "./clusterView.ts"
import {
  type Argument,
  connectionOn,
  connectionOptions,
  firstFailure,
  firstReadyTimeoutMillis,
  lookMillis,
  newCommand,
  openConnection,
  type RedisConnection,
  type Reply,
} from "./redisConnection.ts"

/** A node that has not told by then how the cluster is, is passed over. */
const viewTimeoutMillis = 1_000

/** A connection to one node of a cluster; not opened yet. */
export const redisOfNode = (target: ClusterTarget, { host, port }: HostAndPort, name: string): Redis =>
  new Redis({
    ...connectionOptions(name),
    host,
    port,
    ...(target.username === undefined ? {} : { username: target.username }),
    ...(target.password === undefined ? {} : { password: target.password }),
    ...(target.isTls ? { tls: {} } : {}),
  })

const ask = (connection: RedisConnection, name: string, args: ReadonlyArray<Argument>) =>
  Effect.callback<Reply, unknown>((resume) =>
    connection.send(newCommand(name, args), {
      answered: (reply) => resume(Effect.succeed(reply)),
      failed: (cause) => resume(Effect.fail(cause)),
    }),
  )

/**
 * How a node sees the cluster; undefined while it takes it for broken. A node that is cut off from most others does so,
 * and would name primaries that are none any more.
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
        reason: `The Redis at ${withoutPassword(url)} is no cluster. Name it by redis://host:port instead.`,
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
  // Where some node answered, the cluster is only not whole yet.
  return failures.length < target.nodes.length || failure === undefined ? undefined : yield* failure
})

/** The cluster that a URL names. One that is starting or failing over is waited for; `url` is for what the user is told. */
export const discoverCluster = Effect.fnUntraced(
  function* (target: ClusterTarget, url: string, name: string) {
    for (;;) {
      const view = yield* askNodes(target, url, name)
      if (view !== undefined) return view
      yield* Effect.sleep(lookMillis)
    }
  },
  (discovery, _target, url) =>
    Effect.timeoutOrElse(discovery, {
      duration: firstReadyTimeoutMillis,
      orElse: () =>
        Effect.fail(
          new StoreUnavailable({
            operation: "connect",
            reason: `The cluster at ${withoutPassword(url)} is not whole after ${firstReadyTimeoutMillis / 1_000} s. CLUSTER INFO and CLUSTER SHARDS on its nodes say why.`,
          }),
        ),
    }),
)
