import { createServer, type Socket } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import Stripe from "stripe"
import { limits } from "../../schema/limits.ts"
import { layerDnsResolver } from "../../src/delivery/destination/dnsResolver.ts"
import { SenderLive } from "../../src/delivery/sender/sender.ts"
import { type Behaviour, behaviours, type CertificateKind } from "../support/tlsReceiver.ts"
import { attemptTo, nextRead, receiver, send, senderFor, senderResolving } from "./senderTesting.ts"

/** One attempt against a receiver that behaves so. */
const attemptAgainst = (behaviour: Behaviour) =>
  Effect.gen(function* () {
    const target = yield* receiver({ behaviour })
    return yield* send(attemptTo(target.url)).pipe(Effect.provide(senderFor([target])))
  })

/** Accepts connections and says nothing, not even TLS. */
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

describe("a request", () => {
  it.effect("bears exactly the headers of the contract and the raw body, signed", () =>
    Effect.gen(function* () {
      const target = yield* receiver()
      yield* TestClock.setTime(Date.now())
      const body = '{"id":"evt_1","note":"açaí 💸",  "spaced": 1}'
      const request = attemptTo(`${target.url}?a=%20b`, { body, attempt: 3, deliveryId: "whd_3" })
      const result = yield* send(request).pipe(Effect.provide(senderFor([target])))
      const [received] = target.requests
      if (received === undefined) throw new Error("nothing received")
      expect(received.method).toBe("POST")
      expect(received.path).toBe("/webhooks?a=%20b")
      expect(received.body).toBe(body)
      expect(received.serverName).toBe("localhost")
      const {
        "x-signature": signature = "",
        "webhook-signature": standard,
        "webhook-timestamp": t,
        ...rest
      } = received.headers
      expect(rest).toEqual({
        host: `localhost:${target.port}`,
        connection: "keep-alive",
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(body)),
        "user-agent": "Service-Webhooks/1.0",
        "x-event-id": "evt_1",
        "x-event-type": "transaction.paid",
        "x-delivery-id": "whd_3",
        "x-attempt": "3",
        "idempotency-key": "evt_1",
        "webhook-id": "evt_1",
      })
      expect(signature).toMatch(new RegExp(`^t=${t},v1=[0-9a-f]{64}$`))
      expect(standard).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/)
      new Stripe("sk_test_none").webhooks.constructEvent(
        received.rawBody,
        signature,
        request.secrets[0] ?? "",
      )
      const sent = Object.entries(result.requestHeaders).map(([name, value]) => [name.toLowerCase(), value])
      const { host, connection, "content-length": length, ...own } = received.headers
      expect(Object.fromEntries(sent)).toEqual(own)
      expect(result.targetHost).toBe(`localhost:${target.port}`)
    }),
  )

  it.effect("is dated by the clock of the attempt", () =>
    Effect.gen(function* () {
      const target = yield* receiver()
      yield* TestClock.setTime(1_700_000_000_999)
      yield* send(attemptTo(target.url)).pipe(Effect.provide(senderFor([target])))
      expect(target.requests[0]?.headers["webhook-timestamp"]).toBe("1700000000")
      expect(target.requests[0]?.headers["x-signature"]).toContain("t=1700000000,")
    }),
  )

  it.effect("goes unsigned to a tracker without a secret, with the tracker's own headers beside ours", () =>
    Effect.gen(function* () {
      const target = yield* receiver()
      const extraHeaders = {
        Authorization: "Bearer abc",
        "X-Event-Id": "forged",
        "x-signature": "forged",
        "Content-Length": "1",
        Host: "elsewhere.example",
        "Transfer-Encoding": "chunked",
        "bad name": "x",
        "X-Bad-Value": "a\r\nX-Injected: 1",
      }
      const request = attemptTo(target.url, { secrets: [], secretRequired: false, extraHeaders })
      const result = yield* send(request).pipe(Effect.provide(senderFor([target])))
      expect(result.outcome).toBe("success")
      const headers = target.requests[0]?.headers ?? {}
      expect(headers).toMatchObject({
        authorization: "Bearer abc",
        "x-event-id": "evt_1",
        host: `localhost:${target.port}`,
        "content-length": String(Buffer.byteLength(request.body)),
      })
      for (const absent of [
        "x-signature",
        "webhook-signature",
        "transfer-encoding",
        "x-bad-value",
        "x-injected",
      ]) {
        expect(headers).not.toHaveProperty(absent)
      }
    }),
  )
})

