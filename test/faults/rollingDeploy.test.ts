import { randomBytes } from "node:crypto"
import { expect, it, type TestContext } from "vitest"
import { feedLimits } from "../../src/feed/feedLimits.ts"
import { copyDist } from "../deploy/distCopies.ts"
import { type ApiClient, apiClient } from "../support/apiClient.ts"
import { type Balancer, startBalancer } from "../support/balancer.ts"
import { followEvents } from "../support/eventFollower.ts"
import { nodeArguments, startRedisNode } from "../support/redisNode.ts"
import { makeSeller } from "../support/seller.ts"
import { type Service, type ServiceOptions, startService } from "../support/service.ts"
import { sizes } from "../support/sizes.ts"
import { startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { until } from "../support/until.ts"
import { audit, endpointPath, postbackPath, settle } from "./audit.ts"
import { startChargeLoad } from "./chargeLoad.ts"

type AtEnd = TestContext["onTestFinished"]

/** Followers of the seller's events, fewer than it has slots. They come back when streams ask them to. */
const followersCount = 8

const nextVersion = "0.1.999"
/** What the changed function of the next build counts, besides what it did before. */
const countKey = "next-build-charges"

/** The next build: another version, and another function for new charges, so another function library. */
const nextBuild = (atEnd: AtEnd) => {
  const copy = copyDist()
  atEnd(copy.remove)
  copy.edit(
    "package.json",
    /"version": "[^"]+"/.exec(copy.read("package.json"))?.[0] ?? "",
    `"version": "${nextVersion}"`,
  )
  const write = "redis.call('HSET', key.charge, 'document', document)"
  copy.edit("src/store/charges.lua", write, `redis.call('INCR', '${countKey}')\n  ${write}`)
  return copy.command
}

/** Starts a process and sends it connections once it is ready. */
const join = async (atEnd: AtEnd, balancer: Balancer, options: ServiceOptions): Promise<Service> => {
  const service = await startService(options)
  atEnd(service.stop)
  const isReady = async () => (await fetch(`${service.url}/ready`)).status === 200
  await until("the new process to be ready", isReady)
  balancer.add(service.port)
  return service
}

/** Sends a process no more connections, as its pod's preStop waits for, and then lets it drain. */
const leave = async (balancer: Balancer, service: Service): Promise<void> => {
  balancer.remove(service.port)
  expect(await service.terminate()).toEqual({ code: 0, signal: null })
}

const versionOf = async ({ url }: Service) =>
  ((await (await fetch(`${url}/health`)).json()) as { readonly version: string }).version

const count = (names: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

/**
 * Deliveries that came more often than attempts are recorded: those that a process made and another repeated. (On a machine that is
 * too busy a receiver's answer may come too late, and then its attempt has failed and is rightly made again.)
 */
const doubledDeliveries = async (
  receiver: TlsReceiver,
  client: ApiClient,
): Promise<ReadonlyArray<string>> => {
  const targets = new Map([
    [endpointPath, "endpoint"],
    [postbackPath, "postback"],
  ])
  const arrived = count(
    receiver.requests.map(({ path, headers }) => `${headers["x-event-id"]} ${targets.get(path)}`),
  )
  const attempts = await client.all<{ readonly event_id: string; readonly target: string }>(
    "/v1/webhook-deliveries",
  )
  const recorded = count(attempts.map(({ event_id, target }) => `${event_id} ${target}`))
  return [...arrived].flatMap(([name, times]) => (times > (recorded.get(name) ?? 0) ? [name] : []))
}

it("deploys of two builds under load fail no request, and lose and double no event, frame or delivery", {
  timeout: 900_000,
}, async ({ onTestFinished }) => {
  const redis = await startRedisNode(nodeArguments())
  onTestFinished(redis.stop)
  const receiver = await startTlsReceiver()
  onTestFinished(receiver.close)
  const balancer = await startBalancer()
  onTestFinished(balancer.close)
  const options: ServiceOptions = {
    redisUrl: `redis://${redis.address}`,
    env: {
      ENCRYPTION_KEY: randomBytes(32).toString("base64"),
      PUBLIC_URL: balancer.url,
      SIMULATOR_DELAY_MS: "50",
      WEBHOOK_ALLOW_DESTINATIONS: receiver.origin,
      WEBHOOK_CA_FILE: receiver.caFile,
    },
  }
  const builds = [options, { ...options, command: nextBuild(onTestFinished) }] as const
  const running: Array<Service> = []
  while (running.length < 2) running.push(await join(onTestFinished, balancer, builds[0]))
  const [first] = running as [Service]
  const seller = await makeSeller(first, {
    endpoints: [{ url: receiver.origin + endpointPath, events: ["transaction.paid"] }],
  })
  const followers = Array.from({ length: followersCount }, () =>
    followEvents(balancer.url, seller.keys.test, { retryMillis: feedLimits.retryMillis }),
  )
  for (const follower of followers) onTestFinished(follower.stop)
  await until("the streams to open", () => followers.every(({ isReady }) => isReady()))
  const load = startChargeLoad(balancer.url, seller.keys.test, {
    chargesPerSecond: sizes.chargesPerSecond,
    postbackUrl: receiver.origin + postbackPath,
    name: "deploy",
  })
  onTestFinished(load.stop)
  await until("the first events", () => followers.every(({ events }) => events.length > 0))

  for (let deploys = 1; deploys <= sizes.deploys; deploys += 1) {
    const build = builds[deploys % builds.length] ?? options
    for (const old of running.splice(0)) {
      running.push(await join(onTestFinished, balancer, build))
      await leave(balancer, old)
    }
    const versions = await Promise.all(running.map(versionOf))
    expect(versions.map((version) => version === nextVersion)).toEqual(running.map(() => deploys % 2 === 1))
  }

  await load.finish()
  expect(load.surprises).toEqual([])
  expect(Number(await redis.call("GET", countKey))).toBeGreaterThan(0)
  const { total, withoutRetryAfter } = load.unavailable()
  console.info(
    `${sizes.deploys} deploys, ${load.pace()}, ${total} requests repeated after 503, ${load.connectionsLost()} after a lost connection`,
  )
  expect(withoutRetryAfter).toBe(0)
  expect(balancer.refused()).toBe(0)
  // None on a machine with time. On a busy one the answers of two seconds do not reach all clients (docs/promises.md#deploys).
  expect(load.connectionsLost()).toBeLessThan(load.charges.length / 100)

  const [follower, ...others] = followers
  if (follower === undefined) throw new Error("there is no follower")
  const client = apiClient(balancer.url, seller.keys.test)
  onTestFinished(client.close)
  const scene = { client, seller, charges: load.charges, follower, receiver }
  await settle(scene)
  await audit(scene)
  for (const { events, controls, statuses } of others) {
    await until("all followers to have all", () => events.length >= follower.events.length)
    expect(events).toEqual(follower.events)
    expect(controls.filter(({ event }) => event === "replay_gap")).toEqual([])
    expect([...statuses.keys()]).toEqual([200])
  }
  const reconnects = follower.controls.filter(({ event }) => event === "reconnect")
  expect(reconnects.length).toBeGreaterThan(0)
  expect(await doubledDeliveries(receiver, client)).toEqual([])
})
