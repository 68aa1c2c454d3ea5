import { connect, createServer, type Socket } from "node:net"
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { parseRedisUrl } from "../../src/config/redisUrl.ts"
import { openConnection, redisOf } from "../../src/store/redis/redisConnection.ts"
import { type Signal, Subscriber, SubscriberLive } from "../../src/store/redis/subscriber.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"
import { startTestSentinels, type TestSentinels } from "../support/redisSentinels.ts"
import { until } from "../support/until.ts"

/** Unhandled rejections: one would end the service's process. */
const rejections: Array<unknown> = []
const note = (reason: unknown) => {
  rejections.push(reason)
}
beforeEach(() => {
  rejections.length = 0
  process.on("unhandledRejection", note)
})
afterEach(() => {
  process.off("unhandledRejection", note)
})

/**
 * A proxy to a server. `cut` breaks the open connections, and holds back the next answer that contains `marker` until its
 * client has given up on it: to the client, a server that starts slowly. Connections without such an answer may come first.
 */
const startSlowStarter = async (targetPort: number, marker: string) => {
  const pairs = new Set<readonly [Socket, Socket]>()
  const state = { isSlow: false, hasHeld: false, answers: 0 }
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port: targetPort, host: "127.0.0.1", allowHalfOpen: true })
    for (const socket of [near, far]) socket.on("error", () => {})
    pairs.add([near, far])
    near.on("data", (data) => far.write(data))
    let held = ""
    far.on("data", (data) => {
      if (data.includes(marker)) state.answers += 1
      if (state.isSlow && data.includes(marker)) {
        state.isSlow = false
        held = data.toString()
        state.hasHeld = true
      } else near.write(data)
    })
    near.on("end", () => {
      near.end(held)
      far.end()
    })
    near.once("close", () => far.destroy())
    far.once("close", () => near.destroy())
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const address = server.address()
  const cutAll = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy()
    pairs.clear()
  }
  return {
    port: typeof address === "object" ? (address?.port ?? 0) : 0,
    hasHeld: () => state.hasHeld,
    /** How many answers contained the marker, held back or not. */
    answers: () => state.answers,
    cut: () => {
      state.isSlow = true
      cutAll()
    },
    close: () => {
      server.close()
      cutAll()
    },
  }
}

describe("a subscription whose Redis comes back slowly", () => {
  let redis: TestRedis
  let starter: Awaited<ReturnType<typeof startSlowStarter>>
  beforeAll(async () => {
    redis = await startTestRedis()
    starter = await startSlowStarter(redis.port, "redis_version")
  })
  afterAll(async () => {
    starter?.close()
    await redis?.stop()
  })

  it.live(
    "a subscription is restored after a slow Redis start, and a failure on the way does not end the process",
    () =>
      Effect.gen(function* () {
        const subscriber = yield* Subscriber
        const signals: Array<Signal> = []
        yield* subscriber.listen((signal) => signals.push(signal))
        yield* subscriber.subscribe(["hint:test"])
        starter.cut()
        const has = (kind: Signal["kind"]) => () => signals.some((signal) => signal.kind === kind)
        yield* Effect.promise(() => until("the subscription to be restored", has("restored")))
        assert.isTrue(starter.hasHeld())
        const [publisher] = yield* Effect.acquireRelease(
          Effect.sync(() => [redisOf({ kind: "server", url: redis.url }, "test")] as const),
          ([connection]) => Effect.sync(() => connection.disconnect()),
        )
        yield* Effect.promise(() => publisher.connect())
        yield* Effect.promise(() => publisher.publish("hint:test", "after"))
        yield* Effect.promise(() => until("a message", has("message")))
        assert.deepStrictEqual(rejections, [])
      }).pipe(
        Effect.provide(
          Layer.fresh(Layer.unwrap(Effect.sync(() => SubscriberLive(`redis://127.0.0.1:${starter.port}`)))),
        ),
        Effect.scoped,
      ),
  )
})

describe("a connection through Sentinels", () => {
  let sentinels: TestSentinels
  beforeAll(async () => {
    sentinels = await startTestSentinels()
  })
  afterAll(() => sentinels?.stop())

  it("a connection listens again to a Sentinel that failed its subscription, and does not end the process", async () => {
    const target = parseRedisUrl(sentinels.url)
    if (target?.kind !== "sentinel") throw new Error("the URL names no Sentinels")
    const [first, ...others] = target.sentinels
    const starter = await startSlowStarter(first?.port ?? 0, "+switch-master")
    const scope = Scope.makeUnsafe()
    try {
      const viaStarter = { ...target, sentinels: [{ host: "127.0.0.1", port: starter.port }, ...others] }
      const opening = openConnection(() => redisOf(viaStarter, "test"), sentinels.url)
      const redis = await Effect.runPromise(Scope.provide(opening, scope))
      await until("a subscription at the Sentinel", () => starter.answers() === 1)
      starter.cut()
      await until("a subscription that fails", starter.hasHeld)
      await until("a subscription at the Sentinel again", () => starter.answers() === 3)
      assert.strictEqual(await redis.ping(), "PONG")
      assert.deepStrictEqual(rejections, [])
    } finally {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      starter.close()
    }
  })
})
