import { Effect } from "effect"
import type { Redis } from "ioredis"
import { type ClusterTarget, type HostAndPort, parseRedisUrl } from "../../config/redisUrl.ts"
import { discoverCluster, redisOfNode } from "./clusterDiscovery.ts"
import { addressOf } from "./clusterView.ts"
import { firstFailure, openConnection, redisOf } from "./redisConnection.ts"

/** A connection to one of the nodes, and to the next one after each break: any of them hears what is published at any. */
const redisOfAny = (target: ClusterTarget, nodes: ReadonlyArray<HostAndPort>, name: string): Redis => {
  const redis = redisOfNode(target, nodes[0] ?? { host: "", port: 0 }, name)
  const { retryStrategy } = redis.options
  let breaks = 0
  redis.options.retryStrategy = (times) => {
    breaks += 1
    // Read at every new connection.
    Object.assign(redis.options, nodes[breaks % nodes.length])
    return retryStrategy?.(times)
  }
  return redis
}

/** Each process begins at another node, so that they share them. */
const fromOwnPlace = (nodes: ReadonlyArray<HostAndPort>): ReadonlyArray<HostAndPort> => {
  const start = process.pid % nodes.length
  return [...nodes.slice(start), ...nodes.slice(0, start)]
}

/** The nodes that a cluster has now, and those of the URL, whose names may outlive them. */
const nodesFor = Effect.fnUntraced(function* (target: ClusterTarget, url: string, name: string) {
  const { nodes } = yield* discoverCluster(target, url, name)
  const byAddress = new Map([...fromOwnPlace(nodes), ...target.nodes].map((node) => [addressOf(node), node]))
  return [...byAddress.values()]
})

/** Opens a connection that channels can be listened to on; with a cluster, one that moves on when its node dies. */
export const openSubscription = Effect.fnUntraced(function* (url: string, name: string) {
  const target = parseRedisUrl(url)
  if (target === undefined) return yield* firstFailure(url, "not a URL that we read")
  if (target.kind !== "cluster") return yield* openConnection(() => redisOf(target, name), url)
  const nodes = yield* nodesFor(target, url, name)
  return yield* Effect.firstSuccessOf(
    nodes.map((_, i) =>
      openConnection(() => redisOfAny(target, [...nodes.slice(i), ...nodes.slice(0, i)], name), url),
    ),
  )
})
