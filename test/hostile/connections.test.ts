import { readFileSync } from "node:fs"
import net from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Service, startService } from "../support/service.ts"
import { until } from "../support/until.ts"
import { comeAnew, holdConnections, type Newcomer } from "./connectionHolders.ts"

const openFilesMax = 300
const holderCount = 330
const askEveryMillis = 4_000
/** The attack lasts this many times `askEveryMillis`; set it higher for a longer siege. */
const rounds = Number(process.env.HOSTILE_ROUNDS ?? 2)

/** Processor time of a process so far, in ms; Linux counts it in ticks of 10 ms. */
const cpuMillis = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[11]) + Number(fields[12])) * 10
}

describe.runIf(process.platform === "linux")("a service that may open 300 files", () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({
      command: ["sh", "-c", `ulimit -n ${openFilesMax} && exec "${process.execPath}" dist/main.mjs`],
    })
  })
  afterAll(() => service.stop())

  it("a service of 300 files answers newcomers while 330 connections ask every four seconds, and does not spin", async () => {
    const holders = holdConnections(service.port, holderCount, askEveryMillis)
    await sleep(askEveryMillis / 4)
    const before = cpuMillis(service.pid)
    const newcomers: Array<Newcomer> = []
    const turns = 4 * rounds
    for (let turn = 0; turn < turns; turn++) {
      newcomers.push(await comeAnew(service.port, 10_000))
      await sleep(askEveryMillis / 4)
    }
    const busyMillis = cpuMillis(service.pid) - before
    holders.stop()
    const statuses = newcomers.map(({ status }) => status)
    // A newcomer may get 503 while all 330 ask at once; nobody is left without an answer.
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([])
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(turns / 2)
    // Spinning takes all of a core; these requests take a few hundredths of one.
    expect(busyMillis).toBeLessThan((turns * askEveryMillis) / 4 / 2)
    expect(holders.answered()).toBeGreaterThan(holderCount)
  })

  it("a service of 300 files answers newcomers 503 while 330 silent connections hold it, and serves them later", async () => {
    const holders = Array.from({ length: holderCount }, (_, index) => {
      const socket = net.connect(service.port, "127.0.0.1")
      socket.on("error", () => {})
      // Some send a request that never ends.
      if (index % 3 === 0) socket.write("GET /health HTTP/1.1\r\nHost: x\r\nA: ")
      return socket
    })
    await sleep(1_000)
    const refused = await comeAnew(service.port, 10_000)
    expect(refused.status).toBe(503)
    // More bytes of an unfinished head are no reason to wait longer.
    const trickle = setInterval(() => {
      for (const socket of holders) if (!socket.destroyed && socket.bytesWritten > 0) socket.write("a")
    }, 1_000)
    await until("a newcomer to be served", async () => (await comeAnew(service.port, 10_000)).status === 200)
    clearInterval(trickle)
    for (const socket of holders) socket.destroy()
  })
})
