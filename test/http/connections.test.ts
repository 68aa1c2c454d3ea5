import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { getTransaction, goodKey, inFixture, postHead, turn, until } from "./fixture.ts"
import { exchangeRaw, RawClient } from "./rawClient.ts"

const idOf = (body: string): unknown => JSON.parse(body).id

describe("connections", () => {
  it.live(
    "a connection serves one request after the other and stays open",
    inFixture(async ({ server }) => {
      const client = new RawClient(server.port)
      for (const [index, id] of ["txn_1", "txn_later", "txn_missing", "txn_big", "txn_2"].entries()) {
        client.send(getTransaction(id))
        expect(await client.responses(index + 1)).toHaveLength(index + 1)
      }
      const responses = await client.responses(5)
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 404, 200, 200])
      expect(responses[3]?.body).toHaveLength(400_000 + '{"data":""}'.length)
      expect(client.closed).toBe(false)
      client.close()
    }),
  )

  it.live(
    "a connection answers pipelined requests in order where each is answered at once",
    inFixture(async ({ server }) => {
      const client = new RawClient(server.port)
      const ids = Array.from({ length: 20 }, (_, index) => `txn_${index}`)
      client.send(ids.map((id) => getTransaction(id)).join(""))
      const responses = await client.responses(20)
      expect(responses.map(({ body }) => idOf(body))).toEqual(ids)
      client.close()
    }),
  )

  it.live(
    "a connection closes where a request is pipelined behind one without an answer yet: answers never mix",
    inFixture(async ({ server, steering }) => {
      const client = new RawClient(server.port)
      client.send(getTransaction("txn_1") + getTransaction("txn_held") + getTransaction("txn_2"))
      const text = await client.toEnd()
      expect(text).not.toContain("txn_2")
      expect(text).not.toContain("txn_held")
      await until(() => steering.held.length === 1)
      steering.held[0]?.()
      expect(steering.heldDone).toBe(1)
      const after = await exchangeRaw(server.port, getTransaction("txn_3"))
      expect(idOf(after.body)).toBe("txn_3")
    }),
  )

  it.live(
    "a connection is closed, with Connection: close, where the client asks for it",
    inFixture(async ({ server }) => {
      const client = new RawClient(server.port)
      client.send(getTransaction("txn_later", "Connection: close\r\n"))
      const text = await client.toEnd()
      expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
      expect(text).toContain("Connection: close\r\n")
    }),
  )

  it.live(
    "a connection accepts a request that arrives byte by byte",
    inFixture(async ({ server }) => {
      const client = new RawClient(server.port)
      for (const character of getTransaction("txn_slow")) {
        client.send(character)
        await turn()
      }
      const [response] = await client.responses(1)
      expect(idOf(response?.body ?? "{}")).toBe("txn_slow")
      client.close()
    }),
  )

  const doubtful: ReadonlyArray<readonly [name: string, head: string]> = [
    ["two lengths", "Content-Length: 2\r\nContent-Length: 3\r\n"],
    ["two equal lengths", "Content-Length: 2\r\nContent-Length: 2\r\n"],
    ["two encodings", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"],
    ["an encoding that is not chunked", "Transfer-Encoding: gzip, chunked\r\n"],
    ["length and encoding", "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n"],
    ["a signed length", "Content-Length: +2\r\n"],
    ["a length that is no number", "Content-Length: two\r\n"],
  ]
  it.live.each(doubtful)("a request with %s ends its connection, and nothing of it is done", ([, head]) =>
    inFixture(async ({ server, steering }) => {
      for (const start of [postHead(head), getTransaction("txn_1", head)]) {
        const client = new RawClient(server.port)
        client.send(`${start}{}GET /v1/transactions/txn_smuggled HTTP/1.1\r\nHost: x\r\n\r\n`)
        const text = await client.toEnd()
        expect(text).toMatch(/^(HTTP\/1\.1 400 Bad Request\r\n|$)/)
        expect(text).not.toContain("txn_")
      }
      expect(steering.last).toBeUndefined()
    })(),
  )
})

