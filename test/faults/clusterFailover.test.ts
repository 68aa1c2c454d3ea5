import { expect, it } from "vitest"
import { startMachineClock } from "../support/machineTime.ts"
import { startTestCluster } from "../support/redisCluster.ts"
import { pause, until } from "../support/until.ts"
import { expectFullFunction } from "./redisAbsence.ts"
import { finishAndAudit, startStage } from "./stage.ts"

const chargesPerSecond = 50

it("a planned failover and kill -9 of a loaded cluster's primary lose and double nothing answered", {
  timeout: 600_000,
}, async ({ onTestFinished }) => {
  const cluster = await startTestCluster({ withReplicas: true, losesPrimaries: true })
  onTestFinished(cluster.stop)
  const stage = await startStage(onTestFinished, {
    ...{ name: "cluster", chargesPerSecond },
    redisUrl: cluster.url,
  })
  const { service, load } = stage
  const { pid } = service
  const tag = `{p${String(stage.seller.partition).padStart(2, "0")}}`
  const primary = await cluster.primaryOf(tag)
  const replica = cluster.nodes[cluster.nodes.indexOf(primary) + 3]
  if (replica === undefined) throw new Error("the primary has no replica")

  await pause(1_000)
  const clock = startMachineClock()
  await replica.call("CLUSTER", "FAILOVER")
  await until("the replica to take over", async () => (await cluster.primaryOf(tag)) === replica)
  await expectFullFunction(stage)
  // Whatever was sent to the old primary was redirected. It waits a second at most, which a busy machine may withhold.
  if (clock.withheldMillis() <= 1_000) expect(load.unavailable().notOverloaded).toBe(0)
  await until("the old primary to follow", async () =>
    String(await primary.call("INFO", "replication")).includes("master_link_status:up"),
  )

  await pause(1_000)
  await replica.kill9()
  await expectFullFunction(stage)
  expect(load.connectionsLost()).toBe(0)
  expect(service.pid).toBe(pid)
  await finishAndAudit(stage)
})
