import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { FeedHub } from "../../src/feed/hub.ts"
import { connect, feed, makeBench, settle, turns } from "./feedTesting.ts"
import { TestConnection } from "./testConnection.ts"

const reconnectReason = (connection: TestConnection) =>
  connection.frames.find((frame) => frame.event === "reconnect")?.data?.reason

describe("a break of the hint channel", () => {
  it.effect(
    "a break while hints are being started turns the stream away, and the next stream starts them anew",
    () => {
      const { hints, layer } = makeBench()
      return Effect.gen(function* () {
        hints.watchTurns = 20
        const opening = yield* Effect.forkChild(connect())
        while (hints.watches === 0) yield* turns(1)
        hints.tell({ kind: "dropped" })
        hints.tell({ kind: "restored" })
        const connection = yield* Fiber.join(opening)
        assert.deepStrictEqual(connection.controls, ["retry", "reconnect"])
        const again = yield* connect()
        assert.deepStrictEqual(again.controls, ["retry", "ready"])
        assert.strictEqual(hints.watches, 2)
      }).pipe(Effect.provide(layer))
    },
  )

  it.effect(
    "a break of the hint channel sends every stream reconnect, and turns new ones away until it is over",
    () => {
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
    },
  )

  it.effect(
    "events of a break that went unnoticed are sent once the hint channel reports that it is restored",
    () => {
      const { log, hints, layer } = makeBench()
      return Effect.gen(function* () {
        const connection = yield* connect()
        log.append()
        hints.tell({ kind: "restored" })
        yield* settle
        assert.deepStrictEqual(connection.seqs, [1])
      }).pipe(Effect.provide(layer))
    },
  )

  it.effect("a stream whose hints cannot be started is turned away and holds no slot", () => {
    const { hints, slots, layer } = makeBench()
    return Effect.gen(function* () {
      hints.isAway = true
      const connection = yield* connect()
      assert.deepStrictEqual(connection.controls, ["retry", "reconnect"])
      assert.strictEqual(slots.held.size, 0)
    }).pipe(Effect.provide(layer))
  })
})

describe("draining the feed", () => {
  it.effect(
    "draining sends every stream reconnect, ends them, releases their slots and turns new ones away",
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
        const takes = slots.takes
        const late = yield* connect()
        assert.deepStrictEqual(late.controls, ["retry", "reconnect"])
        assert.strictEqual(slots.takes, takes)
        yield* hub.drain
      }).pipe(Effect.provide(layer))
    },
  )

  it.effect("draining cuts readers that take nothing after 5 s", () => {
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

  it.effect("the end of the feed's layer drains its streams", () => {
    const { slots, layer } = makeBench()
    return Effect.gen(function* () {
      const connection = yield* Effect.provide(connect(), layer)
      assert.strictEqual(reconnectReason(connection), "deploy")
      assert.isTrue(connection.hasEnded)
      assert.strictEqual(slots.held.size, 0)
    })
  })
})
