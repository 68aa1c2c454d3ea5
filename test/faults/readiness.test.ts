import { Redis } from "ioredis"
import { expect, it, type TestContext } from "vitest"
import { apiClient } from "../support/apiClient.ts"
import { followEvents } from "../support/eventFollower.ts"
import { startTestRedis } from "../support/redis.ts"
import { makeSeller } from "../support/seller.ts"
import { startService } from "../support/service.ts"
import { until } from "../support/until.ts"

/** A service on a Redis that the test administers, and a stream that follows a feed of it. */
const start = async ({ onTestFinished }: Pick<TestContext, "onTestFinished">) => {
  const server = await startTestRedis()
  onTestFinished(server.stop)
  const admin = new Redis(server.url)
  admin.on("error", () => {})
  onTestFinished(() => admin.disconnect())
  await admin.call("ACL", "SETUSER", "service", "on", ">word", "allkeys", "allchannels", "+@all")
  const service = await startService({ redisUrl: `redis://service:word@127.0.0.1:${server.port}` })
  onTestFinished(service.stop)
  const seller = await makeSeller(service)
  const follower = followEvents(service.url, seller.keys.test)
  onTestFinished(follower.stop)
  await until("the stream to open", follower.isReady)
  const client = apiClient(service.url, seller.keys.test)
  onTestFinished(client.close)
  const ready = async () => {
    const { status, text } = await client.get("/ready")
    return { code: status, text, ...(JSON.parse(text) as { readonly checks: Record<string, unknown> }) }
  }
  /** The first text of a new stream. */
  const newStream = async () => {
    const headers = { authorization: `Bearer ${seller.keys.test}` }
    const answer = await fetch(`${service.url}/events`, { headers })
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
    const { value } = (await reader?.read()) ?? {}
    await reader?.cancel()
    return value
  }
  return { server, admin, follower, ready, newStream }
}

it("/ready is 200 only while streams are served", async (context) => {
  const { admin, follower, ready, newStream } = await start(context)
  // A busy machine may be late with the scheduler's first look.
  await until("/ready to be 200", async () => (await ready()).code === 200)
  expect(await ready()).toMatchObject({ checks: { redis: "ok", streams: "ok" } })

  // Redis answers but hints cannot be heard, as after its return until the feed has reconnected.
  await admin.call("ACL", "SETUSER", "service", "-subscribe")
  await admin.call("CLIENT", "KILL", "TYPE", "pubsub")
  await until("the stream to end", () => !follower.isReady())
  expect(await newStream()).toContain("event: reconnect")
  expect(await ready()).toMatchObject({
    code: 503,
    checks: { redis: "ok", streams: { error: expect.stringContaining("turned away") } },
  })

  await admin.call("ACL", "SETUSER", "service", "+subscribe")
  await until("/ready to be 200", async () => (await ready()).code === 200)
  expect(await newStream()).toContain("event: ready")
})

it("/ready describes an absent Redis in its own words, not a library's", async (context) => {
  const { server, admin, ready } = await start(context)
  await admin.call("ACL", "SETUSER", "service", "-ping", "-config|get")
  expect((await ready()).checks).toMatchObject({
    redis: { error: "Redis denies access to the user of REDIS_URL" },
    durability: "skipped",
    functions: "ok",
  })
  await server.kill9()
  await until("the absence to show", async () => (await ready()).checks.functions !== "ok")
  const { checks, text } = await ready()
  expect(checks).toMatchObject({
    redis: { error: "Redis does not answer; see the log for the reason" },
    functions: { error: "Redis does not answer; see the log for the reason" },
  })
  expect(text).not.toMatch(/ECONN|closed|ioredis|127\.0\.0\.1|service|word|enableOfflineQueue/i)
})

it("once /ready is 200 after Redis was killed and is back, a seller whose streams ended opens new ones", async (context) => {
  const { onTestFinished } = context
  const server = await startTestRedis()
  onTestFinished(server.stop)
  const service = await startService({ redisUrl: server.url })
  onTestFinished(service.stop)
  const seller = await makeSeller(service)
  const headers = { authorization: `Bearer ${seller.keys.test}` }
  /** Opens a stream, which stays open, and returns its first text. */
  const opened: Array<AbortController> = []
  onTestFinished(() => {
    for (const stream of opened) stream.abort()
  })
  const open = async () => {
    const controller = new AbortController()
    opened.push(controller)
    const answer = await fetch(`${service.url}/events`, { headers, signal: controller.signal })
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
    return (await reader?.read())?.value
  }
  const openAll = () => Promise.all(Array.from({ length: 5 }, open))
  await openAll()
  for (let round = 0; round < 3; round++) {
    await server.kill9()
    await until("/ready to be 503", async () => (await fetch(`${service.url}/ready`)).status === 503)
    await server.restart()
    await until("/ready to be 200", async () => (await fetch(`${service.url}/ready`)).status === 200)
    const texts = await openAll()
    expect([round, texts]).toEqual([round, texts.map(() => expect.stringContaining("event: ready"))])
  }
})
