import fc from "fast-check"
import { headers, headerText, latin1, line, methods, target } from "./malformedParts.ts"

/** Bytes for one connection, sent in pieces with a turn of the event loop between them. */
export interface MalformedRequest {
  /** What is wrong with it, for failure messages. */
  readonly kind: string
  readonly pieces: ReadonlyArray<Uint8Array>
  /** The client hangs up after the last piece, instead of waiting for an answer. */
  readonly hangsUp: boolean
}

/** What a request needs to pass the first checks, so that later ones are reached too. */
export interface MalformedOptions {
  /** A valid API key, which half of the requests carry. */
  readonly apiKey: string
  /** A valid body of a charge. */
  readonly body: Readonly<Record<string, unknown>>
}

type Made = fc.Arbitrary<MalformedRequest>

const whole = (kind: string, arbitrary: fc.Arbitrary<Uint8Array>): Made =>
  arbitrary.map((bytes) => ({ kind, pieces: [bytes], hangsUp: false }))

/** A valid body with wrong values in some places. */
const spoiledBody = (good: Readonly<Record<string, unknown>>): fc.Arbitrary<string> => {
  const keys = Object.keys(good)
  const value = fc.oneof(
    fc.constantFrom(
      ...[null, "", 0, -1, 1.5, 1e308, true, [], {}, [[]], "\ud800", "\u0000", "9".repeat(400)],
      ...["a\r\nb", { note: "a\r\nb" }, { order: 2 ** 53 }, { order: -(2 ** 60) }],
    ),
    fc.jsonValue({ maxDepth: 4 }),
  )
  return fc
    .tuple(fc.subarray(keys), value, fc.dictionary(fc.string({ maxLength: 8 }), value, { maxKeys: 3 }))
    .map(([spoiled, wrong, extra]) =>
      JSON.stringify({ ...good, ...extra, ...Object.fromEntries(spoiled.map((key) => [key, wrong])) }),
    )
}

/** Texts that are almost JSON. */
const brokenJson = (good: Readonly<Record<string, unknown>>): fc.Arbitrary<string> => {
  const text = JSON.stringify(good)
  return fc.oneof(
    fc.nat({ max: text.length - 1 }).map((end) => text.slice(0, end)),
    fc
      .tuple(fc.nat({ max: text.length }), fc.string({ maxLength: 4, minLength: 1 }))
      .map(([at, noise]) => text.slice(0, at) + noise + text.slice(at)),
    fc.integer({ min: 1, max: 20_000 }).map((depth) => "[".repeat(depth)),
    fc.integer({ min: 1, max: 20_000 }).map((depth) => '{"a":'.repeat(depth)),
    fc.string({ maxLength: 200 }),
    fc.constantFrom(
      "",
      " ",
      "null",
      "true",
      "0",
      '""',
      "[]",
      "{}",
      "{},",
      "NaN",
      "\ufeff{}",
      '{"__proto__":null}',
    ),
  )
}

const posts = ({ apiKey, body }: MalformedOptions): Made => {
  const bytes = fc.oneof(
    spoiledBody(body).map((text) => Buffer.from(text)),
    brokenJson(body).map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array)),
    fc.constantFrom(260_000, 262_145, 300_000).map((length) => Buffer.alloc(length, "x")),
  )
  const key = fc.oneof(fc.constant("malformed-1"), fc.stringMatching(/^[\x21-\x7e]{0,20}$/))
  const type = fc.constantFrom(
    "application/json",
    "application/json",
    "application/json; charset=utf-8",
    "text/plain",
    "",
  )
  return whole(
    "body",
    fc
      .tuple(bytes, key, type, target, fc.boolean())
      .map(([content, idempotencyKey, contentType, path, isCreate]) =>
        Buffer.concat([
          latin1(
            `${line("POST", isCreate ? "/v1/transactions" : path)}Authorization: Bearer ${apiKey}\r\nIdempotency-Key: ${idempotencyKey}\r\nContent-Type: ${contentType}\r\nContent-Length: ${content.length}\r\n\r\n`,
          ),
          content,
        ]),
      ),
  )
}

