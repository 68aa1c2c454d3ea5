import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { Redis } from "ioredis"
import { parseRedisUrl } from "../../src/config/redisUrl.ts"
import { openConnection, redisOf } from "../../src/store/redis/redisConnection.ts"
import { startTestSentinels, type TestSentinels } from "../support/redisSentinels.ts"
import { startRelay } from "../support/relay.ts"
import { until } from "../support/until.ts"

let sentinels: TestSentinels
let relay: Awaited<ReturnType<typeof startRelay>>
let scope: Scope.Closeable
beforeEach(async () => {
  sentinels = await startTestSentinels(1)
  // As if the Sentinels could not reach it: it stays a primary, takes writes and keeps its connections.
  await sentinels.servers[0].call("ACL", "SETUSER", "default", "-replicaof", "-slaveof")
  relay = await startRelay(Number(new URL(sentinels.url).port))
  scope = Scope.makeUnsafe()
})
afterEach(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  relay.close()
  await sentinels.stop()
})

const makeRedis = (): Redis => {
  const target = parseRedisUrl(sentinels.url)
  if (target?.kind !== "sentinel") throw new Error("the URL names no Sentinel")
  return redisOf({ ...target, sentinels: [{ host: "127.0.0.1", port: relay.port }] }, "test")
}
const open = (redis: Redis) =>
  Effect.runPromise(
    Scope.provide(
      openConnection(() => redis, sentinels.url),
      scope,
    ),
  )

/** Undefined before the connection is made. */
const portOf = (redis: Redis): number | undefined =>
  (redis.stream as { readonly remotePort?: number } | undefined)?.remotePort

/** Fails over and waits until that is announced; the Sentinel names the new primary earlier. */
const failOver = async () => {
  const listener = new Redis(sentinels.url.replace(/^redis\+sentinel/, "redis").replace(/\/\w+$/, ""))
  let isAnnounced = false
  listener.on("message", () => {
    isAnnounced = true
  })
  await listener.subscribe("+switch-master")
  await sentinels.failOver()
  await until("the failover to be announced", () => isAnnounced)
  listener.disconnect()
}

/** Expects a connection to move to the new primary by itself. */
const expectMove = async (redis: Redis) => {
  const [, second] = sentinels.servers
  await until(
    "the connection to be with the new primary",
    () => redis.status === "ready" && portOf(redis) === second.port,
  )
  assert.strictEqual(await redis.set("key", "written"), "OK")
  assert.strictEqual(await second.call("GET", "key"), "written")
}

describe("a failover that a connection does not hear of", () => {
  it("a connection leaves an old primary that was replaced before it listened for failovers", async () => {
    const redis = makeRedis()
    relay.allowOnly(1)
    const opened = open(redis)
    const [first] = sentinels.servers
    await until("it to be about to listen", () => portOf(redis) === first.port && relay.links.size > 0)
    await opened
    await failOver()
    assert.strictEqual(portOf(redis), first.port)

    relay.release()
    await expectMove(redis)
  })

  it("a connection leaves an old primary that was replaced while it could not listen for failovers", async () => {
    const redis = await open(makeRedis())
    await until("it to listen", async () => (await sentinels.listenerCount()) === 1)
    relay.allowOnly(0)
    for (const { near } of relay.links) near.destroy()
    await failOver()
    assert.strictEqual(portOf(redis), sentinels.servers[0].port)

    relay.release()
    await expectMove(redis)
  })

  it("a connection stays with a primary that nothing has replaced", async () => {
    const redis = await open(makeRedis())
    let breaks = 0
    redis.on("close", () => {
      breaks += 1
    })
    // It asks, listens, and asks again; what it asks over ends with the answer.
    const isListening = (connections: number) => () =>
      relay.accepted() >= connections && relay.links.size === 1
    await until("it to have asked again", isListening(3))
    for (const { near } of relay.links) near.destroy()
    await until("it to listen and to have asked once more", isListening(5))
    assert.strictEqual(breaks, 0)
  })
})
