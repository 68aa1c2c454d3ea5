import { setTimeout as sleep } from "node:timers/promises"
import { Effect } from "effect"
import { freePort } from "../../src/start/ownRedis/redisChild.ts"
import { type BenchRedis, startBenchRedis } from "./redisServer.ts"

const primaries = 3
const slots = 16_384
const settleMillisMax = 30_000

interface Node extends BenchRedis {
  readonly port: number
  readonly busPort: number
}

const startNode = async (): Promise<Node> => {
  const busPort = await Effect.runPromise(freePort)
  const redis = await startBenchRedis(["--cluster-enabled", "yes", "--cluster-port", String(busPort)])
  return { ...redis, port: Number(new URL(redis.url).port), busPort }
}

const isWhole = async ({ client }: Node): Promise<boolean> => {
  const info = String(await client.call("CLUSTER", "INFO"))
  return info.includes("cluster_state:ok") && info.includes(`cluster_known_nodes:${primaries}`)
}

const join = async (nodes: ReadonlyArray<Node>): Promise<void> => {
  const share = Math.ceil(slots / nodes.length)
  for (const [index, { client, port, busPort }] of nodes.entries()) {
    await client.call("CLUSTER", "SET-CONFIG-EPOCH", index + 1)
    await client.call("CLUSTER", "ADDSLOTSRANGE", index * share, Math.min(slots, (index + 1) * share) - 1)
    await nodes[0]?.client.call("CLUSTER", "MEET", "127.0.0.1", port, busPort)
  }
  const deadline = performance.now() + settleMillisMax
  for (const node of nodes) {
    while (!(await isWhole(node))) {
      if (performance.now() > deadline) throw new Error("the Redis Cluster did not get ready")
      await sleep(50)
    }
  }
}

/** Starts a Redis Cluster of three primaries without replicas; `pid` and `client` are those of the first. */
export const startBenchCluster = async (): Promise<BenchRedis & { readonly pids: ReadonlyArray<number> }> => {
  const nodes: Array<Node> = []
  const stop = async () => {
    for (const node of nodes) await node.stop()
  }
  try {
    while (nodes.length < primaries) nodes.push(await startNode())
    await join(nodes)
    const [first] = nodes
    if (first === undefined) throw new Error("the Redis Cluster has no node")
    const url = `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(",")}`
    return { url, pid: first.pid, pids: nodes.map(({ pid }) => pid), client: first.client, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