describe("an answer", () => {
  it.effect.each([200, 201, 204, 299])("of %d is success", (status) =>
    Effect.gen(function* () {
      const result = yield* attemptAgainst(behaviours.respond(status))
      expect(result).toMatchObject({ outcome: "success", retriable: false, error: null, statusCode: status })
      expect(result.responseMillis).toBe(0)
    }),
  )

  it.effect.each([400, 401, 404, 410, 429, 500, 503, 599])("of %d is a failure that is retried", (status) =>
    Effect.gen(function* () {
      expect(yield* attemptAgainst(behaviours.respond(status, "no"))).toMatchObject({
        outcome: "failed",
        retriable: true,
        error: `http_${status}`,
        statusCode: status,
        responseBodyExcerpt: "no",
      })
    }),
  )

  it.effect.each([300, 301, 302, 304, 307, 308])("of %d is not followed", (status) =>
    Effect.gen(function* () {
      const elsewhere = yield* receiver()
      const result = yield* attemptAgainst(behaviours.redirectTo(elsewhere.url, status))
      expect(result).toMatchObject({
        outcome: "failed",
        retriable: true,
        error: "redirect_not_followed",
        statusCode: status,
      })
      expect(elsewhere.requests).toEqual([])
    }),
  )

  it.effect("tells how long its head took", () =>
    Effect.gen(function* () {
      const target = yield* receiver({ behaviour: { kind: "silent" } })
      let answer = () => {}
      target.respondWith(() => {
        answer()
        return { kind: "respond" }
      })
      const result = yield* Effect.gen(function* () {
        const held = yield* receiver({ behaviour: { kind: "stall", status: 202 } })
        const read = yield* Effect.forkChild(nextRead("headers"), { startImmediately: true })
        const fiber = yield* Effect.forkChild(
          send(attemptTo(held.url)).pipe(Effect.provide(senderFor([held]))),
        )
        yield* Fiber.join(read)
        yield* TestClock.adjust(limits.attemptTimeoutMillis)
        return yield* Fiber.join(fiber)
      })
      expect(result.responseMillis).toBe(0)
      answer = () => {}
    }),
  )

  it.effect("with a body that is compressed is not decompressed", () =>
    Effect.gen(function* () {
      const result = yield* attemptAgainst(behaviours.gzipped("a".repeat(50_000)))
      expect(result.outcome).toBe("success")
      expect(result.responseBodyExcerpt).not.toContain("aaaa")
      expect(result.responseBodyExcerpt).not.toContain("\0")
    }),
  )

  it.effect("with an empty body has an empty excerpt", () =>
    Effect.gen(function* () {
      expect((yield* attemptAgainst(behaviours.respond(200, ""))).responseBodyExcerpt).toBe("")
    }),
  )

  it.effect.each([
    limits.responseExcerptBytes - 1,
    limits.responseExcerptBytes,
    limits.responseExcerptBytes + 1,
  ])("with a body of %d bytes is kept up to 1 KiB", (bytes) =>
    Effect.gen(function* () {
      const result = yield* attemptAgainst(behaviours.hugeBody(bytes))
      expect(result.outcome).toBe("success")
      expect(result.responseBodyExcerpt).toBe("x".repeat(Math.min(bytes, 1024)))
    }),
  )

  it.effect("that never ends is cut at 1 KiB", () =>
    Effect.gen(function* () {
      const result = yield* attemptAgainst({ kind: "trickle", piece: "y".repeat(100) })
      expect(result).toMatchObject({ outcome: "success", responseBodyExcerpt: "y".repeat(1024) })
    }),
  )

  it.effect.each([
    [200, "success", null],
    [500, "failed", "http_500"],
  ] as const)("whose head came counts, though its body is cut off: %d", ([status, outcome, error]) =>
    Effect.gen(function* () {
      expect(yield* attemptAgainst({ kind: "cut", status, body: "partial" })).toMatchObject({
        outcome,
        error,
        statusCode: status,
      })
    }),
  )

  it.effect("with a head of 16 KiB is refused, a smaller one is not", () =>
    Effect.gen(function* () {
      expect((yield* attemptAgainst({ kind: "headerFlood", bytes: 15 * 1024 })).outcome).toBe("success")
      expect(yield* attemptAgainst({ kind: "headerFlood", bytes: 16 * 1024 })).toMatchObject({
        outcome: "failed",
        error: "connection_error",
        statusCode: null,
        responseBodyExcerpt: null,
      })
    }),
  )
})

