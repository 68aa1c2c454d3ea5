import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { getTransaction, goodCharge, goodKey, inFixture, postHead, until } from "../http/fixture.ts"
import { exchangeRaw, RawClient } from "../http/rawClient.ts"
import { hostileFactor, hostileTimeoutMillis } from "./effort.ts"
import { LazyClient } from "./lazyClient.ts"

const body = JSON.stringify(goodCharge)
/** Fewer than the files that a process may open. */
const slowClients = Math.min(200 * hostileFactor, 400)

/** Opens connections that each send the same and then hold still. */
const hold = (port: number, bytes: string): ReadonlyArray<RawClient> =>
  Array.from({ length: slowClients }, () => {
    const client = new RawClient(port)
    client.send(bytes)
    return client
  })

describe("clients that hold still", () => {
  const stills: ReadonlyArray<readonly [name: string, bytes: string]> = [
    ["before a request", ""],
    ["in a request line", "GET /v1/trans"],
    ["in a header", "GET /health HTTP/1.1\r\nHost: x\r\nA: "],
    ["before the end of the head", "GET /health HTTP/1.1\r\nHost: x\r\n"],
    ["before a body", postHead(`Content-Length: ${body.length}\r\n`)],
    ["in a body", `${postHead(`Content-Length: ${body.length}\r\n`)}${body.slice(0, 20)}`],
    ["in a body that goes nowhere", `POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n\r\n{`],
  ]
  it.live.each(stills)(
    "clients that hold still %s keep nobody else waiting, and nothing is done for them",
    ([, bytes]) =>
      inFixture(async ({ server, steering }) => {
        const clients = hold(server.port, bytes)
        for (let index = 0; index < 20; index++) {
          expect((await exchangeRaw(server.port, getTransaction(`txn_${index}`))).status).toBe(200)
        }
        expect(steering.last).toMatchObject({ params: { id: "txn_19" } })
        for (const client of clients) client.close()
      })(),
    hostileTimeoutMillis,
  )

  it.live(
    "clients that hold still in a body get 400 at its deadline, and do not hold up the drain",
    inFixture(
      async ({ server }) => {
        const clients = hold(server.port, `${postHead(`Content-Length: ${body.length}\r\n`)}{`)
        for (const client of clients) expect(await client.toEnd()).toMatch(/^HTTP\/1\.1 400 /)
        await Effect.runPromise(server.drain)
      },
      { timeouts: { bodyMillis: 200, answerMillis: 15_000 } },
    ),
    hostileTimeoutMillis,
  )
})

describe("clients that send byte by byte", () => {
  it.live(
    "a client that sends byte by byte is answered like any other",
    inFixture(async ({ server }) => {
      const client = new RawClient(server.port)
      const bytes = Buffer.from(`${postHead(`Content-Length: ${body.length}\r\n`)}${body}`)
      for (const byte of bytes) {
        client.send(Buffer.of(byte))
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect((await client.responses(1))[0]?.status).toBe(201)
      client.close()
    }),
  )
})

describe("clients that read nothing of a stream", () => {
  it.live(
    "a stream whose client reads nothing counts what is unsent, can be cut, and holds up nobody else",
    inFixture(async ({ server, steering }) => {
      const asked = `GET /events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${goodKey}\r\n\r\n`
      const lazy = new LazyClient(server.port)
      await lazy.send(asked)
      await until(() => steering.streams.length === 1)
      const [stream] = steering.streams
      let isEnded = false
      stream?.onEnded(() => {
        isEnded = true
      })
      const frame = Buffer.alloc(64 * 1024, ":")
      // What the two sockets take is not counted; the rest is, and the feed cuts by that count.
      for (let index = 0; index < 1_000 && (stream?.unsentBytes() ?? 0) < 1_000_000; index++) {
        stream?.write(frame)
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect(stream?.unsentBytes()).toBeGreaterThan(256 * 1024)
      stream?.cut()
      expect(isEnded).toBe(true)
      expect((await exchangeRaw(server.port, getTransaction("txn_1"))).status).toBe(200)
      lazy.close()
    }),
  )
})
