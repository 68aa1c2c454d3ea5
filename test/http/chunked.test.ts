import { request } from "node:http"
import { ReadableStream } from "node:stream/web"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { limits } from "../../schema/limits.ts"
import { documentRoute } from "../../src/http/server/compressed.ts"
import { serve } from "../../src/http/server/server.ts"
import { authorized, type Fixture, getTransaction, goodCharge, inFixture, postHead } from "./fixture.ts"
import { exchangeRaw, RawClient } from "./rawClient.ts"

const chunkedHead = postHead("Transfer-Encoding: chunked\r\n")
const smuggled = getTransaction("txn_smuggled")
const headers = { ...authorized, "content-type": "application/json", "idempotency-key": "order-1042" }
const text = JSON.stringify({ ...goodCharge, customer: { ...goodCharge.customer, name: "Zoë 日本" } })

/** A chunk as RFC 9112 7.1 writes it; `size` spells its length. */
const chunk = (bytes: Buffer, size = bytes.length.toString(16)): Buffer =>
  Buffer.concat([Buffer.from(`${size}\r\n`), bytes, Buffer.from("\r\n")])
const end = Buffer.from("0\r\n\r\n")
const framed = (body: Buffer): Buffer => Buffer.concat([chunk(body), end])

/** Cuts bytes at some of its places. */
const cut = (bytes: Buffer, places: ReadonlyArray<number>): ReadonlyArray<Buffer> => {
  const at = [...new Set(places.map((place) => place % bytes.length))].toSorted((a, b) => a - b)
  return [0, ...at].map((from, index) => bytes.subarray(from, at[index] ?? bytes.length))
}
const places = fc.array(fc.nat(10_000), { maxLength: 8 })

