import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Sender } from "../../actors/ports/sender.ts"
import { ADDRESSES_TRIED_MAX } from "../../src/delivery/sender/checkedSocket.ts"
import { IDLE_CONNECTIONS_MAX } from "../../src/delivery/sender/connections.ts"
import { behaviours } from "../support/tlsReceiver.ts"
import { attemptTo, receiver, send, senderFor, senderResolving } from "./senderTesting.ts"

const NAME = "hooks.example.test"

describe("the address of a receiver", () => {
  it.effect("an attempt connects to the checked address, with the name in Host, SNI and certificate", () =>
    Effect.gen(function* () {
      const target = yield* receiver({ names: [NAME] })
      const result = yield* send(attemptTo(target.url)).pipe(
        Effect.provide(senderResolving([target], () => Effect.succeed(["127.0.0.1"]))),
      )
      expect(result.outcome).toBe("success")
      expect(target.requests[0]).toMatchObject({
        serverName: NAME,
        headers: { host: `${NAME}:${target.port}` },
      })
    }),
  )

  it.effect("an attempt resolves once, and reuses no connection to an address not checked now", () =>
    Effect.gen(function* () {
      const first = yield* receiver({ names: [NAME] })
      const second = yield* receiver({ names: [NAME], address: "127.0.0.2", port: first.port })
      const answers = [["127.0.0.1"], ["127.0.0.2"], ["127.0.0.1"]]
      let resolutions = 0
      const answer = () => Effect.sync(() => answers[resolutions++] ?? [])
      yield* Effect.gen(function* () {
        yield* send(attemptTo(first.url))
        expect([first.requests.length, second.requests.length]).toEqual([1, 0])
        yield* send(attemptTo(first.url))
        expect([first.requests.length, second.requests.length]).toEqual([1, 1])
        yield* send(attemptTo(first.url))
        expect([first.requests.length, second.requests.length]).toEqual([2, 1])
        expect(resolutions).toBe(3)
        expect(first.connections.total).toBe(1)
      }).pipe(Effect.provide(senderResolving([first], answer)))
    }),
  )

  it.effect("an address that refuses gives way to the next checked one", () =>
    Effect.gen(function* () {
      const target = yield* receiver({ names: [NAME] })
      const result = yield* send(attemptTo(target.url)).pipe(
        Effect.provide(senderResolving([target], () => Effect.succeed(["127.0.0.9", "127.0.0.1"]))),
      )
      expect(result.outcome).toBe("success")
    }),
  )

  it.effect.each([
    [ADDRESSES_TRIED_MAX, "success"],
    [ADDRESSES_TRIED_MAX + 1, "failed"],
  ] as const)(
    "an attempt whose first working address is number %d of the DNS answer has the outcome %s",
    ([place, outcome]) =>
      Effect.gen(function* () {
        const target = yield* receiver({ names: [NAME] })
        const refusing = Array.from({ length: place - 1 }, (_, index) => `127.0.0.${index + 9}`)
        const result = yield* send(attemptTo(target.url)).pipe(
          Effect.provide(senderResolving([target], () => Effect.succeed([...refusing, "127.0.0.1"]))),
        )
        expect(result.outcome).toBe(outcome)
      }),
  )

  it.effect("a DNS answer in another order opens no new connection", () =>
    Effect.gen(function* () {
      const target = yield* receiver({ names: [NAME] })
      const answers = [
        ["127.0.0.1", "127.0.0.2"],
        ["127.0.0.2", "127.0.0.1"],
      ]
      yield* Effect.gen(function* () {
        yield* send(attemptTo(target.url))
        yield* send(attemptTo(target.url))
        expect(target.connections.total).toBe(1)
      }).pipe(Effect.provide(senderResolving([target], () => Effect.sync(() => answers.shift() ?? []))))
    }),
  )
})