/** uWebSockets.js answers these by itself, so there is neither an envelope nor a request id. */
describe("bytes that are not an HTTP/1.1 request", () => {
  const refused: ReadonlyArray<readonly [name: string, bytes: string, status: number]> = [
    ["HTTP/1.0", "GET /health HTTP/1.0\r\nHost: x\r\n\r\n", 505],
    ["another protocol", "\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n", 505],
    ["a request line without a path", "GET HTTP/1.1\r\nHost: x\r\n\r\n", 505],
    ["an absolute target", "GET http://x/health HTTP/1.1\r\nHost: x\r\n\r\n", 505],
    ["a missing Host", "GET /health HTTP/1.1\r\n\r\n", 400],
    ["two Hosts", "GET /health HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400],
    ["a blank before the colon", "GET /health HTTP/1.1\r\nHost : x\r\n\r\n", 400],
    ["a folded header", "GET /health HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n", 400],
    ["a NUL in a header", "GET /health HTTP/1.1\r\nHost: x\r\nA: b\u0000c\r\n\r\n", 400],
    ["a hundred headers", `GET /health HTTP/1.1\r\nHost: x\r\n${"a: b\r\n".repeat(100)}\r\n`, 431],
    ["too many header bytes", `GET /health HTTP/1.1\r\nHost: x\r\nA: ${"b".repeat(16 * 1024)}\r\n\r\n`, 431],
  ]
  it.live.each(refused)("%s is refused, and the connection closed", ([, bytes, status]) =>
    inFixture(async ({ server }) => {
      const client = new RawClient(server.port)
      client.send(Buffer.from(bytes, "latin1"))
      const text = await client.toEnd()
      expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    })(),
  )

  it.live(
    "a request with 12 KiB of headers is accepted",
    inFixture(async ({ server }) => {
      const response = await exchangeRaw(
        server.port,
        getTransaction("txn_1", `Cookie: ${"c".repeat(12 * 1024)}\r\n`),
      )
      expect(response.status).toBe(200)
    }),
  )
})

describe("deadlines", () => {
  const soon = { timeouts: { bodyMillis: 60, answerMillis: 60 } }

  it.live(
    "an answer that misses its deadline is replaced by 503; its work runs to its end, and its answer goes nowhere",
    inFixture(async ({ server, steering }) => {
      const client = new RawClient(server.port)
      client.send(getTransaction("txn_held"))
      const [late] = await client.responses(1)
      expect(late).toMatchObject({ status: 503, headers: { "retry-after": "1" } })
      expect(JSON.parse(late?.body ?? "").error).toMatchObject({ code: "service_unavailable" })
      client.send(getTransaction("txn_1"))
      expect(await client.responses(2)).toHaveLength(2)
      steering.held[0]?.()
      expect(steering.heldDone).toBe(1)
      client.send(getTransaction("txn_2"))
      const responses = await client.responses(3)
      expect(responses.slice(1).map(({ body }) => idOf(body))).toEqual(["txn_1", "txn_2"])
      client.close()
    }, soon),
  )

  it.live(
    "a body that misses its deadline is 400, and the connection closes",
    inFixture(async ({ server }) => {
      const client = new RawClient(server.port)
      client.send(`${postHead("Content-Length: 100\r\n")}{"amount"`)
      const text = await client.toEnd()
      expect(text).toMatch(/^HTTP\/1\.1 400 /)
      expect(text).toContain("did not arrive completely")
      expect(text).toContain("Connection: close")
    }, soon),
  )

  it.live(
    "deadlines leave open streams alone",
    inFixture(async ({ server, steering }) => {
      const client = new RawClient(server.port)
      client.send(`GET /events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${goodKey}\r\n\r\n`)
      await until(() => steering.streams.length === 1)
      // A later request has run into its deadline, so the stream is past the same one.
      await exchangeRaw(server.port, getTransaction("txn_held"))
      steering.streams[0]?.write(Buffer.from("still there"))
      await client.until(({ received }) => received.includes("still there"))
      client.close()
      steering.held[0]?.()
    }, soon),
  )
})

describe("a client that leaves", () => {
  it.live(
    "a client that leaves does not stop the work it asked for",
    inFixture(async ({ server, steering }) => {
      const client = new RawClient(server.port)
      client.send(getTransaction("txn_held"))
      await until(() => steering.held.length === 1)
      client.socket.resetAndDestroy()
      await exchangeRaw(server.port, getTransaction("txn_1"))
      steering.held[0]?.()
      expect(steering.heldDone).toBe(1)
      expect((await exchangeRaw(server.port, getTransaction("txn_2"))).status).toBe(200)
    }),
  )

  it.live(
    "clients that leave in the middle of a body hold up neither other requests nor the drain",
    inFixture(async ({ server, steering }) => {
      for (let index = 0; index < 20; index++) {
        const client = new RawClient(server.port)
        client.send(`${postHead("Content-Length: 100\r\n")}{"amount"`)
        await new Promise<void>((resolve) => client.socket.once("connect", () => resolve()))
        client.socket.resetAndDestroy()
      }
      expect((await exchangeRaw(server.port, getTransaction("txn_1"))).status).toBe(200)
      await Effect.runPromise(server.drain)
      expect(steering.heldDone).toBe(0)
    }),
  )
})
