import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { documentRoutes } from "../../src/http/server/documents.ts"
import { dashboardOrigin } from "../http/dashboardFixture.ts"
import { type Fixture, getTransaction, goodKey, hugeBody, inFixture } from "../http/fixture.ts"
import { exchangeRaw, RawClient } from "../http/rawClient.ts"
import { hostileFactor, hostileTimeoutMillis } from "./effort.ts"
import { LazyClient } from "./lazyClient.ts"

const bundle = documentRoutes(undefined, "http://x").find(({ path }) =>
  path.endsWith("/api-reference.js"),
)?.path
const withGzip = (request: string): string => request.replace("\r\n\r\n", "\r\nAccept-Encoding: gzip\r\n\r\n")
const megabyte = 1024 * 1024
const get = (path: string, method = "GET"): string => `${method} ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
const health = get("/health")

/** Has the server make the document that a request asks for, which it keeps: that is not memory of answers that nobody reads. */
const makeDocument = async ({ server }: Fixture, request: string): Promise<void> => {
  const [, path = ""] = request.split(" ")
  await (await fetch(`http://localhost:${server.port}${path}`)).arrayBuffer()
}

/** Lets the server go on while it answers `count` requests of another connection, one after the other. */
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

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

/** What is held: by JavaScript, and by the server, whose buffers are not on the heap. */
const heldBytes = (): number => {
  collectGarbage()
  const { rss, heapTotal, heapUsed } = process.memoryUsage()
  return rss - heapTotal + heapUsed
}
const bytesMax = 64 * megabyte

/** Makes a function that says how much more memory is taken than now. Only where it seems much, garbage is told apart. */
const startMeasuring = () => {
  const before = { held: heldBytes(), resident: process.memoryUsage().rss }
  return (): number => {
    const taken = process.memoryUsage().rss - before.resident
    return taken < bytesMax ? taken : heldBytes() - before.held
  }
}

describe("answers that a client does not read", () => {
  const floods: ReadonlyArray<readonly [name: string, request: string, count: number]> = [
    ["GET /docs/plain", get("/docs/plain"), 2_000],
    ["GET /docs", get("/docs"), 50_000],
    ["the script of /docs", withGzip(get(bundle ?? "")), 500],
    [
      "a script that the client has",
      withGzip(get(bundle ?? "")).replace("\r\n\r\n", "\r\nIf-None-Match: *\r\n\r\n"),
      100_000,
    ],
    ["GET /openapi.json", get("/openapi.json"), 2_000],
    ["GET /metrics", get("/metrics").replace("Host: x", "Host: localhost"), 50_000],
    [
      "GET /docs/plain, each the last of its connection",
      get("/docs/plain").replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"),
      2_000,
    ],
    ["an unknown path", get("/nope"), 100_000],
    ["a method that is not allowed", get("/docs/plain", "PUT"), 100_000],
    ["a missing key", get("/v1/transactions"), 100_000],
    ["HEAD of a document", get("/docs/plain", "HEAD"), 100_000],
    ["HEAD of an unknown path", get("/nope", "HEAD"), 100_000],
    ["charges", getTransaction("txn_1"), 50_000],
    ["large answers", getTransaction("txn_big"), 500],
    ["answers that are made later", getTransaction("txn_later"), 50_000],
  ]
  it.live.each(floods)(
    "unread answers take little memory, however many requests are pipelined: %s",
    ([, request, count]) =>
      inFixture(async (fixture) => {
        await makeDocument(fixture, request)
        await others(fixture, 50)
        const taken = startMeasuring()
        const client = new LazyClient(fixture.server.port)
        const perWrite = Math.ceil(count / 20)
        const flood = request.repeat(perWrite)
        let peak = 0
        for (let sent = 0; sent < count * hostileFactor && !client.closed; sent += perWrite) {
          const written = client.send(flood)
          await others(fixture, 10)
          peak = Math.max(peak, taken())
          // Once the server stops reading, the system takes no more.
          await Promise.race([written, others(fixture, 50)])
        }
        client.close()
        expect(peak).toBeLessThan(bytesMax)
      })(),
    hostileTimeoutMillis,
  )
})

describe("clients that read late", () => {
  /** More than all buffers of two sockets hold. */
  const huge = getTransaction("txn_huge")

  it.live(
    "a client that reads late has none of its later requests read meanwhile, then gets all answers in order",
    inFixture(async (fixture) => {
      const client = new LazyClient(fixture.server.port)
      await client.send(huge)
      await others(fixture, 20)
      for (const request of [health, getTransaction("txn_1"), get("/nope"), get("/docs/plain")]) {
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
    "a client that reads too late is cut, which lets the drain end",
    inFixture(
      async (fixture) => {
        const client = new LazyClient(fixture.server.port)
        await client.send(huge)
        await others(fixture, 20)
        // The drain waits for what is unsent.
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
    "an answer to HEAD ends the connection, with Connection: close, when the chance hits and not before",
    inFixture(
      async (fixture) => {
        const client = new LazyClient(fixture.server.port)
        for (let index = 0; index < 49; index++) {
          await client.send(get("/docs/plain", "HEAD"))
          await others(fixture, 1)
        }
        expect(client.closed).toBe(false)
        await client.send(get("/docs/plain", "HEAD"))
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
    "an answer to a preflight has a body when the chance hits, which shows whether the client reads",
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
    [get("/docs/plain", "PUT"), 405],
    [get("/v1/transactions"), 401],
  ]
  it.live(
    "2,000 requests pipelined in one write are all answered in order",
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
    "a flood of pipelined requests lets other clients in between and is cut",
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
    "a request pipelined behind an unanswered one ends the connection without an answer: answers never mix",
    inFixture(async ({ server }) => {
      const chargeHead = `POST /v1/transactions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${goodKey}\r\nContent-Type: application/json\r\nIdempotency-Key: a\r\nContent-Length: 2\r\n\r\n{}`
      const stream = `GET /events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${goodKey}\r\n\r\n`
      for (const behind of [slow, health, get("/docs/plain"), get("/nope", "HEAD"), chargeHead, stream]) {
        const client = new RawClient(server.port)
        client.send(slow + behind)
        expect(await client.toEnd()).toBe("")
      }
    }),
  )

  it.live(
    "a request pipelined behind a stream ends the connection, and the stream with it",
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
