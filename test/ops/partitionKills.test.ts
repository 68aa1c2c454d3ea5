import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { moverKey, movingKey, ownerKey, partitionTag } from "../../src/store/keys.ts"
import { holdLease } from "../../src/store/partitions.ts"
import { makeRedisClient } from "../../src/store/redis/redisClient.ts"
import { startTestCluster, type TestCluster } from "../support/redisCluster.ts"
import type { RedisNode } from "../support/redisNode.ts"
import { until } from "../support/until.ts"
import { run, runOps } from "./cli.ts"

let cluster: TestCluster
beforeAll(async () => {
  cluster = await startTestCluster({ appendfsync: "no", withReplicas: true, losesPrimaries: true })
}, 120_000)
afterAll(() => cluster?.stop())

const environment = () => ({
  REDIS_URL: cluster.url,
  ENCRYPTION_KEY: Buffer.alloc(32, 9).toString("base64"),
})

const partition = 7
const tag = partitionTag(partition)
const keysMany = 100

const placeNow = async () => {
  const source = await cluster.primaryOf(tag)
  const target = cluster.nodes.slice(0, 3).find((node) => node !== source) as RedisNode
  return { source, target, slot: Number(await source.call("CLUSTER", "KEYSLOT", tag)) }
}

const ops = async (...words: ReadonlyArray<string>) => {
  const { document, exitCode } = await runOps(["partition", ...words], environment())
  expect({ document, exitCode }).toMatchObject({ exitCode: 0 })
  return document
}

/** A write of the service to the partition: whether it was done, or what refused it. */
const write = () =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(makeRedisClient(cluster.url, "test"), (client) =>
        holdLease(client, ownerKey(partition), "test", 60_000),
      ),
    ).pipe(Effect.catch(({ reason }) => Effect.succeed(reason))),
  )

/** Kills a move at a step, as if its machine had failed, and lets its lease end. */
const killAt = async (point: string, target: RedisNode) => {
  const words = ["dist/ops.mjs", "partition", "move", String(partition), "--to", target.address]
  const { exitCode } = await run(process.execPath, words, {
    ...environment(),
    FAULT_POINT: `${point.replace(" ", ":partitionMove.")}`,
  })
  expect(exitCode).toBe(-1)
  await (await cluster.primaryOf(moverKey)).call("DEL", moverKey)
}

/** Checks that one primary and its replica have all keys, nobody else has any, and writes are taken. */
const expectWholeAt = async (home: RedisNode, slot: number) => {
  expect(await cluster.primaryOf(tag)).toBe(home)
  expect(await write()).toBe(true)
  expect(await home.call("EXISTS", movingKey(tag))).toBe(0)
  const replica = cluster.nodes[cluster.nodes.indexOf(home) + 3]
  for (const node of cluster.nodes) {
    const wanted = node === home || node === replica ? keysMany + 1 : 0
    await until(`${node.address} to have ${wanted} keys`, async () => {
      return Number(await node.call("CLUSTER", "COUNTKEYSINSLOT", slot)) === wanted
    })
  }
  const openSlots = cluster.nodes.map(async (node) =>
    /\[\d+-[<>]-/.test(String(await node.call("CLUSTER", "NODES"))),
  )
  expect(await Promise.all(openSlots)).not.toContain(true)
}

const points = [
  ["after fence", false],
  ["after prepare", false],
  ["after copy", false],
  ["after handOver", true],
  ["after agree", true],
  ["after unfence", true],
  ["before clear", true],
] as const

describe("ops partition move that is killed", () => {
  beforeAll(async () => {
    expect(await write()).toBe(true)
    const { source } = await placeNow()
    for (let i = 0; i < keysMany; i += 1) await source.call("SET", `text:${tag}:${i}`, i)
  }, 120_000)

  it.each(points)("a move killed %s goes on when it is run again", { timeout: 120_000 }, async (point) => {
    const { target, slot } = await placeNow()
    await killAt(point, target)
    if (!/unfence|clear/.test(point)) expect(await write()).toMatch(/^MOVING/)
    await ops("move", String(partition), "--to", target.address)
    await expectWholeAt(target, slot)
  })

  it.each(points)(
    "a move killed %s is undone, or ended where it was over",
    { timeout: 120_000 },
    async (point, isOver) => {
      const { source, target, slot } = await placeNow()
      await killAt(point, target)
      await ops("move", String(partition), "--undo")
      await expectWholeAt(isOver ? target : source, slot)
    },
  )

  it("a move whose target dies leaves the partition where it was, and it takes writes", {
    timeout: 120_000,
  }, async () => {
    const { source, target, slot } = await placeNow()
    await killAt("after prepare", target)
    target.signal("SIGSTOP")
    const { document } = await runOps(
      ["partition", "move", String(partition), "--to", target.address],
      environment(),
    )
    expect(document.error.code).toBe("service_unavailable")
    await ops("move", String(partition), "--undo")
    expect(await cluster.primaryOf(tag)).toBe(source)
    expect(await write()).toBe(true)
    expect(await source.call("CLUSTER", "COUNTKEYSINSLOT", slot)).toBe(keysMany + 1)
    target.signal("SIGCONT")
  })
})
