import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Fiber, Result, Tracer } from "effect"
import { makeRegistrar } from "../../actors/metrics/registrar.ts"
import { TraceSpan } from "../../actors/values/traceSpan.ts"
import { redisOfNode } from "../../src/store/redis/clusterDiscovery.ts"
import { makeRedisClient } from "../../src/store/redis/redisClient.ts"
import { connectionOn, openConnection, redisOf } from "../../src/store/redis/redisConnection.ts"
import { BarrierCounts, ReplicationBarrier } from "../../src/store/redis/replicationBarrier.ts"
import { startTestCluster } from "../support/redisCluster.ts"
import { nodeArguments, type RedisNode, startRedisNode } from "../support/redisNode.ts"
import { untilFollowed, waitForReplica } from "../support/redisSentinels.ts"
import { until } from "../support/until.ts"

const startPair = async (): Promise<readonly [primary: RedisNode, replica: RedisNode]> => {
  const primary = await startRedisNode(nodeArguments())
  const replica = await startRedisNode(nodeArguments("--replicaof", `127.0.0.1 ${primary.port}`))
  await waitForReplica(primary, replica)
  return [primary, replica]
}

const callsOf = async (node: RedisNode, command: string): Promise<number> => {
  const stats = String(await node.call("INFO", "commandstats"))
  return Number(new RegExp(`^cmdstat_${command}:calls=(\\d+)`, "m").exec(stats)?.[1] ?? 0)
}

const urlOf = (node: RedisNode) => `redis://${node.address}`

describe("waiting for replicas", () => {
  let primary: RedisNode
  let replica: RedisNode
  beforeAll(async () => {
    ;[primary, replica] = await startPair()
  })
  afterAll(async () => {
    await replica?.stop()
    await primary?.stop()
  })

  const clientFor = (replicas: number, timeoutMillis = 200) =>
    makeRedisClient(urlOf(primary), "test", { replicas, timeoutMillis })

  it.live("what is answered is on the replica", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const client = yield* clientFor(1, 4_000)
        for (let i = 0; i < 50; i += 1) {
          yield* client.call("SET", ["told", i])
          assert.strictEqual(yield* Effect.promise(() => replica.call("GET", "told")), String(i))
        }
      }),
    ),
  )

  it.live("a traced command has a span of its own, and the wait for replicas one that follows it", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const taken: Array<TraceSpan> = []
        const sink = { take: (span: TraceSpan) => taken.push(span), drop: () => {} }
        const traced = <A, E>(program: Effect.Effect<A, E>) =>
          program.pipe(
            Effect.withSpan("root", { root: true }),
            Effect.provideService(
              Tracer.Tracer,
              Tracer.make({ span: (options) => new TraceSpan(options, sink) }),
            ),
          )
        const client = yield* clientFor(1, 4_000)
        yield* traced(client.callAll([["SET", ["traced", "secret"]]]))
        const [command, wait, root] = taken
        assert.deepStrictEqual(
          taken.map(({ name }) => name),
          ["SET", "wait for replicas", "root"],
        )
        const endOf = (span: TraceSpan | undefined) => span?.status._tag === "Ended" && span.status.endTime
        assert.strictEqual(endOf(command), wait?.status.startTime)
        assert.isTrue(
          [command, wait].every((span) => span?.parent._tag === "Some" && span.parent.value === root),
        )
        assert.notInclude(JSON.stringify(taken.map(({ attributes }) => [...attributes])), "secret")

        const without = yield* makeRedisClient(urlOf(primary), "test")
        yield* traced(without.call("FCALL", ["corrente_0123456789ab_charges_create", 0])).pipe(Effect.ignore)
        assert.deepStrictEqual(
          taken.slice(3).map(({ name, outcome }) => [name, outcome.errorType]),
          [
            ["FCALL charges_create", "StoreUnavailable"],
            ["root", "StoreUnavailable"],
          ],
        )
      }),
    ),
  )

  it.live("commands that are answered together wait together", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const client = yield* clientFor(1, 4_000)
        const before = yield* Effect.promise(() => callsOf(primary, "wait"))
        yield* Effect.forEach(Array.from({ length: 1_000 }), (_, i) => client.call("SET", [`many:${i}`, i]), {
          concurrency: "unbounded",
          discard: true,
        })
        const rounds = (yield* Effect.promise(() => callsOf(primary, "wait"))) - before
        assert.isAtLeast(rounds, 1)
        assert.isAtMost(rounds, 50)
      }),
    ),
  )

  it.live(
    "too few replicas: writes and reads fail, saying how many acknowledged, and what was written stays",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const client = yield* clientFor(2, 1_000)
          for (const [command, args] of [
            ["SET", ["alone", 1]],
            ["GET", ["alone"]],
          ] as const) {
            const failure = yield* Effect.flip(client.call(command, args))
            assert.strictEqual(failure.operation, command)
            assert.match(failure.reason, /1 of 2 acknowledged within 1000 ms/)
          }
          assert.strictEqual(yield* Effect.promise(() => primary.call("GET", "alone")), "1")
          // About the server itself nobody waits.
          yield* Effect.forEach(client.servers(), (server) => server.call("PING", []))
        }),
      ),
  )

  it.live("a reader is not shown what another wrote until a replica has it", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const client = yield* clientFor(1, 4_000)
        yield* client.call("SET", ["shown", "before"])
        replica.signal("SIGSTOP")
        yield* Effect.promise(() => primary.call("SET", "shown", "after"))
        const reading = yield* Effect.forkChild(client.call("GET", ["shown"]))
        // The primary answered the reader long ago.
        yield* Effect.promise(async () => {
          const reads = await callsOf(primary, "get")
          await until("the read", async () => (await callsOf(primary, "get")) >= reads)
        })
        const early = reading.pollUnsafe()
        replica.signal("SIGCONT")
        const shown = yield* Effect.result(Fiber.join(reading))
        // A busy machine may take longer to come here than a reader waits for the replica.
        if (Result.isFailure(shown)) assert.include(shown.failure.reason, "acknowledged within 4000 ms")
        else assert.deepStrictEqual([early, shown.success], [undefined, "after"])
      }).pipe(Effect.ensuring(Effect.sync(() => replica.signal("SIGCONT")))),
    ),
  )

  it.live("after the replica was away the client serves again, on the same connections", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const client = yield* clientFor(1, 100)
        replica.signal("SIGSTOP")
        yield* Effect.flip(client.call("SET", ["away", 1]))
        replica.signal("SIGCONT")
        yield* Effect.promise(() =>
          until("the replica to acknowledge again", () =>
            Effect.runPromise(
              Effect.map(Effect.exit(client.call("SET", ["away", 2])), ({ _tag }) => _tag === "Success"),
            ),
          ),
        )
        assert.strictEqual(client.breaks(), 0)
      }).pipe(Effect.ensuring(Effect.sync(() => replica.signal("SIGCONT")))),
    ),
  )

  it.live("without the setting nobody waits", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const before = yield* Effect.promise(() => callsOf(primary, "wait"))
        const client = yield* makeRedisClient(urlOf(primary), "test")
        yield* client.call("SET", ["plain", 1])
        assert.isUndefined(client.awaitReplicas)
        assert.strictEqual(yield* Effect.promise(() => callsOf(primary, "wait")), before)
      }),
    ),
  )
})

