import { expect, it } from "vitest"
import type { Service } from "../support/service.ts"
import { pause } from "../support/until.ts"
import { faults } from "./settings.ts"
import { finishAndAudit, startStage } from "./stage.ts"

/**
 * How long the process is let live after it listens, in turn: killed at once, under full load, and long enough to have
 * taken over the timers and deliveries of the dead, whose partition leases are 4 s.
 */
const livesMillis = [0, 900, 5_000, 250, 1_300, 100]
/** Every so often the next process is killed on its way up too, so long after its start. */
const startKillEvery = 5
const startKillsMillis = [150, 350, 500, 250]

const killWhileStarting = async (service: Service, afterMillis = 0) => {
  const ended = service.restart().catch(() => {})
  await pause(afterMillis)
  await service.kill9()
  await ended
}

it("kill -9 under load loses and doubles nothing: charges, events, streams and deliveries", {
  timeout: 300_000,
}, async ({ onTestFinished }) => {
  // Its own Redis survives each process, and the next takes it over.
  const stage = await startStage(onTestFinished, {
    name: "process",
    chargesPerSecond: faults.chargesPerSecond,
  })
  const { service, load } = stage
  for (let kills = 0; kills < faults.processKills; ) {
    await pause(livesMillis[kills % livesMillis.length] ?? 0)
    await service.kill9()
    kills += 1
    if (kills % startKillEvery === 0 && kills < faults.processKills) {
      await killWhileStarting(service, startKillsMillis[(kills / startKillEvery) % startKillsMillis.length])
      kills += 1
    }
    await service.restart()
  }
  expect(load.connectionsLost()).toBeGreaterThan(0)
  await finishAndAudit(stage)
})
