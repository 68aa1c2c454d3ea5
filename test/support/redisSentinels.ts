import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { nodeArguments, type RedisNode, startRedisNode } from "./redisNode.ts"
import { until } from "./until.ts"

/** A primary and a replica, watched by Sentinels. */
export interface TestSentinels {
  /** A REDIS_URL that names the Sentinels. */
  readonly url: string
  readonly servers: readonly [RedisNode, RedisNode]
  /** The server that the Sentinels name as primary. */
  readonly primary: () => Promise<RedisNode | undefined>
  /** How many connections the first Sentinel announces failovers to. */
  readonly listenerCount: () => Promise<number>
  /** Asks the Sentinels to promote the replica. */
  readonly failOver: () => Promise<void>
  readonly stop: () => Promise<void>
}

const masterName = "mymaster"

const startSentinel = (primary: RedisNode, quorum: number): Promise<RedisNode> =>
  startRedisNode((port, folder) => {
    const file = join(folder, "sentinel.conf")
    writeFileSync(
      file,
      [
        ...[`port ${port}`, "bind 127.0.0.1", `dir ${folder}`, "logfile sentinel.log"],
        `sentinel monitor ${masterName} 127.0.0.1 ${primary.port} ${quorum}`,
        `sentinel down-after-milliseconds ${masterName} 1500`,
        `sentinel failover-timeout ${masterName} 5000`,
      ].join("\n"),
    )
    return [file, "--sentinel"]
  })

/** What INFO says of a server's part in replication, by name. */
const replicationOf = async (server: RedisNode): Promise<ReadonlyMap<string, string>> => {
  const lines = String(await server.call("INFO", "replication")).split("\r\n")
  return new Map(lines.map((line) => line.split(":") as [string, string]))
}

/** Waits until a replica has all that its primary had written when this was called. */
export const waitForReplica = async (primary: RedisNode, replica: RedisNode): Promise<void> => {
  const written = Number((await replicationOf(primary)).get("master_repl_offset"))
  await until("the replica to have what its primary has", async () => {
    const replication = await replicationOf(replica)
    return (
      replication.get("master_link_status") === "up" &&
      Number(replication.get("slave_repl_offset")) >= written
    )
  })
}

/**
 * Starts the servers and waits until the replica follows and the Sentinels know it and each other. Stop them in `afterAll`.
 * Sentinels promote a replica that has yet to copy its primary, and then there is nothing in it.
 */
export const startTestSentinels = async (count: 1 | 3 = 3): Promise<TestSentinels> => {
  const quorum = Math.ceil(count / 2)
  // By default a primary waits 5 s for more replicas before it sends itself to the first.
  const first = await startRedisNode(nodeArguments("--repl-diskless-sync-delay", "0"))
  const second = await startRedisNode(nodeArguments("--replicaof", "127.0.0.1", String(first.port)))
  const sentinels: Array<RedisNode> = []
  while (sentinels.length < count) sentinels.push(await startSentinel(first, quorum))
  for (const sentinel of sentinels) {
    await until("the Sentinels to know each other and the replica", async () => {
      const fields = (await sentinel.call("SENTINEL", "MASTER", masterName)) as ReadonlyArray<string>
      const field = (name: string) => fields[fields.indexOf(name) + 1]
      return field("num-other-sentinels") === String(count - 1) && field("num-slaves") === "1"
    })
  }
  await waitForReplica(first, second)
  const servers = [first, second] as const
  const primary = async () => {
    const named = await sentinels[0]?.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", masterName)
    const [, port] = named as readonly [string, string]
    return servers.find((server) => server.port === Number(port))
  }
  return {
    url: `redis+sentinel://${sentinels.map(({ address }) => address).join(",")}/${masterName}`,
    servers,
    primary,
    // Sentinels have no PUBSUB.
    listenerCount: async () => String(await sentinels[0]?.call("CLIENT", "LIST")).split(" sub=1 ").length - 1,
    failOver: () =>
      until("the replica to be fit for promotion", async () => {
        try {
          await sentinels[0]?.call("SENTINEL", "FAILOVER", masterName)
          return true
        } catch (error) {
          if (String(error).includes("NOGOODSLAVE")) return false
          throw error
        }
      }),
    stop: async () => {
      await Promise.all([...sentinels, ...servers].map((node) => node.stop()))
    },
  }
}
