import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { moverKey, movingKey, partitionTag } from "../../src/store/keys.ts"
import { useEmptyRedis } from "../support/fileRedis.ts"
import { startTestCluster, type TestCluster } from "../support/redisCluster.ts"
import type { RedisNode } from "../support/redisNode.ts"
import { until } from "../support/until.ts"
import { runOps, runOpsAtTerminal } from "./cli.ts"

let cluster: TestCluster
beforeAll(async () => {
  cluster = await startTestCluster({ appendfsync: "no", withReplicas: true })
}, 120_000)
afterAll(() => cluster?.stop())

const single = useEmptyRedis()

const environment = (url = cluster.url) => ({
  REDIS_URL: url,
  ENCRYPTION_KEY: Buffer.alloc(32, 9).toString("base64"),
})
const ops = (...words: ReadonlyArray<string>) => runOps(["partition", ...words], environment())

/** Where a partition is, and two other primaries. */
const placeOf = async (partition: number) => {
  const tag = partitionTag(partition)
  const source = await cluster.primaryOf(tag)
  const [target, third] = cluster.nodes.slice(0, 3).filter((node) => node !== source)
  if (target === undefined || third === undefined) throw new Error("there are too few primaries")
  return { tag, slot: Number(await source.call("CLUSTER", "KEYSLOT", tag)), source, target, third }
}

/** Writes keys of every type, many enough for several batches. */
const fill = async (node: RedisNode, tag: string) => {
  const source = `
    for i = 1, 2000 do redis.call('SET', 'text:' .. ARGV[1] .. ':' .. i, i) end
    for i = 1, 500 do redis.call('XADD', 'events:' .. ARGV[1] .. ':sel_1:test', i .. '-1', 'seq', i) end
    redis.call('HSET', 'hash:' .. ARGV[1], 'a', 1, 'b', 2)
    redis.call('ZADD', 'sorted:' .. ARGV[1], 5, 'five')
    redis.call('SADD', 'set:' .. ARGV[1], 'x')
    redis.call('SET', 'brief:' .. ARGV[1], 'x', 'PX', 3600000)`
  await node.call("EVAL", source, 1, `text:${tag}`, tag)
}

const keysAt = async (node: RedisNode, slot: number) =>
  Number(await node.call("CLUSTER", "COUNTKEYSINSLOT", slot))

const contentAt = async (node: RedisNode, tag: string) => ({
  text: await node.call("GET", `text:${tag}:2000`),
  events: await node.call("XLEN", `events:${tag}:sel_1:test`),
  hash: await node.call("HGETALL", `hash:${tag}`),
  sorted: await node.call("ZSCORE", `sorted:${tag}`, "five"),
  set: await node.call("SMEMBERS", `set:${tag}`),
  isBrief: Number(await node.call("PTTL", `brief:${tag}`)) > 3_500_000,
})

describe("ops partition show", () => {
  it("partitions are listed with slot, primary, replica and keys, and primaries with what they have", async () => {
    const { source, slot, tag } = await placeOf(3)
    await source.call("SET", `one:${tag}`, 1)
    const { document } = await ops("show")
    expect(document.partitions).toHaveLength(64)
    expect(document.partitions[3]).toEqual({
      ...{ partition: 3, slot, primary: source.address, moving: null, keys: await keysAt(source, slot) },
      replicas: [cluster.nodes[cluster.nodes.indexOf(source) + 3]?.address],
    })
    expect(document.primaries).toHaveLength(3)
    const sum = (name: "slots" | "partitions") =>
      document.primaries.reduce(
        (total: number, primary: Record<string, number>) => total + (primary[name] ?? 0),
        0,
      )
    expect([sum("slots"), sum("partitions")]).toEqual([16_384, 64])
    expect((await runOpsAtTerminal(["partition", "show"], environment())).stdout).toContain("Moves to")
  })
})

