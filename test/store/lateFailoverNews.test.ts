import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeRedisClient } from "../../src/store/redis/redisClient.ts"
import { held, servicesSource, setRoutes } from "../support/networkGate.ts"
import {
  type GatedNode,
  type GatedSentinels,
  replicationOf,
  startGatedSentinels,
  untilFollowed,
} from "../support/redisSentinels.ts"
import { until } from "../support/until.ts"

const startSentinels = Effect.acquireRelease(Effect.promise(startGatedSentinels), ({ stop }) =>
  Effect.promise(stop),
)

/** The primary, the replica that these Sentinels will promote, and the other, which goes on following the primary. */
const partsIn = async (redis: GatedSentinels) => {
  // A busy machine may have seen a failover already.
  const primary = (await redis.primary()) ?? redis.servers[0]
  const [promoted = primary, ...others] = redis.servers.filter((server) => server !== primary)
  await untilFollowed(primary, 2)
  return { primary, promoted, others }
}

/** Has Sentinels promote a replica, and keeps what they know from the old primary, the other replica and the services. */
const promoteUnheard = async (
  sentinels: ReadonlyArray<GatedNode>,
  { primary, promoted, others }: Awaited<ReturnType<typeof partsIn>>,
) => {
  for (const sentinel of sentinels) {
    setRoutes(sentinel, [primary, ...others], { hears: held, says: held })
    sentinel.gate.set(servicesSource, { requests: {}, answers: held })
  }
  const isPromoted = async () => (await replicationOf(promoted)).get("role") === "master"
  await until("the replica that Sentinels reach to be promoted", isPromoted)
}

it.live(
  "while the news of a new primary is under way, the old one that a replica still follows tells nothing that would be lost",
  () =>
    Effect.scoped(
      Effect.gen(function* () {
        const redis = yield* startSentinels
        const client = yield* makeRedisClient(redis.url, "test", { replicas: 1, timeoutMillis: 1_000 })
        const told: Array<string> = []
        /** Why it was not told; undefined: it was. */
        const write = (key: string): Promise<string | undefined> =>
          Effect.runPromise(
            Effect.match(client.call("SET", [key, 1]), {
              onSuccess: () => {
                told.push(key)
                return undefined
              },
              onFailure: ({ reason }) => reason,
            }),
          )
        let number = 0
        const writeNext = () => write(`key:${number++}`)
        const untilTold = () => until("a write to be told", async () => (await writeNext()) === undefined)
        yield* Effect.promise(async () => {
          const parts = await partsIn(redis)
          const { primary, promoted } = parts
          await untilTold()
          await promoteUnheard(redis.sentinels, parts)
          await until("the old primary to be doubted because of it", async () =>
            String(await writeNext()).includes(`:${promoted.gate.port} followed, and is a primary now`),
          )
          assert.strictEqual((await replicationOf(primary)).get("connected_slaves"), "1")

          for (const { gate } of [...redis.servers, ...redis.sentinels]) gate.heal()
          await until("the new primary to be announced", async () => (await redis.primary()) === promoted)
          await untilTold()
          const found = await Promise.all(told.map((key) => promoted.call("EXISTS", key)))
          assert.deepStrictEqual(
            found,
            told.map(() => 1),
          )
        })
      }),
    ),
  300_000,
)

it.live(
  "a client that connects before the news asks the replicas that its Sentinel knows, and tells nothing that the old primary answers",
  () =>
    Effect.scoped(
      Effect.gen(function* () {
        const redis = yield* startSentinels
        const parts = yield* Effect.promise(() => partsIn(redis))
        const { primary, promoted } = parts
        const [behind = primary, ...deciding] = redis.sentinels
        yield* Effect.promise(async () => {
          setRoutes(behind, [...redis.servers, ...deciding], { hears: held, says: held })
          await promoteUnheard(deciding, parts)
          assert.include(await redis.namedBy(behind), String(primary.gate.port))
          assert.strictEqual((await replicationOf(primary)).get("connected_slaves"), "1")
        })
        const client = yield* makeRedisClient(redis.url, "test", { replicas: 1, timeoutMillis: 1_000 })
        for (const number of [1, 2, 3]) {
          const failure = yield* Effect.flip(client.call("SET", [`key:${number}`, 1]))
          assert.include(failure.reason, `:${promoted.gate.port} followed, and is a primary now`)
        }

        for (const { gate } of [...redis.servers, ...redis.sentinels]) gate.heal()
        const write = Effect.map(Effect.exit(client.call("SET", ["after", 1])), ({ _tag }) => _tag)
        yield* Effect.promise(async () => {
          await until("a write to be told", async () => (await Effect.runPromise(write)) === "Success")
          assert.strictEqual(await promoted.call("EXISTS", "after"), 1)
        })
      }),
    ),
  300_000,
)
