import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventIdOf } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { FeedHub } from "../../src/feed/hub.ts"
import { connect, feed, foreignFeed, makeBench, settle, turns, typesFilter } from "./feedTesting.ts"
import { TestConnection } from "./testConnection.ts"

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe("replays", () => {
  it.effect("a replay sends all after the Last-Event-ID once, in order, and goes on live", () => {
    const { log, hints, layer } = makeBench()
    return Effect.gen(function* () {
      log.appendMany(1_700)
      const connection = yield* connect({ lastEventId: log.idOf(99) })
      hints.appended(log.append())
      yield* settle
      assert.deepStrictEqual(connection.seqs, range(101, 1_701))
      assert.deepStrictEqual(connection.controls, ["retry", "ready"])
      assert.strictEqual(connection.frames[1]?.data?.last_event_id, log.idOf(99))
    }).pipe(Effect.provide(layer))
  })

  it.effect("a replay joins a hub with other streams without a gap or a repeat", () => {
    const { log, hints, layer } = makeBench()
    return Effect.gen(function* () {
      log.appendMany(10)
      const live = yield* connect()
      // The replay has sent 12 while the hub has read nothing past 10; then the hub sends 13 to both.
      log.appendMany(2)
      const replayed = yield* connect({ lastEventId: log.idOf(4) })
      assert.deepStrictEqual(live.seqs, [])
      hints.appended(log.append())
      yield* settle
      const writes = replayed.writes
      log.append()
      hints.appended(log.append())
      yield* settle
      assert.deepStrictEqual(live.seqs, range(11, 15))
      assert.deepStrictEqual(replayed.seqs, range(6, 15))
      assert.strictEqual(replayed.writes - writes, 1, "both events in one write, as for all others")
    }).pipe(Effect.provide(layer))
  })

  it.effect(
    "a replay sends all while others are live: a batch that is full by entries or by bytes is not its end",
    () => {
      const { log, layer } = makeBench()
      return Effect.gen(function* () {
        log.appendMany(300)
        log.appendMany(20, "transaction.paid", JSON.stringify({ note: "x".repeat(60_000) }))
        const live = yield* connect()
        const replayed = yield* connect({ lastEventId: log.idOf(0) })
        assert.deepStrictEqual(replayed.seqs, range(2, 320))
        assert.deepStrictEqual(live.seqs, [])
      }).pipe(Effect.provide(layer))
    },
  )

  it.effect("a replay reads next to nothing twice, however many entries may be unsent at once", () => {
    const { log, layer } = makeBench()
    return Effect.gen(function* () {
      log.append()
      log.appendMany(1_000, "transaction.paid", JSON.stringify({ note: "x".repeat(2_400) }))
      const connection = yield* connect({ lastEventId: log.idOf(0) })
      assert.deepStrictEqual(connection.seqs, range(2, 1_001))
      assert.isBelow(log.entriesRead, 1_100)
    }).pipe(Effect.provide(layer))
  })

  it.effect("a replay keeps to the types asked for, also where thousands of others lie between", () => {
    const { log, hints, layer } = makeBench()
    return Effect.gen(function* () {
      log.append("seller.updated")
      log.appendMany(3_000, "transaction.paid")
      log.append("seller.updated")
      log.appendMany(600, "transaction.paid")
      const types = typesFilter("seller.*")
      const connection = yield* connect({ lastEventId: log.idOf(0), types })
      hints.appended(log.append("seller.updated"))
      yield* settle
      assert.deepStrictEqual(connection.seqs, [3_002, 3_603])
    }).pipe(Effect.provide(layer))
  })

  it.effect("a replay never has more unsent than the limit, and waits for its reader without a read", () => {
    const { log, layer } = makeBench()
    return Effect.gen(function* () {
      log.appendMany(400, "transaction.paid", JSON.stringify({ note: "x".repeat(3_000) }))
      const connection = new TestConnection()
      connection.isStuck = true
      yield* connect({ lastEventId: log.idOf(0) }, connection)
      const sent = connection.seqs.length
      const reads = log.reads
      yield* settle
      assert.strictEqual(connection.seqs.length, sent)
      assert.strictEqual(log.reads, reads)
      for (let i = 0; i < 40 && connection.seqs.length < 399; i++) {
        connection.drain()
        yield* settle
      }
      assert.deepStrictEqual(connection.seqs, range(2, 400))
      assert.isFalse(connection.wasCut)
      assert.isAtMost(connection.unsentMax, limits.streamUnsentBytesMax)
      connection.cut()
    }).pipe(Effect.provide(layer))
  })

  it.effect("a replay does not cut its reader for one frame larger than the unsent limit", () => {
    const { log, hints, layer } = makeBench()
    return Effect.gen(function* () {
      log.append()
      log.append("transaction.paid", JSON.stringify({ note: "x".repeat(limits.streamUnsentBytesMax) }))
      const connection = new TestConnection()
      connection.isStuck = true
      yield* connect({ lastEventId: log.idOf(0) }, connection)
      hints.appended(log.append())
      yield* settle
      assert.isAbove(connection.unsentBytes(), limits.streamUnsentBytesMax)
      connection.drain()
      yield* settle
      assert.deepStrictEqual(connection.seqs, [2, 3])
      assert.isFalse(connection.wasCut)
      connection.cut()
    }).pipe(Effect.provide(layer))
  })

  it.effect(
    "a replay sends replay_gap for a trimmed, foreign or unreadable id, then all from the oldest kept",
    () => {
      const { log, layer } = makeBench()
      return Effect.gen(function* () {
        log.appendMany(20)
        const trimmed = log.idOf(3)
        log.trim(5)
        for (const requested of [trimmed, eventIdOf(foreignFeed, "1763683655010-0"), "evt_x"]) {
          const connection = yield* connect({ lastEventId: requested })
          assert.deepStrictEqual(connection.controls, ["retry", "ready", "replay_gap"])
          assert.deepStrictEqual(connection.frames[2]?.data, { requested, oldest_event_id: log.idOf(0) })
          assert.deepStrictEqual(connection.seqs, range(6, 20))
        }
      }).pipe(Effect.provide(layer))
    },
  )

  it.effect("a replay has no gap for the newest id ever written, also where everything is trimmed", () => {
    const { log, hints, layer } = makeBench()
    return Effect.gen(function* () {
      log.appendMany(4)
      const [third, fourth] = [log.idOf(2), log.idOf(3)]
      log.trim(4)
      const current = yield* connect({ lastEventId: fourth })
      const behind = yield* connect({ lastEventId: third })
      hints.appended(log.append())
      yield* settle
      assert.deepStrictEqual(current.controls, ["retry", "ready"])
      assert.deepStrictEqual(behind.controls, ["retry", "ready", "replay_gap"])
      assert.deepStrictEqual(behind.frames[2]?.data, { requested: third, oldest_event_id: null })
      assert.deepStrictEqual(current.seqs, [5])
      assert.deepStrictEqual(behind.seqs, [5])
    }).pipe(Effect.provide(layer))
  })

  it.effect(
    "an id inside retention without an entry is of an event that was lost: a gap, from the oldest kept",
    () => {
      const { log, layer } = makeBench()
      return Effect.gen(function* () {
        log.appendMany(6)
        const between = `${log.entries[1]?.entryId.split("-")[0]}-7`
        const connection = yield* connect({ lastEventId: eventIdOf(feed, between) })
        assert.deepStrictEqual(connection.controls, ["retry", "ready", "replay_gap"])
        assert.deepStrictEqual(connection.seqs, range(1, 6))
      }).pipe(Effect.provide(layer))
    },
  )

  it.effect("a replay sends replay_gap when entries are trimmed before a slow reader reaches them", () => {
    const { log, layer } = makeBench()
    return Effect.gen(function* () {
      log.appendMany(200, "transaction.paid", JSON.stringify({ note: "x".repeat(5_000) }))
      const connection = new TestConnection()
      connection.isStuck = true
      yield* connect({ lastEventId: log.idOf(0) }, connection)
      const last = connection.seqs.at(-1) ?? 0
      const requested = log.idOf(last - 1)
      log.trim(190)
      connection.isStuck = false
      connection.drain()
      yield* settle
      assert.deepStrictEqual(connection.seqs, [...range(2, last), ...range(191, 200)])
      assert.deepStrictEqual(connection.controls, ["retry", "ready", "replay_gap"])
      const gap = connection.frames.find((frame) => frame.event === "replay_gap")
      assert.deepStrictEqual(gap?.data, { requested, oldest_event_id: log.idOf(0) })
    }).pipe(Effect.provide(layer))
  })

  it.effect("a replay catches up with a hub whose last entry was trimmed", () => {
    const { log, hints, layer } = makeBench()
    return Effect.gen(function* () {
      log.append()
      const live = yield* connect()
      hints.appended(log.append())
      yield* settle
      const hub = yield* FeedHub
      const start = yield* hub.open({ feed, lastEventId: log.idOf(0) })
      log.trim(2)
      const connection = new TestConnection()
      start(connection)
      yield* settle
      const reads = log.reads
      yield* settle
      assert.strictEqual(log.reads, reads)
      hints.appended(log.append())
      yield* settle
      assert.deepStrictEqual(connection.seqs, [3])
      assert.deepStrictEqual(live.seqs, [2, 3])
    }).pipe(Effect.provide(layer))
  })

  it.effect("a replay gets reconnect and ends when the store does not answer", () => {
    const { log, slots, layer } = makeBench()
    return Effect.gen(function* () {
      log.appendMany(5)
      const hub = yield* FeedHub
      const start = yield* hub.open({ feed, lastEventId: log.idOf(0) })
      log.isAway = true
      const connection = new TestConnection()
      start(connection)
      yield* settle
      assert.deepStrictEqual(connection.controls, ["retry", "ready", "reconnect"])
      assert.isTrue(connection.hasEnded)
      assert.strictEqual(slots.held.size, 0)
    }).pipe(Effect.provide(layer))
  })

  it.effect("a replay writes nothing more once its reader has left", () => {
    const { log, slots, layer } = makeBench()
    return Effect.gen(function* () {
      log.appendMany(500)
      log.nextReadTurns = () => [3, 3]
      const hub = yield* FeedHub
      const start = yield* hub.open({ feed, lastEventId: log.idOf(0) })
      const connection = new TestConnection()
      start(connection)
      yield* turns(4)
      connection.cut()
      yield* settle
      assert.deepStrictEqual(connection.seqs, [])
      assert.strictEqual(slots.held.size, 0)
      const counters = yield* hub.counters
      assert.deepStrictEqual([counters.openStreams, counters.framesSent], [0, 0])
    }).pipe(Effect.provide(layer))
  })
})
