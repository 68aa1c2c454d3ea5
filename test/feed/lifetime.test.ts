import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { limits } from "../../schema/limits.ts"
import { FeedHub } from "../../src/feed/hub.ts"
import {
  connect,
  feed,
  heartbeatMillis,
  lifetimeMillis,
  makeBench,
  settle,
  TestConnection,
  turns,
} from "./feedTesting.ts"

const largeData = JSON.stringify({ note: "x".repeat(limits.streamUnsentBytesMax) })
const reconnectReason = (connection: TestConnection) =>
  connection.frames.find((frame) => frame.event === "reconnect")?.data?.reason

describe("an open stream", () => {
  it.effect("gets one heartbeat every 15 s, at whatever moment it opened", () => {
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

  it.effect("is told to reconnect at its lifetime, within a second, and not before", () => {
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

  it.effect("that does not take its last frame is cut 15 s later", () => {
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

  it.effect("is cut at a heartbeat that finds too much unsent", () => {
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

  it.effect("is cut when its reader takes nothing of a replay for a minute", () => {
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

  it.effect("gives everything back when its client goes, once", () => {
    const { hints, slots, layer } = makeBench()
    return Effect.gen(function* () {
      const connection = yield* connect()
      assert.strictEqual(slots.held.size, 1)
      assert.strictEqual(hints.watched.size, 1)
      connection.cut()
      connection.end()
      yield* settle
      assert.strictEqual(slots.releases.length, 1)
      const counters = yield* (yield* FeedHub).counters
      assert.strictEqual(counters.openStreams, 0)
      yield* TestClock.adjust(12_000)
      yield* settle
      assert.strictEqual(hints.watched.size, 0, "the feed is forgotten after 10 s without streams")
      assert.strictEqual((yield* (yield* FeedHub).counters).hubs, 0)
      const again = yield* connect()
      assert.strictEqual(hints.watched.size, 1)
      assert.isFalse(again.hasEnded)
    }).pipe(Effect.provide(layer))
  })

  it.effect("whose connection never comes, or has gone, gives its slot back", () => {
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

describe("a break of the hint channel", () => {
  it.effect("tells every stream to reconnect; new ones are turned away until it is back", () => {
    const { log, hints, layer } = makeBench()
    return Effect.gen(function* () {
      log.appendMany(2)
      const hub = yield* FeedHub
      const open: Array<TestConnection> = []
      for (let i = 0; i < 4; i++) open.push(yield* connect())
      const early = yield* hub.open({ feed })
      hints.tell({ kind: "dropped" })
      const earlyConnection = new TestConnection()
      early(earlyConnection)
      const during = yield* connect()
      for (const connection of open) {
        assert.deepStrictEqual(connection.controls, ["retry", "ready", "reconnect"])
        assert.strictEqual(reconnectReason(connection), "interrupted")
        assert.isTrue(connection.hasEnded)
      }
      for (const connection of [earlyConnection, during]) {
        assert.deepStrictEqual(connection.controls, ["retry", "reconnect"])
        assert.isTrue(connection.hasEnded)
      }
      const watches = hints.watches
      hints.tell({ kind: "restored" })
      const after = yield* connect({ lastEventId: log.idOf(0) })
      assert.strictEqual(hints.watches, watches + 1)
      hints.appended(log.append())
      yield* settle
      assert.deepStrictEqual(after.seqs, [2, 3])
      assert.isFalse(after.hasEnded)
    }).pipe(Effect.provide(layer))
  })

  it.effect("that was not noticed is made up for when it is said to be over", () => {
    const { log, hints, layer } = makeBench()
    return Effect.gen(function* () {
      const connection = yield* connect()
      log.append()
      hints.tell({ kind: "restored" })
      yield* settle
      assert.deepStrictEqual(connection.seqs, [1])
    }).pipe(Effect.provide(layer))
  })

  it.effect("while hints are not to be had turns new streams away, and holds no slot for them", () => {
    const { hints, slots, layer } = makeBench()
    return Effect.gen(function* () {
      hints.isAway = true
      const connection = yield* connect()
      assert.deepStrictEqual(connection.controls, ["retry", "reconnect"])
      assert.strictEqual(slots.held.size, 0)
    }).pipe(Effect.provide(layer))
  })
})

describe("draining", () => {
  it.effect(
    "tells every stream to reconnect, ends them, releases their slots and turns new ones away",
    () => {
      const { log, slots, layer } = makeBench()
      return Effect.gen(function* () {
        log.appendMany(300, "transaction.paid", JSON.stringify({ note: "x".repeat(3_000) }))
        const hub = yield* FeedHub
        const live = yield* connect()
        const opening = yield* hub.open({ feed })
        const replaying = new TestConnection()
        replaying.isStuck = true
        yield* connect({ lastEventId: log.idOf(0) }, replaying)
        const draining = yield* Effect.forkChild(hub.drain)
        yield* turns(5)
        const openingConnection = new TestConnection()
        opening(openingConnection)
        assert.strictEqual(reconnectReason(live), "deploy")
        assert.strictEqual(replaying.controls.at(-1), "reconnect")
        assert.isTrue(live.hasEnded)
        assert.isFalse(replaying.hasEnded)
        assert.deepStrictEqual(openingConnection.controls, ["retry", "reconnect"])
        replaying.drain()
        yield* Fiber.join(draining)
        assert.strictEqual(slots.held.size, 0)
        const late = yield* connect()
        assert.deepStrictEqual(late.controls, ["retry", "reconnect"])
        assert.strictEqual(slots.held.size, 0)
        yield* hub.drain
      }).pipe(Effect.provide(layer))
    },
  )

  it.effect("cuts the readers that take nothing after 5 s", () => {
    const { layer } = makeBench()
    return Effect.gen(function* () {
      const connection = yield* connect()
      connection.isStuck = true
      const draining = yield* Effect.forkChild((yield* FeedHub).drain)
      yield* turns(5)
      yield* TestClock.adjust(4_999)
      assert.isFalse(connection.wasCut)
      yield* TestClock.adjust(1)
      yield* Fiber.join(draining)
      assert.isTrue(connection.wasCut)
    }).pipe(Effect.provide(layer))
  })

  it.effect("comes with the end of the layer", () => {
    const { slots, layer } = makeBench()
    return Effect.gen(function* () {
      const connection = yield* Effect.provide(connect(), layer)
      assert.strictEqual(reconnectReason(connection), "deploy")
      assert.isTrue(connection.hasEnded)
      assert.strictEqual(slots.held.size, 0)
    })
  })
})
