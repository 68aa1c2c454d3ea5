import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { ProcessesLive } from "../../src/store/processes.ts"
import { type RedisClient as Client, RedisClient } from "../../src/store/redis/redisClient.ts"
import "../../src/store/redisStore.ts"
import { StoreOptions } from "../../src/store/storeOptions.ts"

/** A client that counts a single process alive and records commands; ZREM is answered once `removal` is done. */
const recordingClient = (commands: Array<string>, removal: Deferred.Deferred<void>) => {
  const call: Client["Service"]["call"] = (command) =>
    Effect.suspend(() => {
      commands.push(command)
      return command === "ZREM" ? Effect.as(Deferred.await(removal), 1) : Effect.succeed(1)
    })
  const callAll: Client["Service"]["callAll"] = (all) =>
    Effect.forEach(all, ([command, args]) => call(command, args))
  return Layer.succeed(RedisClient, {
    call,
    callAll,
    isCluster: false,
    servers: () => [],
    breaks: () => 0,
    awaitReplicas: undefined,
  })
}

it.effect("a process that ends sends no heartbeat after it is removed from the living", () =>
  Effect.gen(function* () {
    const commands: Array<string> = []
    const removal = yield* Deferred.make<void>()
    const options = Layer.succeed(StoreOptions, { retentionMillis: 1, partitions: 64, processId: "ending" })
    const scope = yield* Scope.make()
    yield* Layer.buildWithScope(
      ProcessesLive.pipe(Layer.provide(recordingClient(commands, removal)), Layer.provide(options)),
      scope,
    )
    const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    yield* TestClock.adjust("2 seconds")
    yield* Deferred.succeed(removal, undefined)
    yield* Fiber.join(closing)
    assert.strictEqual(commands.at(-1), "ZREM")
  }),
)

it.effect("a process looks for libraries that nobody uses every minute, also after a look that failed", () =>
  Effect.gen(function* () {
    const commands: Array<string> = []
    const removal = yield* Deferred.make<void>()
    yield* Deferred.succeed(removal, undefined)
    const looks = () => commands.filter((command) => command === "HVALS").length
    const failing = Layer.effect(
      RedisClient,
      Effect.map(RedisClient, (client) => ({
        ...client,
        call: (...[command, args]: Parameters<typeof client.call>) =>
          Effect.flatMap(client.call(command, args), (reply) =>
            command === "HVALS" && looks() === 1
              ? Effect.fail(new StoreUnavailable({ operation: "HVALS", reason: "away" }))
              : Effect.succeed(reply),
          ),
      })),
    ).pipe(Layer.provide(recordingClient(commands, removal)))
    const options = Layer.succeed(StoreOptions, { retentionMillis: 1, partitions: 64, processId: "looking" })
    yield* Layer.build(ProcessesLive.pipe(Layer.provide(failing), Layer.provide(options)))
    yield* TestClock.adjust("59 seconds")
    assert.strictEqual(looks(), 0)
    yield* TestClock.adjust("1 second")
    assert.strictEqual(looks(), 1)
    yield* TestClock.adjust("60 seconds")
    assert.strictEqual(looks(), 2)
  }),
)
