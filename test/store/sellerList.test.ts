import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import * as keys from "../../src/store/keys.ts"
import { RedisClient, RedisClientLive } from "../../src/store/redis/redisClient.ts"
import { listSellers } from "../../src/store/sellers.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"

const partitions = 4
const count = limits.filterScanEntriesMax + 150
const idOf = (i: number) => makeId("sel_", 1_700_000_000_000 + i, i % partitions, new Uint8Array(14))

let server: TestRedis
const withClient = <A, E>(program: Effect.Effect<A, E, RedisClient>) =>
  Effect.suspend(() => Effect.provide(program, RedisClientLive(server.url)))

beforeAll(async () => {
  server = await startTestRedis({ appendfsync: "no" })
  const ids = Array.from({ length: count }, (_, i) => idOf(i))
  // Only the oldest is suspended.
  const program = Effect.flatMap(RedisClient, ({ callAll }) =>
    callAll(
      ids.flatMap((id, i) => [
        ["ZADD", [keys.sellersKey(i % partitions), 0, id]] as const,
        [
          "HSET",
          [keys.sellerKey(id), "status", i === 0 ? "suspended" : "active", "kyc_status", "none"],
        ] as const,
      ]),
    ),
  )
  await Effect.runPromise(withClient(program))
})
afterAll(() => server.stop())

describe("the list of sellers", () => {
  it.live(
    "a seller list page ends early after many sellers that do not match, and the next goes on from there",
    () =>
      withClient(
        Effect.gen(function* () {
          const list = listSellers(yield* RedisClient, partitions)
          const query = { status: "suspended", kycStatus: undefined, limit: 100 } as const
          const first = yield* list({ ...query, beforeId: undefined })
          expect(first.sellers).toEqual([])
          expect(first.nextBeforeId).toBe(idOf(count - limits.filterScanEntriesMax))
          const second = yield* list({ ...query, beforeId: first.nextBeforeId })
          expect(second.sellers.map(({ id }) => id)).toEqual([idOf(0)])
          expect(second.nextBeforeId).toBeUndefined()
        }),
      ),
  )

  it.live("the seller list skips an id whose seller does not exist", () =>
    withClient(
      Effect.gen(function* () {
        const client = yield* RedisClient
        yield* client.call("DEL", [keys.sellerKey(idOf(count - 2))])
        const page = yield* listSellers(
          client,
          partitions,
        )({
          status: undefined,
          kycStatus: undefined,
          beforeId: undefined,
          limit: 2,
        })
        expect(page.sellers.map(({ id }) => id)).toEqual([idOf(count - 1), idOf(count - 3)])
        expect(page.nextBeforeId).toBe(idOf(count - 3))
      }),
    ),
  )
})
