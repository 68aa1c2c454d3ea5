import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { Redis } from "ioredis"
import { freePort, redisArguments } from "../../src/start/ownRedis/redisChild.ts"
import { startServer } from "./child.ts"
import { until } from "./until.ts"

/**
 * This run's folder, beside the data of `npm start`: temporary folders are often in memory, where fsync costs nothing.
 */
export const dataRoot = fileURLToPath(new URL(`../../.data/bench/${process.pid}`, import.meta.url))

export interface BenchRedis {
  readonly url: string
  readonly pid: number
  readonly pids: ReadonlyArray<number>
  /** For the bench's own commands; servers have their own connections. */
  readonly client: Redis
  readonly stop: () => Promise<void>
}

/**
 * The settings of the service's own Redis (append-only, fsync always, noeviction), except that the append-only file is
 * not rewritten during a measurement: `compact` does that in between.
 */
const extraArguments = ["--auto-aof-rewrite-percentage", "0", "--logfile", ""]

/** Starts a Redis on a free port in an empty folder, with `more` arguments. */
export const startBenchRedis = async (more: ReadonlyArray<string> = []): Promise<BenchRedis> => {
  mkdirSync(dataRoot, { recursive: true })
  const folder = mkdtempSync(join(dataRoot, "redis-"))
  const port = await Effect.runPromise(freePort)
  const args = [...redisArguments(port, folder), ...extraArguments, ...more]
  try {
    const server = await startServer("redis-server", args, process.env, /Ready to accept connections/)
    const client = new Redis(port, "127.0.0.1", { protocol: 2 })
    const stop = async () => {
      client.disconnect()
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    }
    const { pid } = server
    return { url: `redis://127.0.0.1:${port}`, pid, pids: [pid], client, stop }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

const replicas = 2

/** Starts a primary with two replicas, all on this machine; `pid` and `client` are those of the primary. */
export const startBenchReplicas = async (): Promise<BenchRedis> => {
  const servers: Array<BenchRedis> = []
  const stop = async () => {
    for (const server of servers.toReversed()) await server.stop()
  }
  try {
    const primary = await startBenchRedis()
    servers.push(primary)
    const { port } = new URL(primary.url)
    while (servers.length <= replicas) servers.push(await startBenchRedis(["--replicaof", "127.0.0.1", port]))
    const follow = async () =>
      String(await primary.client.info("replication")).match(/state=online,.*lag=[01]\b/g)?.length ===
      replicas
    if (!(await until(follow, 30_000))) throw new Error("the replicas do not follow")
    return { ...primary, pids: servers.map(({ pid }) => pid), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const primaries = 3
const slots = 16_384

const meet = async (nodes: ReadonlyArray<BenchRedis & { readonly busPort: number }>): Promise<void> => {
  const share = Math.ceil(slots / nodes.length)
  for (const [index, { client, url, busPort }] of nodes.entries()) {
    await client.call("CLUSTER", "SET-CONFIG-EPOCH", index + 1)
    await client.call("CLUSTER", "ADDSLOTSRANGE", index * share, Math.min(slots, (index + 1) * share) - 1)
    await nodes[0]?.client.call("CLUSTER", "MEET", "127.0.0.1", new URL(url).port, busPort)
  }
  const isWhole = async ({ client }: BenchRedis) => {
    const info = String(await client.call("CLUSTER", "INFO"))
    return info.includes("cluster_state:ok") && info.includes(`cluster_known_nodes:${primaries}`)
  }
  for (const node of nodes) {
    if (!(await until(() => isWhole(node), 30_000))) throw new Error("the Redis Cluster did not get ready")
  }
}

/** Starts a Redis Cluster of three primaries without replicas; `pid` and `client` are those of the first. */
export const startBenchCluster = async (): Promise<BenchRedis> => {
  const nodes: Array<BenchRedis & { readonly busPort: number }> = []
  const stop = async () => {
    for (const node of nodes) await node.stop()
  }
  try {
    while (nodes.length < primaries) {
      const busPort = await Effect.runPromise(freePort)
      const more = ["--cluster-enabled", "yes", "--cluster-port", String(busPort)]
      nodes.push({ ...(await startBenchRedis(more)), busPort })
    }
    await meet(nodes)
    const [first] = nodes
    if (first === undefined) throw new Error("the Redis Cluster has no node")
    const url = `redis+cluster://${nodes.map((node) => new URL(node.url).host).join(",")}`
    return { url, pid: first.pid, pids: nodes.map(({ pid }) => pid), client: first.client, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

export const redisInfo = async (client: Redis, name: string): Promise<string> =>
  new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(await client.info())?.[1] ?? ""

/** Rewrites the append-only file to the current data, and waits for it. */
export const compact = async (client: Redis): Promise<void> => {
  await client.bgrewriteaof()
  while ((await redisInfo(client, "aof_rewrite_in_progress")) !== "0") await sleep(20)
}
