import { Effect, Layer, ManagedRuntime } from "effect"
import { Redis } from "ioredis"
import type { AuditDifference } from "../../src/audit/difference.ts"
import { verifyAll } from "../../src/audit/verify.ts"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import { RedisStoreLive } from "../../src/store/redisStore.ts"
import { makeStage, Stage } from "../conformance/stage.ts"
import { startTestRedis } from "../support/redis.ts"
import { type HealthyShop, openHealthyShop } from "./healthyShop.ts"

const retentionMillis = 86_400_000
const partitions = 4

/** A Redis with a healthy shop, and functions that damage and audit it. */
export const startAuditStage = async () => {
  const server = await startTestRedis({ appendfsync: "no" })
  const redis = new Redis(server.url)
  const runtime = ManagedRuntime.make(
    Layer.effect(Stage, makeStage<never>({ eventRetentionMillis: retentionMillis, partitions }, {})).pipe(
      Layer.provideMerge(RedisStoreLive(server.url, { retentionMillis, partitions, processId: "audit" })),
    ),
  )
  const shop: HealthyShop = await runtime.runPromise(openHealthyShop)

  const verify = () => runtime.runPromise(Effect.flatMap(RedisClient, verifyAll))
  /** The difference that an audit finds; rejects if it finds none. */
  const difference = async (): Promise<AuditDifference> => {
    const found = await runtime.runPromise(Effect.flip(Effect.flatMap(RedisClient, verifyAll)))
    if (found._tag !== "AuditDifference") throw found
    return found
  }

  /** Damages the touched keys, returns what an audit finds, and restores them. */
  const whileBroken = async (
    touched: ReadonlyArray<string>,
    damage: () => Promise<unknown>,
  ): Promise<AuditDifference> => {
    const before = await Promise.all(touched.map((key) => redis.dumpBuffer(key)))
    try {
      await damage()
      return await difference()
    } finally {
      for (const [i, key] of touched.entries()) {
        const dump = before[i]
        if (dump) await redis.restore(key, 0, dump, "REPLACE")
        else await redis.del(key)
      }
    }
  }

  /** Rewrites a stream with the same ids and the values that `change` returns; none removes the entry. */
  const rewrite = async (
    stream: string,
    change: (values: Array<string>, place: number) => ReadonlyArray<string>,
  ): Promise<void> => {
    const entries = await redis.xrange(stream, "-", "+")
    await redis.del(stream)
    for (const [place, [entryId, values]] of entries.entries()) {
      const changed = change(values, place)
      if (changed.length > 0) await redis.xadd(stream, entryId, ...changed)
    }
  }

  const stop = async () => {
    await runtime.dispose()
    redis.disconnect()
    await server.stop()
  }
  return { url: server.url, redis, runtime, shop, verify, difference, whileBroken, rewrite, stop }
}

/** A started stage: its Redis and shop, and the functions that damage and audit them. */
export type AuditStage = Awaited<ReturnType<typeof startAuditStage>>
