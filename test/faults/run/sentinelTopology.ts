import { type GatedNode, replicationOf, startGatedSentinels } from "../../support/redisSentinels.ts"
import { until } from "../../support/until.ts"
import type { Topology } from "./topology.ts"

/** Whether a primary has all its replicas, none of them behind. */
const isWhole = async (primary: GatedNode, replicas: number): Promise<boolean> => {
  const replication = await replicationOf(primary)
  const online = [...replication].filter(
    ([name, value]) => /^slave\d+$/.test(name) && value.includes("state=online"),
  )
  return replication.get("role") === "master" && online.length === replicas
}

/** A primary with two replicas, and three Sentinels. */
export const startSentinelTopology = async (): Promise<Topology> => {
  const redis = await startGatedSentinels()
  const { servers, sentinels } = redis
  const nodes = [...servers, ...sentinels]
  const primary = async (): Promise<GatedNode> => {
    let named: GatedNode | undefined
    await until("the Sentinels to name a primary that runs", async () => {
      named = await redis.primary()
      return named !== undefined && !named.hasEnded()
    })
    return named as GatedNode
  }
  const isKnownToAll = async () => {
    const named = await Promise.all(sentinels.map((sentinel) => redis.namedBy(sentinel)))
    return new Set(named).size === 1
  }
  return {
    url: redis.url,
    servers,
    deciders: sentinels,
    primary,
    replicas: (primary) => servers.filter((server) => server !== primary),
    failOver: async (old) => {
      await redis.failOver()
      await until("another primary", async () => (await primary()) !== old)
    },
    recover: async () => {
      for (const { gate, signal } of nodes) {
        gate.heal()
        signal("SIGCONT")
      }
      for (const server of servers) {
        if (server.hasEnded())
          // Sentinels would make it a replica ten seconds later. What a kill has truncated it gets again from its primary.
          await server.restart(
            ...["--replicaof", "127.0.0.1", String((await primary()).gate.port)],
            ...["--aof-load-truncated", "yes"],
          )
      }
      await until("all servers to follow one primary that all Sentinels name", async () => {
        try {
          return (await isKnownToAll()) && (await isWhole(await primary(), servers.length - 1))
        } catch {
          return false
        }
      })
    },
    stop: redis.stop,
  }
}
