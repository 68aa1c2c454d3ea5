import { expect, it } from "vitest"
import { apiClient } from "../support/apiClient.ts"
import { followEvents } from "../support/eventFollower.ts"
import { freeTestPort } from "../support/ports.ts"
import { nodeArguments, startRedisNode } from "../support/redisNode.ts"
import { waitForReplica } from "../support/redisSentinels.ts"
import { makeSeller } from "../support/seller.ts"
import { launchService, newDataDir, startService } from "../support/service.ts"
import { until } from "../support/until.ts"
import { charge } from "./stage.ts"

it("a start waits for a replica that comes late, and answers nobody meanwhile", async ({
  onTestFinished,
}) => {
  const primary = await startRedisNode(nodeArguments())
  onTestFinished(primary.stop)
  const port = await freeTestPort()
  const service = launchService({
    PORT: String(port),
    DATA_DIR: newDataDir(),
    REDIS_URL: `redis://${primary.address}`,
    REDIS_WAIT_REPLICAS: "1",
  })
  onTestFinished(async () => {
    service.signal("SIGKILL")
    await service.ended
  })
  const ready = () => fetch(`http://127.0.0.1:${port}/ready`)
  // The words before say why the last try failed: on a busy machine Redis itself may not have answered.
  await until("the start to say what it waits for", () =>
    service.output().includes(". The start waits for them, 300 s at most."),
  )
  await expect(ready()).rejects.toThrow()
  expect(service.output()).not.toContain("is listening on")

  const replica = await startRedisNode(nodeArguments("--replicaof", `127.0.0.1 ${primary.port}`))
  onTestFinished(replica.stop)
  await until("the service to listen", () => service.output().includes("is listening on"))
  expect(service.output()).toContain("Replicas have acknowledged: the start goes on.")
  await until("the service to be ready", async () => (await ready()).status === 200)
  service.signal("SIGTERM")
  expect(await service.ended).toEqual({ code: 0, signal: null })
})

it("a start that waits for replicas ends when it is asked to", async ({ onTestFinished }) => {
  const primary = await startRedisNode(nodeArguments())
  onTestFinished(primary.stop)
  const service = launchService({
    PORT: "0",
    DATA_DIR: newDataDir(),
    REDIS_URL: `redis://${primary.address}`,
    REDIS_WAIT_REPLICAS: "1",
  })
  onTestFinished(() => service.signal("SIGKILL"))
  await until("the start to wait", () => service.output().includes("The start waits for them"))
  service.signal("SIGTERM")
  expect(await service.ended).toEqual({ code: 0, signal: null })
})

it("while the replicas that a write waits for are away nothing is told, and repeats afterwards find what was written", async ({
  onTestFinished,
}) => {
  const primary = await startRedisNode(nodeArguments())
  onTestFinished(primary.stop)
  const options = {
    redisUrl: `redis://${primary.address}`,
    // As long as it may be: a busy machine withholds even a replica that is there.
    env: { REDIS_WAIT_REPLICAS: "1", REDIS_WAIT_TIMEOUT_MS: "4000", SIMULATOR_DELAY_MS: "50" },
  }
  const replica = await startRedisNode(nodeArguments("--replicaof", `127.0.0.1 ${primary.port}`))
  onTestFinished(replica.stop)
  await waitForReplica(primary, replica)
  const service = await startService(options)
  onTestFinished(service.stop)
  const anonymous = apiClient(service.url, "none")
  onTestFinished(anonymous.close)
  const replicas = async () => {
    const { checks } = (await anonymous.get("/ready")).json() as {
      checks: { readonly replicas: unknown }
    }
    return checks.replicas
  }
  await until("the replica to acknowledge", async () => (await replicas()) === "ok")
  const seller = await makeSeller(service)
  const client = apiClient(service.url, seller.keys.test)
  onTestFinished(client.close)
  const follower = followEvents(service.url, seller.keys.test)
  onTestFinished(follower.stop)
  await until("the stream to open", follower.isReady)
  expect((await charge(client, "before")).status).toBe(201)
  await until("the charge to be paid", () => follower.events.length === 2)

  replica.signal("SIGSTOP")
  const refused = await charge(client, "away")
  expect(refused.status).toBe(503)
  expect(await replicas()).toEqual({
    error: "too few replicas of Redis have acknowledged the newest writes in time",
  })
  expect(refused.json()).toMatchObject({ error: { code: "service_unavailable" } })
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0)
  // The primary has the charge; nobody may see it.
  expect((await client.get("/v1/transactions")).status).toBe(503)
  await until("the stream to end", () => follower.controls.some(({ event }) => event === "reconnect"))
  expect(follower.events).toHaveLength(2)

  replica.signal("SIGCONT")
  await until("/ready to see the replica again", async () => (await replicas()) === "ok")
  const repeated = await charge(client, "away")
  expect(repeated.status).toBe(201)
  const charges = await client.all<{ id: string }>("/v1/transactions")
  expect(charges).toHaveLength(2)
  expect(charges[0]?.id).toBe((repeated.json() as { id: string }).id)
  await until("both to be told", () => follower.events.length === 4)
  expect(follower.controls.filter(({ event }) => event === "replay_gap")).toEqual([])
})
