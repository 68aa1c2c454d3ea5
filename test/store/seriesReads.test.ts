import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SeriesStore } from "../../actors/ports/seriesStore.ts"
import { latencyBins } from "../../actors/values/latencyBins.ts"
import { makeId } from "../../schema/ids.ts"
import { deliveryTimesKey } from "../../src/store/keys.ts"
import { RedisClient, RedisClientLive } from "../../src/store/redis/redisClient.ts"
import { SeriesStoreLive } from "../../src/store/series.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"
import { StoreOptionsLive } from "../support/storeOptions.ts"

const feed = { sellerId: makeId("sel_", 1_700_000_000_000, 0, new Uint8Array(14)), mode: "live" } as const
const daysOfYear = 366
const lastDay = 20_000
const span = { fromHour: (lastDay - daysOfYear + 1) * 24, toHour: lastDay * 24 + 23 }

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis({ appendfsync: "no" })
})
afterAll(() => server.stop())

/** A client that notes how many arguments each read of durations has, of those that leave at once. */
const makeNotedClient = (batches: Array<number>) =>
  Layer.effect(
    RedisClient,
    Effect.map(RedisClient, (client) =>
      RedisClient.of({
        ...client,
        callAll: (commands) => {
          const reads = commands.filter(([command]) => command === "BITFIELD_RO")
          if (reads.length > 0) batches.push(reads.reduce((sum, [, args]) => sum + args.length, 0))
          return client.callAll(commands)
        },
      }),
    ),
  ).pipe(Layer.provide(RedisClientLive(server.url)))

describe("how long the attempts of a year took", () => {
  it.live("the durations of a year are read only of days that have some, a day at a time", () => {
    const batches: Array<number> = []
    return Effect.gen(function* () {
      const client = yield* RedisClient
      for (const day of [lastDay - 200, lastDay]) {
        yield* client.call("BITFIELD", [deliveryTimesKey(feed, day), "SET", "u32", "#3", 7])
      }
      const times = yield* (yield* SeriesStore).times(feed, span)
      expect([...times.keys()]).toEqual([(lastDay - 200) * 24, lastDay * 24])
      expect(times.get(lastDay * 24)?.[3]).toBe(7)
      const argumentsOfDay = 1 + 24 * latencyBins * 3
      expect(batches).toEqual([argumentsOfDay, argumentsOfDay])
    }).pipe(
      Effect.provide(
        SeriesStoreLive.pipe(Layer.provideMerge(makeNotedClient(batches)), Layer.provide(StoreOptionsLive)),
      ),
    )
  })
})
