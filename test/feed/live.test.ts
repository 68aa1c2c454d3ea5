import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { limits } from "../../schema/limits.ts"
import { FeedHub } from "../../src/feed/hub.ts"
import { connect, feed, makeBench, settle, turns, typesFilter } from "./feedTesting.ts"
import { TestConnection } from "./testConnection.ts"

const largeData = JSON.stringify({ id: "txn_1", note: "x".repeat(60_000) })

describe("live streams", () => {
  it.effect("a live stream begins with retry and ready, then sends each event whole", () => {
    const { log, hints, layer } = makeBench()
    return Effect.gen(function* () {
      log.append()
      const connection = yield* connect()
      const paid = log.append("transaction.paid")
      hints.appended(paid)
      yield* settle
      assert.deepStrictEqual(connection.controls, ["retry", "ready"])
      assert.deepStrictEqual(connection.frames[0], { retry: "3000" })
      assert.deepStrictEqual(connection.frames[1]?.data, { mode: "live", last_event_id: log.idOf(0) })
      const frame = connection.frames[2]
      assert.strictEqual(frame?.id, log.idOf(1))
      assert.strictEqual(frame?.event, "transaction.paid")
      assert.deepStrictEqual(frame?.data?.data, { object: { id: "txn_1", document: "52998224725" } })
    }).pipe(Effect.provide(layer))
  })

  it.effect("a live stream gets nothing older than its opening, and all that commits from then on", () => {
    const { log, hints, layer } = makeBench()
    return Effect.gen(function* () {
      const first = yield* connect()
      // Its hint is lost: the hub has not seen it when the second stream opens.
      log.append()
      const hub = yield* FeedHub
      const start = yield* hub.open({ feed })
      log.append()
      hints.appended(log.append())
      yield* settle
      const second = new TestConnection()
      start(second)
      yield* settle
      assert.deepStrictEqual(first.seqs, [1, 2, 3])
      assert.deepStrictEqual(second.seqs, [2, 3])
    }).pipe(Effect.provide(layer))
  })

  it.effect("a live stream misses nothing that commits between its opening and the first hint", () => {
    const { log, layer } = makeBench()
    return Effect.gen(function* () {
      const hub = yield* FeedHub
      const start = yield* hub.open({ feed })
      log.append()
      const connection = new TestConnection()
      start(connection)
      yield* settle
      assert.deepStrictEqual(connection.seqs, [1])
    }).pipe(Effect.provide(layer))
  })

  it.effect("a live stream gets only the types it asked for", () => {
    const { log, hints, layer } = makeBench()
    return Effect.gen(function* () {
      const all = yield* connect()
      const families = yield* connect({ types: typesFilter("withdrawal.*,transaction.paid") })
      for (const type of ["transaction.created", "transaction.paid", "withdrawal.awaiting", "seller.updated"])
        log.append(type)
      hints.appended(log.append("transaction.expired"))
      yield* settle
      assert.deepStrictEqual(all.seqs, [1, 2, 3, 4, 5])
      assert.deepStrictEqual(families.seqs, [2, 3])
    }).pipe(Effect.provide(layer))
  })

  it.effect("all live streams of a feed share one read and one encoded frame", () => {
    const { log, hints, layer } = makeBench()
    return Effect.gen(function* () {
      const connections = [yield* connect(), yield* connect(), yield* connect()]
      const buffers = new Set<Uint8Array>()
      for (const connection of connections) {
        const write = connection.write.bind(connection)
        connection.write = (bytes: Uint8Array) => {
          buffers.add(bytes)
          write(bytes)
        }
      }
      const readsBefore = log.reads
      log.append()
      const newest = log.append()
      for (let i = 0; i < 5; i++) hints.appended(newest)
      yield* settle
      assert.strictEqual(log.reads - readsBefore, 1)
      assert.strictEqual(buffers.size, 1)
      for (const connection of connections) assert.deepStrictEqual(connection.seqs, [1, 2])
      hints.appended(newest)
      yield* settle
      assert.strictEqual(log.readsAtOnceMax, 1)
      assert.strictEqual(log.reads - readsBefore, 1, "a hint of an entry that was read before causes no read")
    }).pipe(Effect.provide(layer))
  })

  it.effect(
    "a feed is read once at a time, however many hints come meanwhile, and never from its past",
    () => {
      const { log, hints, layer } = makeBench()
      return Effect.gen(function* () {
        log.appendMany(50)
        const connection = yield* connect()
        log.readsAtOnceMax = 0
        log.nextReadTurns = () => [0, 20]
        for (let i = 0; i < 6; i++) {
          hints.appended(log.append())
          hints.appended(log.append())
          yield* turns(5)
        }
        yield* settle
        assert.strictEqual(log.readsAtOnceMax, 1)
        assert.strictEqual(log.entriesRead, 12)
        assert.strictEqual(connection.seqs.length, 12)
      }).pipe(Effect.provide(layer))
    },
  )

  it.effect("a feed is read within 5 s without any hint, and not at all without streams", () => {
    const { log, layer } = makeBench()
    return Effect.gen(function* () {
      const connection = yield* connect()
      log.append()
      yield* TestClock.adjust(6_000)
      yield* settle
      assert.deepStrictEqual(connection.seqs, [1])
      connection.cut()
      const reads = log.reads
      yield* TestClock.adjust(60_000)
      assert.strictEqual(log.reads, reads)
    }).pipe(Effect.provide(layer))
  })

  it.effect("a live stream whose reader keeps up gets a burst larger than the unsent limit whole", () => {
    const { log, hints, layer } = makeBench()
    return Effect.gen(function* () {
      const connection = yield* connect()
      // Takes what it got only between turns of the event loop, as a socket does.
      connection.isStuck = true
      const reader = yield* Effect.forkChild(
        Effect.forever(
          Effect.andThen(
            Effect.sync(() => connection.drain()),
            Effect.yieldNow,
          ),
        ),
      )
      log.appendMany(1_200, "transaction.paid", JSON.stringify({ note: "x".repeat(2_000) }))
      const newest = log.entries.at(-1)
      if (newest !== undefined) hints.appended(newest)
      yield* settle
      assert.isFalse(connection.wasCut)
      assert.strictEqual(connection.seqs.length, 1_200)
      assert.isAtMost(connection.unsentMax, limits.streamUnsentBytesMax)
      yield* Fiber.interrupt(reader)
      connection.cut()
    }).pipe(Effect.provide(layer))
  })

  it.effect(
    "a live stream is cut with one byte more unsent than allowed, and not at the limit; others go on",
    () => {
      const { log, hints, layer } = makeBench()
      return Effect.gen(function* () {
        const quick = yield* connect()
        const slow = yield* connect()
        slow.pretendUnsent(limits.streamUnsentBytesMax)
        hints.appended(log.append())
        yield* settle
        assert.isFalse(slow.wasCut)
        slow.pretendUnsent(limits.streamUnsentBytesMax + 1)
        hints.appended(log.append())
        yield* settle
        assert.isTrue(slow.wasCut)
        assert.deepStrictEqual(slow.seqs, [1])
        assert.deepStrictEqual(quick.seqs, [1, 2])
        const counters = yield* (yield* FeedHub).counters
        assert.deepStrictEqual(counters, {
          openStreams: 1,
          statusStreams: 0,
          hubs: 1,
          framesSent: 3,
          slowReadersCut: 1,
          replays: 0,
        })
      }).pipe(Effect.provide(layer))
    },
  )

  it.effect("a live stream is cut when its reader takes nothing while events keep coming", () => {
    const { log, hints, layer } = makeBench()
    return Effect.gen(function* () {
      const connection = new TestConnection()
      connection.isStuck = true
      yield* connect({}, connection)
      for (let i = 0; i < 8 && !connection.wasCut; i++) {
        hints.appended(log.append("transaction.paid", largeData))
        yield* settle
      }
      assert.isTrue(connection.wasCut)
      assert.deepStrictEqual(connection.seqs, [1, 2, 3, 4, 5])
    }).pipe(Effect.provide(layer))
  })

  it.effect("a live stream gets reconnect and ends when the store does not answer a read", () => {
    const { log, hints, slots, layer } = makeBench()
    return Effect.gen(function* () {
      const connection = yield* connect()
      log.isAway = true
      const missed = log.append()
      hints.appended(missed)
      yield* settle
      assert.deepStrictEqual(connection.controls, ["retry", "ready", "reconnect"])
      assert.isTrue(connection.hasEnded)
      assert.strictEqual(slots.held.size, 0)
      log.isAway = false
      const again = yield* connect({ lastEventId: log.idOf(0) })
      hints.appended(log.append())
      yield* settle
      assert.deepStrictEqual(again.seqs, [2])
    }).pipe(Effect.provide(layer))
  })

  it.effect("a live stream does not get again what it replayed while its hub was reading it", () => {
    const { log, hints, layer } = makeBench()
    return Effect.gen(function* () {
      const first = yield* connect()
      log.nextReadTurns = () => [0, 300]
      hints.appended(log.append())
      yield* turns(3)
      log.nextReadTurns = () => [0, 0]
      first.cut()
      const second = yield* connect({ lastEventId: log.idOf(0) })
      yield* turns(400)
      hints.appended(log.append())
      yield* settle
      assert.deepStrictEqual(second.seqs, [2])
    }).pipe(Effect.provide(layer))
  })

  it.effect("a live stream gets the events of an earlier read that failed or whose last reader left", () => {
    const { log, hints, layer } = makeBench()
    return Effect.gen(function* () {
      const hub = yield* FeedHub
      for (const fails of [false, true]) {
        const first = yield* connect()
        const start = yield* hub.open({ feed })
        log.nextReadTurns = () => [10, 10]
        log.isAway = fails
        const entry = log.append()
        hints.appended(entry)
        if (!fails) {
          yield* turns(5)
          first.cut()
        }
        yield* settle
        assert.isTrue(first.hasEnded)
        log.isAway = false
        log.nextReadTurns = () => [0, 0]
        const second = new TestConnection()
        start(second)
        yield* settle
        assert.deepStrictEqual(second.seqs, [entry.seq])
        second.cut()
      }
    }).pipe(Effect.provide(layer))
  })

  it.effect(
    "a stream that got reconnect is sent nothing more, nor is its feed read, however slow its reader",
    () => {
      const { log, hints, layer } = makeBench()
      return Effect.gen(function* () {
        const connection = yield* connect()
        connection.isStuck = true
        hints.tell({ kind: "dropped" })
        yield* settle
        hints.tell({ kind: "restored" })
        const reads = log.reads
        hints.appended(log.append())
        yield* settle
        assert.strictEqual(log.reads, reads)
        assert.strictEqual((yield* (yield* FeedHub).counters).framesSent, 0)
        connection.drain()
        assert.strictEqual(connection.controls.at(-1), "reconnect")
      }).pipe(Effect.provide(layer))
    },
  )

  it.effect("a live stream whose client left before it began leaves nothing behind", () => {
    const { log, hints, layer } = makeBench()
    return Effect.gen(function* () {
      const gone = new TestConnection()
      gone.cut()
      yield* connect({}, gone)
      hints.appended(log.append())
      yield* settle
      assert.strictEqual(log.reads, 0)
      assert.strictEqual((yield* (yield* FeedHub).counters).openStreams, 0)
    }).pipe(Effect.provide(layer))
  })
})
