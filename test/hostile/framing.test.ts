import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { getTransaction, goodCharge, goodKey, inFixture, postHead } from "../http/fixture.ts"
import { exchangeRaw, parseResponses, RawClient } from "../http/rawClient.ts"
import { hostileFactor, hostileSeed, hostileTimeoutMillis } from "./effort.ts"

const smuggled = getTransaction("txn_smuggled")

/** Heads of requests that differ in what they lead to; `framing` is whole header lines. */
const heads: ReadonlyArray<readonly [name: string, head: (framing: string) => string]> = [
  ["a charge", postHead],
  ["a read", (framing) => getTransaction("txn_1", framing)],
  ["an unknown path", (framing) => `POST /x HTTP/1.1\r\nHost: x\r\n${framing}\r\n`],
  ["an unknown path, read", (framing) => `GET /x HTTP/1.1\r\nHost: x\r\n${framing}\r\n`],
  ["a method not allowed", (framing) => `PUT /docs HTTP/1.1\r\nHost: x\r\n${framing}\r\n`],
  ["a document", (framing) => `GET /docs HTTP/1.1\r\nHost: x\r\n${framing}\r\n`],
  ["a document's head", (framing) => `HEAD /openapi.json HTTP/1.1\r\nHost: x\r\n${framing}\r\n`],
  ["a health check", (framing) => `GET /health HTTP/1.1\r\nHost: x\r\n${framing}\r\n`],
  [
    "a stream",
    (framing) => `GET /events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${goodKey}\r\n${framing}\r\n`,
  ],
  ["a preflight", (framing) => `OPTIONS /user HTTP/1.1\r\nHost: x\r\n${framing}\r\n`],
]

