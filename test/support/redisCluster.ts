import { joinGates, type NetworkGate, openNetworkGate } from "./networkGate.ts"
import { freeTestPort } from "./ports.ts"
import { nodeArguments, type RedisNode, startRedisNode } from "./redisNode.ts"
import type { GatedNode } from "./redisSentinels.ts"
import { until } from "./until.ts"

/** A Redis Cluster for one test, on this machine. */
export interface TestCluster {
  /** A REDIS_URL that names all nodes. */
  readonly url: string
  /** The first primaries, then the replica of each in the same order, if there are replicas. */
  readonly nodes: ReadonlyArray<RedisNode>
  /** The node that has the slot of a key now. Waits while none has, as in the middle of a failover. */
  readonly primaryOf: (key: string) => Promise<RedisNode>
  /** Starts one more primary, without slots, and waits until all nodes know it. */
  readonly addPrimary: () => Promise<RedisNode>
  readonly stop: () => Promise<void>
}

const slotCount = 16_384

/** How long nodes wait for each other where a primary is to be replaced, and while they are introduced. */
const impatientMillis = 1_500
/** Everywhere else: a node that a busy machine starves for a while keeps its place, and the cluster its state. */
const patientMillis = 60_000

interface ClusterNode extends RedisNode {
  /** Where others find it. */
  readonly announced: { readonly port: number; readonly busPort: number }
}

const clusterArguments = (busPort: number): ReadonlyArray<string> => [
  ...["--cluster-enabled", "yes", "--cluster-port", String(busPort)],
  ...["--cluster-node-timeout", String(impatientMillis)],
]

const startNode = async (more: ReadonlyArray<string>): Promise<ClusterNode> => {
  let busPort = 0
  const node = await startRedisNode(async (port, folder) => {
    busPort = await freeTestPort()
    return nodeArguments(...clusterArguments(busPort), ...more)(port, folder)
  })
  return { ...node, announced: { port: node.port, busPort } }
}

/** Starts a node that others reach by a gate before each of its ports. */
const startGatedNode = async (source: string): Promise<ClusterNode & GatedNode> => {
  let gates: readonly [clients: NetworkGate, bus: NetworkGate] | undefined
  const node = await startRedisNode(async (port, folder) => {
    await Promise.all((gates ?? []).map((gate) => gate.close()))
    const busPort = await freeTestPort()
    gates = [await openNetworkGate(port), await openNetworkGate(busPort)]
    const announced = [
      ...["--cluster-announce-ip", "127.0.0.1", "--cluster-announce-port", String(gates[0].port)],
      ...["--cluster-announce-bus-port", String(gates[1].port), "--bind-source-addr", source],
      ...["--repl-diskless-sync-delay", "0"],
    ]
    return nodeArguments(...clusterArguments(busPort), ...announced)(port, folder)
  })
  if (gates === undefined) throw new Error("the node has no gate")
  const gate = joinGates(...gates)
  const stop = async () => {
    await node.stop()
    await gate.close()
  }
  return { ...node, stop, source, gate, announced: { port: gate.port, busPort: gates[1].port } }
}

const infoOf = async (node: RedisNode): Promise<string> => String(await node.call("CLUSTER", "INFO"))

const meet = async (node: ClusterNode, known: ClusterNode | undefined) => {
  if (known === undefined) throw new Error("a cluster needs a primary")
  await node.call("CLUSTER", "MEET", "127.0.0.1", known.announced.port, known.announced.busPort)
}

const isWhole = async (node: RedisNode, count: number): Promise<boolean> => {
  const info = await infoOf(node)
  return info.includes("cluster_state:ok") && info.includes(`cluster_known_nodes:${count}`)
}

/** Assigns the slots, introduces the nodes to each other, and waits until all agree. */
const join = async (primaries: ReadonlyArray<ClusterNode>, replicas: ReadonlyArray<ClusterNode>) => {
  const nodes = [...primaries, ...replicas]
  const share = Math.ceil(slotCount / primaries.length)
  const [first] = primaries
  for (const [i, node] of nodes.entries()) {
    await node.call("CLUSTER", "SET-CONFIG-EPOCH", i + 1)
    if (i >= primaries.length) continue
    const last = Math.min(slotCount, (i + 1) * share) - 1
    await node.call("CLUSTER", "ADDSLOTSRANGE", i * share, last)
  }
  for (const node of nodes.slice(1)) await meet(node, first)
  for (const node of nodes) {
    await until("the cluster to be whole", () => isWhole(node, nodes.length))
  }
  for (const [i, replica] of replicas.entries()) {
    await replica.call("CLUSTER", "REPLICATE", String(await primaries[i]?.call("CLUSTER", "MYID")))
    await until("a replica to follow", async () =>
      String(await replica.call("INFO", "replication")).includes("master_link_status:up"),
    )
  }
  // Primaries do not vote for a replica that they take for a primary.
  for (const node of nodes) {
    await until("the nodes to know the replicas", async () => {
      const known = String(await node.call("CLUSTER", "NODES")).match(/\bslave\b/g) ?? []
      return known.length === replicas.length
    })
  }
}

/** Starts three primaries, each with a replica, with a network between all of them and the service that can fail. */
export const startGatedCluster = async () => {
  const startThree = (from: number) =>
    Promise.all([from, from + 1, from + 2].map((number) => startGatedNode(`127.0.1.${number}`)))
  const primaries = await startThree(1)
  const replicas = await startThree(4)
  await join(primaries, replicas)
  const nodes: ReadonlyArray<GatedNode> = [...primaries, ...replicas]
  return {
    url: `redis+cluster://${nodes.map(({ gate }) => `127.0.0.1:${gate.port}`).join(",")}`,
    nodes,
    stop: async () => {
      await Promise.all(nodes.map((node) => node.stop()))
    },
  }
}

/**
 * Starts a cluster of three primaries, each with a replica if asked for. Stop it in `afterAll`. A replica takes the place of a primary
 * that does not answer only where the test `losesPrimaries`.
 */
export const startTestCluster = async (
  options: {
    readonly appendfsync?: "always" | "no"
    readonly withReplicas?: boolean
    readonly losesPrimaries?: boolean
  } = {},
): Promise<TestCluster> => {
  const { appendfsync = "always", withReplicas = false, losesPrimaries = false } = options
  const bePatient = (node: ClusterNode) =>
    losesPrimaries ? undefined : node.call("CONFIG", "SET", "cluster-node-timeout", patientMillis)
  const start = () => startNode(["--appendfsync", appendfsync])
  const primaries = await Promise.all([start(), start(), start()])
  const replicas = withReplicas ? await Promise.all([start(), start(), start()]) : []
  const nodes = [...primaries, ...replicas]
  await join(primaries, replicas)
  await Promise.all(nodes.map(bePatient))
  const addPrimary = async () => {
    const node = await start()
    await meet(node, nodes[0])
    nodes.push(node)
    for (const each of nodes) await until("the cluster to know the node", () => isWhole(each, nodes.length))
    await bePatient(node)
    return node
  }
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
    addPrimary,
    stop: async () => {
      await Promise.all(nodes.map((node) => node.stop()))
    },
  }
}
