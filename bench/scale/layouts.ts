import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import type { Contender } from "../contenders.ts"
import { startBenchCluster } from "../support/redisCluster.ts"
import { type BenchRedis, startBenchRedis } from "../support/redisServer.ts"
import { type SideBackend, startSideBackend } from "../support/sides.ts"

/** How the service is spread over processes and Redis servers. */
export const layoutNames = [
  "corrente",
  "corrente-2",
  "corrente-cluster",
] as const satisfies ReadonlyArray<Contender>
export type LayoutName = (typeof layoutNames)[number]

/** The service in a layout, with its Redis and sellers. */
export interface Layout {
  readonly name: LayoutName
  readonly port: number
  /** Test-mode keys, one per seller. */
  readonly apiKeys: ReadonlyArray<string>
  /** Process ids to measure, named `server …` and `redis …`. */
  readonly processes: Readonly<Record<string, number>>
  readonly ops: SideBackend["ops"]
  readonly stop: () => Promise<void>
}

/** The child processes of a process; none without /proc. */
const childrenOf = (pid: number): ReadonlyArray<number> => {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim()
    return text === "" ? [] : text.split(" ").map(Number)
  } catch {
    return []
  }
}

const named = (what: string, pids: ReadonlyArray<number>) =>
  Object.fromEntries(pids.map((pid, index) => [`${what} ${index + 1}`, pid]))

const moreKeys = async (backend: SideBackend, count: number): Promise<ReadonlyArray<string>> => {
  const keys: Array<string> = []
  for (let index = 0; index < count; index++) {
    const made = (await backend.ops([
      ...["seller", "create", "--email", `bench-${index}@example.com`, "--name", "Bench"],
      ...["--password", randomUUID()],
    ])) as { readonly api_keys: { readonly test: string } }
    keys.push(made.api_keys.test)
  }
  return keys
}

interface Opening {
  readonly settings: Readonly<Record<string, string>>
  readonly redis: () => Promise<BenchRedis & { readonly pids?: ReadonlyArray<number> }>
}

const openings: Readonly<Record<LayoutName, Opening>> = {
  corrente: { settings: {}, redis: startBenchRedis },
  "corrente-2": { settings: { PROCESSES: "2" }, redis: startBenchRedis },
  "corrente-cluster": { settings: {}, redis: startBenchCluster },
}

/** Starts a layout with `sellers` sellers. */
export const startLayout = async (name: LayoutName, sellers: number): Promise<Layout> => {
  let redisPids: ReadonlyArray<number> = []
  const openRedis = async (): Promise<BenchRedis> => {
    const redis = await openings[name].redis()
    redisPids = redis.pids ?? [redis.pid]
    return redis
  }
  const backend = await startSideBackend("corrente", openings[name].settings, openRedis)
  try {
    const apiKeys = [backend.apiKey, ...(await moreKeys(backend, sellers - 1))]
    const server = await backend.startServer()
    const workers = childrenOf(server.pid)
    return {
      name,
      port: server.port,
      apiKeys,
      processes: {
        ...named("server", name === "corrente-2" ? workers : [server.pid]),
        ...named("redis", redisPids),
      },
      ops: backend.ops,
      stop: async () => {
        await server.stop()
        await backend.stop()
      },
    }
  } catch (error) {
    await backend.stop()
    throw error
  }
}
