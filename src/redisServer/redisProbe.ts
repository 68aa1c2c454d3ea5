import { Effect } from "effect"
import { Redis } from "ioredis"

/** What answers at a port of this machine. */
export type Probe =
  | { readonly state: "refused" }
  /** Something accepts connections and does not answer as a Redis does, or not in time. */
  | { readonly state: "silent" }
  | {
      readonly state: "loading" | "ready"
      readonly pid: number
      /** The folder it writes to. */
      readonly folder: string
      readonly version: string
    }

const answerTimeoutMillis = 1_000

const fieldOf = (info: string, name: string): string =>
  new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1] ?? ""

/** Runs `body` on a connection of its own that never retries, and closes it. */
export const withConnection = async <A>(port: number, body: (redis: Redis) => Promise<A>): Promise<A> => {
  const redis = new Redis({
    host: "127.0.0.1",
    port,
    lazyConnect: true,
    connectTimeout: answerTimeoutMillis,
    commandTimeout: answerTimeoutMillis,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    protocol: 2,
  })
  // Failures reach the caller through connect() and the commands; unheard, ioredis would print each.
  redis.on("error", () => {})
  try {
    await redis.connect()
    return await body(redis)
  } finally {
    redis.disconnect()
  }
}

const ask = async (port: number): Promise<Probe> => {
  try {
    return await withConnection(port, async (redis) => {
      const info = await redis.info()
      const [, folder] = (await redis.call("CONFIG", "GET", "dir")) as [string, string]
      return {
        state: fieldOf(info, "loading") === "0" ? "ready" : "loading",
        pid: Number(fieldOf(info, "process_id")),
        folder,
        version: fieldOf(info, "redis_version"),
      }
    })
  } catch (error) {
    return { state: (error as NodeJS.ErrnoException).code === "ECONNREFUSED" ? "refused" : "silent" }
  }
}

/** Asks whatever listens on 127.0.0.1 at `port` who it is. Answers within two seconds. */
export const probeRedis = (port: number): Effect.Effect<Probe> => Effect.promise(() => ask(port))