describe("a connection to a receiver", () => {
  it.effect("a connection is used again for the next attempt when the answer was read to its end", () =>
    Effect.gen(function* () {
      const target = yield* receiver({ behaviour: behaviours.hugeBody(1024) })
      yield* Effect.gen(function* () {
        for (let attempt = 1; attempt <= 5; attempt++) yield* send(attemptTo(target.url, { attempt }))
        expect(target.connections.total).toBe(1)
        target.respondWith(behaviours.respond(500, "no"))
        yield* send(attemptTo(target.url))
        yield* send(attemptTo(target.url))
        expect(target.connections.total).toBe(1)
      }).pipe(Effect.provide(senderFor([target])))
    }),
  )

  it.effect("a connection is closed when the rest of the answer was not read", () =>
    Effect.gen(function* () {
      const target = yield* receiver({ behaviour: behaviours.hugeBody(4 * 1024 * 1024) })
      yield* Effect.gen(function* () {
        const result = yield* send(attemptTo(target.url))
        expect(result.outcome).toBe("success")
        yield* Effect.promise(() => target.waitForOpenConnections(0))
      }).pipe(Effect.provide(senderFor([target])))
    }),
  )

  it.effect("a connection carries one attempt at a time", () =>
    Effect.gen(function* () {
      const target = yield* receiver({ behaviour: { kind: "silent" } })
      yield* Effect.gen(function* () {
        const fibers = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(send(attemptTo(target.url))))
        yield* Effect.promise(() => target.waitFor(3))
        expect(target.connections.open).toBe(3)
        yield* TestClock.adjust(10_000)
        for (const fiber of fibers) expect((yield* Fiber.join(fiber)).error).toBe("timeout")
      }).pipe(Effect.provide(senderFor([target])))
    }),
  )

  it.effect("a connection that the receiver closes after its answer is not used again", () =>
    Effect.gen(function* () {
      const target = yield* receiver({ behaviour: { kind: "respond", headers: { connection: "close" } } })
      yield* Effect.gen(function* () {
        for (let attempt = 1; attempt <= 3; attempt++) {
          expect((yield* send(attemptTo(target.url, { attempt }))).outcome).toBe("success")
        }
        expect(target.connections.total).toBe(3)
        expect(target.requests).toHaveLength(3)
      }).pipe(Effect.provide(senderFor([target])))
    }),
  )

  it.effect("a connection resumes the TLS session of an earlier one", () =>
    Effect.gen(function* () {
      const target = yield* receiver({ behaviour: { kind: "respond", headers: { connection: "close" } } })
      yield* Effect.gen(function* () {
        yield* send(attemptTo(target.url))
        yield* Effect.promise(() => target.waitForOpenConnections(0))
        yield* send(attemptTo(target.url))
        expect(target.connections).toMatchObject({ total: 2, resumed: 1 })
      }).pipe(Effect.provide(senderFor([target])))
    }),
  )

  it.effect("a stale connection is replaced, once, without failing the attempt", () =>
    Effect.gen(function* () {
      const target = yield* receiver()
      yield* Effect.gen(function* () {
        yield* send(attemptTo(target.url))
        target.respondWith((request) => ({ kind: request.connectionId === 1 ? "reset" : "respond" }))
        expect((yield* send(attemptTo(target.url, { attempt: 2 }))).outcome).toBe("success")
        expect(target.requests.map((request) => request.connectionId)).toEqual([1, 1, 2])
        target.respondWith({ kind: "reset" })
        expect((yield* send(attemptTo(target.url, { attempt: 3 }))).error).toBe("connection_error")
        expect(target.requests).toHaveLength(5)
      }).pipe(Effect.provide(senderFor([target])))
    }),
  )

  it.effect("an attempt is not repeated when its connection was new", () =>
    Effect.gen(function* () {
      const target = yield* receiver({ behaviour: { kind: "reset" } })
      const result = yield* send(attemptTo(target.url)).pipe(Effect.provide(senderFor([target])))
      expect(result.error).toBe("connection_error")
      expect(target.requests).toHaveLength(1)
    }),
  )
})

describe("idle connections", () => {
  it.effect("idle connections are kept up to the limit and no further", () =>
    Effect.gen(function* () {
      const target = yield* receiver({ names: ["127.0.0.1"] })
      const sendAtOnce = (count: number) =>
        Effect.forEach(Array.from({ length: count }), () => send(attemptTo(target.url)), {
          concurrency: "unbounded",
        })
      yield* Effect.gen(function* () {
        yield* sendAtOnce(IDLE_CONNECTIONS_MAX)
        expect(target.connections).toMatchObject({ total: IDLE_CONNECTIONS_MAX, open: IDLE_CONNECTIONS_MAX })
        yield* sendAtOnce(IDLE_CONNECTIONS_MAX + 1)
        expect(target.connections.total).toBe(IDLE_CONNECTIONS_MAX + 1)
        yield* Effect.promise(() => target.waitForOpenConnections(IDLE_CONNECTIONS_MAX))
        expect(target.connections.open).toBe(IDLE_CONNECTIONS_MAX)
      }).pipe(Effect.provide(senderFor([target], { timeoutMillis: 60_000 })))
    }),
  )

  it.effect("idle connections close with the sender", () =>
    Effect.gen(function* () {
      const target = yield* receiver()
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(senderFor([target]), scope)
      yield* Sender.use((sender) => sender.send(attemptTo(target.url))).pipe(Effect.provide(context))
      expect(target.connections.open).toBe(1)
      yield* Scope.close(scope, Exit.void)
      yield* Effect.promise(() => target.waitForOpenConnections(0))
    }),
  )
})