const requests = ({ apiKey }: MalformedOptions): Made =>
  whole(
    "request",
    fc
      .tuple(methods, target, headers, fc.boolean())
      .map(([method, path, extra, isKnown]) =>
        latin1(`${line(method, path)}${isKnown ? `Authorization: Bearer ${apiKey}\r\n` : ""}${extra}\r\n`),
      ),
  )

const credentials = whole(
  "credentials",
  fc
    .tuple(target, fc.oneof(headerText, fc.stringMatching(/^Bearer sk_(live|test)_[A-Za-z0-9_-]{0,50}$/)))
    .map(([path, authorization]) => latin1(`${line("GET", path)}Authorization: ${authorization}\r\n\r\n`)),
)

const rawBytes = whole(
  "raw bytes",
  fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 400 }),
    fc.string({ minLength: 1, maxLength: 200 }).map((text) => latin1(`${text}\r\n\r\n`)),
    fc.constantFrom(
      latin1("\r\n\r\n"),
      latin1("GET / HTTP/1.0\r\n\r\n"),
      latin1("GET /health HTTP/9.9\r\nHost: x\r\n\r\n"),
      latin1("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
      latin1("GET http://x/health HTTP/1.1\r\nHost: x\r\n\r\n"),
      latin1("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n"),
    ),
  ),
)

/** A valid request with some bytes changed. */
const flipped = ({ apiKey, body }: MalformedOptions): Made => {
  const content = JSON.stringify(body)
  const good = latin1(
    `${line("POST", "/v1/transactions")}Authorization: Bearer ${apiKey}\r\nIdempotency-Key: flipped\r\nContent-Type: application/json\r\nContent-Length: ${content.length}\r\n\r\n${content}`,
  )
  return whole(
    "flipped bytes",
    fc
      .array(fc.tuple(fc.nat({ max: good.length - 1 }), fc.integer({ min: 0, max: 255 })), {
        minLength: 1,
        maxLength: 4,
      })
      .map((changes) => {
        const bytes = Buffer.from(good)
        for (const [at, byte] of changes) bytes[at] = byte
        return bytes
      }),
  )
}

const framing = ({ apiKey }: MalformedOptions): Made =>
  whole(
    "framing",
    fc
      .tuple(
        fc.constantFrom("GET", "POST", "DELETE"),
        target,
        fc.array(
          fc.constantFrom(
            "Content-Length: 2",
            "Content-Length: 0",
            "Content-Length: -1",
            "Content-Length: 1, 1",
            "Content-Length: 0x2",
            "Content-Length: 999999999999999999999",
            "Transfer-Encoding: chunked",
            "Transfer-Encoding: gzip",
            "Transfer-Encoding: identity",
            "Transfer-Encoding : chunked",
          ),
          { minLength: 1, maxLength: 3 },
        ),
        fc.constantFrom("{}", "0\r\n\r\n", "2\r\n{}\r\n0\r\n\r\n", "zz\r\n", "ffffffffffffffffff\r\n", ""),
      )
      .map(([method, path, lines, rest]) =>
        latin1(
          `${line(method, path)}Authorization: Bearer ${apiKey}\r\nIdempotency-Key: f\r\nContent-Type: application/json\r\n${lines.join("\r\n")}\r\n\r\n${rest}`,
        ),
      ),
  )

