import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { Redis } from "ioredis"
import { freePort, redisArguments } from "../../src/start/ownRedis/redisChild.ts"
import { startServer } from "./child.ts"

/**
 * This run's folder, beside the data of `npm start`: temporary folders are often in memory, where fsync costs nothing.
 */
export const dataRoot = fileURLToPath(new URL(`../../.data/bench/${process.pid}`, import.meta.url))

/** A redis-server of the bench. */
export interface BenchRedis {
  readonly url: string
  readonly pid: number
  /** For the bench's own commands; servers have their own connections. */
  readonly client: Redis
  /** Stops the server and removes its data. */
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
  try {
    const server = await startServer(
      "redis-server",
      [...redisArguments(port, folder), ...extraArguments, ...more],
      process.env,
      /Ready to accept connections/,
    )
    const client = new Redis(port, "127.0.0.1", { protocol: 2 })
    const stop = async () => {
      client.disconnect()
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    }
    return { url: `redis://127.0.0.1:${port}`, pid: server.pid, client, stop }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

/** A field of INFO. */
export const redisInfo = async (client: Redis, name: string): Promise<string> =>
  new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(await client.info())?.[1] ?? ""

/** Rewrites the append-only file to the current data, and waits for it. */
export const compact = async (client: Redis): Promise<void> => {
  await client.bgrewriteaof()
  while ((await redisInfo(client, "aof_rewrite_in_progress")) !== "0") await sleep(20)
}
