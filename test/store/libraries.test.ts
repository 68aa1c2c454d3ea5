import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import * as keys from "../../src/store/keys.ts"
import { dropUnusedLibraries, heartbeat } from "../../src/store/processes.ts"
import {
  callFunction,
  dropLibrariesBut,
  ensureLibrary,
  isLibraryLoaded,
  library,
  makeLibrary,
} from "../../src/store/redis/functionLibrary.ts"
import { declaredFunctions } from "../../src/store/redis/luaFunction.ts"
import { luaSources } from "../../src/store/redis/luaSources.ts"
import { RedisClient, RedisClientLive } from "../../src/store/redis/redisClient.ts"
import { LibraryLive } from "../../src/store/redisStore.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis({ appendfsync: "no" })
})
afterAll(() => server.stop())

type Client = RedisClient["Service"]

const withClient = <A, E>(program: (client: Client) => Effect.Effect<A, E>) =>
  Effect.flatMap(RedisClient, program).pipe(
    Effect.provide(LibraryLive.pipe(Layer.provideMerge(RedisClientLive(server.url)))),
  )

const loadedLibraries = (client: Client) =>
  Effect.map(client.call("FUNCTION", ["LIST"]), (libraries) =>
    (libraries as ReadonlyArray<ReadonlyArray<string>>).map(([, name]) => name ?? "").sort(),
  )

const otherVersion = "0123456789ab"
const otherLibrary = `corrente_${otherVersion}`

const loadOther = (client: Client) =>
  client.call("FUNCTION", [
    ...["LOAD", "REPLACE"],
    `#!lua name=${otherLibrary}\nredis.register_function('${otherLibrary}_ping', function() return 'pong' end)`,
  ])

const beat = (client: Client, processId: string, version: string) =>
  heartbeat(client, { processId, streams: 0, library: version, encryptionKeyIds: undefined })

describe("libraries of other builds", () => {
  it.live("a library stays while a process reports it, and is dropped once that process is forgotten", () =>
    withClient((client) =>
      Effect.gen(function* () {
        const both = [otherLibrary, library.name].sort()
        yield* loadOther(client)
        yield* beat(client, "own", library.version)
        yield* beat(client, "other", otherVersion)
        yield* dropUnusedLibraries(client)
        assert.deepStrictEqual(yield* loadedLibraries(client), both)

        yield* client.call("ZADD", [keys.processesKey, Date.now() - 61_000, "other"])
        yield* beat(client, "own", library.version)
        yield* dropUnusedLibraries(client)
        assert.deepStrictEqual(yield* loadedLibraries(client), [library.name])
      }),
    ),
  )

  it.live("a process keeps its own library, also if no heartbeat has reported it", () =>
    withClient((client) =>
      Effect.gen(function* () {
        yield* client.call("DEL", [keys.processLibrariesKey])
        yield* dropUnusedLibraries(client)
        assert.deepStrictEqual(yield* loadedLibraries(client), [library.name])
      }),
    ),
  )

  it.live("libraries that are not the service's stay", () =>
    withClient((client) =>
      Effect.gen(function* () {
        const others = ["shop", "corrente_reports", `corrente_${"0".repeat(13)}`]
        for (const name of others) {
          const source = `#!lua name=${name}\nredis.register_function('${name}_ping', function() return 'pong' end)`
          yield* client.call("FUNCTION", ["LOAD", source])
        }
        yield* dropUnusedLibraries(client)
        assert.deepStrictEqual(yield* loadedLibraries(client), [library.name, ...others].sort())
        for (const name of others) yield* client.call("FUNCTION", ["DELETE", name])
      }),
    ),
  )

  it.live("a process whose library was dropped loads it again with its next call", () =>
    withClient((client) =>
      Effect.gen(function* () {
        yield* dropLibrariesBut(client, new Set([otherVersion]))
        assert.isFalse(yield* isLibraryLoaded(client))
        assert.strictEqual(yield* beat(client, "own", library.version), 1)
        assert.isTrue(yield* isLibraryLoaded(client))
      }),
    ),
  )
})

/** The function that the next build changes: where this build replies that it took a token, the next one replies 2 for 1. */
const changedName = "rate_limits.take"
const nextSources = () =>
  luaSources().map(({ path, text }) => ({
    path,
    text: path === "rateLimits.lua" ? text.replace("return { 1,", "return { 2,") : text,
  }))

describe("a deploy", () => {
  it.live("a changed function answers each build as its own, and no call fails while builds change", () =>
    withClient((client) =>
      Effect.gen(function* () {
        const next = makeLibrary(nextSources(), declaredFunctions())
        assert.notStrictEqual(next.version, library.version)
        const take = declaredFunctions().find(({ name }) => name === changedName)
        if (take === undefined) return yield* Effect.die(`no function ${changedName}`)
        const change = { capacity: 1_000_000, fillMillis: 1_000 }
        const [server] = client.servers()
        if (server === undefined) return yield* Effect.die("no server")

        const loaded = yield* Deferred.make<void>()
        const running = { old: true, next: true }
        const replies = { old: new Set<unknown>(), next: new Set<unknown>() }
        const counts = { old: 0, next: 0 }
        const whileRunning = <E>(build: "old" | "next", call: Effect.Effect<unknown, E>) =>
          Effect.gen(function* () {
            while (running[build]) {
              const [taken] = (yield* call) as ReadonlyArray<unknown>
              replies[build].add(taken)
              counts[build] += 1
            }
          })
        const callsOf = <E>(build: "old" | "next", call: Effect.Effect<unknown, E>) =>
          Effect.all(
            Array.from({ length: 8 }, () => whileRunning(build, call)),
            { concurrency: "unbounded" },
          )
        const someMore = (build: "old" | "next") =>
          Effect.gen(function* () {
            const enough = counts[build] + 200
            while (counts[build] < enough) yield* Effect.sleep(5)
          })

        const bucket = keys.rateKey(0, "deploy")
        const oldBuild = callsOf("old", callFunction(client, take, { bucket }, change, {}))
        const parameters = [
          ...[next.registeredName(changedName), 2, keys.movingKeyBeside(bucket), bucket],
          JSON.stringify(change),
        ]
        const nextBuild = callsOf("next", client.call("FCALL", parameters))
        const deploy = Effect.gen(function* () {
          yield* someMore("old")
          yield* server.call("FUNCTION", ["LOAD", "REPLACE", next.source])
          yield* Deferred.succeed(loaded, undefined)
          yield* someMore("next")
          // The old build still calls its library: it loads it again.
          yield* dropLibrariesBut(client, new Set([next.version]))
          yield* someMore("old")
          running.old = false
          yield* someMore("next")
          yield* dropLibrariesBut(client, new Set([next.version]))
          yield* someMore("next")
          running.next = false
        })
        yield* Effect.all([oldBuild, Effect.andThen(Deferred.await(loaded), nextBuild), deploy], {
          concurrency: "unbounded",
        })
        assert.deepStrictEqual([...replies.old], [1])
        assert.deepStrictEqual([...replies.next], [2])
        assert.deepStrictEqual(yield* loadedLibraries(client), [next.name])
        yield* ensureLibrary(client)
      }),
    ),
  )
})
