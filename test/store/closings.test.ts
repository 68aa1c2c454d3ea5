import { Effect } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { ClosingStore } from "../../actors/ports/closingStore.ts"
import { type Amounts, noAmounts } from "../../actors/values/closing.ts"
import { dayAfter } from "../../actors/values/saoPauloDays.ts"
import { makeId } from "../../schema/ids.ts"
import { ledgerKinds } from "../../schema/resources/ledger.ts"
import { sellerClosingsKey } from "../../src/store/keys.ts"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import { emptyRedisStore } from "../conformance/redisStage.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"

let redis: TestRedis
beforeAll(async () => {
  redis = await startTestRedis({ appendfsync: "no" })
})
afterAll(() => redis?.stop())

const settings = { eventRetentionMillis: 60_000, partitions: 4 }
const feed = { sellerId: makeId("sel_", 1_700_000_000_000, 1, new Uint8Array(14)), mode: "live" } as const
const large: Amounts = {
  ...noAmounts,
  ...{ available: 1_234_567_890, reserve: 123_456_789, external: -1_358_024_679, fees: 0 },
}
const days = 300

it("a seller's day takes less than 500 bytes of Redis where four kinds moved, and less than 1,600 where all did", async () => {
  const bytesOf = (kinds: number) =>
    Effect.gen(function* () {
      const store = yield* ClosingStore
      const lease = yield* store.claim("one", 60_000)
      if (lease === undefined) return yield* Effect.die("no lease")
      const movements = Object.fromEntries(ledgerKinds.slice(0, kinds).map((kind) => [kind, large]))
      for (let day = 0; day < days; day++) {
        yield* store.closeSeller(lease, feed, { day: dayAfter("2026-01-01", day), movements, closing: large })
      }
      const client = yield* RedisClient
      const bytes = yield* client.call("MEMORY", ["USAGE", sellerClosingsKey(feed), "SAMPLES", 0])
      return Number(bytes) / days
    }).pipe(Effect.provide(emptyRedisStore(redis.url, settings)), Effect.scoped)
  const [few, all] = [
    await Effect.runPromise(bytesOf(4)),
    await Effect.runPromise(bytesOf(ledgerKinds.length)),
  ]
  expect(few).toBeLessThan(500)
  expect(all).toBeLessThan(1_600)
})
