import { afterAll, afterEach, expect, it } from "vitest"
import { limits } from "../../schema/limits.ts"
import { type ApiClient, apiClient } from "../support/apiClient.ts"
import { type EventFollower, followEvents } from "../support/eventFollower.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"
import { makeSeller } from "../support/seller.ts"
import { type Service, startService } from "../support/service.ts"
import { startTlsReceiver } from "../support/tlsReceiver.ts"
import { pause, until } from "../support/until.ts"
import { audit, endpointPath, postbackPath, type Scene, settle } from "./audit.ts"
import { bodyOf, type ChargeLoad, startChargeLoad } from "./chargeLoad.ts"
import { faults } from "./settings.ts"

const undo: Array<() => unknown> = []
const undoAll = async () => {
  for (const step of undo.splice(0).reverse()) await step()
}
afterEach(undoAll)
afterAll(undoAll)

/** How long Redis is let live between two kills, and how long it stays away, in turn. */
const livesMillis = [300, 900, 100, 600]
const absencesMillis = [50, 700, 250]
/** The issue: full function within 5 s of Redis' return, without restarting the app. */
const recoveryTimeoutMillis = 5_000
/** Leases of attempts and timers that were under way end in 20 s. */
const settleTimeoutMillis = 60_000

interface Stage extends Scene {
  readonly redis: TestRedis
  readonly service: Service
  readonly load: ChargeLoad
  /** Looks at what a client sees, on connections of its own. */
  readonly probe: ApiClient
  /** A seller besides the one under load. */
  readonly bystander: { readonly client: ApiClient; readonly follower: EventFollower }
}

const charge = (client: ApiClient, key: string) =>
  client.send("POST", "/v1/transactions", {
    headers: { "idempotency-key": key },
    body: bodyOf(1, undefined),
  })

const makeBystander = async (service: Service, endpointUrl: string): Promise<Stage["bystander"]> => {
  const { keys } = await makeSeller(service, {
    endpoints: [{ url: endpointUrl, events: ["transaction.paid"] }],
  })
  const follower = followEvents(service.url, keys.test)
  const client = apiClient(service.url, keys.test)
  undo.push(follower.stop, client.close)
  await until("the bystander's stream to open", follower.isReady)
  await charge(client, "first")
  // A client that has no event yet has no position to come back to.
  await until("the bystander's first event", () => follower.events.length > 0)
  return { client, follower }
}

const startStage = async (name: string, chargesPerSecond: number): Promise<Stage> => {
  const receiver = await startTlsReceiver()
  undo.push(receiver.close)
  const redis = await startTestRedis()
  undo.push(redis.stop)
  const service = await startService({
    redisUrl: redis.url,
    env: {
      SIMULATOR_DELAY_MS: "50",
      WEBHOOK_ALLOW_DESTINATIONS: receiver.origin,
      WEBHOOK_CA_FILE: receiver.caFile,
    },
  })
  undo.push(service.stop)
  const seller = await makeSeller(service, {
    endpoints: [{ url: receiver.origin + endpointPath, events: ["transaction.paid"] }],
  })
  const follower = followEvents(service.url, seller.keys.test)
  undo.push(follower.stop)
  await until("the stream to open", follower.isReady)
  const bystander = await makeBystander(service, `${receiver.origin}/bystander`)
  const load = startChargeLoad(service.url, seller.keys.test, {
    chargesPerSecond,
    postbackUrl: receiver.origin + postbackPath,
    name,
  })
  undo.push(load.stop)
  await until("the first event", () => follower.events.length > 0)
  const [client, probe] = [apiClient(service.url, seller.keys.test), apiClient(service.url, seller.keys.test)]
  undo.push(client.close, probe.close)
  return { receiver, redis, service, seller, follower, load, charges: load.charges, client, probe, bystander }
}

/** While Redis is away: what needs it says so at once, what does not goes on. */
const expectAway = async ({ probe }: Stage): Promise<void> => {
  const write = await charge(probe, "while-away")
  expect(write.status).toBe(503)
  expect(Number(write.headers["retry-after"])).toBeGreaterThan(0)
  expect(write.json()).toMatchObject({ error: { code: "service_unavailable", type: "internal_error" } })
  const read = await probe.get("/v1/transactions")
  expect(read.status).toBe(503)
  const ready = await probe.get("/ready")
  expect(ready.status).toBe(503)
  expect(ready.json()).toMatchObject({ status: "degraded", checks: { redis: { error: expect.any(String) } } })
  expect((await probe.get("/health")).status).toBe(200)
}

