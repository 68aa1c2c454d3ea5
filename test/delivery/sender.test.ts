import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import Stripe from "stripe"
import { layerDnsResolver } from "../../src/delivery/destination/dnsResolver.ts"
import { SenderLive } from "../../src/delivery/sender/sender.ts"
import type { CertificateKind } from "../support/tlsReceiver.ts"
import { attemptAgainst, attemptTo, receiver, send, senderFor, senderResolving } from "./senderTesting.ts"

describe("the request of an attempt", () => {
  it.effect("a request has exactly the contract's headers and the raw body, signed", () =>
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
      expect(result.requestPath).toBe("/webhooks?a=%20b")
    }),
  )

  it.effect("a request's signatures are dated by the clock of the attempt", () =>
    Effect.gen(function* () {
      const target = yield* receiver()
      yield* TestClock.setTime(1_700_000_000_999)
      yield* send(attemptTo(target.url)).pipe(Effect.provide(senderFor([target])))
      expect(target.requests[0]?.headers["webhook-timestamp"]).toBe("1700000000")
      expect(target.requests[0]?.headers["x-signature"]).toContain("t=1700000000,")
    }),
  )

  it.effect("a request to a tracker without a secret is unsigned, and has the tracker's own headers", () =>
    Effect.gen(function* () {
      const target = yield* receiver()
      const extraHeaders = {
        Authorization: "Bearer abc",
        "X-Event-Id": "forged",
        "X-Event-Anything": "forged",
        "Webhook-Id": "forged",
        "x-signature": "forged",
        "Content-Length": "1",
        Host: "elsewhere.example",
        "Transfer-Encoding": "chunked",
        traceparent: "forged",
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
        "x-event-anything",
        "transfer-encoding",
        "traceparent",
        "x-bad-value",
        "x-injected",
      ]) {
        expect(headers).not.toHaveProperty(absent)
      }
    }),
  )

  it.effect("a request continues its event's trace, under a parent id that is its attempt's own", () =>
    Effect.gen(function* () {
      const target = yield* receiver()
      const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
      const extraHeaders = { Traceparent: "forged" }
      for (const last of ["1", "2"]) {
        const deliveryId = `whd_01KA000000070000000000000${last}`
        const request = attemptTo(target.url, { traceId, deliveryId, extraHeaders })
        const { requestHeaders } = yield* send(request).pipe(Effect.provide(senderFor([target])))
        expect(requestHeaders).toMatchObject({ traceparent: `00-${traceId}-000000000000000${last}-01` })
      }
      const sent = target.requests.map(({ headers }) => headers.traceparent)
      expect(sent).toEqual(["1", "2"].map((last) => `00-${traceId}-000000000000000${last}-01`))
    }),
  )

  it.effect("an attempt records a tracker's own headers without their values, whatever its outcome", () =>
    Effect.gen(function* () {
      const target = yield* receiver()
      const extraHeaders = { Authorization: "Bearer abc", "X-Event-Id": "forged", "x-lower": "abc" }
      const shown = { Authorization: "***", "x-lower": "***", "X-Event-Id": "evt_1", "X-Attempt": "1" }
      for (const url of [target.url, "https://localhost:1/"]) {
        const request = attemptTo(url, { secrets: [], secretRequired: false, extraHeaders })
        const allowed = { ...target, origin: new URL(url).origin }
        const { requestHeaders } = yield* send(request).pipe(Effect.provide(senderFor([allowed])))
        expect(requestHeaders).toMatchObject(shown)
        expect(JSON.stringify(requestHeaders)).not.toContain("abc")
      }
      expect(target.requests[0]?.headers).toMatchObject({ authorization: "Bearer abc", "x-lower": "abc" })
    }),
  )
})

describe("the connection of an attempt", () => {
  it.effect.each(["otherName", "otherAuthority", "expired"] satisfies Array<CertificateKind>)(
    "a receiver's certificate of the kind %s is a connection error",
    (certificate) =>
      Effect.gen(function* () {
        const target = yield* receiver({ certificate })
        const result = yield* send(attemptTo(target.url)).pipe(Effect.provide(senderFor([target])))
        expect(result).toMatchObject({ outcome: "failed", retriable: true, error: "connection_error" })
        expect(target.requests).toEqual([])
      }),
  )

  it.effect("a receiver's untrusted authority is a connection error, whatever the environment says", () =>
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

  it.effect("a connection that is cut or refused is a connection error", () =>
    Effect.gen(function* () {
      expect((yield* attemptAgainst({ kind: "reset" })).error).toBe("connection_error")
      const gone = yield* receiver()
      yield* Effect.promise(() => gone.close())
      const result = yield* send(attemptTo(gone.url)).pipe(Effect.provide(senderFor([gone])))
      expect(result).toMatchObject({ outcome: "failed", retriable: true, error: "connection_error" })
    }),
  )

  it.effect("a name without an address is a connection error", () =>
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
  ] as const)("an attempt is blocked for its URL: %s", ([url, targetHost]) =>
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
        requestPath: null,
        targetHost,
      })
    }),
  )

  it.effect.each([[["127.0.0.1"]], [["93.184.216.34", "127.0.0.1"]]] as const)(
    "an attempt is blocked for its address: %j",
    ([answer]) =>
      Effect.gen(function* () {
        const result = yield* send(attemptTo("https://hooks.example.com/")).pipe(
          Effect.provide(senderResolving([], () => Effect.succeed(answer))),
        )
        expect(result).toMatchObject({ retriable: false, error: "blocked_destination", requestHeaders: {} })
      }),
  )

  it.effect("an attempt without a required secret fails without connecting", () =>
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

describe("WEBHOOK_CA_FILE", () => {
  it.effect.each(["package.json", "no-such-file.pem"])(
    "a WEBHOOK_CA_FILE that holds no certificate stops the start: %s",
    (caFile) =>
      Effect.gen(function* () {
        const failure = yield* Layer.build(
          SenderLive({ allowDestinations: new Set(), caFile }).pipe(Layer.provide(layerDnsResolver())),
        ).pipe(Effect.flip)
        expect(failure).toMatchObject({ _tag: "InvalidCaFile", file: caFile })
      }),
  )
})
