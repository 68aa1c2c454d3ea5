import { describe, expect, it } from "@effect/vitest"
import { limits } from "../../schema/limits.ts"
import {
  authorized,
  createCharge,
  errorOf,
  type Fixture,
  goodCharge,
  goodKey,
  inFixture,
  postHead,
} from "./fixture.ts"
import { exchangeRaw, RawClient } from "./rawClient.ts"

const refusal = async (fixture: Fixture, body: unknown, headers = {}) => {
  const response = await createCharge(fixture, body, headers)
  return { status: response.status, ...(await errorOf(response)) }
}

/** A good body of exactly so many bytes. */
const bodyOfBytes = (bytes: number): string => {
  const bare = JSON.stringify({ ...goodCharge, filler: "" })
  return JSON.stringify({ ...goodCharge, filler: "x".repeat(bytes - bare.length) })
}

describe("a body", () => {
  it.live(
    "reaches its handler decoded, with its bytes, headers and principal",
    inFixture(async (fixture) => {
      const text = JSON.stringify(goodCharge, null, 2)
      const response = await createCharge(fixture, text, { "x-request-id": "callers-id-1" })
      expect(response.status).toBe(201)
      expect(response.headers.get("x-fixture")).toBe("yes")
      expect(response.headers.get("content-type")).toBe("application/json")
      expect(await response.json()).toEqual(goodCharge)
      expect(fixture.steering.last).toMatchObject({
        payload: goodCharge,
        key: "order-1042",
        rawBody: text,
        requestId: "callers-id-1",
        remoteAddress: "127.0.0.1",
        principal: { mode: "test" },
      })
    }),
  )

  it.live(
    "may hold unknown fields, repeated ones and dangerous names, which change nothing",
    inFixture(async (fixture) => {
      const text = `{"__proto__":{"amount":1},"constructor":1,"amount":5,"extra":[{}],${JSON.stringify(goodCharge).slice(1)}`
      const response = await createCharge(fixture, text)
      expect(response.status).toBe(201)
      expect(await response.json()).toEqual(goodCharge)
      expect(({} as Record<string, unknown>).amount).toBeUndefined()
      const metadata = JSON.parse('{"__proto__":"a","constructor":"b","toString":"c"}')
      const kept = await createCharge(fixture, { ...goodCharge, metadata })
      expect(await kept.text()).toContain('"metadata":{"__proto__":"a","constructor":"b","toString":"c"}')
    }),
  )

  const wrongBodies: ReadonlyArray<
    readonly [name: string, body: unknown, param: string | undefined, message: RegExp]
  > = [
    ["no object", [], undefined, /^The body must be a JSON object/],
    ["null", null, undefined, /^The body must be a JSON object/],
    ["a missing field", { ...goodCharge, amount: undefined }, "amount", /^amount is required\.$/],
    [
      "a missing field within",
      { ...goodCharge, customer: { name: "Ana Souza", document: "52998224725" } },
      "customer.email",
      /^customer\.email is required\.$/,
    ],
    ["another type", { ...goodCharge, amount: "1" }, "amount", /^amount must be a number\.$/],
    ["a fraction", { ...goodCharge, amount: 1.5 }, "amount", /^amount must be an integer\.$/],
    ["too little", { ...goodCharge, amount: 0 }, "amount", /between 1 and 999999999999\.$/],
    ["too much", { ...goodCharge, amount: limits.amountMax + 1 }, "amount", /between 1 and 999999999999\.$/],
    ["another method", { ...goodCharge, payment_method: "card" }, "payment_method", /must be "pix"\.$/],
    ["null for an object", { ...goodCharge, customer: null }, "customer", /^customer must be an object\.$/],
    [
      "a bad document",
      { ...goodCharge, customer: { ...goodCharge.customer, document: "1" } },
      "customer.document",
      /must be a CPF \(11 digits\) or a CNPJ/,
    ],
    [
      "a bad item",
      { ...goodCharge, items: [...goodCharge.items, { name: "x", quantity: 0, unit_amount: 1 }] },
      "items.1.quantity",
      /^items\.1\.quantity must be/,
    ],
    ["too few items", { ...goodCharge, items: [] }, "items", /length between 1 and 100/],
    [
      "nested metadata",
      { ...goodCharge, metadata: { a: {} } },
      "metadata.a",
      /a string, a number or true or false/,
    ],
    ["a long key", { ...goodCharge, metadata: { ["k".repeat(41)]: 1 } }, "metadata", /have keys of 1 to 40/],
    [
      "a number for a text or null",
      { ...goodCharge, postback_url: 4 },
      "postback_url",
      /a string or null\.$/,
    ],
  ]
  it.live.each(wrongBodies)("with %s is 400 validation_failed at its field", ([, body, param, message]) =>
    inFixture(async (fixture) => {
      const error = await refusal(fixture, body)
      expect(error).toMatchObject({ status: 400, code: "validation_failed", type: "invalid_request_error" })
      expect(error.param).toBe(param)
      expect(error.message).toMatch(message)
    })(),
  )

  const malformed: ReadonlyArray<readonly [name: string, body: string, message: RegExp]> = [
    ["nothing", "", /empty/],
    ["blanks", " \n", /empty/],
    ["a cut text", '{"amount": 1,', /ends too early, at line 1, column 14/],
    ["a wrong character", '{\n  "amount": 1,\n  amount: 2}', /at line 3, column 3/],
    ["a comma too much", '{"a": [1, 2,]}', /at line 1, column 13/],
    ["two texts", "{} {}", /at line 1, column 4/],
    ["a control character in a string", '{"a": "\u0001"}', /at line 1, column 8/],
    ["deep nesting without an end", "[".repeat(200_000), /ends too early/],
  ]
  it.live.each(malformed)("of %s is 400 and says where", ([, body, message]) =>
    inFixture(async (fixture) => {
      const error = await refusal(fixture, body)
      expect(error).toMatchObject({ status: 400, code: "validation_failed" })
      expect(error.message).toMatch(message)
      expect(error.param).toBeUndefined()
    })(),
  )

  it.live(
    "of deep nesting is 400, not a stack overflow",
    inFixture(async (fixture) => {
      const deep = "[".repeat(100_000) + "]".repeat(100_000)
      expect(await refusal(fixture, deep)).toMatchObject({ status: 400 })
      const within = `{"metadata":{"a":${deep}},${JSON.stringify(goodCharge).slice(1)}`
      expect(await refusal(fixture, within)).toMatchObject({ status: 400, param: "metadata.a" })
      const ignored = await createCharge(fixture, `{"other":${deep},${JSON.stringify(goodCharge).slice(1)}`)
      expect(ignored.status).toBe(201)
    }),
  )

  it.live(
    "that is not UTF-8 is 400",
    inFixture(async (fixture) => {
      const bytes = Buffer.from(JSON.stringify({ ...goodCharge, note: "~" }))
      bytes[bytes.indexOf("~")] = 0xff
      const error = await refusal(fixture, bytes)
      expect(error).toMatchObject({ status: 400, message: "The body is not valid UTF-8." })
    }),
  )

  it.live(
    "with half of a surrogate pair is 400 at its field; a whole pair is kept",
    inFixture(async (fixture) => {
      const withName = (name: string) => JSON.stringify(goodCharge).replace('"Ana Souza"', `"${name}"`)
      const half = await refusal(fixture, withName("Ana \\ud83d"))
      expect(half).toMatchObject({ status: 400, param: "customer.name" })
      expect(await refusal(fixture, withName("Ana \\uDE00 S"))).toMatchObject({ param: "customer.name" })
      const inKey = JSON.stringify(goodCharge).replace("{", '{"metadata":{"\\ud800":1},')
      expect(await refusal(fixture, inKey)).toMatchObject({ status: 400, param: "metadata" })
      const whole = await createCharge(fixture, withName("Ana \\ud83d\\ude00"))
      expect(await whole.json()).toMatchObject({ customer: { name: "Ana 😀" } })
      const unread = JSON.stringify(goodCharge).replace("{", '{"other":"\\ud800",')
      expect((await createCharge(fixture, unread)).status).toBe(201)
    }),
  )

  it.live(
    "of the largest size is taken, one byte more is 413, and the connection stays",
    inFixture(async (fixture) => {
      const largest = await createCharge(fixture, bodyOfBytes(limits.bodyBytesMax))
      expect(largest.status).toBe(201)
      await largest.text()
      const error = await refusal(fixture, bodyOfBytes(limits.bodyBytesMax + 1))
      expect(error).toMatchObject({ status: 413, code: "payload_too_large" })
      expect(error.message).toContain(String(limits.bodyBytesMax))
      expect((await createCharge(fixture, goodCharge)).status).toBe(201)
    }),
  )

  it.live(
    "without an end is cut off with 413",
    inFixture(async ({ server }) => {
      const client = new RawClient(server.port)
      client.send(
        `POST /v1/transactions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${goodKey}\r\nContent-Type: application/json\r\nIdempotency-Key: a\r\nContent-Length: 99999999999\r\n\r\n`,
      )
      const piece = Buffer.alloc(256 * 1024, "x")
      while (!client.closed) {
        client.send(piece)
        await new Promise((resolve) => setImmediate(resolve))
        if (client.received.length > 0) break
      }
      const text = await client.toEnd()
      expect(text).toMatch(/^HTTP\/1\.1 413 /)
      expect(text).toContain("Connection: close")
    }),
  )

  it.live(
    "may come in pieces",
    inFixture(async ({ server }) => {
      const client = new RawClient(server.port)
      const text = JSON.stringify({ ...goodCharge, customer: { ...goodCharge.customer, name: "João Ávila" } })
      const bytes = Buffer.from(text)
      client.send(postHead(`Content-Length: ${bytes.length}\r\n`))
      for (const byte of bytes) {
        client.send(Buffer.of(byte))
        await new Promise((resolve) => setImmediate(resolve))
      }
      const [response] = await client.responses(1)
      expect(response?.status).toBe(201)
      expect(JSON.parse(response?.body ?? "")).toEqual(JSON.parse(text))
      client.close()
    }),
  )

  it.live(
    "must be JSON by its content type; parameters are allowed",
    inFixture(async (fixture) => {
      for (const type of [
        undefined,
        "text/plain",
        "application/jsonp",
        "application/json; charset=latin1",
        "x",
      ]) {
        // fetch gives a string a type of its own.
        const error = await refusal(fixture, Buffer.from("{}"), { "content-type": type })
        expect(error, type).toMatchObject({ status: 415, code: "unsupported_media_type" })
      }
      for (const type of [
        "application/json; charset=utf-8",
        'Application/JSON;charset="UTF-8"',
        "application/json ; v=1",
      ]) {
        expect((await createCharge(fixture, goodCharge, { "content-type": type })).status, type).toBe(201)
      }
      const packed = await refusal(fixture, goodCharge, { "content-encoding": "gzip" })
      expect(packed).toMatchObject({ status: 415, code: "unsupported_media_type" })
      expect(packed.message).toMatch(/uncompressed/)
    }),
  )

  it.live(
    "is not needed, nor its type, where the route takes none",
    inFixture(async ({ origin, server }) => {
      const bare = await fetch(`${origin}/v1/webhook-deliveries/whd_1/retry`, {
        method: "POST",
        headers: authorized,
      })
      expect(bare.status).toBe(202)
      expect(await bare.json()).toEqual({ id: "whd_1" })
      const client = new RawClient(server.port)
      client.send(
        `POST /v1/webhook-deliveries/whd_2/retry HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${goodKey}\r\nContent-Length: 5\r\n\r\nnot {GET /health HTTP/1.1\r\nHost: x\r\n\r\n`,
      )
      const responses = await client.responses(2)
      expect(responses.map(({ status }) => status)).toEqual([202, 200])
      client.close()
    }),
  )
})