/** Framing whose end a proxy may see elsewhere than we do, or that is invalid. */
const doubtful: ReadonlyArray<readonly [name: string, lines: string]> = [
  ["two lengths", "Content-Length: 2\r\nContent-Length: 60\r\n"],
  ["two equal lengths", "Content-Length: 2\r\nContent-Length: 2\r\n"],
  ["two lengths, in another case", "Content-Length: 2\r\ncontent-length: 60\r\n"],
  ["an empty length", "Content-Length:\r\n"],
  ["an empty length of blanks", "Content-Length: \t \r\n"],
  ["an empty length before one", "Content-Length:\r\nContent-Length: 2\r\n"],
  ["a list of lengths", "Content-Length: 2, 2\r\n"],
  ["a signed length", "Content-Length: +2\r\n"],
  ["a negative length", "Content-Length: -1\r\n"],
  ["a hexadecimal length", "Content-Length: 0x2\r\n"],
  ["a fraction", "Content-Length: 2.0\r\n"],
  ["a length with a blank in it", "Content-Length: 1 2\r\n"],
  ["a length in other digits", "Content-Length: ٢\r\n"],
  ["a length beyond 64 bits", "Content-Length: 99999999999999999999\r\n"],
  ["a quoted length", 'Content-Length: "2"\r\n'],
  ["length and encoding", "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n"],
  ["encoding and length", "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n"],
  ["an empty encoding", "Transfer-Encoding:\r\n"],
  ["an empty encoding and a length", "Transfer-Encoding:\r\nContent-Length: 2\r\n"],
  ["two encodings", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"],
  ["an encoding twice", "Transfer-Encoding: chunked, chunked\r\n"],
  ["an encoding before chunked", "Transfer-Encoding: gzip, chunked\r\n"],
  ["an encoding after chunked", "Transfer-Encoding: chunked, identity\r\n"],
  ["identity", "Transfer-Encoding: identity\r\n"],
  ["an unknown encoding", "Transfer-Encoding: xchunked\r\n"],
  ["a parameter of chunked", "Transfer-Encoding: chunked;q=1\r\n"],
  ["chunked in quotes", 'Transfer-Encoding: "chunked"\r\n'],
  ["a blank before the colon", "Transfer-Encoding : chunked\r\n"],
  ["a blank before the name", " Transfer-Encoding: chunked\r\n"],
  ["a folded encoding", "Transfer-Encoding:\r\n chunked\r\n"],
  ["a folded length", "Content-Length:\r\n 2\r\n"],
  ["a line that ends in LF alone", "Content-Length: 2\nTransfer-Encoding: chunked\r\n"],
  ["a line that ends in CR alone", "Content-Length: 2\rTransfer-Encoding: chunked\r\n"],
  ["a NUL in a value", "Content-Length: 2\0\r\n"],
  ["a vertical tab around chunked", "Transfer-Encoding: \vchunked\r\n"],
]

/** Chunked bodies: a valid one, and forms that parsers read differently. */
const chunkedBodies: ReadonlyArray<readonly [name: string, bytes: string]> = [
  ["as it should be", "2\r\n{}\r\n0\r\n\r\n"],
  ["with an extension", "2;a=b\r\n{}\r\n0\r\n\r\n"],
  ["with an empty extension", "2;\r\n{}\r\n0\r\n\r\n"],
  ["with a size that is no number", "g\r\n{}\r\n0\r\n\r\n"],
  ["with a size of 2^64", "10000000000000000\r\n{}\r\n0\r\n\r\n"],
  ["with a signed size", "+2\r\n{}\r\n0\r\n\r\n"],
  ["with a size in 0x", "0x2\r\n{}\r\n0\r\n\r\n"],
  ["with bare line feeds", "2\n{}\n0\n\n"],
  ["with a size that is too small", "1\r\n{}\r\n0\r\n\r\n"],
  ["with nothing after a chunk", "2\r\n{}0\r\n\r\n"],
  ["with trailers", "2\r\n{}\r\n0\r\nContent-Length: 60\r\n\r\n"],
  ["without an end", "2\r\n{}\r\n"],
  ["in chunks of one byte", "1\r\n \r\n".repeat(20_000)],
]

const refusal = /^(?:HTTP\/1\.1 (?:4\d\d|505) |$)/

/** Sends the pieces and returns all that the connection receives; one without an answer by then is left. */
const meet = async (port: number, ...pieces: ReadonlyArray<string>): Promise<string> => {
  const client = new RawClient(port)
  const other = new RawClient(port)
  for (const piece of pieces) {
    client.send(piece)
    // The server goes on in the meantime: it has answered others, and may have closed this one.
    for (let index = 0; index < 3; index++) {
      other.received = Buffer.alloc(0)
      other.send("GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
      await other.responses(1)
    }
  }
  const text = client.received.length === 0 ? "" : await client.toEnd()
  client.close()
  other.close()
  return text
}

describe("requests whose end is in doubt", () => {
  it.live(
    "a request with doubtful framing gets a refusal at most, and nothing behind it is read as a request",
    inFixture(async ({ server, steering }) => {
      for (const [, head] of heads) {
        for (const [name, lines] of doubtful) {
          for (const behind of [smuggled, `{}${smuggled}`, ""]) {
            const text = await meet(server.port, head(lines) + behind)
            const what = JSON.stringify(head(lines) + behind)
            expect(text, `${name}: ${what}`).toMatch(refusal)
            expect(text.split("HTTP/1.1").length, what).toBeLessThanOrEqual(2)
            expect(text, what).not.toContain("txn_smuggled")
          }
        }
      }
      expect(steering.last).toBeUndefined()
    }),
    hostileTimeoutMillis,
  )

  it.live(
    "a request with doubtful framing and nothing behind it gets 400 in the envelope",
    inFixture(async ({ server }) => {
      for (const lines of ["Content-Length: 2\r\nContent-Length: 3\r\n", "Content-Length:\r\n"]) {
        const client = new RawClient(server.port)
        client.send(`POST /x HTTP/1.1\r\nHost: x\r\n${lines}\r\n`)
        const { responses } = parseResponses(Buffer.from(await client.toEnd()))
        expect(responses).toHaveLength(1)
        expect(responses[0]).toMatchObject({ status: 400, headers: { connection: "close" } })
        expect(JSON.parse(responses[0]?.body ?? "").error).toMatchObject({ code: "validation_failed" })
      }
    }),
  )
})

describe("chunked bodies", () => {
  it.live(
    "a chunked request ends its connection wherever it is sent, and is 411 where no body belongs",
    inFixture(async ({ server, steering }) => {
      for (const [, head] of heads) {
        for (const encoding of ["chunked", "Chunked", "CHUNKED", " chunked\t"]) {
          const client = new RawClient(server.port)
          client.send(`${head(`Transfer-Encoding: ${encoding}\r\n`)}2\r\n{}\r\n0\r\n\r\n`)
          const text = await client.toEnd()
          const isBodiless = /^(?:GET|HEAD|OPTIONS) /.test(head(""))
          if (isBodiless) expect(text).toMatch(/^HTTP\/1\.1 411 Length Required\r\n/)
          else expect(text).toMatch(/^HTTP\/1\.1 40\d /)
          expect(text).toContain("Connection: close\r\n")
          if (isBodiless && !head("").startsWith("HEAD")) expect(text).toContain('"code":"length_required"')
        }
      }
      expect(steering.last).toBeUndefined()
    }),
  )

  it.live(
    "a chunked body is refused whatever its form, and nothing behind it is read as a request",
    inFixture(async ({ server, steering }) => {
      for (const [, head] of heads) {
        for (const [name, bytes] of chunkedBodies) {
          const text = await meet(server.port, head("Transfer-Encoding: chunked\r\n") + bytes + smuggled)
          expect(text, name).toMatch(refusal)
          expect(text.split("HTTP/1.1").length, name).toBeLessThanOrEqual(2)
        }
      }
      expect(steering.last).toBeUndefined()
      expect((await exchangeRaw(server.port, getTransaction("txn_1"))).status).toBe(200)
    }),
    hostileTimeoutMillis,
  )
})

describe("Content-Length", () => {
  it.live(
    "a Content-Length is kept on every path: what follows its bytes is the next request",
    inFixture(async ({ server }) => {
      const body = JSON.stringify(goodCharge)
      for (const [name, head] of heads) {
        if (name === "a stream") continue
        const isHead = head("").startsWith("HEAD")
        const client = new RawClient(server.port)
        const framed = `${head(`Content-Length: ${smuggled.length}\r\n`)}${smuggled}`
        client.send(framed)
        await client.until(({ received }) => received.includes("\r\n\r\n"))
        const [first] = await client.responses(1, isHead)
        expect(first?.status, name).toBeLessThan(500)
        client.received = Buffer.alloc(0)
        client.send(`${postHead(`Content-Length: ${body.length}\r\n`)}${body}`)
        const [second] = await client.responses(1)
        expect(second?.status, name).toBe(201)
        expect(client.text()).not.toContain("txn_smuggled")
        client.close()
      }
    }),
  )
})

describe("random framing", () => {
  const line = fc.constantFrom(...doubtful.map(([, lines]) => lines), "Content-Length: 0\r\n", "A: b\r\n")
  const attack = fc.record({
    head: fc.constantFrom(...heads.map(([, head]) => head)),
    lines: fc.array(line, { minLength: 1, maxLength: 4 }),
    body: fc.constantFrom(
      "",
      "{}",
      ...chunkedBodies.map(([, bytes]) => bytes).filter((text) => text.length < 100),
    ),
    cut: fc.nat({ max: 200 }),
  })

  it.live(
    "random framing never makes one request two",
    inFixture(async ({ server, steering }) => {
      await fc.assert(
        fc.asyncProperty(attack, async ({ head, lines, body, cut }) => {
          const bytes = head(lines.join("")) + body + smuggled
          const isSound = lines.every((text) => text.startsWith("A:"))
          fc.pre(!isSound && !lines.every((text) => text === "Content-Length: 0\r\n" || text === "A: b\r\n"))
          const text = await meet(server.port, bytes.slice(0, cut), bytes.slice(cut))
          expect(text.split("HTTP/1.1").length).toBeLessThanOrEqual(2)
          expect(text).not.toContain("txn_smuggled")
          expect(steering.last).toBeUndefined()
        }),
        { numRuns: 300 * hostileFactor, seed: hostileSeed },
      )
    }),
    hostileTimeoutMillis,
  )
})