describe("the deadline", () => {
  it.effect("is 10 s for the head, not a millisecond less", () =>
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

  it.effect("is over the TLS handshake too", () =>
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

  it.effect.each([
    [200, "success", null],
    [503, "failed", "http_503"],
  ] as const)("ends a stalled body, and the head that came in time counts: %d", ([status, outcome, error]) =>
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

  it.effect("of DNS is shorter, and passing it is broken DNS", () =>
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

describe("a connection", () => {
  it.effect.each(["otherName", "otherAuthority", "expired"] satisfies Array<CertificateKind>)(
    "to a receiver whose certificate is %s is an error",
    (certificate) =>
      Effect.gen(function* () {
        const target = yield* receiver({ certificate })
        const result = yield* send(attemptTo(target.url)).pipe(Effect.provide(senderFor([target])))
        expect(result).toMatchObject({ outcome: "failed", retriable: true, error: "connection_error" })
        expect(target.requests).toEqual([])
      }),
  )

  it.effect(
    "to a receiver of an authority that is not trusted is an error, whatever the environment says",
    () =>
      Effect.gen(function* () {
        const target = yield* receiver()
        yield* Effect.acquireRelease(
          Effect.sync(() => {
            process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0"
          }),
          () =>
            Effect.sync(() => {
              delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
            }),
        )
        const untrusting = SenderLive({ allowDestinations: new Set([target.origin]) }).pipe(
          Layer.provide(layerDnsResolver()),
        )
        const result = yield* send(attemptTo(target.url)).pipe(Effect.provide(untrusting))
        expect(result.error).toBe("connection_error")
        expect(target.requests).toEqual([])
      }),
  )

  it.effect("that is cut or refused is an error", () =>
    Effect.gen(function* () {
      expect((yield* attemptAgainst({ kind: "reset" })).error).toBe("connection_error")
      const gone = yield* receiver()
      yield* Effect.promise(() => gone.close())
      const result = yield* send(attemptTo(gone.url)).pipe(Effect.provide(senderFor([gone])))
      expect(result).toMatchObject({ outcome: "failed", retriable: true, error: "connection_error" })
    }),
  )

  it.effect("to a name without an address is an error", () =>
    Effect.gen(function* () {
      const result = yield* send(attemptTo("https://hooks.example.com/")).pipe(
        Effect.provide(senderResolving([], () => Effect.succeed([]))),
      )
      expect(result).toMatchObject({
        retriable: true,
        error: "connection_error",
        targetHost: "hooks.example.com",
      })
    }),
  )
})

describe("an attempt that must not be made", () => {
  it.effect.each([
    ["http://example.com/", "example.com"],
    ["https://example.com:8443/", "example.com:8443"],
    ["https://user:password@example.com/", "example.com"],
    ["https://127.0.0.1/", "127.0.0.1"],
    ["no url", ""],
  ])("is blocked for its URL: %s", ([url, targetHost]) =>
    Effect.gen(function* () {
      const result = yield* send(attemptTo(url)).pipe(Effect.provide(senderFor([])))
      expect(result).toEqual({
        outcome: "failed",
        retriable: false,
        error: "blocked_destination",
        statusCode: null,
        responseMillis: null,
        responseBodyExcerpt: null,
        requestHeaders: {},
        targetHost,
      })
    }),
  )

  it.effect.each([[["127.0.0.1"]], [["93.184.216.34", "127.0.0.1"]]])(
    "is blocked for its address: %j",
    ([answer]) =>
      Effect.gen(function* () {
        const result = yield* send(attemptTo("https://hooks.example.com/")).pipe(
          Effect.provide(senderResolving([], () => Effect.succeed(answer))),
        )
        expect(result).toMatchObject({ retriable: false, error: "blocked_destination", requestHeaders: {} })
      }),
  )

  it.effect("is refused without a secret that is required", () =>
    Effect.gen(function* () {
      const target = yield* receiver()
      const result = yield* send(attemptTo(target.url, { secrets: [] })).pipe(
        Effect.provide(senderFor([target])),
      )
      expect(result).toMatchObject({ outcome: "failed", retriable: false, error: "missing_secret" })
      expect(target.connections.total).toBe(0)
    }),
  )
})

describe("an interrupted attempt", () => {
  it.effect("closes its connection while it waits for the answer", () =>
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

  it.effect("closes its connection while it connects", () =>
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

  it.effect("ends while it resolves", () =>
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

describe("WEBHOOK_CA_FILE", () => {
  it.effect.each(["package.json", "no-such-file.pem"])(
    "that holds no certificate stops the start: %s",
    (caFile) =>
      Effect.gen(function* () {
        const failure = yield* Layer.build(
          SenderLive({ allowDestinations: new Set(), caFile }).pipe(Layer.provide(layerDnsResolver())),
        ).pipe(Effect.flip)
        expect(failure).toMatchObject({ _tag: "InvalidCaFile", file: caFile })
      }),
  )
})