/** What a connection receives until it ends, of pieces that leave one by one. */
const toEnd = async (port: number, pieces: ReadonlyArray<Uint8Array>): Promise<string> => {
  const client = new RawClient(port)
  for (const piece of pieces) {
    client.send(piece)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return client.toEnd()
}
const bodyOf = ({ steering }: Fixture) => (steering.last as { readonly rawBody: string } | undefined)?.rawBody
/** Forgets the last request; returns what a client of chunks gets. */
const meet = (fixture: Fixture, pieces: ReadonlyArray<Uint8Array>) => {
  fixture.steering.last = undefined
  return toEnd(fixture.server.port, pieces)
}

describe("bodies in chunks of real clients", () => {
  it.live(
    "fetch creates a charge with a body that it streams",
    inFixture(async (fixture) => {
      const parts = cut(Buffer.from(text), [3, 50, 90])
      const body = ReadableStream.from(parts.map((part) => new Uint8Array(part)))
      const options = { method: "POST", headers, body, duplex: "half" }
      const answer = await fetch(`${fixture.origin}/v1/transactions`, options as RequestInit)
      expect([answer.status, answer.headers.get("connection")]).toEqual([201, "close"])
      expect(bodyOf(fixture)).toBe(text)
    }),
  )

  it.live(
    "Node's http creates charges with bodies that it streams, one after the other",
    inFixture(async (fixture) => {
      for (let count = 0; count < 3; count++) {
        const status = await new Promise<number | undefined>((resolve, reject) => {
          const asked = request(
            `${fixture.origin}/v1/transactions`,
            { method: "POST", headers },
            (answer) => {
              answer.resume()
              answer.on("end", () => resolve(answer.statusCode))
            },
          )
          asked.on("error", reject)
          for (const part of cut(Buffer.from(text), [10, 20, 21])) asked.write(part)
          asked.end()
        })
        expect([status, bodyOf(fixture)]).toEqual([201, text])
      }
    }),
  )
})

describe("the framing of chunks", () => {
  it.live(
    "a body arrives whole, however it is cut into chunks and these into packets, and nothing behind it is read",
    inFixture(async (fixture) => {
      const spelling = fc.record({ zeros: fc.nat(3), isUpper: fc.boolean() })
      await fc.assert(
        fc.asyncProperty(places, places, spelling, async (chunks, packets, { zeros, isUpper }) => {
          const sizeOf = (bytes: Buffer) => {
            const hex = bytes.length.toString(16)
            return `${"0".repeat(zeros)}${isUpper ? hex.toUpperCase() : hex}`
          }
          const parts = cut(Buffer.from(text), chunks).filter(({ length }) => length > 0)
          const body = Buffer.concat([...parts.map((part) => chunk(part, sizeOf(part))), end])
          const wire = Buffer.concat([Buffer.from(chunkedHead), body])
          const received = await meet(fixture, cut(wire, packets))
          expect(received).toMatch(/^HTTP\/1\.1 201 Created\r\n/)
          expect(received.match(/^Connection: close\r$/gim)).toHaveLength(1)
          expect(bodyOf(fixture)).toBe(text)
        }),
        { numRuns: 60 },
      )
    }),
  )

  it.live(
    "a body with an extension or a trailer is taken as it was meant or not at all, and nothing behind it is read",
    inFixture(
      async (fixture) => {
        const token = fc.stringMatching(/^ ?[a-z0-9=";]{0,8}$/)
        const extensions = fc
          .tuple(fc.constantFrom("", " ", "\t"), fc.constantFrom("", ";"), token)
          .map(([blank, semicolon, rest]) => (semicolon === "" ? blank : `${blank};${rest}`))
        await fc.assert(
          fc.asyncProperty(
            extensions,
            token,
            places,
            fc.boolean(),
            async (extension, trailer, packets, isOne) => {
              const bytes = Buffer.from(text)
              const size = `${bytes.length.toString(16)}${extension}`
              const last = trailer === "" ? "0\r\n\r\n" : `0\r\nx: ${trailer}\r\n\r\n`
              const wire = Buffer.concat([
                ...[Buffer.from(chunkedHead), chunk(bytes, size), Buffer.from(last)],
                Buffer.from(smuggled),
              ])
              const received = await meet(fixture, isOne ? [wire] : cut(wire, packets))
              expect(received.split("HTTP/1.1 ").length).toBeLessThanOrEqual(2)
              expect(received).not.toContain("txn_smuggled")
              expect([undefined, text]).toContain(bodyOf(fixture))
            },
          ),
          { numRuns: 40 },
        )
      },
      { timeouts: { bodyMillis: 30, answerMillis: 5_000 } },
    ),
  )

  it.live(
    "bytes that come in one packet with a chunked body and are no part of it keep it from being done",
    inFixture(async (fixture) => {
      for (const behind of [smuggled, "x: y\r\n\r\n", "\r\n"]) {
        const wire = Buffer.concat([Buffer.from(chunkedHead), framed(Buffer.from(text)), Buffer.from(behind)])
        const received = await meet(fixture, [wire])
        if (behind === "\r\n") continue
        expect(received).not.toContain("txn_")
        expect(bodyOf(fixture)).toBeUndefined()
      }
    }),
  )
})

describe("limits of chunked bodies", () => {
  const statusOf = async (fixture: Fixture, wire: Buffer) => {
    const received = await meet(fixture, [Buffer.from(chunkedHead), wire])
    return Number(received.split(" ")[1])
  }

  it.live(
    "a chunked body of 256 KiB is taken, and one of a byte more is 413",
    inFixture(async (fixture) => {
      const bare = Buffer.byteLength(text) + ',"filler":""'.length
      const bodyOfBytes = (bytes: number) =>
        Buffer.from(`${text.slice(0, -1)},"filler":"${"x".repeat(bytes - bare)}"}`)
      expect(await statusOf(fixture, framed(bodyOfBytes(limits.bodyBytesMax)))).toBe(201)
      expect(await statusOf(fixture, framed(bodyOfBytes(limits.bodyBytesMax + 1)))).toBe(413)
    }),
  )

  it.live(
    "a body of 4,096 chunks is taken, one of 4,097 is 413, and one without an end is cut",
    inFixture(async (fixture) => {
      const inChunks = (count: number) => {
        const padding = Buffer.from(" ".repeat(count - 1)).toString()
        return Buffer.concat([
          ...[...padding].map((blank) => chunk(Buffer.from(blank))),
          chunk(Buffer.from(text)),
          end,
        ])
      }
      expect(await statusOf(fixture, inChunks(limits.bodyChunksMax))).toBe(201)
      expect(await statusOf(fixture, inChunks(limits.bodyChunksMax + 1))).toBe(413)
      expect(await statusOf(fixture, Buffer.from("1\r\n \r\n".repeat(17 * limits.bodyChunksMax + 1)))).toBe(
        413,
      )
    }),
  )

  it.live(
    "a chunked body that does not end in time is 400, and its connection ends",
    inFixture(
      async (fixture) => {
        const received = await meet(fixture, [Buffer.from(chunkedHead), chunk(Buffer.from(text))])
        expect(received).toMatch(/^HTTP\/1\.1 400 /)
        expect(received).toContain("did not arrive completely within 0.05 s")
      },
      { timeouts: { bodyMillis: 50, answerMillis: 5_000 } },
    ),
  )
})

describe("what follows a chunked body", () => {
  /** Sends a chunked request, then another one once its answer has come; returns what was received. */
  const thenAnother = async (port: number, head: string, body = "2\r\n{}\r\n0\r\n\r\n"): Promise<string> => {
    const client = new RawClient(port)
    client.send(head + body)
    await client.until(({ received }) => received.includes("\r\n\r\n"))
    client.send(smuggled)
    // Another client's exchanges take long enough for the server to have read it.
    for (let count = 0; count < 10; count++) await exchangeRaw(port, getTransaction("txn_1"))
    client.close()
    return client.text()
  }

  it.live(
    "nothing is read after the answer to a chunked request, with or without a body of its own",
    inFixture(async (fixture) => {
      const line = "Host: x\r\nTransfer-Encoding: chunked\r\n"
      for (const [head, status] of [
        [`POST /nope HTTP/1.1\r\n${line}\r\n`, 404],
        [`DELETE /docs HTTP/1.1\r\n${line}\r\n`, 405],
        [`GET /docs HTTP/1.1\r\n${line}\r\n`, 411],
        [`HEAD /docs HTTP/1.1\r\n${line}\r\n`, 411],
        [`OPTIONS /user HTTP/1.1\r\n${line}\r\n`, 411],
        [chunkedHead, 400],
      ] as const) {
        const received = await thenAnother(fixture.server.port, head)
        expect([head, received.split("HTTP/1.1 ").length]).toEqual([head, 2])
        expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
        expect(received).toMatch(/^Connection: close\r$/m)
      }
      expect(fixture.steering.last).not.toMatchObject({ params: { id: "txn_smuggled" } })
    }),
  )

  it.live(
    "nothing is read after a long answer to a chunked request, whose end is left to its client",
    inFixture(async (fixture) => {
      const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, key) => [key, "x".repeat(500)]))
      const body = Buffer.from(JSON.stringify({ ...goodCharge, metadata }))
      const received = await thenAnother(fixture.server.port, chunkedHead, framed(body).toString())
      expect(received).toMatch(/^HTTP\/1\.1 201 /)
      expect(received).toMatch(/^Connection: close\r$/m)
      expect(received.endsWith(body.toString())).toBe(true)
    }),
  )

  it.live("nothing is read after an answer without a body to a chunked request", () =>
    Effect.gen(function* () {
      const gone = documentRoute("/gone", Effect.succeed({ status: 204, body: "" }))
      const { port } = yield* serve({ host: "127.0.0.1", port: 0, routes: [{ ...gone, method: "POST" }] })
      const head = "POST /gone HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      const received = yield* Effect.promise(() => thenAnother(port, head))
      expect(received).toMatch(/^HTTP\/1\.1 204 No Content\r\n/)
      expect(received).toMatch(/^Connection: close\r$/m)
      expect([received.endsWith("\r\n\r\n"), received.split("HTTP/1.1 ").length]).toEqual([true, 2])
    }),
  )

  it.live(
    "a request with a length and chunks is 400, and its connection ends",
    inFixture(async (fixture) => {
      for (const lines of [
        "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n",
      ]) {
        const received = await meet(fixture, [Buffer.from(`${postHead(lines)}2\r\n{}\r\n0\r\n\r\n`)])
        expect(received).toMatch(/^HTTP\/1\.1 400 /)
        expect(fixture.steering.last).toBeUndefined()
      }
    }),
  )
})