/** A valid body in chunks, some of which lie about their size or are written in ways that parsers read differently. */
const chunked = ({ apiKey, body }: MalformedOptions): Made => {
  const content = JSON.stringify(body)
  const chunk = fc
    .tuple(
      fc.constantFrom("", "", "", "", ";a=b", ";", " ", "\t", "g", "\n"),
      fc.constantFrom("\r\n", "\r\n", "\r\n", "\n", "\r", ""),
      fc.constantFrom(0, 0, 0, 1, -1, 2 ** 40),
    )
    .map(([extension, end, lie]) => (text: string) => {
      const size = Math.max(0, text.length + lie).toString(16)
      return `${size}${extension}\r\n${text}${end}`
    })
  return whole(
    "chunked",
    fc
      .tuple(
        fc.constantFrom("POST", "POST", "POST", "POST", "GET"),
        fc.array(fc.tuple(fc.nat({ max: content.length }), chunk), { minLength: 1, maxLength: 5 }),
        fc.constantFrom("0\r\n\r\n", "0\r\n\r\n", "0\r\nA: b\r\n\r\n", "0;x\r\n\r\n", "00\r\n\r\n", ""),
      )
      .map(([method, cuts, last]) => {
        const places = cuts.map(([at]) => at).sort((one, other) => one - other)
        const parts = cuts.map(([, write], index) =>
          write(content.slice(index === 0 ? 0 : places[index - 1], places[index])),
        )
        const rest = content.slice(places.at(-1))
        const whatIsLeft = rest === "" ? "" : `${rest.length.toString(16)}\r\n${rest}\r\n`
        return latin1(
          `${line(method, "/v1/transactions")}Authorization: Bearer ${apiKey}\r\nIdempotency-Key: chunked\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${parts.join("")}${whatIsLeft}${last}`,
        )
      }),
  )
}

const oversize = whole(
  "oversize",
  fc.oneof(
    fc
      .integer({ min: 4_000, max: 40_000 })
      .map((length) => latin1(`${line("GET", `/${"p".repeat(length)}`)}\r\n`)),
    fc
      .integer({ min: 4_000, max: 40_000 })
      .map((length) => latin1(`${line("GET", "/health")}A: ${"h".repeat(length)}\r\n\r\n`)),
    fc
      .integer({ min: 90, max: 300 })
      .map((count) => latin1(`${line("GET", "/health")}${"a: b\r\n".repeat(count)}\r\n`)),
    fc
      .integer({ min: 500, max: 3_000 })
      .map((count) => latin1(`${line("GET", `/v1/events?${"limit=1&".repeat(count)}`)}\r\n`)),
    fc.integer({ min: 90, max: 400 }).map((count) => latin1(`${line("GET", "/a".repeat(count))}\r\n`)),
  ),
)

const pipelined = (single: Made): Made =>
  fc.array(single, { minLength: 2, maxLength: 4 }).map((several) => ({
    kind: `pipelined ${several.map(({ kind }) => kind).join(", ")}`,
    pieces: [Buffer.concat(several.flatMap(({ pieces }) => pieces))],
    hangsUp: false,
  }))

/** A request that is sent in pieces, or cut off. */
const broken = (single: Made): Made =>
  fc
    .tuple(
      single,
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 4 }),
      fc.boolean(),
    )
    .map(([request, cuts, hangsUp]) => {
      const bytes = Buffer.concat(request.pieces)
      const places = [...cuts].sort((one, other) => one - other).map((cut) => Math.floor(cut * bytes.length))
      const ends = hangsUp ? places : [...places, bytes.length]
      return {
        kind: `${hangsUp ? "cut off" : "in pieces"} ${request.kind}`,
        pieces: ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end)),
        hangsUp,
      }
    })

/**
 * `count` requests that are wrong somewhere, the same for the same seed: bodies, headers, methods, paths, cursors, ids,
 * credentials, raw bytes, framing, chunks, sizes, pieces, pipelines. Some turn out to be valid, and may succeed.
 */
export const malformedRequests = (
  seed: number,
  count: number,
  options: MalformedOptions,
): ReadonlyArray<MalformedRequest> => {
  const single = fc.oneof(
    { weight: 6, arbitrary: posts(options) },
    { weight: 6, arbitrary: requests(options) },
    { weight: 2, arbitrary: credentials },
    { weight: 2, arbitrary: rawBytes },
    { weight: 2, arbitrary: flipped(options) },
    { weight: 2, arbitrary: framing(options) },
    { weight: 2, arbitrary: chunked(options) },
    { weight: 1, arbitrary: oversize },
  )
  const any = fc.oneof(
    { weight: 8, arbitrary: single },
    { weight: 1, arbitrary: pipelined(single) },
    { weight: 2, arbitrary: broken(single) },
  )
  return fc.sample(any, { seed, numRuns: count })
}
