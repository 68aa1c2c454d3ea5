import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import type { TransactionStatus } from "../../schema/resources/transaction.ts"
import { feedLimits } from "../../src/feed/feedLimits.ts"
import type { FollowRequest } from "../../src/feed/follows.ts"
import { FeedHub } from "../../src/feed/hub.ts"
import { connect, feed, heartbeatMillis, lifetimeMillis, makeBench, settle, turns } from "./feedTesting.ts"
import { TestConnection } from "./testConnection.ts"

/** The charge of all entries of the test log. */
const chargeId = "txn_1"
const pending = Effect.succeed<TransactionStatus>("pending")

const begin = (request: Partial<FollowRequest> = {}) =>
  Effect.flatMap(FeedHub, (hub) =>
    hub.follow({ feed, chargeId, client: "192.0.2.1", readStatus: pending, ...request }),
  )

const follow = Effect.fnUntraced(function* (
  request: Partial<FollowRequest> = {},
  connection = new TestConnection(),
) {
  const start = yield* begin(request)
  start(connection)
  yield* settle
  return connection
})

/** Takes a place and keeps it. */
const occupy = (request: Partial<FollowRequest>) =>
  Effect.map(begin(request), (start) => {
    const connection = new TestConnection()
    start(connection)
    return connection
  })

const statusesOf = (connection: TestConnection) =>
  connection.frames.flatMap(({ event, data }) => (event === "status" ? [data] : []))