describe("ops partition move", () => {
  it("a moved partition has every key at its new primary and the replica there, and none elsewhere", async () => {
    const { tag, slot, source, target } = await placeOf(7)
    await fill(source, tag)
    const [before, count] = [await contentAt(source, tag), await keysAt(source, slot)]
    const { document, exitCode } = await ops("move", "7", "--to", target.address)
    expect({ document, exitCode }).toMatchObject({
      document: { partition: 7, slot, to: target.address, moved: true, keys: count + 1 },
      exitCode: 0,
    })
    expect(await cluster.primaryOf(tag)).toBe(target)
    expect(await contentAt(target, tag)).toEqual(before)
    const replica = cluster.nodes[cluster.nodes.indexOf(target) + 3] as RedisNode
    await until("the replica to have the keys", async () => (await keysAt(replica, slot)) === count)
    const others = cluster.nodes.filter((node) => node !== target && node !== replica)
    for (const node of others)
      await until("the copies to be gone", async () => (await keysAt(node, slot)) === 0)
    expect(await target.call("EXISTS", movingKey(tag))).toBe(0)
  })

  it("a partition that is there already is left alone", async () => {
    const { slot, source } = await placeOf(9)
    expect(await ops("move", "9", "--to", source.address)).toMatchObject({
      document: { partition: 9, slot, to: source.address, moved: false },
      exitCode: 0,
    })
    expect(
      (await runOpsAtTerminal(["partition", "move", "9", "--to", source.address], environment())).stdout,
    ).toBe(`Partition 9 (slot ${slot}) is at ${source.address} already.\n`)
  })

  it("what cannot be moved is refused with what to do, and nothing changes", async () => {
    const { source, target } = await placeOf(11)
    const replica = cluster.nodes[3]?.address ?? ""
    const refusals = [
      [["move", "64", "--to", target.address], "partition", "PARTITION must be a number from 0 to 63."],
      [["move", "x", "--to", target.address], "partition", "PARTITION must be a number from 0 to 63."],
      [["move", "11", "--to", replica], "to", `${replica} is a replica. Name a primary: `],
      [["move", "11", "--to", "127.0.0.1:1"], "to", "127.0.0.1:1 is no node of the cluster."],
      [["move", "11"], "to", "Say where to: --to HOST:PORT"],
      [["move", "11", "--undo", "--to", target.address], "to", "Say where to: --to HOST:PORT"],
    ] as const
    for (const [words, param, message] of refusals) {
      const { document, exitCode } = await ops(...words)
      expect({ param: document.error.param, exitCode }).toEqual({ param, exitCode: 1 })
      expect(document.error.message).toContain(message)
    }
    expect(await cluster.primaryOf(partitionTag(11))).toBe(source)
    for (const words of [["show"], ["move", "1", "--to", "127.0.0.1:1"]]) {
      const alone = await runOps(["partition", ...words], environment(single.url))
      expect(alone.document.error).toMatchObject({
        code: "invalid_state",
        message: expect.stringContaining("This Redis is not a cluster"),
      })
    }
  })

  it("a slot that somebody else moves is refused", async () => {
    const { slot, source, target } = await placeOf(13)
    const id = String(await target.call("CLUSTER", "MYID"))
    await source.call("CLUSTER", "SETSLOT", slot, "MIGRATING", id)
    const { document } = await ops("move", "13", "--to", target.address)
    expect(document.error.message).toContain(`Something else moves slot ${slot} to ${target.address}`)
    expect((await ops("show")).document.partitions[13].moving).toEqual({ to: target.address, since: null })
    await source.call("CLUSTER", "SETSLOT", slot, "STABLE")
  })

  it("a second command waits for the first, and refuses where that goes on", {
    timeout: 60_000,
  }, async () => {
    const { target } = await placeOf(15)
    const holder = await cluster.primaryOf(moverKey)
    await holder.call("SET", moverKey, "another", "PX", 60_000)
    const { document } = await ops("move", "15", "--to", target.address)
    expect(document.error.message).toContain("Another command moves a partition now")
    await holder.call("SET", moverKey, "another", "PX", 500)
    expect((await ops("move", "15", "--to", target.address)).document.moved).toBe(true)
  })
})
