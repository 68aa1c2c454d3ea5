import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Redis } from "ioredis"
import { afterAll, beforeAll } from "vitest"
import type { AttemptRequest } from "../../actors/ports/sender.ts"
import { layerDnsResolver } from "../../src/delivery/destination/dnsResolver.ts"
import { IDLE_REDIS_CONNECTIONS_MAX } from "../../src/delivery/redis/redisConnections.ts"
import { SenderLive } from "../../src/delivery/sender/sender.ts"
import { startRedisPeer } from "../support/redisPeer.ts"
import { authorityOfThisProcess } from "../support/tlsReceiver.ts"
import { startTlsRedis, type TlsRedis } from "../support/tlsRedis.ts"
import { attemptTo, send } from "./senderTesting.ts"

const { caFile } = authorityOfThisProcess()

let shop: TlsRedis
let redis: Redis
beforeAll(async () => {
  shop = await startTlsRedis()
  redis = shop.client
})
afterAll(() => shop?.close())

const sender = (origins: ReadonlyArray<string>) =>
  SenderLive({ allowDestinations: new Set(origins), caFile }).pipe(Layer.provide(layerDnsResolver()))
const append = (url: string, changes: Partial<AttemptRequest> = {}) =>
  send(attemptTo(url, { urlPassword: shop.password, ...changes })).pipe(Effect.provide(sender([shop.origin])))
const entriesOf = (stream: string) => redis.xrange(stream, "-", "+")

describe("an entry of a real Redis over TLS", () => {
  it.effect("has the headers by their names in lower case, type and body, and the attempt shows its id", () =>
    Effect.gen(function* () {
      const result = yield* append(shop.urlOf("shop:orders"), { traceId: "4bf92f3577b34da6a3ce929d0e0e4736" })
      const [[id, fields] = ["", []]] = yield* Effect.promise(() => entriesOf("shop:orders"))
      expect(result).toMatchObject({
        outcome: "success",
        error: null,
        statusCode: null,
        responseBodyExcerpt: id,
        requestPath: null,
        targetHost: `localhost:${shop.port}`,
      })
      const names = fields.filter((_, i) => i % 2 === 0)
      expect(names).toEqual([
        ...["content-type", "user-agent", "x-event-id", "x-event-type", "x-delivery-id", "x-attempt"],
        ...["idempotency-key", "webhook-id", "webhook-timestamp", "x-signature", "webhook-signature"],
        ...["traceparent", "type", "body"],
      ])
      expect(fields.at(-1)).toBe('{"id":"evt_1","type":"transaction.paid"}')
      expect(fields.at(-3)).toBe("transaction.paid")
    }),
  )

  it.effect("is one of about maxlen, the oldest of which are trimmed", () =>
    Effect.gen(function* () {
      // Redis trims whole nodes of 100 entries.
      for (let i = 0; i < 250; i++) yield* append(shop.urlOf("shop:short", { more: "&maxlen=100" }))
      const length = yield* Effect.promise(() => redis.xlen("shop:short"))
      expect(length).toBeGreaterThanOrEqual(100)
      expect(length).toBeLessThan(250)
    }),
  )

  it.effect.each([
    ["a wrong password", "redis_denied", "WRONGPASS", { urlPassword: "wrong" }, () => shop.urlOf("shop:x")],
    ["an unknown user", "redis_denied", "WRONGPASS", {}, () => shop.urlOf("shop:x", { user: "nobody" })],
    ["a stream that the user may not write", "redis_denied", "NOPERM", {}, () => shop.urlOf("other")],
    ["a key that is no stream", "redis_wrong_type", "WRONGTYPE", {}, () => shop.urlOf("shop:text")],
  ] as const)("%s is a failed attempt that says so, and is retried", ([, error, word, changes, url]) =>
    Effect.gen(function* () {
      yield* Effect.promise(() => redis.set("shop:text", "1"))
      const result = yield* append(url(), changes)
      expect(result).toMatchObject({ outcome: "failed", retriable: true, error, statusCode: null })
      expect(result.responseBodyExcerpt).toMatch(new RegExp(`^${word}`))
      expect(JSON.stringify(result)).not.toContain("p@ss")
    }),
  )

  it.effect("a Redis that is full, a replica and one without AUTH each have an error of their own", () =>
    Effect.gen(function* () {
      const config = (name: string, value: string) => Effect.promise(() => redis.config("SET", name, value))
      yield* config("maxmemory", "1")
      expect(yield* append(shop.urlOf("shop:x"))).toMatchObject({
        error: "redis_out_of_memory",
        responseBodyExcerpt: expect.stringMatching(/^OOM /),
      })
      yield* config("maxmemory", "0")
      yield* Effect.promise(() => redis.replicaof("127.0.0.1", 1))
      expect(yield* append(shop.urlOf("shop:x"))).toMatchObject({
        error: "redis_read_only",
        responseBodyExcerpt: expect.stringMatching(/^READONLY /),
      })
      yield* Effect.promise(() => redis.replicaof("NO", "ONE"))
      expect((yield* append(shop.urlOf("shop:x"))).outcome).toBe("success")
    }),
  )
})

