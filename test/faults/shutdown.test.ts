import { type AddressInfo, connect, createServer } from "node:net"
import { describe, expect, it, type TestContext } from "vitest"
import { isRunning } from "../../src/start/ownRedis/processIdentity.ts"
import { readRecord, redisFolderOf } from "../../src/start/ownRedis/redisFolder.ts"
import { type ApiClient, apiClient } from "../support/apiClient.ts"
import { type EventFollower, followEvents } from "../support/eventFollower.ts"
import { startMachineClock } from "../support/machineTime.ts"
import { freeTestPort } from "../support/ports.ts"
import { startTestRedis } from "../support/redis.ts"
import { makeSeller } from "../support/seller.ts"
import {
  type Ending,
  launchService,
  newDataDir,
  type Service,
  type ServiceOptions,
  startService,
} from "../support/service.ts"
import { startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { until } from "../support/until.ts"
import { charge, chargeUnderWay, underWay } from "./stage.ts"

/** SIGTERM drains and exits within 15 s of a machine that has the time. */
const drainMillisMax = 15_000
const inOrder: Ending = { code: 0, signal: null }

interface Shop {
  readonly service: Service
  readonly receiver: TlsReceiver
  readonly client: ApiClient
  /** The same, on one connection of its own. */
  readonly payer: ApiClient
  readonly follower: EventFollower
}

/** A service whose acquirer takes a second per charge, with one seller, its stream and its endpoint. */
const openShop = async (
  { onTestFinished }: Pick<TestContext, "onTestFinished">,
  options: Omit<ServiceOptions, "env"> = {},
): Promise<Shop> => {
  const receiver = await startTlsReceiver()
  onTestFinished(receiver.close)
  const service = await startService({
    ...options,
    env: {
      SIMULATOR_DELAY_MS: "100",
      SIMULATOR_CHARGE_LATENCY_MS: "1000",
      WEBHOOK_ALLOW_DESTINATIONS: receiver.origin,
      WEBHOOK_CA_FILE: receiver.caFile,
    },
  })
  onTestFinished(service.stop)
  const seller = await makeSeller(service, {
    endpoints: [{ url: receiver.url, events: ["transaction.paid"] }],
  })
  const client = apiClient(service.url, seller.keys.test)
  const payer = apiClient(service.url, seller.keys.test, 1)
  onTestFinished(client.close)
  onTestFinished(payer.close)
  const follower = followEvents(service.url, seller.keys.test)
  onTestFinished(follower.stop)
  await until("the stream to open", follower.isReady)
  return { service, receiver, client, payer, follower }
}

const idOf = (answer: { readonly json: () => unknown }): string => (answer.json() as { id: string }).id

interface Attempt {
  readonly event_id: string
  readonly attempt: number
  readonly status: string
  readonly error: string | null
}

const attemptsOf = async (client: ApiClient) => client.all<Attempt>("/v1/webhook-deliveries")

/** Stops the service by a signal and returns how it ended; fails if that takes longer than it may, but for what the machine withholds. */
const end = async (service: Service, signal: "SIGTERM" | "SIGINT" | "SIGHUP"): Promise<Ending> => {
  const clock = startMachineClock()
  const endings: Array<Ending> = []
  const beganAt = performance.now()
  void service.terminate(signal).then((how) => endings.push(how))
  // What a process waited for cannot be read once it has ended.
  let withheldMillis = 0
  await until("the service to end", () => {
    withheldMillis = Math.max(withheldMillis, clock.withheldMillis())
    return endings.length > 0
  })
  expect(performance.now() - beganAt).toBeLessThan(drainMillisMax + withheldMillis)
  return endings[0] as Ending
}

describe.concurrent("a service that is asked to stop", { timeout: 600_000 }, () => {
  it.for(["SIGTERM", "SIGINT"] as const)(
    "%s finishes what is under way and loses nothing acknowledged, and the next start goes on",
    async (signal, context) => {
      const shop = await openShop(context)
      const { service, receiver, client, follower } = shop
      const after = until("it to drain", () => service.log().includes("draining"))
      receiver.respondWith({ kind: "respond", after })
      const first = idOf(await charge(client, "first"))
      await receiver.waitFor(1)
      const { answer } = await chargeUnderWay(shop, "second")

      expect(await end(service, signal)).toEqual(inOrder)
      const second = await answer
      expect(second.status).toBe(201)
      const toldLast = () => follower.controls.at(-1)
      await until("the stream to be told", () => toldLast()?.event === "reconnect")
      expect(toldLast()).toEqual({ event: "reconnect", data: '{"reason":"deploy"}' })

      await service.restart()
      // The answer came while the service drained, and counted.
      const event = receiver.requests[0]?.headers["x-event-id"]
      const attempts = (await attemptsOf(client)).filter(({ event_id }) => event_id === event)
      expect(attempts).toMatchObject([{ attempt: 1, status: "success" }])
      receiver.respondWith({ kind: "respond" })
      await until("both charges to be paid", () => follower.events.length === 4)
      await receiver.waitFor(2)
      expect(receiver.requests.length).toBe(2)
      expect(follower.events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
      expect(new Set(follower.events.map(({ resourceId }) => resourceId))).toEqual(
        new Set([first, idOf(second)]),
      )
    },
  )

  it("further SIGTERMs and a Ctrl-C during a drain change nothing", async (context) => {
    const shop = await openShop(context)
    const { service } = shop
    const { answer } = await chargeUnderWay(shop, "charge")
    service.signal("SIGTERM")
    service.signal("SIGTERM")
    await until("it to drain", () => service.log().includes("draining"))
    service.signal("SIGTERM")
    service.signal("SIGINT")
    expect((await answer).status).toBe(201)
    expect(await service.ended()).toEqual(inOrder)
    expect(service.log().match(/draining/g)).toHaveLength(1)
  })

  it("hanging receivers and clients do not hold up a stop, and the cut attempt is recorded", async (context) => {
    const { service, receiver, client } = await openShop(context)
    receiver.respondWith({ kind: "silent" })
    await charge(client, "charge")
    await receiver.waitFor(1)
    const uploader = connect(service.port, "127.0.0.1")
    context.onTestFinished(() => void uploader.destroy())
    uploader.on("error", () => {})
    uploader.write("POST /v1/transactions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{")

    expect(await end(service, "SIGTERM")).toEqual(inOrder)
    await service.restart()
    expect(await attemptsOf(client)).toMatchObject([{ attempt: 1, status: "failed", error: "timeout" }])
  })

  it("a service stops in order when its Redis is gone", async (context) => {
    const redis = await startTestRedis()
    context.onTestFinished(redis.stop)
    const { service } = await openShop(context, { redisUrl: redis.url })
    await redis.kill9()
    expect(await end(service, "SIGTERM")).toEqual(inOrder)
  })

  it("a service stops in order while its Redis hangs, and answers 503 to what waits", async (context) => {
    const redis = await startTestRedis()
    context.onTestFinished(redis.stop)
    const shop = await openShop(context, { redisUrl: redis.url })
    process.kill(redis.pid, "SIGSTOP")
    const { answer } = await underWay(shop, (client) => client.get("/v1/transactions"))
    expect(await end(shop.service, "SIGTERM")).toEqual(inOrder)
    expect((await answer).status).toBe(503)
  })

  it("a starting service stops in order while it waits for its Redis", async ({ onTestFinished }) => {
    const silent = createServer()
    await new Promise<void>((done) => silent.listen(0, "127.0.0.1", done))
    onTestFinished(() => void silent.close())
    const { port } = silent.address() as AddressInfo
    const launched = launchService({
      PORT: "0",
      DATA_DIR: newDataDir(),
      REDIS_URL: `redis://127.0.0.1:${port}`,
    })
    await new Promise((connected) => silent.once("connection", connected))
    launched.signal("SIGTERM")
    expect(await launched.ended).toEqual(inOrder)
    expect(launched.output()).not.toContain("is listening on")
  })

  it("a service whose output nobody reads serves, and stops in order with its Redis", async () => {
    const [port, dataDir] = [await freeTestPort(), newDataDir()]
    const launched = launchService({ PORT: String(port), DATA_DIR: dataDir })
    launched.closeOutput()
    const statusOf = (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`).then(
        ({ status }) => status,
        () => undefined,
      )
    await until("it to serve", async () => (await statusOf("/ready")) === 200)
    const redis = readRecord(redisFolderOf(dataDir).processFile)
    expect(redis !== undefined && isRunning(redis)).toBe(true)
    launched.signal("SIGTERM")
    expect(await launched.ended).toEqual(inOrder)
    expect(redis !== undefined && isRunning(redis)).toBe(false)
  })

  it.for([
    { how: "SIGTERM to npm", inTerminal: false, signal: "SIGTERM", ending: inOrder },
    { how: "Ctrl-C in its terminal", inTerminal: true, signal: "SIGINT", ending: inOrder },
    // npm itself ends at once; the service, which has its output too, ends later.
    {
      how: "its terminal being closed",
      inTerminal: true,
      signal: "SIGHUP",
      ending: { code: null, signal: "SIGHUP" },
    },
  ] as const)("npm start stops by $how, with all its processes", async (stop, context) => {
    const { inTerminal, signal, ending } = stop
    const shop = await openShop(context, { command: ["npm", "start"], inTerminal })
    const { service } = shop
    const { ownerFile, processFile } = redisFolderOf(service.dataDir)
    const processes = [readRecord(ownerFile), readRecord(processFile)]
    expect(processes.map((record) => record !== undefined && isRunning(record))).toEqual([true, true])
    const { answer } = await chargeUnderWay(shop, "charge")

    expect(await end(service, signal)).toEqual(ending)
    expect((await answer).status).toBe(201)
    expect(processes.map((record) => record !== undefined && isRunning(record))).toEqual([false, false])
  })
})
