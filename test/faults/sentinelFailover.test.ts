import { expect, it } from "vitest"
import { startTestSentinels, waitForReplica } from "../support/redisSentinels.ts"
import { pause, until } from "../support/until.ts"
import { expectFullFunction } from "./redisAbsence.ts"
import { finishAndAudit, startStage } from "./stage.ts"

/** The Sentinels agree after 1.5 s that a primary is gone, and elect; the service reconnects to the one they name. */
const failoverMillis = 60_000

it("the service follows its Sentinels to a new primary, planned or after kill -9, and loses nothing answered", {
  timeout: 600_000,
}, async ({ onTestFinished }) => {
  const redis = await startTestSentinels()
  onTestFinished(redis.stop)
  const stage = await startStage(onTestFinished, {
    ...{ name: "sentinel", chargesPerSecond: 50 },
    redisUrl: redis.url,
  })
  const { service, load } = stage
  const { pid } = service
  const [first, second] = redis.servers

  await pause(1_000)
  // Otherwise the old primary takes writes that the new one never sees, until the Sentinels have announced it.
  await first.call("CLIENT", "PAUSE", failoverMillis, "WRITE")
  await waitForReplica(first, second)
  await redis.failOver()
  await until("the replica to take over", async () => (await redis.primary()) === second)
  await expectFullFunction(stage)
  // The Sentinels close its connections once.
  const ask = (...words: readonly [string, string]) => first.call(...words).catch(() => "")
  await ask("CLIENT", "UNPAUSE")
  const follows = async () => String(await ask("INFO", "replication")).includes("master_link_status:up")
  await until("the old primary to follow", follows)

  await pause(1_000)
  await second.kill9()
  await until("the first to take over again", async () => (await redis.primary()) === first)
  await expectFullFunction(stage)
  expect(load.connectionsLost()).toBe(0)
  expect(service.pid).toBe(pid)
  await finishAndAudit(stage)
})
