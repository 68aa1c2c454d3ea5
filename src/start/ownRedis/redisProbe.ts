import { Effect } from "effect"
import { Redis } from "ioredis"

/** A Redis that answered on a port of this machine. */
export interface Probe {
  readonly state: "loading" | "ready"
  readonly pid: number
  /** The folder it writes to. */
  readonly folder: string
  readonly version: string
}

const answerTimeoutMillis = 1_000

/** A field of a reply to INFO; "" where it is absent. */
export const infoField = (info: string, name: string): string =>
  new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1] ?? ""

/** A server on 127.0.0.1, and its password if it requires one. */
export interface RedisLogin {
  readonly port: number
  readonly password?: string | undefined
}

/** Runs `body` on a new connection that never retries, and closes it. */
export const withConnection = async <A>(
  { port, password }: RedisLogin,
  body: (redis: Redis) => Promise<A>,
): Promise<A> => {
  const redis = new Redis({
    host: "127.0.0.1",
    port,
    // Without a user name: servers too old for us do not accept one, and we want to read their version.
    ...(password === undefined ? {} : { password }),
    lazyConnect: true,
    connectTimeout: answerTimeoutMillis,
    commandTimeout: answerTimeoutMillis,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    protocol: 2,
  })
  // Failures reach the caller through connect() and the commands; without a listener ioredis prints each.
  redis.on("error", () => {})
  try {
    await redis.connect()
    return await body(redis)
  } finally {
    // On a closed connection it would only set a timer, which keeps the process alive.
    if (redis.status !== "end") redis.disconnect()
  }
}

const ask = async (access: RedisLogin): Promise<Probe | undefined> => {
  try {
    return await withConnection(access, async (redis) => {
      const info = await redis.info()
      const [, folder] = (await redis.call("CONFIG", "GET", "dir")) as [string, string]
      return {
        state: infoField(info, "loading") === "0" ? "ready" : "loading",
        pid: Number(infoField(info, "process_id")),
        folder,
        version: infoField(info, "redis_version"),
      }
    })
  } catch {
    return undefined
  }
}

/**
 * Asks whatever listens there to identify itself. Undefined if nothing listens, the password is wrong, or it does not
 * answer like a Redis within a second or two.
 */
export const probeRedis = (access: RedisLogin): Effect.Effect<Probe | undefined> =>
  Effect.promise(() => ask(access))