describe("Idempotency-Key", () => {
  it.live(
    "is required where the contract says so",
    inFixture(async (fixture) => {
      expect(await refusal(fixture, goodCharge, { "idempotency-key": undefined })).toMatchObject({
        status: 400,
        code: "missing_idempotency_key",
      })
    }),
  )

  it.live(
    "has 1 to 255 of the characters an Idempotency-Key may have",
    inFixture(async (fixture) => {
      const longest = "aZ09_-:.".padEnd(limits.idempotencyKeyLengthMax, "x")
      for (const key of ["a", longest]) {
        expect((await createCharge(fixture, goodCharge, { "idempotency-key": key })).status).toBe(201)
      }
      for (const key of [`${longest}x`, "a b", "a/b", "aça", "a,b"]) {
        expect(await refusal(fixture, goodCharge, { "idempotency-key": key }), key).toMatchObject({
          status: 400,
          code: "validation_failed",
          param: "Idempotency-Key",
        })
      }
    }),
  )

  it.live(
    "may not be hidden by a second one",
    inFixture(async ({ server }) => {
      const text = JSON.stringify(goodCharge)
      const response = await exchangeRaw(
        server.port,
        `POST /v1/transactions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${goodKey}\r\nContent-Type: application/json\r\nIdempotency-Key: a\r\nIdempotency-Key: b\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
      )
      expect([201, 400]).toContain(response.status)
    }),
  )
})
