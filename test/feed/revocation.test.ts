import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { Feed } from "../../schema/ids.ts"
import { FeedHub } from "../../src/feed/hub.ts"
import { connect, feed, foreignFeed, makeBench, settle } from "./feedTesting.ts"
import { TestConnection } from "./testConnection.ts"

type Bench = ReturnType<typeof makeBench>

const revoke = ({ hints }: Bench, credentialId: string, of: Feed = feed) =>
  Effect.andThen(
    Effect.sync(() => hints.tell({ kind: "revoked", feed: of, credentialId })),
    settle,
  )

const openStreams = Effect.map(
  Effect.flatMap(FeedHub, (hub) => hub.counters),
  (counters) => counters.openStreams,
)

describe("revoked credentials", () => {
  it.effect(
    "a revoked credential ends every stream opened under it, without reconnect, and gives the slots back",
    () => {
      const bench = makeBench()
      return Effect.gen(function* () {
        const ended = [yield* connect({ credentialId: "key_1" }), yield* connect({ credentialId: "key_1" })]
        yield* revoke(bench, "key_1")
        for (const connection of ended) {
          assert.isTrue(connection.hasEnded)
          assert.isFalse(connection.wasCut)
          assert.deepStrictEqual(connection.controls, ["retry", "ready"])
        }
        assert.strictEqual(yield* openStreams, 0)
        assert.strictEqual(bench.slots.held.size, 0)
        assert.strictEqual(bench.slots.releases.length, 2)
      }).pipe(Effect.provide(bench.layer))
    },
  )

  it.effect("a revoked credential leaves the streams of others, which go on receiving", () => {
    const bench = makeBench()
    return Effect.gen(function* () {
      const ended = yield* connect({ credentialId: "key_1" })
      const others = [
        yield* connect({ credentialId: "key_2" }),
        yield* connect({ credentialId: "key_10" }),
        yield* connect(),
      ]
      yield* revoke(bench, "key_1")
      bench.hints.appended(bench.log.append())
      yield* settle
      assert.deepStrictEqual(ended.seqs, [])
      for (const connection of others) {
        assert.isFalse(connection.hasEnded)
        assert.deepStrictEqual(connection.seqs, [1])
      }
      assert.strictEqual(bench.slots.held.size, others.length)
    }).pipe(Effect.provide(bench.layer))
  })

  it.effect(
    "a revocation in one feed leaves the streams of another, and does nothing in one that nobody follows",
    () => {
      const bench = makeBench()
      return Effect.gen(function* () {
        yield* revoke(bench, "user-1", foreignFeed)
        const here = yield* connect({ credentialId: "user-1" })
        const there = yield* connect({ feed: foreignFeed, credentialId: "user-1" })
        yield* revoke(bench, "user-1", foreignFeed)
        assert.deepStrictEqual([here.hasEnded, there.hasEnded], [false, true])
      }).pipe(Effect.provide(bench.layer))
    },
  )

  it.effect("a revoked credential ends a stream amid its replay, which is read no further", () => {
    const bench = makeBench()
    return Effect.gen(function* () {
      bench.log.appendMany(3_000)
      const connection = new TestConnection()
      connection.isStuck = true
      yield* connect({ credentialId: "key_1", lastEventId: bench.log.idOf(0) }, connection)
      connection.pretendUnsent(1_000_000)
      yield* settle
      yield* revoke(bench, "key_1")
      const { entriesRead } = bench.log
      const { writes } = connection
      connection.drain()
      yield* settle
      assert.isBelow(entriesRead, 3_000)
      assert.deepStrictEqual([bench.log.entriesRead, connection.writes], [entriesRead, writes])
      assert.isTrue(connection.hasEnded)
      assert.strictEqual(bench.slots.held.size, 0)
    }).pipe(Effect.provide(bench.layer))
  })

  it.effect("a revoked credential turns away a stream that was being opened", () => {
    const bench = makeBench()
    return Effect.gen(function* () {
      const hub = yield* FeedHub
      const start = yield* hub.open({ feed, credentialId: "key_1" })
      yield* revoke(bench, "key_1")
      assert.strictEqual(bench.slots.held.size, 0)
      const connection = new TestConnection()
      start(connection)
      bench.log.append()
      yield* settle
      assert.isTrue(connection.hasEnded)
      assert.deepStrictEqual(connection.controls, ["retry", "reconnect"])
      assert.strictEqual(yield* openStreams, 0)
    }).pipe(Effect.provide(bench.layer))
  })

  it.effect("a revoked credential gives back the slot that a stream was still waiting for", () => {
    const bench = makeBench()
    return Effect.gen(function* () {
      // A stream that is there already keeps the feed's hints flowing.
      yield* connect({ credentialId: "key_2" })
      bench.slots.beforeTake = settle
      const hub = yield* FeedHub
      const opening = yield* Effect.forkChild(hub.open({ feed, credentialId: "key_1" }))
      yield* Effect.yieldNow
      yield* Effect.sync(() => bench.hints.tell({ kind: "revoked", feed, credentialId: "key_1" }))
      yield* settle
      yield* settle
      const start = yield* Fiber.join(opening)
      const connection = new TestConnection()
      start(connection)
      yield* settle
      assert.isTrue(connection.hasEnded)
      assert.strictEqual(bench.slots.held.size, 1)
      assert.strictEqual(bench.slots.releases.length, 1)
    }).pipe(Effect.provide(bench.layer))
  })

  it.effect(
    "a credential revoked again, also after its streams have ended, releases their slot only once",
    () => {
      const bench = makeBench()
      return Effect.gen(function* () {
        const slow = yield* connect({ credentialId: "key_1" })
        slow.isStuck = true
        slow.pretendUnsent(10)
        for (const _again of [1, 2]) yield* revoke(bench, "key_1")
        assert.isFalse(slow.hasEnded)
        slow.drain()
        yield* settle
        assert.isTrue(slow.hasEnded)
        yield* revoke(bench, "key_1")
        assert.strictEqual(bench.slots.releases.length, 1)
      }).pipe(Effect.provide(bench.layer))
    },
  )
})
