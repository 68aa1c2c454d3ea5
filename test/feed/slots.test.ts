import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { FeedHub } from "../../src/feed/hub.ts"
import { connect, feed, makeBench, settle, turns } from "./feedTesting.ts"
import type { TestConnection } from "./testConnection.ts"

describe("stream slots", () => {
  it.effect("the eleventh stream of a seller gets 429, and a freed slot serves the next at once", () => {
    const { slots, layer } = makeBench()
    return Effect.gen(function* () {
      const hub = yield* FeedHub
      const connections: Array<TestConnection> = []
      for (let i = 0; i < 10; i++) connections.push(yield* connect())
      for (const connection of connections) assert.isFalse(connection.hasEnded)
      const error = yield* Effect.flip(hub.open({ feed }))
      assert(error._tag === "ApiError")
      assert.strictEqual(error.code, "rate_limited")
      assert.strictEqual(error.status, 429)
      assert.strictEqual(error.retryAfterSeconds, 3)
      assert.include(error.message, "10 event streams")
      assert.strictEqual(slots.releases.length, 0, "a refused stream has nothing to give back")
      connections[0]?.cut()
      // No turn in between: the release has not reached the store yet.
      const next = yield* connect()
      assert.deepStrictEqual(next.controls, ["retry", "ready"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("a key that was revoked gets no stream, and leaves nothing behind", () => {
    const { slots, layer } = makeBench()
    return Effect.gen(function* () {
      const hub = yield* FeedHub
      slots.max = 0
      slots.fullAnswer = "keyInvalid"
      const error = yield* Effect.flip(hub.open({ feed }))
      assert.strictEqual(error._tag, "KeyRevoked")
      yield* settle
      assert.strictEqual(slots.releases.length, 0)
      assert.strictEqual((yield* hub.counters).openStreams, 0)
    }).pipe(Effect.provide(layer))
  })

  it.effect("a stream gets reconnect and ends where its slot is uncertain or the store is away", () => {
    const { log, slots, layer } = makeBench()
    return Effect.gen(function* () {
      slots.max = 0
      slots.fullAnswer = "uncertain"
      const uncertain = yield* connect()
      slots.isAway = true
      const away = yield* connect()
      yield* settle
      slots.isAway = false
      slots.max = 10
      yield* TestClock.adjust(1_000)
      log.isAway = true
      const boundless = yield* connect()
      for (const connection of [uncertain, away, boundless]) {
        assert.deepStrictEqual(connection.controls, ["retry", "reconnect"])
        assert.isTrue(connection.hasEnded)
      }
      yield* settle
      assert.strictEqual(slots.held.size, 0)
      assert.strictEqual((yield* (yield* FeedHub).counters).openStreams, 0)
    }).pipe(Effect.provide(layer))
  })

  it.effect(
    "slots are released once the store is back, at the latest for the next stream, and cause no 429 until then",
    () => {
      const { slots, layer } = makeBench()
      return Effect.gen(function* () {
        slots.max = 1
        const connection = yield* connect()
        slots.isAway = true
        connection.cut()
        yield* settle
        assert.strictEqual(slots.releases.length, 0)
        const during = yield* connect()
        assert.deepStrictEqual(during.controls, ["retry", "reconnect"])
        yield* TestClock.adjust(20_000)
        slots.isAway = false
        const after = yield* connect()
        assert.deepStrictEqual(after.controls, ["retry", "ready"])
        assert.strictEqual(slots.releases.length, 1)
        assert.strictEqual(slots.held.size, 1)
      }).pipe(Effect.provide(layer))
    },
  )

  it.effect("slots taken without an answer are released, since they may be held", () => {
    const { slots, layer } = makeBench()
    return Effect.gen(function* () {
      slots.isAway = true
      yield* connect()
      slots.isAway = false
      yield* TestClock.adjust(1_000)
      yield* settle
      assert.strictEqual(slots.releases.length, 1)
    }).pipe(Effect.provide(layer))
  })

  it.effect("a slot that comes after its stream was given up is given back", () => {
    const { slots, layer } = makeBench()
    return Effect.gen(function* () {
      slots.beforeTake = Effect.sleep(17_500)
      const opening = yield* Effect.forkChild(connect())
      yield* TestClock.adjust(20_000)
      const connection = yield* Fiber.join(opening)
      yield* settle
      assert.deepStrictEqual(connection.controls, ["retry", "reconnect"])
      assert.strictEqual(slots.held.size, 0)
      assert.strictEqual(slots.releases.length, 1)
    }).pipe(Effect.provide(layer))
  })

  it.effect("a slot is released when the opening of its stream is interrupted", () => {
    const { slots, layer } = makeBench()
    return Effect.gen(function* () {
      const hub = yield* FeedHub
      slots.beforeTake = turns(20)
      const opening = yield* Effect.forkChild(hub.open({ feed }))
      yield* turns(5)
      assert.strictEqual(slots.takes, 1)
      yield* Fiber.interrupt(opening)
      yield* settle
      assert.deepStrictEqual([slots.held.size, slots.releases.length], [0, 1])
      assert.strictEqual((yield* hub.counters).openStreams, 0)
    }).pipe(Effect.provide(layer))
  })

  it.effect("slots are released once each, though a release among them fails", () => {
    const { slots, layer } = makeBench()
    return Effect.gen(function* () {
      const connections = [yield* connect(), yield* connect(), yield* connect()]
      slots.releasesLeft = 1
      for (const connection of connections) connection.cut()
      yield* settle
      assert.strictEqual(slots.releases.length, 1)
      slots.releasesLeft = 10
      yield* TestClock.adjust(1_000)
      yield* settle
      assert.strictEqual(slots.releases.length, 3)
      assert.strictEqual(new Set(slots.releases).size, 3)
    }).pipe(Effect.provide(layer))
  })

  it.effect("a slot is released once by a slow store, and a new stream waits for it", () => {
    const { slots, layer } = makeBench()
    return Effect.gen(function* () {
      slots.max = 1
      const connection = yield* connect()
      slots.isAway = true
      connection.cut()
      yield* settle
      slots.isAway = false
      slots.beforeRelease = Effect.sleep(2_500)
      yield* TestClock.adjust(1_000)
      const opening = yield* Effect.forkChild(connect())
      for (let second = 0; second < 4; second++) yield* TestClock.adjust(1_000)
      const next = yield* Fiber.join(opening)
      assert.deepStrictEqual(next.controls, ["retry", "ready"])
      assert.strictEqual(slots.releases.length, 1)
      slots.beforeRelease = Effect.void
    }).pipe(Effect.provide(layer))
  })
})