const connectTo = (node: RedisNode) =>
  Effect.gen(function* () {
    const redis = yield* openConnection(
      () => redisOf({ kind: "server", url: urlOf(node) }, "test"),
      urlOf(node),
    )
    return { redis, connection: connectionOn(redis) }
  })

/** A reply of now, as the barrier lets it pass. */
const held = (barrier: ReplicationBarrier) =>
  Effect.callback<string>((resume) =>
    barrier
      .hold({
        answered: () => resume(Effect.succeed("told")),
        failed: (cause) => resume(Effect.succeed(String(cause))),
      })
      .answered("OK", performance.now()),
  )

describe("a primary that is replaced", () => {
  it.live("what an old primary answered is not told because a new one's replicas have caught up", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const pairs = yield* Effect.promise(() => Promise.all([startPair(), startPair()]))
        yield* Effect.addFinalizer(() =>
          Effect.promise(() => Promise.all(pairs.flat().map((node) => node.stop()))),
        )
        const [[older], [newer]] = pairs
        const counts = new BarrierCounts(yield* makeRegistrar)
        const barrier = new ReplicationBarrier(
          { replicas: 1, timeoutMillis: 1_000 },
          counts,
          yield* connectTo(older),
          yield* connectTo(newer),
          () => "key",
          {
            known: () => [],
            connect: (place) =>
              redisOfNode({ username: undefined, password: undefined, isTls: false }, place, "test"),
          },
        )
        assert.match(yield* held(barrier), /the primary has changed/)
        assert.strictEqual(counts.refusals, 1)
      }),
    ),
  )

  it.live("what a primary answered before it lost and regained its place is not told", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const nodes = yield* Effect.promise(startPair)
        const [primary, replica] = nodes
        yield* Effect.addFinalizer(() => Effect.promise(() => Promise.all(nodes.map((node) => node.stop()))))
        const client = yield* makeRedisClient(urlOf(primary), "test", { replicas: 1, timeoutMillis: 2_000 })
        yield* client.call("SET", ["known", 1])
        replica.signal("SIGSTOP")
        const writing = yield* Effect.forkChild(Effect.flip(client.call("SET", ["lost", 1])))
        yield* Effect.promise(async () => {
          await until("the write", async () => (await primary.call("EXISTS", "lost")) === 1)
          await primary.call("REPLICAOF", "127.0.0.1", String(replica.port))
          await primary.call("REPLICAOF", "NO", "ONE")
          replica.signal("SIGCONT")
        })
        assert.match(
          (yield* Fiber.join(writing)).reason,
          /Waiting for replicas \(REDIS_WAIT_REPLICAS\) failed/,
        )
        yield* Effect.promise(async () => {
          await replica.call("REPLICAOF", "127.0.0.1", String(primary.port))
          await waitForReplica(primary, replica)
          await until("the client to serve again", () =>
            Effect.runPromise(
              Effect.map(Effect.exit(client.call("SET", ["known", 2])), ({ _tag }) => _tag === "Success"),
            ),
          )
        })
      }),
    ),
  )
})

