import { createServer, type Socket } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { layerDnsResolver } from "../../src/delivery/destination/dnsResolver.ts"
import { SenderLive } from "../../src/delivery/sender/sender.ts"
import {
  attemptTo,
  nextBytes,
  nextRead,
  receiver,
  send,
  senderFor,
  senderResolving,
} from "./senderTesting.ts"

/** A server that accepts connections and sends nothing, not even TLS. */
const muteServer = Effect.acquireRelease(
  Effect.promise(async () => {
    const sockets: Array<Socket> = []
    const server = createServer((socket) => {
      sockets.push(socket)
      socket.on("error", () => {})
      socket.resume()
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    if (address === null || typeof address === "string") throw new Error("not listening")
    const connected = new Promise<Socket>((resolve) => server.once("connection", resolve))
    return { server, sockets, connected, origin: `https://127.0.0.1:${address.port}` }
  }),
  ({ server, sockets }) =>
    Effect.promise(() => {
      for (const socket of sockets) socket.destroy()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    }),
)

const closed = (socket: Socket) =>
  Effect.promise(
    () => new Promise<void>((resolve) => (socket.closed ? resolve() : socket.once("close", () => resolve()))),
  )

describe("the deadline of an attempt", () => {
  it.effect("an attempt waits 10 s for the head of an answer, not a millisecond less", () =>
    Effect.gen(function* () {
      const target = yield* receiver({ behaviour: { kind: "silent" } })
      yield* Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(send(attemptTo(target.url)))
        yield* Effect.promise(() => target.waitFor(1))
        yield* TestClock.adjust(9_999)
        expect(fiber.pollUnsafe()).toBeUndefined()
        yield* TestClock.adjust(1)
        expect(yield* Fiber.join(fiber)).toMatchObject({
          outcome: "failed",
          retriable: true,
          error: "timeout",
          statusCode: null,
          responseMillis: null,
          responseBodyExcerpt: null,
        })
        yield* Effect.promise(() => target.waitForOpenConnections(0))
      }).pipe(Effect.provide(senderFor([target])))
    }),
  )

  it.effect("an attempt's deadline covers the TLS handshake", () =>
    Effect.gen(function* () {
      const mute = yield* muteServer
      yield* Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(send(attemptTo(`${mute.origin}/`)))
        const socket = yield* Effect.promise(() => mute.connected)
        yield* TestClock.adjust(10_000)
        expect((yield* Fiber.join(fiber)).error).toBe("timeout")
        yield* closed(socket)
      }).pipe(
        Effect.provide(
          SenderLive({ allowDestinations: new Set([mute.origin]) }).pipe(Layer.provide(layerDnsResolver())),
        ),
      )
    }),
  )

  it.effect("an interim answer does not meet an attempt's deadline", () =>
    Effect.gen(function* () {
      const target = yield* receiver({ behaviour: { kind: "interim" } })
      yield* Effect.gen(function* () {
        const read = yield* Effect.forkChild(nextBytes, { startImmediately: true })
        const fiber = yield* Effect.forkChild(send(attemptTo(target.url)))
        yield* Fiber.join(read)
        yield* TestClock.adjust(10_000)
        expect(yield* Fiber.join(fiber)).toMatchObject({ error: "timeout", statusCode: null })
      }).pipe(Effect.provide(senderFor([target])))
    }),
  )

  it.effect.each([
    [200, "success", null],
    [503, "failed", "http_503"],
  ] as const)(
    "an attempt's deadline ends a stalled body, and the head that came in time counts: %d",
    ([status, outcome, error]) =>
      Effect.gen(function* () {
        const target = yield* receiver({ behaviour: { kind: "stall", status, body: "partial" } })
        yield* Effect.gen(function* () {
          const read = yield* Effect.forkChild(nextRead("bodyChunkReceived"), { startImmediately: true })
          const fiber = yield* Effect.forkChild(send(attemptTo(target.url)))
          yield* Fiber.join(read)
          yield* TestClock.adjust(9_999)
          expect(fiber.pollUnsafe()).toBeUndefined()
          yield* TestClock.adjust(1)
          expect(yield* Fiber.join(fiber)).toMatchObject({
            outcome,
            error,
            statusCode: status,
            responseBodyExcerpt: "partial",
          })
          yield* Effect.promise(() => target.waitForOpenConnections(0))
        }).pipe(Effect.provide(senderFor([target])))
      }),
  )

  it.effect("an attempt gives up on DNS after 5 s with a connection error", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(
        send(attemptTo("https://hooks.example.com/")).pipe(
          Effect.provide(senderResolving([], () => Effect.never)),
        ),
      )
      yield* TestClock.adjust(5_000)
      expect(yield* Fiber.join(fiber)).toMatchObject({ retriable: true, error: "connection_error" })
    }),
  )
})

describe("an interrupted attempt", () => {
  it.effect("an attempt that is interrupted while it waits for the answer closes its connection", () =>
    Effect.gen(function* () {
      const target = yield* receiver({ behaviour: { kind: "silent" } })
      yield* Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(send(attemptTo(target.url)))
        yield* Effect.promise(() => target.waitFor(1))
        yield* Fiber.interrupt(fiber)
        yield* Effect.promise(() => target.waitForOpenConnections(0))
      }).pipe(Effect.provide(senderFor([target])))
    }),
  )

  it.effect("an attempt that is interrupted while it connects closes its connection", () =>
    Effect.gen(function* () {
      const mute = yield* muteServer
      yield* Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(send(attemptTo(`${mute.origin}/`)))
        const socket = yield* Effect.promise(() => mute.connected)
        yield* Fiber.interrupt(fiber)
        yield* closed(socket)
      }).pipe(
        Effect.provide(
          SenderLive({ allowDestinations: new Set([mute.origin]) }).pipe(Layer.provide(layerDnsResolver())),
        ),
      )
    }),
  )

  it.effect("an attempt that is interrupted while it resolves ends", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(
        send(attemptTo("https://hooks.example.com/")).pipe(
          Effect.provide(senderResolving([], () => Effect.never)),
        ),
        { startImmediately: true },
      )
      yield* Fiber.interrupt(fiber)
      expect(fiber.pollUnsafe()?._tag).toBe("Failure")
    }),
  )
})
