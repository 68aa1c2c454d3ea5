import { once } from "node:events"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Result } from "effect"
import { parseDestination } from "../../src/delivery/destination/parseDestination.ts"
import { Exchange, type ExchangeResult } from "../../src/delivery/sender/receiverRequest.ts"
import { Connections } from "../../src/delivery/sender/connections.ts"
import { loadTrust } from "../../src/delivery/sender/trust.ts"
import { type Behaviour, behaviours, type TlsReceiver } from "../support/tlsReceiver.ts"
import { receiver } from "./senderTesting.ts"

/** Requests and connections by themselves, for what a whole attempt does not show. */
const exchangesWith = (target: TlsReceiver) =>
  Effect.gen(function* () {
    const connections = yield* Effect.acquireRelease(
      Effect.map(loadTrust(target.caFile), (trust) => new Connections(trust)),
      (opened) => Effect.sync(() => opened.close()),
    )
    const destination = Result.getOrThrow(parseDestination(target.url, new Set([target.origin])))
    const clock = yield* Clock.Clock
    const start = (settle: (result: ExchangeResult) => void) =>
      new Exchange(
        {
          connections,
          destination,
          addresses: ["127.0.0.1"],
          headers: {},
          body: Buffer.from("{}"),
          excerptBytesMax: 1024,
          clock,
        },
        settle,
      )
    const exchange = () => new Promise<ExchangeResult>((resolve) => start(resolve))
    return { connections, destination, start, exchange }
  })

describe("an exchange", () => {
  it.effect("leaves no connection in use, whatever came of it", () =>
    Effect.gen(function* () {
      const target = yield* receiver()
      const { connections, start, exchange } = yield* exchangesWith(target)
      const outcomes: ReadonlyArray<readonly [Behaviour, ExchangeResult["kind"], number]> = [
        [behaviours.respond(), "answered", 1],
        [{ kind: "reset" }, "connection_error", 0],
        [behaviours.hugeBody(1024 * 1024), "answered", 0],
        [{ kind: "cut", body: "x" }, "answered", 0],
      ]
      for (const [behaviour, kind, idle] of outcomes) {
        target.respondWith(behaviour)
        expect((yield* Effect.promise(exchange)).kind).toBe(kind)
        expect(connections.counts).toEqual({ active: 0, idle, idleDestinations: idle })
      }
      const expired = start(() => {})
      expect(connections.counts).toEqual({ active: 1, idle: 0, idleDestinations: 0 })
      expect(expired.expire()).toEqual({ kind: "timeout" })
      expect(connections.counts).toEqual({ active: 0, idle: 0, idleDestinations: 0 })
    }),
  )

  it.effect("that meets a stale connection takes a new one, though others are idle", () =>
    Effect.gen(function* () {
      const target = yield* receiver()
      const { connections, exchange } = yield* exchangesWith(target)
      yield* Effect.promise(() => Promise.all([exchange(), exchange()]))
      expect(connections.counts).toEqual({ active: 0, idle: 2, idleDestinations: 1 })
      target.respondWith((request) => ({ kind: request.connectionId <= 2 ? "reset" : "respond" }))
      expect(yield* Effect.promise(exchange)).toMatchObject({ kind: "answered", statusCode: 200 })
      expect(target.requests).toHaveLength(4)
      expect(connections.counts).toEqual({ active: 0, idle: 2, idleDestinations: 1 })
    }),
  )

  it.effect("that is cancelled on a closing connection sends nothing any more", () =>
    Effect.gen(function* () {
      const target = yield* receiver({ behaviour: { kind: "respond", headers: { connection: "close" } } })
      const { start, exchange } = yield* exchangesWith(target)
      yield* Effect.promise(
        () =>
          new Promise<void>((resolve) => {
            start(() => {
              // The connection is free at this moment, and closes right after it.
              start(() => {}).cancel()
              resolve()
            })
          }),
      )
      // Time enough for one that should not be sent.
      for (let count = 0; count < 5; count++) yield* Effect.promise(exchange)
      expect(target.requests).toHaveLength(6)
    }),
  )
})

describe("idle connections", () => {
  it.effect("are forgotten when the receiver closes them", () =>
    Effect.gen(function* () {
      const target = yield* receiver()
      const { connections, destination, exchange } = yield* exchangesWith(target)
      yield* Effect.promise(exchange)
      expect(connections.counts).toEqual({ active: 0, idle: 1, idleDestinations: 1 })
      const connection = connections.acquire(destination, ["127.0.0.1"])
      expect(connections.counts).toEqual({ active: 1, idle: 0, idleDestinations: 0 })
      connections.release(connection)
      const gone = once(connection.client, "disconnect")
      yield* Effect.promise(() => target.close())
      yield* Effect.promise(() => gone)
      expect(connections.counts).toEqual({ active: 0, idle: 0, idleDestinations: 0 })
    }),
  )
})
