import { type AddressInfo, createServer } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { charge } from "../faults/stage.ts"
import { type ApiClient, apiClient } from "../support/apiClient.ts"
import { followEvents } from "../support/eventFollower.ts"
import { freeTestPort } from "../support/ports.ts"
import { makeSeller } from "../support/seller.ts"
import { launchService, newDataDir, runService, startService } from "../support/service.ts"
import { until } from "../support/until.ts"
import { isThere, workerBehind, workersOf, workersOfAll } from "./workers.ts"

const inOrder = { code: 0, signal: null }
const timeout = 600_000

const undo: Array<() => unknown> = []
const start = async () => {
  const service = await startService({ env: { PROCESSES: "2", SIMULATOR_DELAY_MS: "50" } })
  undo.push(service.stop)
  return { service, seller: await makeSeller(service) }
}
type Started = Awaited<ReturnType<typeof start>>

/** Follows a seller's events from now on. */
const follow = async ({ service, seller }: Started) => {
  const follower = followEvents(service.url, seller.keys.test)
  undo.push(follower.stop)
  await until("the stream to open", follower.isReady)
  return follower
}

afterAll(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

const pidsOf = ({ service }: Started) => workersOf(service.pid).map(({ pid }) => pid)
const noneIsThere = (pids: ReadonlyArray<number>) => () => !pids.some(isThere)

const endsInOrder = async (started: Started, signal: "SIGTERM" | "SIGINT") => {
  const { service } = started
  const follower = await follow(started)
  const pids = pidsOf(started)
  expect(pids).toHaveLength(2)
  expect(await service.terminate(signal)).toEqual(inOrder)
  expect(pids.filter(isThere)).toEqual([])
  expect(follower.controls.at(-1)).toEqual({ event: "reconnect", data: '{"reason":"deploy"}' })
  expect(service.log()).not.toContain("starting another")
}

/** The output of two processes that cannot start. */
const refusal = async (env: Readonly<Record<string, string>>) => {
  const { code, output } = await runService({ PORT: "0", PROCESSES: "2", DATA_DIR: newDataDir(), ...env })
  expect(code).toBe(1)
  expect(output).not.toContain("is listening on")
  return output.trim()
}

describe("PROCESSES=2", { timeout }, () => {
  let started: Started
  beforeAll(async () => {
    started = await start()
  })

  it("PROCESSES=2 serves one port with two processes, and a stream has the events of both", async (context) => {
    const { service, seller } = started
    const follower = await follow(started)
    expect(workersOf(service.pid).map(({ number }) => number)).toEqual([1, 2])
    const clientAt = new Map<string, ApiClient>()
    await until("a connection at each process", async () => {
      const client = apiClient(service.url, seller.keys.test, 1)
      context.onTestFinished(client.close)
      const number = await workerBehind(client)
      if (number !== undefined) clientAt.set(number, client)
      return clientAt.size === 2
    })
    expect([...clientAt.keys()].toSorted()).toEqual(["1", "2"])
    for (const [number, client] of clientAt) {
      expect((await charge(client, `at-${number}`)).status).toBe(201)
      expect((await client.get("/ready")).status).toBe(200)
    }
    await until("the events of both charges", () => follower.events.length === 4)
    expect(follower.events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
    expect(service.log().match(/is listening on/g)).toHaveLength(1)
  })

  it("two processes say once that their port is taken, where two others share it", async () => {
    const { service } = started
    const sentence = `Port ${service.port} on 127.0.0.1 is taken. Set PORT to a free one (0 lets the system choose), or stop the process that uses it.`
    expect(await refusal({ PORT: String(service.port), REDIS_URL: service.redisUrl })).toBe(sentence)
  })

  it("SIGTERM ends both processes in order and tells streams to reconnect", () =>
    endsInOrder(started, "SIGTERM"))
})

describe("PROCESSES=2 after a kill", { timeout }, () => {
  let started: Started
  beforeAll(async () => {
    started = await start()
  })

  it("no worker stays behind where the supervisor is killed, and the service starts again on its port", async () => {
    const { service } = started
    const pids = pidsOf(started)
    expect(pids).toHaveLength(2)
    await service.kill9()
    await until("the others to end", noneIsThere(pids))
    await service.restart()
    expect((await fetch(`${service.url}/ready`)).status).toBe(200)
  })

  it("SIGINT ends both processes in order and tells streams to reconnect", () =>
    endsInOrder(started, "SIGINT"))

  it("two processes share a port that the system chose", async () => {
    const launched = launchService({ PORT: "0", PROCESSES: "2", DATA_DIR: newDataDir() })
    const url = () => /is listening on (http:\/\/\S+:\d+)/.exec(launched.output())?.[1]
    await until("it to listen", () => url() !== undefined)
    for (let i = 0; i < 8; i++) {
      const answer = await fetch(`${url()}/health`, { headers: { connection: "close" } })
      expect(answer.status).toBe(200)
    }
    launched.signal("SIGTERM")
    expect(await launched.ended).toEqual(inOrder)
  })
})

describe("two processes that cannot start", { timeout }, () => {
  it.for(["0", "1.5", "65"])("PROCESSES=%s is refused with one message", async (processes) => {
    expect(await refusal({ PROCESSES: processes })).toBe(
      `These settings are wrong:\n- PROCESSES is "${processes}", but must be a whole number from 1 to 64. Correct it, or leave it out for the default (1).`,
    )
  })

  it("two processes say once that no Redis answers", async () => {
    const port = await freeTestPort()
    expect(await refusal({ REDIS_URL: `redis://127.0.0.1:${port}` })).toBe(
      `No Redis answers at redis://127.0.0.1:${port} (connect ECONNREFUSED 127.0.0.1:${port}). Start it, correct REDIS_URL, or leave REDIS_URL out to run one of our own.`,
    )
  })

  it("the supervisor gives up after three deaths in a row while a process starts", async ({
    onTestFinished,
  }) => {
    // A Redis that accepts and never answers keeps the process starting until it is killed.
    const silent = createServer((socket) => void socket.on("error", () => {}))
    await new Promise<void>((done) => silent.listen(0, "127.0.0.1", done))
    onTestFinished(() => void silent.close())
    const { port } = silent.address() as AddressInfo
    const launched = launchService({
      PORT: "0",
      PROCESSES: "2",
      DATA_DIR: newDataDir(),
      REDIS_URL: `redis://127.0.0.1:${port}`,
    })
    const killed = new Set<number>()
    await until("three processes to be killed", () => {
      for (const { pid } of workersOfAll()) {
        if (!killed.has(pid)) process.kill(pid, "SIGKILL")
        killed.add(pid)
      }
      return killed.size === 3
    })
    expect(await launched.ended).toEqual({ code: 1, signal: null })
    expect(launched.output()).toMatch(
      /Process 1 \(\d+\) ended while it started \(SIGKILL\), 3 times in a row\.\n$/,
    )
  })
})
