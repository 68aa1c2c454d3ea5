import { Effect, ManagedRuntime } from "effect"
import { afterAll, beforeAll } from "vitest"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import { RedisStoreLive } from "../../src/store/redisStore.ts"
import { startTestRedis, type TestRedis } from "./redis.ts"

/** Runs the store on a redis-server of its own for the tests of a file. */
export const useStore = (processId: string) => {
  let server: TestRedis
  const makeRuntime = () =>
    ManagedRuntime.make(
      RedisStoreLive(server.url, { retentionMillis: 86_400_000, partitions: 64, processId }),
    )
  let runtime: ReturnType<typeof makeRuntime>
  beforeAll(async () => {
    server = await startTestRedis({ appendfsync: "no" })
    runtime = makeRuntime()
  })
  afterAll(async () => {
    await runtime.dispose()
    await server.stop()
  })
  const withClient = <A, E>(use: (client: RedisClient["Service"]) => Effect.Effect<A, E>) =>
    runtime.runPromise(Effect.flatMap(RedisClient, use))
  return {
    withClient,
    /** Sends a command. */
    redis: (command: string, ...args: ReadonlyArray<string>) =>
      withClient((client) => client.call(command, args)),
  }
}
