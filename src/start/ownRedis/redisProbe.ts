import { Effect } from "effect"
import { Redis } from "ioredis"
import type { RedisPlace } from "./redisFolder.ts"

/** A Redis that answered at a port of this machine. */
export interface Probe {
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
export const withConnection = async <A>(
  { port, password }: RedisPlace,
  body: (redis: Redis) => Promise<A>,
): Promise<A> => {
  const redis = new Redis({
    host: "127.0.0.1",
    port,
    // Without the user's name, which servers that are too old for us do not take: their version is to be read.
    ...(password === undefined ? {} : { password }),
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
    // After its end it would only set a timer, which keeps the process from ending.
    if (redis.status !== "end") redis.disconnect()
  }
}

const ask = async (place: RedisPlace): Promise<Probe | undefined> => {
  try {
    return await withConnection(place, async (redis) => {
      const info = await redis.info()
      const [, folder] = (await redis.call("CONFIG", "GET", "dir")) as [string, string]
      return {
        state: fieldOf(info, "loading") === "0" ? "ready" : "loading",
        pid: Number(fieldOf(info, "process_id")),
        folder,
        version: fieldOf(info, "redis_version"),
      }
    })
  } catch {
    return undefined
  }
}

/**
 * Asks whatever listens at a place who it is; undefined when nothing listens, it has another password, or it does not
 * answer as a Redis does within a second or two.
 */
export const probeRedis = (place: RedisPlace): Effect.Effect<Probe | undefined> =>
  Effect.promise(() => ask(place))
