import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { parseRedisUrl } from "../../src/config/redisUrl.ts"
import { openConnection, redisOf } from "../../src/store/redis/redisConnection.ts"
import { startTestSentinels, type TestSentinels } from "../support/redisSentinels.ts"
import { startRelay } from "../support/relay.ts"
import { until } from "../support/until.ts"

describe("a failover that is announced while the connection asks for the primary", () => {
  let sentinels: TestSentinels
  beforeAll(async () => {
    sentinels = await startTestSentinels(1)
  })
  afterAll(() => sentinels?.stop())

  it("a connection comes back although a failover was announced while it asked the Sentinels for the primary", async () => {
    const target = parseRedisUrl(sentinels.url)
    if (target?.kind !== "sentinel") throw new Error("the URL names no Sentinel")
    const relay = await startRelay(target.sentinels[0]?.port ?? 0)
    const scope = Scope.makeUnsafe()
    try {
      const viaRelay = { ...target, sentinels: [{ host: "127.0.0.1", port: relay.port }] }
      const opening = openConnection(() => redisOf(viaRelay, "test"), sentinels.url)
      const redis = await Effect.runPromise(Scope.provide(opening, scope))
      // Who is connected, but has not subscribed yet, would miss an announcement.
      const isHeard = async () => (await sentinels.listenerCount()) === 1
      // One connection to ask for the primary, one to listen, and one to ask again, of which the second stays.
      const isSettled = () => relay.accepted() >= 3 && relay.links.size === 1
      await until("the Sentinel to be listened to", async () => isSettled() && (await isHeard()))
      const listening = relay.hold()
      await sentinels.failOver()
      const [, second] = sentinels.servers
      await until("the replica to take over", async () => (await sentinels.primary()) === second)
      redis.stream.destroy()
      const isAsking = () => redis.status === "connecting" && relay.links.size > listening.length
      await until("the connection to ask for the primary", isAsking)
      for (const { far } of listening) far.resume()
      await until("the announcement to be heard", () => listening.every((link) => !relay.links.has(link)))
      relay.release()
      await until("the connection to be ready again", () => redis.status === "ready")
      assert.strictEqual(await redis.set("key", "written"), "OK")
    } finally {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      relay.close()
    }
  })
})
