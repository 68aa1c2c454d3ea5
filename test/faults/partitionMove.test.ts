import { expect, it, type TestContext } from "vitest"
import { partitionTag } from "../../src/store/keys.ts"
import { run, runOps } from "../ops/cli.ts"
import { startTestCluster, type TestCluster } from "../support/redisCluster.ts"
import type { RedisNode } from "../support/redisNode.ts"
import { pause, until } from "../support/until.ts"
import { whileOverloaded } from "../support/whileOverloaded.ts"
import { charge, finishAndAudit, type Stage, startStage } from "./stage.ts"

const chargesPerSecond = 50

const startAll = async (atEnd: TestContext["onTestFinished"], name: string) => {
  const cluster = await startTestCluster({ withReplicas: true })
  atEnd(cluster.stop)
  const stage = await startStage(atEnd, { name, chargesPerSecond, redisUrl: cluster.url })
  return { cluster, stage }
}

const environmentOf = ({ service }: Stage) => ({
  REDIS_URL: service.redisUrl,
  ENCRYPTION_KEY: Buffer.from(service.encryptionKey).toString("base64"),
})

const ops = async (stage: Stage, ...words: ReadonlyArray<string>) => {
  const { document, exitCode } = await runOps(words, environmentOf(stage))
  expect({ document, exitCode }).toMatchObject({ exitCode: 0 })
  return document
}

/** The primaries that do not have a partition, those of the first start only. */
const othersThan = (cluster: TestCluster, node: RedisNode): ReadonlyArray<RedisNode> =>
  cluster.nodes.slice(0, 3).filter((other) => other !== node)

/** Ends the load, checks what was answered, shown and delivered, and audits everything that is stored. */
const finish = async (stage: Stage) => {
  const environment = environmentOf(stage)
  await finishAndAudit(stage)
  const { document } = await runOps(["audit", "verify", "--full"], environment)
  expect(document).toMatchObject({ ok: true })
}

it("a partition that is moved under load, once by a killed command, loses and doubles nothing", {
  timeout: 600_000,
}, async ({ onTestFinished }) => {
  const { cluster, stage } = await startAll(onTestFinished, "moved")
  const { seller, client, bystander, follower } = stage
  const tag = partitionTag(seller.partition)
  const partition = String(seller.partition)
  const source = await cluster.primaryOf(tag)
  const [target, third] = othersThan(cluster, source) as [RedisNode, RedisNode]

  const killed = await run(
    process.execPath,
    ["dist/ops.mjs", "partition", "move", partition, "--to", target.address],
    {
      ...environmentOf(stage),
      FAULT_POINT: "after:partitionMove.copy",
    },
  )
  expect(killed.exitCode).toBe(-1)
  const refused = await whileOverloaded(() => charge(client, "while-it-moves"))
  expect({ status: refused.status, retryAfter: refused.headers["retry-after"], text: refused.text }).toEqual({
    status: 503,
    retryAfter: "2",
    text: expect.stringContaining("moving to another server"),
  })
  expect((await whileOverloaded(() => client.get("/v1/transactions"))).status).toBe(200)
  const elsewhere = await whileOverloaded(() => charge(bystander.client, "of-another-partition"))
  expect(elsewhere.status).toBe(201)
  expect((await ops(stage, "partition", "show")).partitions[seller.partition].moving.to).toBe(target.address)

  expect((await ops(stage, "partition", "move", partition, "--to", target.address)).moved).toBe(true)
  expect(await cluster.primaryOf(tag)).toBe(target)
  const reconnects = () => follower.controls.filter(({ event }) => event === "reconnect").length
  await until("the stream to be told to reconnect", () => reconnects() > 0)
  const before = follower.events.length
  await until("the stream to go on", () => follower.events.length > before)

  for (const to of [third, source, target]) {
    await pause(500)
    expect((await ops(stage, "partition", "move", partition, "--to", to.address)).moved).toBe(true)
  }
  await finish(stage)
})

