import { Effect, ManagedRuntime } from "effect"
import fc from "fast-check"
import { Redis } from "ioredis"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { keysScannedMax, partitionsInUse } from "../../src/audit/partitionAudit.ts"
import * as keys from "../../src/store/keys.ts"
import { RedisClient, RedisClientLive } from "../../src/store/redis/redisClient.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"

/** What shows that a partition is in use. */
const shows = [
  (partition: number) => keys.sellersKey(partition),
  (partition: number) => keys.noticesKey(keys.partitionTag(partition), "unprocessed"),
  (partition: number) => keys.stuckRefundsKey(keys.partitionTag(partition)),
  (partition: number) => keys.exceptionsKey(keys.partitionTag(partition), "open"),
  (partition: number) => keys.partitionWithdrawalsKey(keys.partitionTag(partition), "live", "approved"),
  (partition: number) => keys.partitionPixKeysKey(keys.partitionTag(partition), "test", "pending_approval"),
]

let server: TestRedis
let redis: Redis
let runtime: ManagedRuntime.ManagedRuntime<RedisClient, unknown>
beforeAll(async () => {
  server = await startTestRedis({ appendfsync: "no" })
  redis = new Redis(server.url)
  runtime = ManagedRuntime.make(RedisClientLive(server.url))
})
afterAll(async () => {
  redis.disconnect()
  await runtime.dispose()
  await server.stop()
})

const found = (scannedMax?: number) =>
  runtime.runPromise(Effect.flatMap(RedisClient, (client) => partitionsInUse(client, scannedMax)))

const partitions = fc.uniqueArray(fc.nat(1_023), { maxLength: 8 })

describe("the partitions in use", () => {
  it("a small Redis, whose keys are read, and a large one, which is asked for each partition, name the same", async () => {
    await fc.assert(
      fc.asyncProperty(partitions, partitions, fc.nat(shows.length - 1), async (used, others, show) => {
        await redis.flushall()
        for (const partition of used) await redis.zadd(shows[show]?.(partition) ?? "", 0, "one")
        // Any process has these of each partition that it holds; they show nothing.
        for (const partition of others) await redis.set(keys.ownerKey(partition), "a process")
        const expected = used.toSorted((left, right) => left - right)
        expect(await found()).toEqual(expected)
        expect(await found(-1)).toEqual(expected)
      }),
      { numRuns: 25 },
    )
  })

  it("the keys are read up to the limit, and not with one more", async () => {
    await redis.flushall()
    const commands = async (size: number) => {
      await redis.eval('for i = 1, ARGV[1] do redis.call("SET", "key:" .. i, "") end', 0, size)
      await redis.config("RESETSTAT")
      expect(await found()).toEqual([])
      const stats = await redis.info("commandstats")
      return { scans: /cmdstat_scan:/.test(stats), asks: /cmdstat_exists:calls=1024,/.test(stats) }
    }
    expect(await commands(keysScannedMax)).toEqual({ scans: true, asks: false })
    expect(await commands(keysScannedMax + 1)).toEqual({ scans: false, asks: true })
  })
})