const countOf = (follower: EventFollower, event: string): number =>
  follower.controls.filter((control) => control.event === event).length

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
const expectFullFunction = async (stage: Stage): Promise<void> => {
  const { load, follower, receiver, bystander } = stage
  const since = load.charges.length
  const framesSince = follower.events.length
  const delivered = idsFromNowOn(receiver.requests, ({ body }) =>
    /"txn_[0-9A-Z]+"/.exec(body)?.[0].slice(1, -1),
  )
  const key = `probe-${since}`
  let id: string | undefined
  const works = async () => {
    if ((await stage.probe.get("/ready")).status !== 200) return "/ready says 503"
    if (id === undefined) {
      const answer = await charge(bystander.client, key)
      if (answer.status !== 201) return `a charge is answered ${answer.status}`
      id = (answer.json() as { id: string }).id
    }
    const paid = bystander.follower.events.some(
      ({ type, resourceId }) => type === "transaction.paid" && resourceId === id,
    )
    if (!paid) return "the charge is not seen paid"
    if (!delivered().has(id)) return "the charge's event is not delivered"
    if (!load.charges.slice(since).some(({ created }) => created)) return "the load is not answered"
    return follower.events.length > framesSince ? undefined : "the stream of the load brings nothing"
  }
  let missing: string | undefined = "nothing was looked at"
  const look = async () => {
    missing = await works()
    return missing === undefined
  }
  await until(() => `full function: ${missing}`, look, recoveryTimeoutMillis)
}

it("kill -9 of Redis under load loses and doubles nothing, and the service goes on by itself", {
  timeout: 300_000,
}, async () => {
  const stage = await startStage("redis", faults.chargesPerSecond)
  const { redis, service, load, follower } = stage
  const { pid } = service
  for (let kills = 0; kills < faults.redisKills; kills += 1) {
    await pause(livesMillis[kills % livesMillis.length] ?? 0)
    const reconnects = countOf(follower, "reconnect")
    await redis.kill9()
    await until("the stream to be told to reconnect", () => countOf(follower, "reconnect") > reconnects)
    await expectAway(stage)
    await pause(absencesMillis[kills % absencesMillis.length] ?? 0)
    await redis.restart()
    await expectFullFunction(stage)
  }
  await load.finish()

  expect(load.surprises).toEqual([])
  expect(load.unavailable().total).toBeGreaterThan(0)
  expect(load.unavailable().withoutRetryAfter).toBe(0)
  // Nothing of it may cost a client its connection.
  expect(load.connectionsLost()).toBe(0)
  await settle(stage, settleTimeoutMillis)
  await audit(stage)
  expect(service.pid).toBe(pid)
})

it("a Redis that hangs fails requests instead of holding them, and is used again when it goes on", {
  timeout: 120_000,
}, async () => {
  const stage = await startStage("hung", 50)
  const { redis, service, load, follower, probe } = stage
  const reconnects = countOf(follower, "reconnect")
  const before = load.unavailable().total
  process.kill(redis.pid, "SIGSTOP")
  const hung = performance.now()
  try {
    // Asked while Redis holds the connection open and says nothing.
    const read = await probe.get("/v1/transactions")
    expect(read.status).toBe(503)
    expect(Number(read.headers["retry-after"])).toBeGreaterThan(0)
    expect((await probe.get("/health")).status).toBe(200)
    expect((await probe.get("/ready")).status).toBe(503)
    await until("charges to be answered 503", () => load.unavailable().total > before)
    await until("the stream to be told to reconnect", () => countOf(follower, "reconnect") > reconnects)
    await pause(limits.redisCommandTimeoutMillis - (performance.now() - hung))
  } finally {
    process.kill(redis.pid, "SIGCONT")
  }
  await expectFullFunction(stage)
  await load.finish()
  expect(load.surprises).toEqual([])
  expect(load.connectionsLost()).toBe(0)
  await settle(stage, settleTimeoutMillis)
  await audit(stage)
  expect(await service.terminate()).toEqual({ code: 0, signal: null })
})
