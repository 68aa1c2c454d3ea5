import { expect, it } from "vitest"
import { startTestRedis } from "../support/redis.ts"
import { sizes } from "../support/sizes.ts"
import { pause } from "../support/until.ts"
import { countOf, expectAway, expectFullFunction, waitForReconnect } from "./redisAbsence.ts"
import { finishAndAudit, startStage } from "./stage.ts"

/** How long Redis lives between two kills, and how long it stays away, in turn. */
const livesMillis = [300, 900, 100, 600]
const absencesMillis = [50, 700, 250]

it("kill -9 of Redis under load loses and doubles nothing, and the service recovers by itself", {
  timeout: 900_000,
}, async ({ onTestFinished }) => {
  const redis = await startTestRedis()
  onTestFinished(redis.stop)
  const { chargesPerSecond, redisKills } = sizes
  const stage = await startStage(onTestFinished, { name: "redis", chargesPerSecond, redisUrl: redis.url })
  const { service, load, follower } = stage
  const { pid } = service
  for (let kills = 0; kills < redisKills; kills += 1) {
    await pause(livesMillis[kills % livesMillis.length] ?? 0)
    const reconnects = countOf(follower, "reconnect")
    await redis.kill9()
    await waitForReconnect(stage, reconnects)
    await expectAway(stage)
    await pause(absencesMillis[kills % absencesMillis.length] ?? 0)
    await redis.restart()
    await expectFullFunction(stage)
  }
  expect(load.unavailable().total).toBeGreaterThan(0)
  // No client loses its connection, and the process survives.
  expect(load.connectionsLost()).toBe(0)
  expect(service.pid).toBe(pid)
  await finishAndAudit(stage)
})
