import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeRedisClient } from "../../src/store/redis/redisClient.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis()
})
afterAll(() => server?.stop())

/** Keeps this thread from anything else: longer than a connection may take to open. */
const stall = Effect.sync(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_200))

describe("the first connection to Redis", () => {
  it.live("a process that stalls while it connects tries again", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const [client] = yield* Effect.all([makeRedisClient(server.url, "test"), Effect.delay(stall, 0)], {
          concurrency: 2,
        })
        assert.strictEqual(yield* client.call("PING", []), "PONG")
      }),
    ),
  )

  it.live("a server that ends the connection is not asked again", () =>
    Effect.scoped(
      Effect.gen(function* () {
        let connections = 0
        const refusing = createServer((socket) => {
          connections += 1
          socket.destroy()
        })
        yield* Effect.acquireRelease(
          Effect.promise(() => once(refusing.listen(0, "127.0.0.1"), "listening")),
          () => Effect.sync(() => refusing.close()),
        )
        const { port } = refusing.address() as AddressInfo
        yield* Effect.flip(Effect.scoped(makeRedisClient(`redis://127.0.0.1:${port}`, "test")))
        assert.strictEqual(connections, 1)
      }),
    ),
  )
})
