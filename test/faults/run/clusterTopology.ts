import { startGatedCluster } from "../../support/redisCluster.ts"
import { type GatedNode, replicationOf } from "../../support/redisSentinels.ts"
import { until } from "../../support/until.ts"
import type { Topology } from "./topology.ts"

const shardCount = 3

const idOf = async (node: GatedNode): Promise<string> => String(await node.call("CLUSTER", "MYID"))

/** The ids of the primaries with slots, as a node sees them, in order of their slots. */
const primariesSeenBy = async (node: GatedNode): Promise<ReadonlyArray<string>> => {
  const lines = String(await node.call("CLUSTER", "NODES"))
    .trim()
    .split("\n")
  return lines
    .map((line) => line.split(" "))
    .filter(([, , flags = "", , , , , , slots]) => flags.includes("master") && slots !== undefined)
    .toSorted(
      ([, , , , , , , , one = ""], [, , , , , , , , other = ""]) =>
        Number.parseInt(one, 10) - Number.parseInt(other, 10),
    )
    .map(([id = ""]) => id)
}

const isFollowed = async (primary: GatedNode): Promise<boolean> => {
  const replication = await replicationOf(primary)
  return replication.get("role") === "master" && (replication.get("slave0") ?? "").includes("state=online")
}

/** Three primaries, each with a replica. */
export const startClusterTopology = async (): Promise<Topology> => {
  const { url, nodes, stop } = await startGatedCluster()
  const ids = new Map<string, GatedNode>()
  for (const node of nodes) ids.set(await idOf(node), node)
  const shardOf = (node: GatedNode): number => nodes.indexOf(node) % shardCount

  /** The primary of a shard, as the nodes of the next one see it, of which one is up. */
  const primaryOf = async (shard: number): Promise<GatedNode> => {
    const witnesses = nodes.filter((node) => shardOf(node) === (shard + 1) % shardCount && !node.hasEnded())
    let found: GatedNode | undefined
    await until(`shard ${shard} to have a primary that runs`, async () => {
      for (const witness of witnesses) {
        const seen = await primariesSeenBy(witness).catch(() => [])
        found = ids.get(seen[shard] ?? "")
        if (found !== undefined && !found.hasEnded()) return true
      }
      return false
    })
    return found as GatedNode
  }
  const shards = Array.from({ length: shardCount }, (_, shard) => shard)
  const replicas: Topology["replicas"] = (primary) =>
    nodes.filter((node) => node !== primary && shardOf(node) === shardOf(primary))

  return {
    url,
    servers: nodes,
    deciders: nodes,
    primary: (pick) => primaryOf(Math.min(Math.floor(pick * shardCount), shardCount - 1)),
    replicas,
    failOver: async (old) => {
      const [replica] = replicas(old)
      await replica?.call("CLUSTER", "FAILOVER")
      await until("another primary", async () => (await primaryOf(shardOf(old))) !== old)
    },
    recover: async () => {
      for (const { gate, signal } of nodes) {
        gate.heal()
        signal("SIGCONT")
      }
      // What a kill has truncated it gets again from its primary.
      for (const node of nodes) if (node.hasEnded()) await node.restart("--aof-load-truncated", "yes")
      await until("each primary to be followed, in the eyes of all", async () => {
        try {
          const states = await Promise.all(nodes.map((node) => node.call("CLUSTER", "INFO")))
          if (!states.every((state) => String(state).includes("cluster_state:ok"))) return false
          const followed = await Promise.all(shards.map(async (shard) => isFollowed(await primaryOf(shard))))
          return followed.every(Boolean)
        } catch {
          return false
        }
      })
    },
    stop,
  }
}
