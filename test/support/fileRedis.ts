import { Redis } from "ioredis"
import { afterAll, beforeAll, beforeEach } from "vitest"
import { startTestRedis, type TestRedis } from "./redis.ts"

/** A redis-server of a test file. */
export interface FileRedis {
  readonly url: string
  /** A connection to it. */
  readonly redis: Redis
}

/** Starts a redis-server before the tests of a file, empties it before each, and stops it after them. */
export const useEmptyRedis = (): FileRedis => {
  let server: TestRedis
  let redis: Redis
  beforeAll(async () => {
    server = await startTestRedis({ appendfsync: "no" })
    redis = new Redis(server.url)
  })
  afterAll(async () => {
    redis?.disconnect()
    await server?.stop()
  })
  beforeEach(async () => {
    await redis.flushall()
  })
  return {
    get url() {
      return server.url
    },
    get redis() {
      return redis
    },
  }
}
