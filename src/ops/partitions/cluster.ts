import { Effect, Redacted } from "effect"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { ApiError, serviceUnavailable } from "../../../schema/errors.ts"
import { type ClusterTarget, parseRedisUrl } from "../../config/redisUrl.ts"
import { Settings } from "../../config/settings.ts"
import { redisUrlFor } from "../../start/ownRedis/redisUrlFor.ts"
import { movingKey, partitionTag } from "../../store/keys.ts"
import { type ClusterNode, type NodeCalls, readNodes } from "../../store/redis/clusterNodes.ts"
import { addressOf } from "../../store/redis/clusterView.ts"
import { RedisClient } from "../../store/redis/redisClient.ts"
import { readHash } from "../../store/redis/reply.ts"

/** What a node says of itself and of the others. */
export interface NodeView {
  readonly self: ClusterNode
  readonly nodes: ReadonlyArray<ClusterNode>
}

/** A cluster, by the word of each of its nodes. */
export interface Cluster {
  readonly views: ReadonlyArray<NodeView>
  /** Nodes that the others take to be up and that do not answer here. */
  readonly silent: ReadonlyArray<ClusterNode>
}

/** The cluster of REDIS_URL. Fails with 409 `invalid_state` where there is none. */
export const clusterTarget = Effect.gen(function* () {
  const target = parseRedisUrl(Redacted.value(yield* redisUrlFor(yield* Settings)))
  if (target?.kind === "cluster") return target satisfies ClusterTarget
  return yield* new ApiError({
    code: "invalid_state",
    message:
      "This Redis is not a cluster: all partitions are on one server. Set REDIS_URL to redis+cluster://host:port to use one.",
  })
})

/** Asks a node that is known to answer for all the others, and then each of them. */
export const readCluster = Effect.fnUntraced(function* ({ call }: Pick<NodeCalls, "call">) {
  const [server] = (yield* RedisClient).servers()
  if (server === undefined) return yield* serviceUnavailable("No primary of the cluster is known.")
  const asked = { host: "", port: 0 }
  const separator = server.address.lastIndexOf(":")
  asked.host = server.address.slice(0, separator)
  asked.port = Number(server.address.slice(separator + 1))
  const known = readNodes(yield* server.call("CLUSTER", ["NODES"]), asked).filter(({ isUp }) => isUp)
  const silent: Array<ClusterNode> = []
  const views = yield* Effect.forEach(
    known,
    (node) =>
      call(node.place, "CLUSTER", ["NODES"]).pipe(
        Effect.map((reply): ReadonlyArray<NodeView> => {
          const nodes = readNodes(reply, node.place)
          const self = nodes.find(({ isSelf }) => isSelf)
          return self === undefined ? [] : [{ self, nodes }]
        }),
        Effect.catch(() =>
          Effect.sync((): ReadonlyArray<NodeView> => {
            silent.push(node)
            return []
          }),
        ),
      ),
    { concurrency: "unbounded" },
  )
  return { views: views.flat(), silent } satisfies Cluster
})

/** The primary that has a slot: of those that say so, the one with the greatest epoch. */
export const ownerOf = ({ views }: Cluster, slot: number): ClusterNode | undefined =>
  views
    .map(({ self }) => self)
    .filter((self) => self.primaryId === undefined && self.hasSlot(slot))
    .sort((a, b) => b.epoch - a.epoch)[0]

/** The nodes that do not say yet that `ownerId` has the slot, or say nothing. */
export const dissentersOf = (
  { views, silent }: Cluster,
  slot: number,
  ownerId: string,
): ReadonlyArray<ClusterNode> => [
  ...silent,
  ...views
    .filter(({ nodes }) => nodes.find((node) => node.hasSlot(slot))?.id !== ownerId)
    .map(({ self }) => self),
]

/** The replicas of a primary that answer. */
export const replicasOf = ({ views }: Cluster, primaryId: string): ReadonlyArray<ClusterNode> =>
  views.map(({ self }) => self).filter((self) => self.primaryId === primaryId)

export const shownAddress = ({ place }: ClusterNode): string => addressOf(place)

/** What the fence of a partition at its slot's primary says, with ids of nodes; undefined where there is none. */
export const fenceAt = ({ call }: Pick<NodeCalls, "call">, owner: ClusterNode, partition: number) =>
  call(owner.place, "HGETALL", [movingKey(partitionTag(partition))]).pipe(
    // In a slot that somebody else moves, a missing key may be at the next primary: it is no fence of ours.
    Effect.catchTag("StoreUnavailable", (error) =>
      error.reason.startsWith("ASK ") ? Effect.succeed([]) : Effect.fail(error),
    ),
    Effect.map((reply) => {
      const { from = "", to, began_at } = readHash(reply)
      return to === undefined ? undefined : { from, to, beganMillis: Number(began_at) }
    }),
  )

/** The names of all keys of a slot at a node. */
export const keysInSlot = Effect.fnUntraced(function* (
  { call }: Pick<NodeCalls, "call">,
  { place }: ClusterNode,
  slot: number,
): Effect.fn.Return<ReadonlyArray<string>, StoreUnavailable> {
  const count = Number(yield* call(place, "CLUSTER", ["COUNTKEYSINSLOT", slot]))
  if (count === 0) return []
  const names = yield* call(place, "CLUSTER", ["GETKEYSINSLOT", slot, count], 60_000)
  return (names as ReadonlyArray<string>).map(String)
})