describe("a replica that leaves", () => {
  it.live(
    "what a primary writes after a replica was promoted is not told because another still follows",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const [primary, promoted] = yield* Effect.promise(startPair)
          const other = yield* Effect.promise(() =>
            startRedisNode(nodeArguments("--replicaof", `127.0.0.1 ${primary.port}`)),
          )
          yield* Effect.addFinalizer(() =>
            Effect.promise(() => Promise.all([primary, promoted, other].map((node) => node.stop()))),
          )
          yield* Effect.promise(() => untilFollowed(primary, 2))
          const client = yield* makeRedisClient(urlOf(primary), "test", { replicas: 1, timeoutMillis: 200 })
          // A replica that has just joined may take longer to acknowledge at first.
          yield* Effect.promise(() =>
            until("both to acknowledge", () =>
              Effect.runPromise(
                Effect.map(Effect.exit(client.call("SET", ["told", 1])), ({ _tag }) => _tag === "Success"),
              ),
            ),
          )

          yield* Effect.promise(() => promoted.call("REPLICAOF", "NO", "ONE"))
          assert.match((yield* Effect.flip(client.call("SET", ["lost", 1]))).reason, /1 of 2 acknowledged/)
          const doubt = yield* Effect.flip(client.call("SET", ["lost", 2]))
          // The promoted one may have said already what it is.
          assert.match(doubt.reason, /a replica has left, and may be the new primary|is a primary now/)
          assert.strictEqual(yield* Effect.promise(() => promoted.call("EXISTS", "lost")), 0)
          // The promoted one is asked, so that the doubt lasts until Sentinels have announced it, however late.
          const reasons = Effect.map(Effect.flip(client.call("SET", ["lost", 3])), ({ reason }) => reason)
          yield* Effect.promise(() =>
            until("the promoted one to say what it is", async () =>
              (await Effect.runPromise(reasons)).endsWith(
                `${promoted.address} followed, and is a primary now`,
              ),
            ),
          )

          // It was not, after all.
          yield* Effect.promise(() => promoted.call("REPLICAOF", "127.0.0.1", String(primary.port)))
          yield* Effect.promise(() => waitForReplica(primary, promoted))
          yield* Effect.promise(() =>
            until("the client to serve again", () =>
              Effect.runPromise(
                Effect.map(Effect.exit(client.call("SET", ["told", 2])), ({ _tag }) => _tag === "Success"),
              ),
            ),
          )
        }),
      ),
  )
})

it.live("each primary of a cluster waits for its own replicas", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const cluster = yield* Effect.acquireRelease(
        Effect.promise(() => startTestCluster({ appendfsync: "no", withReplicas: true })),
        ({ stop }) => Effect.promise(stop),
      )
      const client = yield* makeRedisClient(cluster.url, "test", { replicas: 1, timeoutMillis: 4_000 })
      for (let i = 0; i < 12; i += 1) {
        const key = `{${i}}:told`
        yield* client.call("SET", [key, i])
        const primary = yield* Effect.promise(() => cluster.primaryOf(key))
        assert.isAtLeast(yield* Effect.promise(() => callsOf(primary, "wait")), 1)
      }
      assert.isDefined(client.awaitReplicas)
      yield* client.awaitReplicas ?? Effect.void
    }),
  ),
)
