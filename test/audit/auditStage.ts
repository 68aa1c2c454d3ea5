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

  const audit = (isFull: boolean) => Effect.flatMap(RedisClient, (client) => verifyAll(client, isFull))
  const verify = () => runtime.runPromise(audit(true))
  /** An audit that goes on from checkpoints. */
  const goOn = () => runtime.runPromise(audit(false))
  /** The difference that an audit finds; rejects if it finds none. */
  const difference = async (isFull = true): Promise<AuditDifference> => {
    const found = await runtime.runPromise(Effect.flip(audit(isFull)))
    if (found._tag !== "AuditDifference") throw found
    return found
  }

  /** Damages the touched keys, does something, and restores them. */
  const restoring = async <A>(
    touched: ReadonlyArray<string>,
    damage: () => Promise<unknown>,
    act: () => Promise<A>,
  ): Promise<A> => {
    const before = await Promise.all(touched.map((key) => redis.dumpBuffer(key)))
    try {
      await damage()
      return await act()
    } finally {
      for (const [i, key] of touched.entries()) {
        const dump = before[i]
        if (dump) await redis.restore(key, 0, dump, "REPLACE")
        else await redis.del(key)
      }
    }
  }

  /** Damages the touched keys, returns what an audit finds, and restores them. */
  const whileBroken = (touched: ReadonlyArray<string>, damage: () => Promise<unknown>, isFull = true) =>
    restoring(touched, damage, () => difference(isFull))

  /** Runs something with a client that records its commands. */
  const counted = <A, E>(run: (client: RedisClient["Service"]) => Effect.Effect<A, E>) =>
    runtime.runPromise(
      Effect.flatMap(RedisClient, (client) => {
        const calls: Array<{ readonly name: string; readonly args: ReadonlyArray<unknown> }> = []
        const noted: RedisClient["Service"] = {
          ...client,
          call: (name, args) =>
            Effect.andThen(
              Effect.sync(() => calls.push({ name, args })),
              client.call(name, args),
            ),
          callAll: (commands) =>
            Effect.andThen(
              Effect.sync(() => calls.push(...commands.map(([name, args]) => ({ name, args })))),
              client.callAll(commands),
            ),
        }
        return Effect.map(run(noted), (result) => [{ calls }, result] as const)
      }),
    )

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
  return {
    ...{
      url: server.url,
      redis,
      runtime,
      shop,
      verify,
      goOn,
      difference,
      restoring,
      whileBroken,
      counted,
      rewrite,
    },
    stop,
  }
}

/** A started stage: its Redis and shop, and the functions that damage and audit them. */
export type AuditStage = Awaited<ReturnType<typeof startAuditStage>>
