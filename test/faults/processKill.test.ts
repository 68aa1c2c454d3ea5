import { afterAll, expect, it } from "vitest"
import { apiClient } from "../support/apiClient.ts"
import { followEvents } from "../support/eventFollower.ts"
import { makeSeller } from "../support/seller.ts"
import { type Service, startService } from "../support/service.ts"
import { startTlsReceiver } from "../support/tlsReceiver.ts"
import { pause, until } from "../support/until.ts"
import { audit, endpointPath, postbackPath, type Scene, settle } from "./audit.ts"
import { startChargeLoad } from "./chargeLoad.ts"
import { faults } from "./settings.ts"

const undo: Array<() => unknown> = []
afterAll(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

/** How long the process is let live after it listens, in turn: killed at once, in full work, and in between. */
const livesMillis = [0, 900, 250, 1_300, 100, 600]
/** Every so often the next process is killed on its way up too, so long after its start. */
const startKillEvery = 5
const startKillsMillis = [150, 350, 500, 250]
/** Leases of the last process end: 20 s of a delivery, 10 s of a timer, 4 s of a partition. */
const settleTimeoutMillis = 60_000

const killWhileStarting = async (service: Service, afterMillis = 0) => {
  const ended = service.restart().catch(() => {})
  await pause(afterMillis)
  await service.kill9()
  await ended
}

it("kill -9 under load loses and doubles nothing: charges, events, streams and deliveries", {
  timeout: 240_000,
}, async () => {
  const receiver = await startTlsReceiver()
  undo.push(receiver.close)
  const service = await startService({
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
  const load = startChargeLoad(service.url, seller.keys.test, {
    chargesPerSecond: faults.chargesPerSecond,
    postbackUrl: receiver.origin + postbackPath,
    name: "process",
  })
  undo.push(load.stop)
  // A client that has no event yet has no position to come back to.
  await until("the first event", () => follower.events.length > 0)

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
  await load.finish()

  expect(load.surprises).toEqual([])
  expect(load.connectionsLost()).toBeGreaterThan(0)
  const client = apiClient(service.url, seller.keys.test)
  undo.push(client.close)
  const scene: Scene = { client, seller, charges: load.charges, follower, receiver }
  await settle(scene, settleTimeoutMillis)
  await audit(scene)
  // It ends as it should, and takes its Redis along.
  expect(await service.terminate()).toEqual({ code: 0, signal: null })
})