/** Moves a slot as redis-cli does, slowly: half of its keys are at either node for a while. */
const moveByHand = async (slot: number, from: RedisNode, to: RedisNode) => {
  const [fromId, toId] = [await from.call("CLUSTER", "MYID"), await to.call("CLUSTER", "MYID")].map(String)
  await to.call("CLUSTER", "SETSLOT", slot, "IMPORTING", fromId ?? "")
  await from.call("CLUSTER", "SETSLOT", slot, "MIGRATING", toId ?? "")
  for (;;) {
    const names = (await from.call("CLUSTER", "GETKEYSINSLOT", slot, 50)) as ReadonlyArray<string>
    if (names.length === 0) break
    await from.call("MIGRATE", "127.0.0.1", to.port, "", 0, 5_000, "KEYS", ...names)
    await pause(20)
  }
  await to.call("CLUSTER", "SETSLOT", slot, "NODE", toId ?? "")
  await from.call("CLUSTER", "SETSLOT", slot, "NODE", toId ?? "")
}

it("a slot that somebody moves behind the service's back under load leaves no half commit", {
  timeout: 600_000,
}, async ({ onTestFinished }) => {
  const { cluster, stage } = await startAll(onTestFinished, "behind")
  const tag = partitionTag(stage.seller.partition)
  let at = await cluster.primaryOf(tag)
  const slot = Number(await at.call("CLUSTER", "KEYSLOT", tag))
  const refused = () => stage.load.unavailable().notOverloaded
  // A busy machine may move the slot three times before the service sends anything to it.
  for (let round = 0; round < 3 || refused() === 0; round += 1) {
    await pause(500)
    const [to] = othersThan(cluster, at) as [RedisNode]
    await moveByHand(slot, at, to)
    at = to
  }
  await finish(stage)
})

/** Moves so many slots, those without a partition as well, by redis-cli. */
const reshard = async (from: ReadonlyArray<RedisNode>, to: RedisNode, slots: number) => {
  const ids = await Promise.all([...from, to].map(async (node) => String(await node.call("CLUSTER", "MYID"))))
  const done = await run("redis-cli", [
    ...["--cluster", "reshard", to.address, "--cluster-from", ids.slice(0, -1).join(",")],
    ...["--cluster-to", ids.at(-1) ?? "", "--cluster-slots", String(slots), "--cluster-yes"],
  ])
  expect({ exitCode: done.exitCode, end: done.stdout.slice(-300) }).toMatchObject({ exitCode: 0 })
}

it("a fourth primary joins under load, takes over partitions and slots, and leaves again", {
  timeout: 600_000,
}, async ({ onTestFinished }) => {
  const { cluster, stage } = await startAll(onTestFinished, "grows")
  const { partition } = stage.seller
  const fourth = await cluster.addPrimary()
  const others = [partition, ...[5, 17, 29].filter((other) => other !== partition)]
  for (const each of others) await ops(stage, "partition", "move", String(each), "--to", fourth.address)
  await reshard(cluster.nodes.slice(0, 3), fourth, 300)
  const grown = (await ops(stage, "partition", "show")).primaries.find(
    ({ address }: { readonly address: string }) => address === fourth.address,
  )
  expect(grown.slots).toBeGreaterThanOrEqual(300)
  await until("the service to be ready", async () => (await stage.client.get("/ready")).status === 200)

  const [home] = cluster.nodes as [RedisNode]
  const rows = (await ops(stage, "partition", "show")).partitions as ReadonlyArray<{
    readonly partition: number
    readonly primary: string
  }>
  for (const row of rows.filter(({ primary }) => primary === fourth.address)) {
    await ops(stage, "partition", "move", String(row.partition), "--to", home.address)
  }
  const left = (await ops(stage, "partition", "show")).primaries.find(
    ({ address }: { readonly address: string }) => address === fourth.address,
  )
  expect(left.partitions).toBe(0)
  await reshard([fourth], home, left.slots)
  const id = String(await fourth.call("CLUSTER", "MYID"))
  // Nodes hear of a slot's new owner from each other, and none forgets a node that it takes to have some.
  const hasSlots = async (node: RedisNode) =>
    String(await node.call("CLUSTER", "NODES"))
      .split("\n")
      .some((line) => line.startsWith(id) && line.trim().split(" ").length > 8)
  await until("all nodes to know that the fourth is empty", async () =>
    (await Promise.all([...cluster.nodes, fourth].map(hasSlots))).every((has) => !has),
  )
  const removed = await run("redis-cli", ["--cluster", "del-node", home.address, id])
  expect({ exitCode: removed.exitCode, end: removed.stdout.slice(-300) }).toMatchObject({ exitCode: 0 })
  await finish(stage)
})
