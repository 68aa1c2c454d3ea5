import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { limits } from "../../schema/limits.ts"
import { FeedHub } from "../../src/feed/hub.ts"
import {
  connect,
  feed,
  foreignFeed,
  heartbeatMillis,
  lifetimeMillis,
  makeBench,
  settle,
  turns,
} from "./feedTesting.ts"
import { TestConnection } from "./testConnection.ts"

const largeData = JSON.stringify({ note: "x".repeat(limits.streamUnsentBytesMax) })
const reconnectReason = (connection: TestConnection) =>
  connection.frames.find((frame) => frame.event === "reconnect")?.data?.reason

describe("open streams", () => {
  it.effect("an open stream gets one heartbeat every 15 s, whenever it was opened", () => {
    const { layer } = makeBench()
    return Effect.gen(function* () {
      const connections: Array<TestConnection> = []
      for (let i = 0; i < 10; i++) {
        connections.push(yield* connect())
        yield* TestClock.adjust(370)
      }
      for (let beat = 1; beat <= 3; beat++) {
        const pings = connections.map((connection) => connection.controls.length)
        yield* TestClock.adjust(heartbeatMillis)
        for (const [index, connection] of connections.entries())
          assert.strictEqual(connection.controls.length - (pings[index] ?? 0), 1)
      }
    }).pipe(Effect.provide(layer))
  })

  it.effect("a stream gets reconnect within a second of the end of its lifetime, and not before", () => {
    const { slots, layer } = makeBench()
    return Effect.gen(function* () {
      yield* TestClock.adjust(400)
      const connection = yield* connect()
      yield* TestClock.adjust(lifetimeMillis - 1)
      assert.isFalse(connection.hasEnded)
      yield* TestClock.adjust(1_000)
      assert.strictEqual(reconnectReason(connection), "lifetime")
      assert.isTrue(connection.hasEnded)
      yield* settle
      assert.strictEqual(slots.held.size, 0)
    }).pipe(Effect.provide(layer))
  })

  it.effect("a stream that does not take its last frame is cut 15 s later", () => {
    const { slots, layer } = makeBench()
    return Effect.gen(function* () {
      const connection = yield* connect()
      connection.isStuck = true
      yield* TestClock.adjust(lifetimeMillis + 14_000)
      assert.isFalse(connection.hasEnded)
      yield* TestClock.adjust(2_000)
      assert.isTrue(connection.wasCut)
      yield* settle
      assert.strictEqual(slots.held.size, 0)
    }).pipe(Effect.provide(layer))
  })

  it.effect("a stream with too much unsent is cut at its next heartbeat", () => {
    const { layer } = makeBench()
    return Effect.gen(function* () {
      const [atLimit, past] = [yield* connect(), yield* connect()]
      atLimit.pretendUnsent(limits.streamUnsentBytesMax)
      past.pretendUnsent(limits.streamUnsentBytesMax + 1)
      yield* TestClock.adjust(heartbeatMillis)
      assert.isFalse(atLimit.wasCut)
      assert.isTrue(past.wasCut)
      atLimit.cut()
    }).pipe(Effect.provide(layer))
  })

  it.effect("a stream is cut when its reader takes nothing of a replay for a minute", () => {
    const { log, layer } = makeBench()
    return Effect.gen(function* () {
      log.append()
      log.append("transaction.paid", largeData)
      const connection = new TestConnection()
      connection.isStuck = true
      yield* connect({ lastEventId: log.idOf(0) }, connection)
      yield* TestClock.adjust(59_000)
      assert.isFalse(connection.wasCut)
      yield* TestClock.adjust(2_000)
      assert.isTrue(connection.wasCut)
    }).pipe(Effect.provide(layer))
  })

  it.effect("a stream whose client leaves gives back its slot, once, and 10 s later its feed's hints", () => {
    const { hints, slots, layer } = makeBench()
    return Effect.gen(function* () {
      const connection = new TestConnection()
      const onEnded = connection.onEnded.bind(connection)
      connection.onEnded = (listener: () => void) => {
        onEnded(listener)
        onEnded(listener)
      }
      yield* connect({}, connection)
      assert.strictEqual(slots.held.size, 1)
      assert.strictEqual(hints.watched.size, 1)
      connection.cut()
      yield* settle
      assert.strictEqual(slots.releases.length, 1)
      const counters = yield* (yield* FeedHub).counters
      assert.strictEqual(counters.openStreams, 0)
      yield* TestClock.adjust(9_000)
      yield* settle
      assert.strictEqual(hints.watched.size, 1)
      yield* TestClock.adjust(2_000)
      yield* settle
      assert.strictEqual(hints.watched.size, 0, "the feed is forgotten after 10 s without streams")
      assert.strictEqual((yield* (yield* FeedHub).counters).hubs, 0)
      const again = yield* connect()
      assert.strictEqual(hints.watched.size, 1)
      assert.isFalse(again.hasEnded)
    }).pipe(Effect.provide(layer))
  })

  it.effect("a stream whose connection never comes, or is gone, gives its slot back", () => {
    const { slots, layer } = makeBench()
    return Effect.gen(function* () {
      const hub = yield* FeedHub
      const late = yield* hub.open({ feed })
      const gone = new TestConnection()
      gone.cut()
      yield* connect({}, gone)
      assert.strictEqual(slots.held.size, 1)
      yield* TestClock.adjust(limits.requestTimeoutMillis + 1_000)
      yield* settle
      assert.strictEqual(slots.held.size, 0)
      const connection = new TestConnection()
      late(connection)
      assert.deepStrictEqual(connection.controls, ["retry", "reconnect"])
      assert.isTrue(connection.hasEnded)
    }).pipe(Effect.provide(layer))
  })
})

describe("feeds that are being forgotten", () => {
  it.effect("a feed that is being forgotten is followed again by a stream that comes meanwhile", () => {
    const { log, hints, layer } = makeBench()
    return Effect.gen(function* () {
      const first = yield* connect()
      first.cut()
      hints.unwatchTurns = 40
      yield* TestClock.adjust(9_000)
      const clock = yield* Effect.forkChild(TestClock.adjust(2_000))
      while (hints.watched.size > 0) yield* turns(1)
      const second = yield* connect()
      yield* Fiber.join(clock)
      assert.strictEqual(hints.watched.size, 1)
      hints.appended(log.append())
      yield* settle
      assert.deepStrictEqual(second.seqs, [1])
    }).pipe(Effect.provide(layer))
  })

  it.effect("a feed is kept for a stream that came while it waited to be forgotten", () => {
    const { log, hints, layer } = makeBench()
    return Effect.gen(function* () {
      for (const each of [foreignFeed, feed]) (yield* connect({ feed: each })).cut()
      assert.strictEqual(hints.watched.size, 2)
      hints.unwatchTurns = 200
      yield* TestClock.adjust(9_000)
      const clock = yield* Effect.forkChild(TestClock.adjust(2_000))
      while (hints.watched.size > 1) yield* turns(1)
      const connection = yield* connect()
      yield* turns(400)
      yield* Fiber.join(clock)
      assert.strictEqual(hints.watched.size, 1)
      assert.strictEqual(hints.watches, 2)
      hints.appended(log.append())
      yield* settle
      assert.deepStrictEqual(connection.seqs, [1])
    }).pipe(Effect.provide(layer))
  })
})
