import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { dashboardOrigin } from "../http/dashboardFixture.ts"
import { type Fixture, getTransaction, goodKey, hugeBody, inFixture } from "../http/fixture.ts"
import { exchangeRaw, RawClient } from "../http/rawClient.ts"
import { hostileFactor, hostileTimeoutMillis } from "./effort.ts"
import { LazyClient } from "./lazyClient.ts"

const megabyte = 1024 * 1024
const get = (path: string, method = "GET"): string => `${method} ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
const health = get("/health")

/** Lets the server go on: so many requests of another connection, one after the other, are answered meanwhile. */
const others = async ({ server }: Fixture, count: number): Promise<void> => {
  const client = new RawClient(server.port)
  for (let index = 0; index < count; index++) {
    client.received = Buffer.alloc(0)
    client.send(health)
    const [response] = await client.responses(1)
    expect(response?.status).toBe(200)
  }
  client.close()
}

const residentBytes = (): number => {
  globalThis.gc?.()
  return process.memoryUsage().rss
}

describe("answers that a client does not read", () => {
  const floods: ReadonlyArray<readonly [name: string, request: string, count: number]> = [
    ["GET /docs", get("/docs"), 2_000],
    ["GET /openapi.json", get("/openapi.json"), 2_000],
    ["GET /metrics", get("/metrics"), 50_000],
    [
      "GET /docs, each the last of its connection",
      get("/docs").replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"),
      2_000,
    ],
    ["an unknown path", get("/nope"), 100_000],
    ["a method that is not allowed", get("/docs", "PUT"), 100_000],
    ["a missing key", get("/v1/transactions"), 100_000],
    ["HEAD of a document", get("/docs", "HEAD"), 100_000],
    ["HEAD of an unknown path", get("/nope", "HEAD"), 100_000],
    ["charges", getTransaction("txn_1"), 50_000],
    ["large answers", getTransaction("txn_big"), 500],
    ["answers that are made later", getTransaction("txn_later"), 50_000],
  ]
  it.live.each(floods)(
    "take little memory, however many are asked for at once: %s",
    ([, request, count]) =>
      inFixture(async (fixture) => {
        await others(fixture, 50)
        const before = residentBytes()
        const client = new LazyClient(fixture.server.port)
        const perWrite = Math.ceil(count / 20)
        const flood = request.repeat(perWrite)
        let peak = 0
        for (let sent = 0; sent < count * hostileFactor && !client.closed; sent += perWrite) {
          const written = client.send(flood)
          await others(fixture, 10)
          peak = Math.max(peak, residentBytes() - before)
          // A server that reads on no more makes the system take no more.
          await Promise.race([written, others(fixture, 50)])
        }
        client.close()
        expect(peak).toBeLessThan(64 * megabyte)
      })(),
    hostileTimeoutMillis,
  )
})

describe("a client that reads late", () => {
  /** More than all buffers of two sockets hold. */
  const huge = getTransaction("txn_huge")

  it.live(
    "finds nothing of the connection read meanwhile, and then every answer, whole and in order",
    inFixture(async (fixture) => {
      const client = new LazyClient(fixture.server.port)
      await client.send(huge)
      await others(fixture, 20)
      for (const request of [health, getTransaction("txn_1"), get("/nope"), get("/docs")]) {
        await client.send(request)
        await others(fixture, 20)
      }
      expect(client.closed).toBe(false)
      expect(fixture.steering.last).toMatchObject({ params: { id: "txn_huge" } })
      const responses = await client.read(5)
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 404, 200])
      expect(responses[0]?.body).toHaveLength(hugeBody.length)
      expect(responses[0]?.body === hugeBody).toBe(true)
      expect(responses[4]?.body).toMatch(/<\/html>\s*$/)
      await client.send(health)
      expect(client.closed).toBe(false)
      client.close()
    }),
  )

  it.live(
    "too late is cut, and leaves nothing behind",
    inFixture(
      async (fixture) => {
        const client = new LazyClient(fixture.server.port)
        await client.send(huge)
        await others(fixture, 20)
        // It waits for what is unsent.
        await Effect.runPromise(fixture.server.drain)
        expect(await client.read(1)).toEqual([])
      },
      {
        drainTimeoutMillis: 600_000,
        timeouts: { bodyMillis: 15_000, answerMillis: 15_000, unsentMillis: 50 },
      },
    ),
  )
})

describe("answers without a body", () => {
  const preflight = `OPTIONS /user HTTP/1.1\r\nHost: x\r\nOrigin: ${dashboardOrigin}\r\n\r\n`

  /** A chance that hits at its `hit`th draw. */
  const hittingAt = (hit: number) => {
    let draws = 0
    return () => (++draws === hit ? 0 : 0.5)
  }

  it.live(
    "of HEAD end the connection when the chance hits, and say so; not before",
    inFixture(
      async (fixture) => {
        const client = new LazyClient(fixture.server.port)
        for (let index = 0; index < 49; index++) {
          await client.send(get("/docs", "HEAD"))
          await others(fixture, 1)
        }
        expect(client.closed).toBe(false)
        await client.send(get("/docs", "HEAD"))
        const responses = await client.read(51, true)
        expect(responses.map(({ headers }) => headers.connection)).toEqual([
          ...Array.from({ length: 49 }, () => undefined),
          "close",
        ])
        expect(Number(responses[49]?.headers["content-length"])).toBeGreaterThan(200_000)
      },
      { chance: hittingAt(50) },
    ),
  )

  it.live(
    "to preflights have one where the chance hits: it tells whether the client reads",
    inFixture(
      async ({ server }) => {
        const client = new RawClient(server.port)
        client.send(preflight)
        await client.until(({ received }) => received.includes("\r\n\r\n"))
        expect(client.text()).toMatch(/^HTTP\/1\.1 204 /)
        client.received = Buffer.alloc(0)
        client.send(preflight)
        const [answer] = await client.responses(1)
        expect(answer).toMatchObject({
          status: 200,
          body: "{}",
          headers: { "access-control-allow-origin": dashboardOrigin },
        })
        client.close()
      },
      { chance: hittingAt(2) },
    ),
  )
})

describe("pipelined requests that are answered at once", () => {
  const kinds: ReadonlyArray<readonly [request: string, status: number]> = [
    [health, 200],
    [get("/nope"), 404],
    [get("/docs", "PUT"), 405],
    [get("/v1/transactions"), 401],
  ]
  it.live(
    "are all answered in order, 2,000 of one write",
    inFixture(async ({ server }) => {
      const client = new LazyClient(server.port)
      const chosen = Array.from(
        { length: 2_000 },
        (_, index) => kinds[index % kinds.length] as (typeof kinds)[0],
      )
      await client.send(chosen.map(([request]) => request).join(""))
      const responses = await client.read(chosen.length)
      expect(responses.map(({ status }) => status)).toEqual(chosen.map(([, status]) => status))
      client.close()
    }),
  )

  it.live(
    "let others in between: a flood of them is cut after a turn's worth",
    inFixture(async (fixture) => {
      const client = new LazyClient(fixture.server.port)
      void client.read(Number.POSITIVE_INFINITY)
      void client.send(get("/nope").repeat(200_000))
      await others(fixture, 20)
      expect(client.closed).toBe(true)
      const after = await exchangeRaw(fixture.server.port, getTransaction("txn_1"))
      expect(after.status).toBe(200)
    }),
  )
})

describe("pipelined requests that are answered later", () => {
  const slow = getTransaction("txn_later")
  it.live(
    "end the connection, whatever comes behind: answers never mix",
    inFixture(async ({ server }) => {
      const chargeHead = `POST /v1/transactions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${goodKey}\r\nContent-Type: application/json\r\nIdempotency-Key: a\r\nContent-Length: 2\r\n\r\n{}`
      const stream = `GET /events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${goodKey}\r\n\r\n`
      for (const behind of [slow, health, get("/docs"), get("/nope", "HEAD"), chargeHead, stream]) {
        const client = new RawClient(server.port)
        client.send(slow + behind)
        expect(await client.toEnd()).toBe("")
      }
    }),
  )

  it.live(
    "after a stream end the connection, and the stream with it",
    inFixture(async ({ server, steering }) => {
      const client = new RawClient(server.port)
      let isEnded = false
      client.send(`GET /events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${goodKey}\r\n\r\n${health}`)
      await client.toEnd()
      expect(client.text()).not.toContain('"status"')
      steering.streams[0]?.onEnded(() => {
        isEnded = true
      })
      expect(isEnded || steering.streams.length === 0).toBe(true)
    }),
  )
})
