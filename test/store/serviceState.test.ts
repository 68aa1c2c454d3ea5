import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Layer, Schedule, Scope } from "effect"
import { StreamSlots } from "../../actors/ports/streamSlots.ts"
import { sessionKeyHash } from "../../actors/values/principal.ts"
import { makeId } from "../../schema/ids.ts"
import * as keys from "../../src/store/keys.ts"
import { heartbeat, ProcessesLive } from "../../src/store/processes.ts"
import { RedisClient, RedisClientLive } from "../../src/store/redis/redisClient.ts"
import { LibraryLive } from "../../src/store/redisStore.ts"
import { readProcesses } from "../../src/store/serviceState.ts"
import { StoreOptions } from "../../src/store/storeOptions.ts"
import { StreamSlotsLive } from "../../src/store/streamSlots.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"

const partitions = 4
const sellerId = makeId("sel_", 1_700_000_000_000, 1, new Uint8Array(14))
const opening = { feed: { sellerId, mode: "live" }, keyHash: sessionKeyHash } as const

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis({ appendfsync: "no" })
})
afterAll(() => server.stop())

const withClient = <A, E>(program: Effect.Effect<A, E, RedisClient | Scope.Scope>) =>
  Effect.scoped(program).pipe(
    Effect.provide(LibraryLive.pipe(Layer.provideMerge(RedisClientLive(server.url)))),
  )

/** The slots of a process of that name, which sends heartbeats until the scope closes. */
const startProcess = (processId: string, scope: Scope.Scope) =>
  Effect.gen(function* () {
    const options = Layer.succeed(StoreOptions, { retentionMillis: 1, partitions, processId })
    const layer = StreamSlotsLive.pipe(Layer.provide(ProcessesLive), Layer.provide(options))
    const client = Layer.succeed(RedisClient, yield* RedisClient)
    const context = yield* Layer.buildWithScope(layer.pipe(Layer.provide(client)), scope)
    return yield* Effect.provide(StreamSlots, context)
  })

const streamsById = Effect.flatMap(RedisClient, (client) =>
  Effect.map(readProcesses(client, partitions), ({ processes }) =>
    Object.fromEntries(processes.map(({ id, streams }) => [id, streams])),
  ),
)

/** Reads until the processes have reported so many streams. */
const until = (wanted: Readonly<Record<string, number>>) =>
  Effect.retry(
    Effect.flatMap(streamsById, (found) =>
      JSON.stringify(found) === JSON.stringify(wanted) ? Effect.void : Effect.fail(found),
    ),
    { schedule: Schedule.spaced(50), times: 4_000 },
  )

describe("what processes report of themselves", () => {
  it.live("each reports its open streams, and one that ends is gone", () =>
    withClient(
      Effect.gen(function* () {
        const scope = yield* Scope.Scope
        const own = yield* Scope.make()
        const first = yield* startProcess("first", scope)
        const second = yield* startProcess("second", own)
        for (const id of ["a", "b"]) yield* first.take({ ...opening, connectionId: id })
        yield* second.take({ ...opening, connectionId: "c" })
        yield* until({ first: 2, second: 1 })
        yield* first.release(sellerId, "a")
        yield* until({ first: 1, second: 1 })
        yield* Scope.close(own, Exit.void)
        expect(yield* streamsById).toEqual({ first: 1 })
      }),
    ),
  )

  it.live("a process that died without a word is forgotten with what it reported", () =>
    withClient(
      Effect.gen(function* () {
        const client = yield* RedisClient
        yield* client.callAll([
          ["ZADD", [keys.processesKey, Date.now() - 61_000, "killed"]],
          ["HSET", [keys.processStreamsKey, "killed", 7]],
          ["HSET", [keys.processLibrariesKey, "killed", "aaaaaaaaaaaa"]],
        ])
        expect(yield* streamsById).toMatchObject({ killed: 7 })
        yield* heartbeat(client, {
          processId: "third",
          streams: 0,
          library: "0123456789ab",
          encryptionKeyIds: undefined,
        })
        expect(yield* streamsById).toEqual({ third: 0 })
        expect(yield* client.call("HGETALL", [keys.processStreamsKey])).toEqual(["third", "0"])
        expect(yield* client.call("HGETALL", [keys.processLibrariesKey])).toEqual(["third", "0123456789ab"])
      }),
    ),
  )

  it.live("a call reads as much as there are processes and partitions, however many sellers there are", () =>
    withClient(
      Effect.gen(function* () {
        const client = yield* RedisClient
        yield* client.callAll(
          Array.from({ length: 600 }, (_, i) => {
            const id = makeId("sel_", 1_700_000_000_000 + i, i % partitions, new Uint8Array(14))
            return ["ZADD", [keys.sellersKey(i % partitions), 0, id]] as const
          }),
        )
        let commands = 0
        const counted = {
          ...client,
          call: (...sent: Parameters<typeof client.call>) => {
            commands += 1
            return client.call(...sent)
          },
          callAll: (all: Parameters<typeof client.callAll>[0]) => {
            commands += all.length
            return client.callAll(all)
          },
        }
        yield* readProcesses(counted, partitions)
        expect(commands).toBe(2 + partitions)
      }),
    ),
  )
})
