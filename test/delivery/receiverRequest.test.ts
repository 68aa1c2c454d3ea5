import { once } from "node:events"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Result } from "effect"
import { parseDestination } from "../../src/delivery/destination/parseDestination.ts"
import { Connections } from "../../src/delivery/sender/connections.ts"
import { type ReceiverAnswer, ReceiverRequest } from "../../src/delivery/sender/receiverRequest.ts"
import { loadTrust } from "../../src/delivery/sender/sender.ts"
import { type Behaviour, behaviours, type TlsReceiver } from "../support/tlsReceiver.ts"
import { receiver } from "./senderTesting.ts"

/** Requests and connections on their own, for what a whole attempt does not show. */
const requestsTo = (target: TlsReceiver) =>
  Effect.gen(function* () {
    const connections = yield* Effect.acquireRelease(
      Effect.map(loadTrust(target.caFile), (makeTrust) => new Connections(makeTrust())),
      (opened) => Effect.sync(() => opened.close()),
    )
    const destination = Result.getOrThrow(parseDestination(target.url, new Set([target.origin])))
    const clock = yield* Clock.Clock
    const start = (settle: (result: ReceiverAnswer) => void) =>
      new ReceiverRequest(
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
    const request = () => new Promise<ReceiverAnswer>((resolve) => start(resolve))
    return { connections, destination, start, request }
  })

describe("a request to a receiver", () => {
  it.effect("a request leaves no connection in use, whatever its outcome", () =>
    Effect.gen(function* () {
      const target = yield* receiver()
      const { connections, start, request } = yield* requestsTo(target)
      const outcomes: ReadonlyArray<readonly [Behaviour, ReceiverAnswer["kind"], number]> = [
        [behaviours.respond(), "answered", 1],
        [{ kind: "reset" }, "connection_error", 0],
        [behaviours.hugeBody(1024 * 1024), "answered", 0],
        [{ kind: "cut", body: "x" }, "answered", 0],
      ]
      for (const [behaviour, kind, idle] of outcomes) {
        target.respondWith(behaviour)
        expect((yield* Effect.promise(request)).kind).toBe(kind)
        expect(connections.counts).toEqual({ active: 0, idle, idleDestinations: idle })
      }
      const expired = start(() => {})
      expect(connections.counts).toEqual({ active: 1, idle: 0, idleDestinations: 0 })
      expect(expired.expire()).toEqual({ kind: "timeout" })
      expect(connections.counts).toEqual({ active: 0, idle: 0, idleDestinations: 0 })
    }),
  )

  it.effect("a request that meets a stale connection opens a new one, though others are idle", () =>
    Effect.gen(function* () {
      const target = yield* receiver()
      const { connections, request } = yield* requestsTo(target)
      yield* Effect.promise(() => Promise.all([request(), request()]))
      expect(connections.counts).toEqual({ active: 0, idle: 2, idleDestinations: 1 })
      target.respondWith((request) => ({ kind: request.connectionId <= 2 ? "reset" : "respond" }))
      expect(yield* Effect.promise(request)).toMatchObject({ kind: "answered", statusCode: 200 })
      expect(target.requests).toHaveLength(4)
      expect(connections.counts).toEqual({ active: 0, idle: 2, idleDestinations: 1 })
    }),
  )

  it.effect("a request that is cancelled on a closing connection sends nothing", () =>
    Effect.gen(function* () {
      const target = yield* receiver({ behaviour: { kind: "respond", headers: { connection: "close" } } })
      const { start, request } = yield* requestsTo(target)
      yield* Effect.promise(
        () =>
          new Promise<void>((resolve) => {
            start(() => {
              // The connection is free at this moment, and closes right afterwards.
              start(() => {}).cancel()
              resolve()
            })
          }),
      )
      // These take long enough for a cancelled request to arrive, if it were sent.
      for (let count = 0; count < 5; count++) yield* Effect.promise(request)
      expect(target.requests).toHaveLength(6)
    }),
  )
})

describe("idle connections", () => {
  it.effect("idle connections are forgotten when the receiver closes them", () =>
    Effect.gen(function* () {
      const target = yield* receiver()
      const { connections, destination, request } = yield* requestsTo(target)
      yield* Effect.promise(request)
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
