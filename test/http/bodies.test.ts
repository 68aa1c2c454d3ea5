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

/** A valid body of exactly `bytes` bytes. */
const bodyOfBytes = (bytes: number): string => {
  const bare = JSON.stringify({ ...goodCharge, filler: "" })
  return JSON.stringify({ ...goodCharge, filler: "x".repeat(bytes - bare.length) })
}

describe("request bodies", () => {
  it.live(
    "a body reaches its handler decoded, along with its bytes, headers and principal",
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
    "unknown fields, repeated fields and dangerous names in a body change nothing",
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
    ["an array instead of an object", [], undefined, /^The body must be a JSON object/],
    ["null instead of an object", null, undefined, /^The body must be a JSON object/],
    ["a missing field", { ...goodCharge, amount: undefined }, "amount", /^amount is required\.$/],
    [
      "a missing nested field",
      { ...goodCharge, customer: { name: "Ana Souza", document: "52998224725" } },
      "customer.email",
      /^customer\.email is required\.$/,
    ],
    ["a field of another type", { ...goodCharge, amount: "1" }, "amount", /^amount must be a number\.$/],
    ["a fractional amount", { ...goodCharge, amount: 1.5 }, "amount", /^amount must be an integer\.$/],
    ["too small an amount", { ...goodCharge, amount: 0 }, "amount", /between 1 and 999999999999\.$/],
    [
      "too large an amount",
      { ...goodCharge, amount: limits.amountMax + 1 },
      "amount",
      /between 1 and 999999999999\.$/,
    ],
    ["an unknown method", { ...goodCharge, payment_method: "card" }, "payment_method", /must be "pix"\.$/],
    ["a null customer", { ...goodCharge, customer: null }, "customer", /^customer must be an object\.$/],
    [
      "a document that is neither a CPF nor a CNPJ",
      { ...goodCharge, customer: { ...goodCharge.customer, document: "1" } },
      "customer.document",
      /must be a CPF \(11 digits\) or a CNPJ/,
    ],
    [
      "an invalid item",
      { ...goodCharge, items: [...goodCharge.items, { name: "x", quantity: 0, unit_amount: 1 }] },
      "items.1.quantity",
      /^items\.1\.quantity must be/,
    ],
    ["no items", { ...goodCharge, items: [] }, "items", /length between 1 and 100/],
    [
      "nested metadata",
      { ...goodCharge, metadata: { a: {} } },
      "metadata.a",
      /a string, a number or true or false/,
    ],
    ...["9007199254740992", "9007199254740993", "-9007199254740992", "1e400", "-1e400", "1e300"].map(
      (digits) =>
        [
          `the number ${digits} in metadata`,
          JSON.stringify({ ...goodCharge, metadata: { order: 1 } }).replace('"order":1', `"order":${digits}`),
          "metadata.order",
          /^metadata\.order must be .* Send it as text\.$/,
        ] as const,
    ),
    [
      "a metadata key that is too long",
      { ...goodCharge, metadata: { ["k".repeat(41)]: 1 } },
      "metadata",
      /have keys of 1 to 40/,
    ],
    [
      "a number where text or null belongs",
      { ...goodCharge, postback_url: 4 },
      "postback_url",
      /a string or null\.$/,
    ],
  ]
  it.live.each(wrongBodies)("a body with %s is 400 and says what is wrong", ([, body, param, message]) =>
    inFixture(async (fixture) => {
      const error = await refusal(fixture, body)
      expect(error).toMatchObject({ status: 400, code: "validation_failed", type: "invalid_request_error" })
      expect(error.param).toBe(param)
      expect(error.message).toMatch(message)
    })(),
  )

  const malformed: ReadonlyArray<readonly [name: string, body: string, message: RegExp]> = [
    ["no bytes", "", /empty/],
    ["blanks alone", " \n", /empty/],
    ["truncated JSON", '{"amount": 1,', /ends too early, at line 1, column 14/],
    ["JSON with a wrong character", '{\n  "amount": 1,\n  amount: 2}', /at line 3, column 3/],
    ["JSON with a trailing comma", '{"a": [1, 2,]}', /at line 1, column 13/],
    ["two JSON texts", "{} {}", /at line 1, column 4/],
    ["JSON with a control character in a string", '{"a": "\u0001"}', /at line 1, column 8/],
    ["deep nesting that never closes", "[".repeat(200_000), /ends too early/],
  ]
  it.live.each(malformed)("a body of %s is 400 and its message says what is wrong", ([, body, message]) =>
    inFixture(async (fixture) => {
      const error = await refusal(fixture, body)
      expect(error).toMatchObject({ status: 400, code: "validation_failed" })
      expect(error.message).toMatch(message)
      expect(error.param).toBeUndefined()
    })(),
  )

  it.live(
    "a deeply nested body is 400 where a field is read, and never a stack overflow",
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
    "numbers of metadata come back with the digits that were sent, up to the largest that keep them",
    inFixture(async (fixture) => {
      for (const digits of ["9007199254740991", "-9007199254740991", "0.1", "1e-7"]) {
        const body = JSON.stringify({ ...goodCharge, metadata: { order: 1 } })
        const kept = await createCharge(fixture, body.replace('"order":1', `"order":${digits}`))
        expect([digits, await kept.text()]).toEqual([digits, expect.stringContaining(`"order":${digits}`)])
      }
    }),
  )

  it.live(
    "a body that is not UTF-8 is 400",
    inFixture(async (fixture) => {
      const bytes = Buffer.from(JSON.stringify({ ...goodCharge, note: "~" }))
      bytes[bytes.indexOf("~")] = 0xff
      const error = await refusal(fixture, bytes)
      expect(error).toMatchObject({ status: 400, message: "The body is not valid UTF-8." })
    }),
  )

  it.live(
    "half of a surrogate pair is 400 and names its field; a whole pair is kept",
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
    "a body of the largest size is accepted, one byte more is 413, and the service goes on",
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
    "a body that never ends is cut off with 413 and Connection: close",
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
    "a body that arrives byte by byte is decoded whole",
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
    "a body whose content type is not JSON, or which is compressed, is 415; parameters are allowed",
    inFixture(async (fixture) => {
      for (const type of [
        undefined,
        "text/plain",
        "application/jsonp",
        "application/json; charset=latin1",
        "x",
      ]) {
        // fetch adds a content type to a string, but not to a Buffer.
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
    "a route that takes no body needs neither body nor content type, and ignores what is sent",
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
    "a charge without an Idempotency-Key is 400 missing_idempotency_key",
    inFixture(async (fixture) => {
      expect(await refusal(fixture, goodCharge, { "idempotency-key": undefined })).toMatchObject({
        status: 400,
        code: "missing_idempotency_key",
      })
    }),
  )

  it.live(
    "an Idempotency-Key of 1 to 255 allowed characters is accepted, and any other is 400",
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
    "of two Idempotency-Keys, a request under an API key uses the first",
    inFixture(async ({ server, steering }) => {
      const text = JSON.stringify(goodCharge)
      const response = await exchangeRaw(
        server.port,
        `POST /v1/transactions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${goodKey}\r\nContent-Type: application/json\r\nIdempotency-Key: a\r\nIdempotency-Key: b\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
      )
      expect(response.status).toBe(201)
      expect(steering.last).toMatchObject({ key: "a" })
    }),
  )
})
