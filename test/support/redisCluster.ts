import { freeTestPort } from "./ports.ts"
import { nodeArguments, type RedisNode, startRedisNode } from "./redisNode.ts"
import { until } from "./until.ts"

/** A Redis Cluster for one test, on this machine. */
export interface TestCluster {
  /** A REDIS_URL that names all nodes. */
  readonly url: string
  /** The first primaries, then the replica of each in the same order, if there are replicas. */
  readonly nodes: ReadonlyArray<RedisNode>
  /** The node that has the slot of a key now. Waits while none has, as in the middle of a failover. */
  readonly primaryOf: (key: string) => Promise<RedisNode>
  readonly stop: () => Promise<void>
}

const slotCount = 16_384

interface ClusterNode extends RedisNode {
  readonly busPort: number
}

const startNode = async (more: ReadonlyArray<string>): Promise<ClusterNode> => {
  let busPort = 0
  const node = await startRedisNode(async (port, folder) => {
    busPort = await freeTestPort()
    const own = [
      "--cluster-enabled",
      "yes",
      "--cluster-port",
      String(busPort),
      "--cluster-node-timeout",
      "1500",
    ]
    return nodeArguments(...own, ...more)(port, folder)
  })
  return { ...node, busPort }
}

const infoOf = async (node: RedisNode): Promise<string> => String(await node.call("CLUSTER", "INFO"))

const isWhole = async (node: RedisNode, count: number): Promise<boolean> => {
  const info = await infoOf(node)
  return info.includes("cluster_state:ok") && info.includes(`cluster_known_nodes:${count}`)
}

/** Assigns the slots, introduces the nodes to each other, and waits until all agree. */
const join = async (primaries: ReadonlyArray<ClusterNode>, replicas: ReadonlyArray<ClusterNode>) => {
  const nodes = [...primaries, ...replicas]
  const share = Math.ceil(slotCount / primaries.length)
  const [first] = primaries
  if (first === undefined) throw new Error("a cluster needs a primary")
  for (const [i, node] of nodes.entries()) {
    await node.call("CLUSTER", "SET-CONFIG-EPOCH", i + 1)
    if (i >= primaries.length) continue
    const last = Math.min(slotCount, (i + 1) * share) - 1
    await node.call("CLUSTER", "ADDSLOTSRANGE", i * share, last)
  }
  for (const node of nodes.slice(1)) {
    await node.call("CLUSTER", "MEET", "127.0.0.1", first.port, first.busPort)
  }
  for (const node of nodes) {
    await until("the cluster to be whole", () => isWhole(node, nodes.length))
  }
  for (const [i, replica] of replicas.entries()) {
    await replica.call("CLUSTER", "REPLICATE", String(await primaries[i]?.call("CLUSTER", "MYID")))
    await until("a replica to follow", async () =>
      String(await replica.call("INFO", "replication")).includes("master_link_status:up"),
    )
  }
}

/** Starts a cluster of three primaries, each with a replica if asked for. Stop it in `afterAll`. */
export const startTestCluster = async (
  options: { readonly appendfsync?: "always" | "no"; readonly withReplicas?: boolean } = {},
): Promise<TestCluster> => {
  const { appendfsync = "always", withReplicas = false } = options
  const start = () => startNode(["--appendfsync", appendfsync])
  const primaries = await Promise.all([start(), start(), start()])
  const replicas = withReplicas ? await Promise.all([start(), start(), start()]) : []
  const nodes = [...primaries, ...replicas]
  await join(primaries, replicas)
  return {
    url: `redis+cluster://${nodes.map(({ address }) => address).join(",")}`,
    nodes,
    primaryOf: async (key) => {
      const [asked] = nodes
      const slot = Number(await asked?.call("CLUSTER", "KEYSLOT", key))
      let found: RedisNode | undefined
      await until(`a node to have the slot of ${key}`, async () => {
        const rows = (await asked?.call("CLUSTER", "SLOTS")) as ReadonlyArray<
          readonly [number, number, readonly [string, number]]
        >
        const port = rows.find(([from, to]) => from <= slot && slot <= to)?.[2][1]
        found = nodes.find((node) => node.port === port)
        return found !== undefined
      })
      return found as RedisNode
    },
    stop: async () => {
      await Promise.all(nodes.map((node) => node.stop()))
    },
  }
}
