import { Effect } from "effect"
import type { Redis } from "ioredis"
import { type ClusterTarget, type HostAndPort, parseRedisUrl } from "../../config/redisUrl.ts"
import { discoverCluster, redisOfNode } from "./clusterDiscovery.ts"
import { addressOf } from "./clusterView.ts"
import { firstFailure, openConnection, redisOf } from "./redisConnection.ts"

/** A connection to one of the nodes, and to the next one after each break. A message published at any node reaches all. */
const redisOfAny = (target: ClusterTarget, nodes: ReadonlyArray<HostAndPort>, name: string): Redis => {
  const redis = redisOfNode(target, nodes[0] ?? { host: "", port: 0 }, name)
  const { retryStrategy } = redis.options
  let breaks = 0
  redis.options.retryStrategy = (times) => {
    breaks += 1
    // ioredis reads the options for every new connection.
    Object.assign(redis.options, nodes[breaks % nodes.length])
    return retryStrategy?.(times)
  }
  return redis
}

/** Starts at a node chosen by process, so that processes spread over the nodes. */
const fromOwnPlace = (nodes: ReadonlyArray<HostAndPort>): ReadonlyArray<HostAndPort> => {
  const start = process.pid % nodes.length
  return [...nodes.slice(start), ...nodes.slice(0, start)]
}

/** The current nodes of a cluster, and those of the URL, whose names may outlive the nodes. */
const nodesFor = Effect.fnUntraced(function* (target: ClusterTarget, url: string, name: string) {
  const { nodes } = yield* discoverCluster(target, url, name)
  const byAddress = new Map([...fromOwnPlace(nodes), ...target.nodes].map((node) => [addressOf(node), node]))
  return [...byAddress.values()]
})

/** Opens a connection for subscriptions; with a cluster it moves to another node if its node dies. */
export const openSubscription = Effect.fnUntraced(function* (url: string, name: string) {
  const target = parseRedisUrl(url)
  if (target === undefined) return yield* firstFailure(url, "unsupported URL")
  if (target.kind !== "cluster") return yield* openConnection(() => redisOf(target, name), url)
  const nodes = yield* nodesFor(target, url, name)
  return yield* Effect.firstSuccessOf(
    nodes.map((_, i) =>
      openConnection(() => redisOfAny(target, [...nodes.slice(i), ...nodes.slice(0, i)], name), url),
    ),
  )
})
