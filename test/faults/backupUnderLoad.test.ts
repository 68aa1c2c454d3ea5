import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { limits } from "../../schema/limits.ts"
import { runOps } from "../ops/cli.ts"
import { followEvents } from "../support/eventFollower.ts"
import { startMachineClock } from "../support/machineTime.ts"
import { startTestCluster } from "../support/redisCluster.ts"
import type { RedisNode } from "../support/redisNode.ts"
import { until } from "../support/until.ts"
import { startStage } from "./stage.ts"

const chargesPerSecond = 50

it("a loaded cluster is backed up from its replicas, and all that was acknowledged before is in the backup", {
  timeout: 600_000,
}, async ({ onTestFinished }) => {
  const cluster = await startTestCluster({ withReplicas: true })
  onTestFinished(cluster.stop)
  const backups = mkdtempSync(join(tmpdir(), "corrente-backups-"))
  onTestFinished(() => rmSync(backups, { recursive: true, force: true }))
  const stage = await startStage(onTestFinished, {
    ...{ name: "backup", chargesPerSecond },
    redisUrl: cluster.url,
  })
  const { service, load, follower } = stage
  const clock = startMachineClock()
  const ops = async (...words: ReadonlyArray<string>) => {
    const env = { DATA_DIR: service.dataDir, REDIS_URL: cluster.url }
    const { exitCode, stdout, document } = await runOps(words, env)
    expect(exitCode, stdout).toBe(0)
    return document
  }
  // Nodes name a replica once they have heard from it how far it is.
  const namesReplicas = async (node: RedisNode) =>
    ((await node.call("CLUSTER", "SLOTS")) as ReadonlyArray<ReadonlyArray<unknown>>).every(
      (range) => range.length > 3,
    )
  await until("all nodes to name the replicas", async () =>
    (await Promise.all(cluster.nodes.map(namesReplicas))).every(Boolean),
  )
  await until("an answered charge", () => load.charges.some(({ created }) => created !== undefined))

  const acknowledged = load.charges.flatMap(({ key, body, created }) =>
    created ? [{ key, body, created }] : [],
  )
  const dir = join(backups, "loaded")
  const { nodes } = await ops("backup", dir)
  expect(nodes.map(({ role }: { readonly role: string }) => role)).toEqual(["replica", "replica", "replica"])
  const ownSeq = follower.events.length
  await until("events after the backup", () => follower.events.length > ownSeq + chargesPerSecond)
  await load.finish()
  expect([load.surprises, load.connectionsLost()]).toEqual([[], 0])
  // A busy machine may withhold a Redis for longer than a command waits.
  if (clock.withheldMillis() < limits.redisCommandTimeoutMillis) {
    expect(load.unavailable().notOverloaded).toBe(0)
  }
  const later = follower.events.at(-1)?.id ?? ""

  await service.terminate()
  for (const node of cluster.nodes.slice(0, 3)) await node.call("FLUSHALL")
  await ops("restore", dir)
  expect((await ops("audit", "verify", "--full")).ok).toBe(true)
  await service.restart()
  for (const { key, body, created } of acknowledged) {
    const answer = await stage.client.send("POST", "/v1/transactions", {
      headers: { "idempotency-key": key },
      body,
    })
    expect([answer.status, answer.headers["idempotent-replayed"], answer.text]).toEqual([
      201,
      "true",
      created.text,
    ])
  }
  // So that the id lies between what the feed has.
  const next = await stage.client.send("POST", "/v1/transactions", {
    ...{ headers: { "idempotency-key": "next" }, body: acknowledged[0]?.body ?? "" },
  })
  expect(next.status).toBe(201)
  const resumed = followEvents(service.url, stage.seller.keys.test, {
    path: `/events?last_event_id=${later}`,
  })
  onTestFinished(resumed.stop)
  await until("the gap", () => resumed.controls.some(({ event }) => event === "replay_gap"))
  expect((await ops("audit", "verify", "--full")).ok).toBe(true)
})