describe("answers that no Redis should give", () => {
  const against = (bytes: string) =>
    Effect.gen(function* () {
      const peer = yield* Effect.acquireRelease(
        Effect.promise(() => startRedisPeer({ behaviour: { kind: "raw", bytes } })),
        (started) => Effect.promise(() => started.close()),
      )
      return yield* send(attemptTo(peer.url, { urlPassword: "secret" })).pipe(
        Effect.provide(sender([peer.origin])),
      )
    })

  it.effect.each([
    ["-MOVED 866 127.0.0.1:7001\r\n", "redis_moved"],
    ["-ASK 866 127.0.0.1:7001\r\n", "redis_moved"],
    ["-CLUSTERDOWN Hash slot not served\r\n", "redis_error"],
    ["-ERR max number of clients reached\r\n", "redis_error"],
    ["*30000000\r\n", "redis_not_resp"],
    ["HTTP/1.1 400 Bad Request\r\n\r\n", "redis_not_resp"],
    ["$1025\r\n", "redis_not_resp"],
    ["+OK\r\n+OK\r\n", "redis_not_resp"],
    [`+${"x".repeat(1_022)}\r\n`, "redis_not_resp"],
    ["$-1\r\n", "redis_not_resp"],
  ] as const)("%j is %s, and nobody is asked elsewhere", ([bytes, error]) =>
    Effect.map(against(bytes), (result) => {
      expect(result).toMatchObject({ outcome: "failed", retriable: true, error })
    }),
  )

  it.effect("a reply of just 1 KiB is read", () =>
    Effect.map(against(`+${"x".repeat(1_021)}\r\n`), (result) => {
      expect(result).toMatchObject({ outcome: "success", responseBodyExcerpt: "x".repeat(1_021) })
    }),
  )

  it.effect("a server that repeats what AUTH sent shows no password in the attempt", () =>
    Effect.gen(function* () {
      const peer = yield* Effect.acquireRelease(
        Effect.promise(() =>
          startRedisPeer({
            refusesAuth: "-ERR unknown command 'AUTH', with args beginning with: 'shop' 'secret'\r\n", // As Redis says of a command that it does not know.
          }),
        ),
        (started) => Effect.promise(() => started.close()),
      )
      const result = yield* send(attemptTo(peer.url, { urlPassword: "secret" })).pipe(
        Effect.provide(sender([peer.origin])),
      )
      expect(result).toMatchObject({ error: "redis_denied", responseBodyExcerpt: "ERR" })
      expect(peer.commands.map(({ parts }) => parts[0])).toEqual(["AUTH"])
    }),
  )
})

describe("connections to Redis", () => {
  const peers = (count: number) =>
    Effect.forEach(
      Array.from({ length: count }),
      () =>
        Effect.acquireRelease(
          Effect.promise(() => startRedisPeer()),
          (peer) => Effect.promise(() => peer.close()),
        ),
      { concurrency: "unbounded" },
    )

  it.effect("are kept for the same credentials alone, and each signs in once", () =>
    Effect.gen(function* () {
      const [peer] = yield* peers(1)
      if (peer === undefined) throw new Error("no peer")
      yield* Effect.gen(function* () {
        for (const urlPassword of ["one", "one", "two"]) yield* send(attemptTo(peer.url, { urlPassword }))
        yield* send(attemptTo(peer.url.replace("shop@", ""), { urlPassword: "one" }))
      }).pipe(Effect.provide(sender([peer.origin])))
      const auths = peer.commands
        .filter(({ parts }) => parts[0] === "AUTH")
        .map(({ parts }) => parts.slice(1))
      expect(auths).toEqual([["shop", "one"], ["shop", "two"], ["one"]])
    }),
  )

  it.live("as many are kept idle as the limit says; one more closes the longest idle", () =>
    Effect.gen(function* () {
      const [peer, other] = yield* peers(2)
      if (peer === undefined || other === undefined) throw new Error("no peer")
      yield* Effect.gen(function* () {
        let answer = (_: unknown) => {}
        peer.behave({ kind: "append", after: new Promise((resolve) => (answer = resolve)) })
        yield* Effect.all(
          [
            ...Array.from({ length: IDLE_REDIS_CONNECTIONS_MAX }, () => send(attemptTo(peer.url))),
            Effect.promise(async () => {
              await peer.waitFor(IDLE_REDIS_CONNECTIONS_MAX)
              answer(undefined)
            }),
          ],
          { concurrency: "unbounded" },
        )
        expect(peer.connections.open).toBe(IDLE_REDIS_CONNECTIONS_MAX)
        yield* send(attemptTo(other.url))
        yield* Effect.promise(() => peer.waitForOpenConnections(IDLE_REDIS_CONNECTIONS_MAX - 1))
        expect(other.connections.open).toBe(1)
      }).pipe(Effect.provide(sender([peer.origin, other.origin])))
    }),
  )

  it.live("one that the server ends while it is idle is not used again", () =>
    Effect.gen(function* () {
      const [peer] = yield* peers(1)
      if (peer === undefined) throw new Error("no peer")
      yield* Effect.gen(function* () {
        yield* send(attemptTo(peer.url))
        peer.endConnections()
        yield* Effect.promise(() => peer.waitForOpenConnections(0))
        expect((yield* send(attemptTo(peer.url))).outcome).toBe("success")
        expect(peer.connections.total).toBe(2)
      }).pipe(Effect.provide(sender([peer.origin])))
    }),
  )
})