describe("streams that follow a charge", () => {
  it.effect("a follower is told the status, then paid, and its stream ends; it hears nothing else", () => {
    const { log, hints, slots, layer } = makeBench()
    return Effect.gen(function* () {
      log.append()
      const connection = yield* follow()
      assert.deepStrictEqual(connection.frames, [
        { retry: "3000" },
        { event: "status", data: { status: "pending" } },
      ])
      for (const type of ["seller.updated", "transaction.created", "transaction.exception"])
        hints.appended(log.append(type))
      yield* settle
      assert.strictEqual(connection.frames.length, 2)
      assert.isFalse(connection.hasEnded)
      hints.appended(log.append("transaction.paid"))
      yield* settle
      assert.deepStrictEqual(connection.frames[2], { event: "status", data: { status: "paid" } })
      assert.isTrue(connection.hasEnded)
      assert.strictEqual(slots.takes, 0)
    }).pipe(Effect.provide(layer))
  })

  it.effect("a charge that has its final status is told and ended at once", () => {
    const { layer } = makeBench()
    return Effect.gen(function* () {
      const statuses: ReadonlyArray<TransactionStatus> = [
        "paid",
        "expired",
        "failed",
        "refunded",
        "chargeback",
      ]
      for (const status of statuses) {
        const connection = yield* follow({ readStatus: Effect.succeed(status) })
        assert.deepStrictEqual(statusesOf(connection), [{ status }])
        assert.isTrue(connection.hasEnded)
      }
      assert.strictEqual((yield* (yield* FeedHub).counters).statusStreams, 0)
    }).pipe(Effect.provide(layer))
  })

  it.effect("a payment that commits while the stream is being opened is told, whenever it commits", () => {
    const { log, hints, layer } = makeBench()
    return Effect.gen(function* () {
      for (const wait of [0, 1, 2, 3, 5, 8]) {
        log.nextReadTurns = () => [wait, wait]
        // The status was read just before the payment.
        const readStatus = Effect.as(turns(wait), "pending" as const)
        const opening = yield* Effect.forkChild(begin({ readStatus }))
        yield* turns(wait + 1)
        hints.appended(log.append("transaction.paid"))
        const start = yield* Fiber.join(opening)
        yield* turns(wait)
        const connection = new TestConnection()
        start(connection)
        yield* settle
        const told = statusesOf(connection).at(-1)
        // A payment from before the feed's end was read is in the status, which this test makes up.
        if (wait > 0) assert.deepStrictEqual(told, { status: "paid" }, `after ${wait} turns`)
      }
    }).pipe(Effect.provide(layer))
  })

  it.effect("a payment between the status read and the connection is told first", () => {
    const { log, hints, layer } = makeBench()
    return Effect.gen(function* () {
      const start = yield* begin()
      hints.appended(log.append("transaction.paid"))
      yield* settle
      const connection = new TestConnection()
      start(connection)
      assert.deepStrictEqual(statusesOf(connection), [{ status: "paid" }])
      assert.isTrue(connection.hasEnded)
    }).pipe(Effect.provide(layer))
  })

  it.effect("followers and event streams of a feed share its reads, and each gets its own", () => {
    const { log, hints, layer } = makeBench()
    return Effect.gen(function* () {
      const other = yield* follow({ chargeId: "txn_2" })
      const events = yield* connect()
      const mine = yield* follow()
      const readsBefore = log.reads
      hints.appended(log.append("transaction.paid"))
      yield* settle
      assert.strictEqual(log.reads - readsBefore, 1)
      assert.deepStrictEqual(events.seqs, [1])
      assert.deepStrictEqual(statusesOf(mine), [{ status: "pending" }, { status: "paid" }])
      assert.deepStrictEqual(statusesOf(other), [{ status: "pending" }])
      hints.appended(log.append("transaction.refunded"))
      yield* settle
      assert.deepStrictEqual(events.seqs, [1, 2])
    }).pipe(Effect.provide(layer))
  })

  it.effect("an event stream misses nothing where a follower opens while others come and leave", () => {
    const { log, hints, layer } = makeBench()
    /** Begins something whose first read sees what there is now, and is answered `turnsLater`. */
    const slowly = Effect.fnUntraced(function* <A, E, R>(turnsLater: number, act: Effect.Effect<A, E, R>) {
      log.nextReadTurns = () => [0, turnsLater]
      const fiber = yield* Effect.forkChild(act)
      yield* turns(10)
      log.nextReadTurns = () => [0, 0]
      return fiber
    })
    return Effect.gen(function* () {
      log.appendMany(2)
      const following = yield* slowly(400, begin())
      const first = yield* connect()
      const hub = yield* FeedHub
      const replaying = new TestConnection()
      const start = yield* hub.open({ feed, lastEventId: log.idOf(0) })
      yield* slowly(
        500,
        Effect.sync(() => start(replaying)),
      )
      hints.appended(log.append())
      yield* settle
      assert.deepStrictEqual(first.seqs, [3])
      yield* slowly(
        600,
        Effect.sync(() => hints.appended(log.append())),
      )
      first.cut()
      const page = new TestConnection()
      ;(yield* Fiber.join(following))(page)
      yield* turns(1_000)
      assert.deepStrictEqual(replaying.seqs, [2, 3, 4])
    }).pipe(Effect.provide(layer))
  })

  it.effect("a payment whose hint was lost is told within the safety read", () => {
    const { log, layer } = makeBench()
    return Effect.gen(function* () {
      const connection = yield* follow()
      log.append("transaction.paid")
      yield* TestClock.adjust(feedLimits.safetyReadMillis + feedLimits.tickMillisMax)
      yield* settle
      assert.deepStrictEqual(statusesOf(connection).at(-1), { status: "paid" })
    }).pipe(Effect.provide(layer))
  })

  it.effect("a follower gets heartbeats, and reconnect at the end of its life", () => {
    const { layer } = makeBench()
    return Effect.gen(function* () {
      const connection = yield* follow()
      yield* TestClock.adjust(heartbeatMillis)
      assert.deepStrictEqual(connection.controls, ["retry", "status", "ping"])
      yield* TestClock.adjust(lifetimeMillis)
      assert.strictEqual(connection.controls.at(-1), "reconnect")
      assert.isTrue(connection.hasEnded)
    }).pipe(Effect.provide(layer))
  })

  it.effect(
    "a follower is told to reconnect when the hints break, the store is away, or the process drains",
    () => {
      const { log, hints, layer } = makeBench()
      return Effect.gen(function* () {
        const hub = yield* FeedHub
        const interrupted = yield* follow()
        hints.tell({ kind: "dropped" })
        yield* settle
        assert.deepStrictEqual(interrupted.frames.at(-1)?.data, { reason: "interrupted" })
        const turnedAway = yield* follow()
        assert.deepStrictEqual(turnedAway.controls, ["retry", "reconnect"])
        hints.tell({ kind: "restored" })
        const unavailable = yield* follow()
        log.isAway = true
        hints.appended(log.append("transaction.paid"))
        yield* settle
        assert.deepStrictEqual(unavailable.frames.at(-1)?.data, { reason: "unavailable" })
        const away = yield* follow()
        assert.deepStrictEqual(away.controls, ["retry", "reconnect"])
        log.isAway = false
        const last = yield* follow()
        yield* hub.drain
        assert.deepStrictEqual(last.frames.at(-1)?.data, { reason: "deploy" })
        assert.strictEqual((yield* hub.counters).statusStreams, 0)
      }).pipe(Effect.provide(layer))
    },
  )

  it.effect(
    "a stream is turned away when its status cannot be read or its charge is gone, and leaves nothing",
    () => {
      const { layer } = makeBench()
      return Effect.gen(function* () {
        const unavailable = Effect.fail(new StoreUnavailable({ operation: "load", reason: "test" }))
        for (const readStatus of [unavailable, Effect.succeed(undefined)]) {
          const connection = yield* follow({ readStatus })
          assert.deepStrictEqual(connection.controls, ["retry", "reconnect"])
        }
        const counters = yield* (yield* FeedHub).counters
        assert.strictEqual(counters.statusStreams, 0)
        assert.strictEqual(counters.openStreams, 0)
      }).pipe(Effect.provide(layer))
    },
  )

  it.effect("the store being away while a stream is opened ends it, and is not asked again and again", () => {
    const { log, hints, layer } = makeBench()
    return Effect.gen(function* () {
      const start = yield* begin()
      log.isAway = true
      hints.appended(log.append("transaction.paid"))
      yield* settle
      const reads = log.reads
      yield* settle
      assert.strictEqual(log.reads, reads)
      const connection = new TestConnection()
      start(connection)
      assert.deepStrictEqual(connection.controls, ["retry", "reconnect"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("a charge has as many followers as the limit says; the next is 429, until one has left", () => {
    const { layer } = makeBench()
    return Effect.gen(function* () {
      const connections: Array<TestConnection> = []
      for (let i = 0; i < feedLimits.statusStreamsPerChargeMax; i++)
        connections.push(yield* occupy({ client: `192.0.2.${i}` }))
      const refused = yield* Effect.flip(begin({ client: "198.51.100.1" }))
      assert.strictEqual(refused.code, "rate_limited")
      yield* occupy({ chargeId: "txn_2", client: "198.51.100.1" })
      connections[0]?.cut()
      yield* occupy({ client: "198.51.100.1" })
    }).pipe(Effect.provide(layer))
  })

  it.effect(
    "a client has as many followers as the limit says; the next is 429, and others are served",
    () => {
      const { layer } = makeBench()
      return Effect.gen(function* () {
        for (let i = 0; i < feedLimits.statusStreamsPerClientMax; i++) yield* occupy({ chargeId: `txn_${i}` })
        const refused = yield* Effect.flip(begin({ chargeId: "txn_other" }))
        assert.strictEqual(refused.code, "rate_limited")
        assert.isAbove(refused.retryAfterSeconds ?? 0, 0)
        yield* occupy({ chargeId: "txn_other", client: "192.0.2.2" })
      }).pipe(Effect.provide(layer))
    },
  )

  it.effect(
    "a process has as many followers as the limit says; the next is told to come back, and heals",
    () => {
      const { layer } = makeBench()
      return Effect.gen(function* () {
        const first = yield* follow({ chargeId: "txn_first", client: "first" })
        for (let i = 1; i < feedLimits.statusStreamsMax; i++)
          yield* occupy({ chargeId: `txn_${i}`, client: `client ${i}` })
        const crowded = yield* follow({ chargeId: "txn_last", client: "last" })
        assert.deepStrictEqual(crowded.controls, ["retry", "reconnect"])
        assert.isTrue(crowded.hasEnded)
        first.cut()
        const served = yield* follow({ chargeId: "txn_last", client: "last" })
        assert.deepStrictEqual(statusesOf(served), [{ status: "pending" }])
      }).pipe(Effect.provide(layer))
    },
  )
})
