import { describe, expect, it } from "vitest"
import { limits } from "../../schema/limits.ts"
import { readRecord, redisFolderOf } from "../../src/start/ownRedis/redisFolder.ts"
import { startTestRedis } from "../support/redis.ts"
import { startTcpProxy } from "../support/tcpProxy.ts"
import { pause, until } from "../support/until.ts"
import { countOf, expectAway, expectFullFunction, waitForReconnect } from "./redisAbsence.ts"
import { finishAndAudit, startStage } from "./stage.ts"

/** Low, since these tests are not about load. */
const chargesPerSecond = 25

describe.concurrent("a service whose Redis goes away", { timeout: 600_000 }, () => {
  it("a service restarts its own Redis after kill -9, and recovers", async ({ onTestFinished }) => {
    const stage = await startStage(onTestFinished, { name: "own", chargesPerSecond })
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

  it("a service fails requests instead of holding them while its Redis hangs, and recovers afterwards", async ({
    onTestFinished,
  }) => {
    const redis = await startTestRedis()
    onTestFinished(redis.stop)
    const stage = await startStage(onTestFinished, {
      name: "hung",
      chargesPerSecond,
      redisUrl: redis.url,
    })
    const reconnects = countOf(stage.follower, "reconnect")
    process.kill(redis.pid, "SIGSTOP")
    try {
      await expectAway(stage)
      await waitForReconnect(stage, reconnects)
      await pause(limits.redisCommandTimeoutMillis)
    } finally {
      process.kill(redis.pid, "SIGCONT")
    }
    await expectFullFunction(stage)
    expect(stage.load.connectionsLost()).toBe(0)
    await finishAndAudit(stage)
  })

  it("a service replaces connections that the network swallowed", async ({ onTestFinished }) => {
    const redis = await startTestRedis()
    onTestFinished(redis.stop)
    const network = await startTcpProxy(redis.port)
    onTestFinished(network.close)
    const stage = await startStage(onTestFinished, {
      name: "swallowed",
      chargesPerSecond,
      redisUrl: `redis://127.0.0.1:${network.port}`,
    })
    const reconnects = countOf(stage.follower, "reconnect")
    network.swallow()
    await expectAway(stage)
    await waitForReconnect(stage, reconnects)
    // Long enough for a new connection to be swallowed too, in the middle of its handshake.
    await pause(limits.redisCommandTimeoutMillis)
    network.heal()
    // A stream that was turned away at the last moment comes back only after its client's `retry`.
    await expectFullFunction(stage)
    expect(stage.load.connectionsLost()).toBe(0)
    await finishAndAudit(stage)
  })
})
