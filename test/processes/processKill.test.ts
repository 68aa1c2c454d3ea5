import { expect, it } from "vitest"
import { endpointPath, postbackPath } from "../faults/audit.ts"
import { startChargeLoad } from "../faults/chargeLoad.ts"
import { finishAndAudit } from "../faults/stage.ts"
import { apiClient } from "../support/apiClient.ts"
import { followEvents } from "../support/eventFollower.ts"
import { makeSeller } from "../support/seller.ts"
import { startService } from "../support/service.ts"
import { sizes } from "../support/sizes.ts"
import { startTlsReceiver } from "../support/tlsReceiver.ts"
import { pause, until } from "../support/until.ts"
import { workersOf } from "./workers.ts"

/** How long to wait before each kill: some come at once, some after partitions have been taken over. */
const livesMillis = [500, 5_000, 0, 1_000]

it("kill -9 of one of two processes under load loses and doubles nothing, and another takes its place", {
  timeout: 900_000,
}, async ({ onTestFinished }) => {
  const receiver = await startTlsReceiver()
  onTestFinished(receiver.close)
  const service = await startService({
    env: {
      PROCESSES: "2",
      SIMULATOR_DELAY_MS: "50",
      WEBHOOK_ALLOW_DESTINATIONS: receiver.origin,
      WEBHOOK_CA_FILE: receiver.caFile,
    },
  })
  onTestFinished(service.stop)
  const seller = await makeSeller(service, {
    endpoints: [{ url: receiver.origin + endpointPath, events: ["transaction.paid"] }],
  })
  const client = apiClient(service.url, seller.keys.test)
  onTestFinished(client.close)
  const follower = followEvents(service.url, seller.keys.test)
  onTestFinished(follower.stop)
  await until("the stream to open", follower.isReady)
  const load = startChargeLoad(service.url, seller.keys.test, {
    chargesPerSecond: sizes.chargesPerSecond / 2,
    postbackUrl: receiver.origin + postbackPath,
    name: "worker",
  })
  onTestFinished(load.stop)
  await until("the first events", () => follower.events.length > 0)

  // A kill loses a connection only where a request is under way at that process.
  for (let kills = 0; kills < livesMillis.length || load.connectionsLost() === 0; kills += 1) {
    await pause(livesMillis[kills % livesMillis.length] ?? 0)
    const number = (kills % 2) + 1
    const victim = workersOf(service.pid).find((worker) => worker.number === number)
    expect(victim).toBeDefined()
    process.kill(victim?.pid ?? 0, "SIGKILL")
    await until(
      `process ${number} to be replaced`,
      () => {
        const successor = workersOf(service.pid).find((worker) => worker.number === number)
        return service.log().includes(`Process ${number} (${successor?.pid}) listens.`)
      },
      60_000,
    )
  }
  const bystander = { client, follower }
  await finishAndAudit({
    service,
    load,
    charges: load.charges,
    seller,
    client,
    follower,
    receiver,
    bystander,
  })
})
