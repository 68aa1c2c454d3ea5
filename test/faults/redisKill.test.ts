import { expect, it, onTestFinished } from "vitest"
import { limits } from "../../schema/limits.ts"
import { readRecord, redisFolderOf } from "../../src/redisServer/redisFolder.ts"
import type { EventFollower } from "../support/eventFollower.ts"
import { startTestRedis } from "../support/redis.ts"
import { startTcpProxy } from "../support/tcpProxy.ts"
import { pause, until } from "../support/until.ts"
import { faults } from "./settings.ts"
import { charge, finishAndAudit, type Stage, startStage } from "./stage.ts"

/** How long Redis is let live between two kills, and how long it stays away, in turn. */
const livesMillis = [300, 900, 100, 600]
const absencesMillis = [50, 700, 250]
/** The issue: full function within 5 s of Redis' return, without restarting the app. */
const recoveryTimeoutMillis = 5_000
/** Where it is not about load. */
const lightChargesPerSecond = 50

const countOf = (follower: EventFollower, event: string): number =>
  follower.controls.filter((control) => control.event === event).length

const toldToReconnect = ({ follower }: Stage, reconnectsBefore: number): Promise<void> =>
  until("the stream to be told to reconnect", () => countOf(follower, "reconnect") > reconnectsBefore)

/** While Redis is away: what needs it says so, with an answer, and what does not goes on. */
const expectAway = async ({ bystander: { client } }: Stage): Promise<void> => {
  for (const answer of [await charge(client, "while-away"), await client.get("/v1/transactions")]) {
    expect(answer.status).toBe(503)
    expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0)
    expect(answer.json()).toMatchObject({ error: { code: "service_unavailable", type: "internal_error" } })
  }
  const ready = await client.get("/ready")
  expect(ready.status).toBe(503)
  expect(ready.json()).toMatchObject({ status: "degraded", checks: { redis: { error: expect.any(String) } } })
  expect((await client.get("/health")).status).toBe(200)
}

/** The charges that `items` tell of from now on, as they come. */
const idsFromNowOn = <Item>(items: ReadonlyArray<Item>, idOf: (item: Item) => string | undefined) => {
  const ids = new Set<string | undefined>()
  let seen = items.length
  return () => {
    for (; seen < items.length; seen += 1) ids.add(idOf(items[seen] as Item))
    return ids
  }
}

/**
 * Everything works: a new charge of a seller without a backlog is answered, paid, followed and delivered, and the
 * seller under load goes on as well.
 */
const expectFullFunction = async ({ load, follower, receiver, bystander }: Stage): Promise<void> => {
  const since = { charges: load.charges.length, frames: follower.events.length }
  const delivered = idsFromNowOn(receiver.requests, ({ body }) => /"(txn_[0-9A-Z]+)"/.exec(body)?.[1])
  let id: string | undefined
  const missing = async () => {
    if ((await bystander.client.get("/ready")).status !== 200) return "/ready says 503"
    if (id === undefined) {
      const answer = await charge(bystander.client, `probe-${since.charges}`)
      if (answer.status !== 201) return `a charge is answered ${answer.status}`
      id = (answer.json() as { id: string }).id
    }
    const events = bystander.follower.events.filter(({ resourceId }) => resourceId === id)
    if (!events.some(({ type }) => type === "transaction.paid")) return "the charge is not seen paid"
    if (!delivered().has(id)) return "the charge's event is not delivered"
    if (!load.charges.slice(since.charges).some(({ created }) => created)) return "the load is not answered"
    return follower.events.length > since.frames ? undefined : "the stream of the load brings nothing"
  }
  let found: string | undefined
  const works = async () => {
    found = await missing()
    return found === undefined
  }
  await until(() => `full function: ${found}`, works, recoveryTimeoutMillis)
}

it("kill -9 of Redis under load loses and doubles nothing, and the service goes on by itself", {
  timeout: 300_000,
}, async () => {
  const redis = await startTestRedis()
  onTestFinished(redis.stop)
  const { chargesPerSecond, redisKills } = faults
  const stage = await startStage({ name: "redis", chargesPerSecond, redisUrl: redis.url })
  const { service, load, follower } = stage
  const { pid } = service
  for (let kills = 0; kills < redisKills; kills += 1) {
    await pause(livesMillis[kills % livesMillis.length] ?? 0)
    const reconnects = countOf(follower, "reconnect")
    await redis.kill9()
    await toldToReconnect(stage, reconnects)
    await expectAway(stage)
    await pause(absencesMillis[kills % absencesMillis.length] ?? 0)
    await redis.restart()
    await expectFullFunction(stage)
  }
  expect(load.unavailable().total).toBeGreaterThan(0)
  // Nothing of it costs a client its connection, nor the process its life.
  expect(load.connectionsLost()).toBe(0)
  expect(service.pid).toBe(pid)
  await finishAndAudit(stage)
})

it("the Redis of `npm start` is started again by the service when it is killed", {
  timeout: 120_000,
}, async () => {
  const stage = await startStage({ name: "own", chargesPerSecond: lightChargesPerSecond })
  const { service, load } = stage
  const { processFile } = redisFolderOf(service.dataDir)
  for (let kills = 0; kills < 3; kills += 1) {
    const pid = readRecord(processFile)?.pid ?? 0
    process.kill(pid, "SIGKILL")
    await until("another Redis", () => (readRecord(processFile)?.pid ?? pid) !== pid)
    await expectFullFunction(stage)
  }
  expect(load.connectionsLost()).toBe(0)
  await finishAndAudit(stage)
})

it("a Redis that hangs fails requests instead of holding them, and is used again when it goes on", {
  timeout: 120_000,
}, async () => {
  const redis = await startTestRedis()
  onTestFinished(redis.stop)
  const stage = await startStage({
    name: "hung",
    chargesPerSecond: lightChargesPerSecond,
    redisUrl: redis.url,
  })
  const reconnects = countOf(stage.follower, "reconnect")
  process.kill(redis.pid, "SIGSTOP")
  try {
    await expectAway(stage)
    await toldToReconnect(stage, reconnects)
    await pause(limits.redisCommandTimeoutMillis)
  } finally {
    process.kill(redis.pid, "SIGCONT")
  }
  await expectFullFunction(stage)
  expect(stage.load.connectionsLost()).toBe(0)
  await finishAndAudit(stage)
})

it("connections that the network swallowed are made anew when it is back", { timeout: 120_000 }, async () => {
  const redis = await startTestRedis()
  onTestFinished(redis.stop)
  const network = await startTcpProxy(redis.port)
  onTestFinished(network.close)
  const stage = await startStage({
    name: "swallowed",
    chargesPerSecond: lightChargesPerSecond,
    redisUrl: `redis://127.0.0.1:${network.port}`,
  })
  const reconnects = countOf(stage.follower, "reconnect")
  network.swallow()
  await expectAway(stage)
  await toldToReconnect(stage, reconnects)
  // Long enough for a new connection to be swallowed too, in the middle of its handshake.
  await pause(limits.redisCommandTimeoutMillis)
  network.heal()
  await expectFullFunction(stage)
  expect(stage.load.connectionsLost()).toBe(0)
  await finishAndAudit(stage)
})
