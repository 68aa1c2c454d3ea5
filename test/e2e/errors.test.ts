import { connect } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chargeBody, freshKey, makeCharge, postCharge } from "./support/charges.ts"
import { type Answer, type Client, type ErrorBody, makeClient, type RequestInput } from "./support/client.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"

let stage: Stage
let seller: Seller
let other: Seller
let anonymous: Client
let chargeId: string
let liveChargeId: string
let othersChargeId: string

beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: "3600000" })
  seller = await stage.newSeller()
  other = await stage.newSeller({ partition: seller.partition })
  anonymous = makeClient(stage.service.url)
  chargeId = (await makeCharge(seller.test)).id
  liveChargeId = (await makeCharge(seller.live)).id
  othersChargeId = (await makeCharge(other.test)).id
})
afterAll(() => stage?.close())

interface Wanted {
  readonly status: number
  readonly code: string
  readonly type?: string
  readonly param?: string
  /** What the message must tell the caller to do. */
  readonly says: RegExp
  /** Headers that the answer must have. */
  readonly headers?: Readonly<Record<string, RegExp>>
}

type Send = () => Promise<Answer<ErrorBody>>

const charges = "/v1/transactions"
const post = (input: RequestInput, client: () => Client = () => seller.test): Send => {
  return () =>
    client().post(charges, { ...input, headers: { "Idempotency-Key": freshKey(), ...input.headers } })
}
const get = (path: () => string, client: () => Client = () => seller.test): Send => {
  return () => client().get(path())
}
const authorized = (authorization: string): Send => {
  return () => anonymous.request("GET", charges, { headers: { authorization } })
}
const invalidKey = { status: 401, code: "invalid_api_key", type: "authentication_error" }
const notFound = { status: 404, code: "resource_not_found", type: "not_found_error" }
const invalid = { status: 400, code: "validation_failed" }
const unknownKey = () => `Bearer sk_test_${"A".repeat(43)}`

const cases: ReadonlyArray<readonly [what: string, send: Send, wanted: Wanted]> = [
  [
    "no key",
    get(
      () => charges,
      () => anonymous,
    ),
    { ...invalidKey, says: /Authorization: Bearer sk_test_/ },
  ],
  ["an unknown key", () => authorized(unknownKey())(), { ...invalidKey, says: /current key/ }],
  ["half a key", authorized("Bearer sk_test_abc"), { ...invalidKey, says: /whole key/ }],
  [
    "a key of another service",
    authorized("Bearer sk_prod_xyz"),
    { ...invalidKey, says: /sk_live_ or sk_test_/ },
  ],
  ["a key without Bearer", () => authorized(seller.keys.test)(), { ...invalidKey, says: /Bearer/ }],
  ["Basic authentication", authorized("Basic c2s6"), { ...invalidKey, says: /Bearer/ }],
  ["an empty Bearer", authorized("Bearer "), { ...invalidKey, says: /Bearer/ }],
  [
    "a key in the query",
    get(
      () => `${charges}?api_key=${seller.keys.test}`,
      () => anonymous,
    ),
    { ...invalidKey, says: /Authorization/ },
  ],

  [
    "no Idempotency-Key",
    () => seller.test.post(charges, { body: chargeBody() }),
    { status: 400, code: "missing_idempotency_key", says: /Idempotency-Key/ },
  ],
  [
    "an empty Idempotency-Key",
    post({ body: chargeBody(), headers: { "Idempotency-Key": "" } }),
    { status: 400, code: "missing_idempotency_key", says: /Idempotency-Key/ },
  ],
  [
    "a malformed Idempotency-Key",
    post({ body: chargeBody(), headers: { "Idempotency-Key": "a b" } }),
    { ...invalid, param: "Idempotency-Key", says: /1 to 255 characters/ },
  ],

  ["a body that is not JSON", post({ body: "amount=100" }), { ...invalid, says: /JSON at line 1, column 1/ }],
  [
    "a body that ends too early",
    post({ body: '{"amount": 100,\n  "payment' }),
    { ...invalid, says: /line 2/ },
  ],
  ["an empty body", post({ body: "" }), { ...invalid, says: /empty/ }],
  ["a body that is a list", post({ body: "[]" }), { ...invalid, says: /JSON object/ }],
  ["a body of null", post({ body: "null" }), { ...invalid, says: /JSON object/ }],
  [
    "a wrong amount",
    post({ body: chargeBody({ amount: "12,90" }) }),
    { ...invalid, param: "amount", says: /^amount must be a number/ },
  ],
  [
    "an amount of 0",
    post({ body: chargeBody({ amount: 0 }) }),
    { ...invalid, param: "amount", says: /between 1 and 999999999999/ },
  ],
  [
    "another payment method",
    post({ body: chargeBody({ payment_method: "card" }) }),
    { ...invalid, param: "payment_method", says: /"pix"/ },
  ],
  [
    "no customer",
    post({ body: chargeBody({ customer: undefined }) }),
    { ...invalid, param: "customer", says: /required/ },
  ],
  [
    "a bad address",
    post({ body: chargeBody({ customer: { name: "Ana", email: "ana", document: "52998224725" } }) }),
    { ...invalid, param: "customer.email", says: /an e-mail address/ },
  ],
  [
    "a bad document",
    post({ body: chargeBody({ customer: { name: "Ana", email: "a@b.co", document: "1" } }) }),
    { ...invalid, param: "customer.document", says: /CPF \(11 digits\) or a CNPJ/ },
  ],
  [
    "a bad URL",
    post({ body: chargeBody({ postback_url: "http://example.com" }) }),
    { status: 400, code: "invalid_url", param: "postback_url", says: /https:\/\// },
  ],
  [
    "a URL of this machine",
    post({ body: chargeBody({ postback_url: "https://localhost/" }) }),
    { status: 400, code: "invalid_url", param: "postback_url", says: /public host name/ },
  ],
  [
    "a media type that is not JSON",
    post({ body: "a=1", headers: { "Content-Type": "application/x-www-form-urlencoded" } }),
    { status: 415, code: "unsupported_media_type", says: /Content-Type: application\/json/ },
  ],
  [
    "JSON in another charset",
    post({ body: chargeBody(), headers: { "Content-Type": "application/json; charset=latin1" } }),
    { status: 415, code: "unsupported_media_type", says: /UTF-8/ },
  ],
  [
    "a compressed body",
    post({ body: chargeBody(), headers: { "Content-Encoding": "gzip" } }),
    { status: 415, code: "unsupported_media_type", says: /uncompressed/ },
  ],
  [
    "a body that is too large",
    post({ body: `"${"x".repeat(256 * 1024)}"` }),
    { status: 413, code: "payload_too_large", says: /262144 bytes/ },
  ],
  [
    "an amount that the acquirer refuses",
    post({ body: chargeBody({ amount: 3 }) }),
    { status: 502, code: "acquirer_error", type: "acquirer_error", says: /new Idempotency-Key/ },
  ],

  [
    "an unknown charge",
    get(() => `${charges}/txn_00000000000000000000000000`),
    { ...notFound, says: /Check the id/ },
  ],
  [
    "another seller's charge",
    get(() => `${charges}/${othersChargeId}`),
    { ...notFound, says: /same seller and mode/ },
  ],
  [
    "a charge of the other mode",
    get(() => `${charges}/${liveChargeId}`),
    { ...notFound, says: /same seller and mode/ },
  ],
  ["a malformed id", get(() => `${charges}/1042`), { ...notFound, says: /Check the id/ }],
  [
    "a broken path encoding",
    get(() => `${charges}/%E0%A4%A`),
    { ...invalid, param: "id", says: /percent-encoding/ },
  ],
  ["an unknown event", get(() => "/v1/events/evt_x"), { ...notFound, says: /Check the id/ }],
  ["an unknown delivery", get(() => "/v1/webhook-deliveries/whd_x"), { ...notFound, says: /Check the id/ }],
  [
    "a bad cursor",
    get(() => `${charges}?cursor=abc`),
    { status: 400, code: "invalid_cursor", param: "cursor", says: /next_cursor/ },
  ],
  ["a bad limit", get(() => `${charges}?limit=1000`), { ...invalid, param: "limit", says: /1 to 100/ }],
  ["a bad date", get(() => `${charges}?from=21/11/2026`), { ...invalid, param: "from", says: /ISO 8601/ }],
  ["a bad status", get(() => `${charges}?status=open`), { ...invalid, param: "status", says: /"pending"/ }],
  [
    "malformed types",
    get(() => "/v1/events?types=a,,b"),
    { ...invalid, param: "types", says: /^'a' is neither an event type .* Known: / },
  ],
  [
    "the other mode's stream",
    get(() => "/events?mode=live"),
    { ...invalid, param: "mode", says: /use a live key/ },
  ],

  ["an unknown path", get(() => "/v1/charges"), { ...notFound, says: /\/docs/ }],
  [
    "an unknown path, without a key",
    get(
      () => "/v2/transactions",
      () => anonymous,
    ),
    { ...notFound, says: /\/docs/ },
  ],
  [
    "the root",
    get(
      () => "/",
      () => anonymous,
    ),
    { ...notFound, says: /\/docs/ },
  ],
  ["a trailing slash", get(() => `${charges}/`), { ...notFound, says: /./ }],
  ["a path in capitals", get(() => "/V1/Transactions"), { ...notFound, says: /\/docs/ }],
  [
    "a wrong method",
    () => seller.test.request("DELETE", charges),
    {
      status: 405,
      code: "method_not_allowed",
      says: /Use POST, GET, HEAD/,
      headers: { allow: /^POST, GET, HEAD$/ },
    },
  ],
  [
    "a method of the list on a single charge",
    () => seller.test.post(`${charges}/${chargeId}`, { body: {} }),
    { status: 405, code: "method_not_allowed", says: /GET, HEAD/, headers: { allow: /^GET, HEAD$/ } },
  ],
  [
    "a write to a probe",
    () => anonymous.post("/health"),
    { status: 405, code: "method_not_allowed", says: /GET, HEAD/, headers: { allow: /GET/ } },
  ],
  [
    "an unknown method",
    () => seller.test.request("PROPFIND", charges),
    {
      status: 405,
      code: "method_not_allowed",
      says: /Use POST, GET, HEAD/,
      headers: { allow: /^POST, GET, HEAD$/ },
    },
  ],
]

describe("errors that callers make", () => {
  it.each(cases)("the error for %s says what to do", async (_, send, wanted) => {
    const answer = await send()
    const { type = "invalid_request_error", param, says, headers = {} } = wanted
    expect(answer.headers.get("content-type")).toBe("application/json")
    const { error } = answer.body
    expect([answer.status, error.code, error.type, error.param]).toEqual([
      wanted.status,
      wanted.code,
      type,
      param,
    ])
    expect(Object.keys(answer.body)).toEqual(["error"])
    expect(error.request_id).toBe(answer.headers.get("x-request-id"))
    // The message is a sentence, and shows nothing of our internals.
    expect(error.message).toMatch(/^['A-Za-z].*[.)]$/s)
    expect(error.message).not.toMatch(/undefined|\[object|Error:|node_modules|\bSchema\b|Expected/)
    expect(error.message).toMatch(says)
    for (const [name, pattern] of Object.entries(headers)) expect(answer.headers.get(name)).toMatch(pattern)
  })

  it("a revoked key is refused at once on every route, with the advice to use another", async () => {
    const revoked = await stage.newSeller()
    const { id } = await makeCharge(revoked.test)
    const hashes = (await stage.redis("KEYS", "apikey:*")) as ReadonlyArray<string>
    for (const key of hashes) {
      const [owner, mode] = (await stage.redis("HMGET", key, "seller", "mode")) as ReadonlyArray<string>
      if (owner === revoked.id && mode === "test") await stage.redis("HSET", key, "revoke_at", Date.now())
    }
    const answers = [
      await revoked.test.get<ErrorBody>(charges),
      await revoked.test.get<ErrorBody>(`${charges}/${id}`),
      await revoked.test.get<ErrorBody>("/v1/events"),
      await revoked.test.get<ErrorBody>("/v1/events/evt_x"),
      await revoked.test.get<ErrorBody>("/v1/event-types"),
      await revoked.test.get<ErrorBody>("/v1/webhook-deliveries"),
      await revoked.test.get<ErrorBody>("/events"),
      await postCharge(revoked.test, chargeBody()),
      await postCharge(revoked.test, "not JSON"),
    ]
    for (const answer of answers) {
      expect([answer.status, answer.body.error.code]).toEqual([401, "invalid_api_key"])
      expect(answer.body.error.message).toMatch(/Use a (current|valid) key/)
    }
    expect((await revoked.live.get(charges)).status).toBe(200)
  })

  it("another seller's charge and an unknown one get the same answer", async () => {
    const unknown = chargeId.slice(0, -4) + (chargeId.endsWith("0000") ? "1111" : "0000")
    const [foreign, missing] = [
      await other.test.get<ErrorBody>(`${charges}/${chargeId}`),
      await other.test.get<ErrorBody>(`${charges}/${unknown}`),
    ]
    const plain = (answer: Answer<ErrorBody>, id: string) =>
      answer.text.replaceAll(id, "<id>").replace(/req_\w+/, "<request>")
    expect(plain(foreign, chargeId)).toBe(plain(missing, unknown))
  })
})

describe("the service", () => {
  it("the service survives bytes that are not HTTP", async () => {
    const send = (bytes: string | Buffer) =>
      new Promise<void>((done) => {
        const socket = connect(stage.service.port, "127.0.0.1", () => socket.end(bytes))
        socket.on("error", () => {})
        socket.on("close", () => done())
        socket.resume()
      })
    await Promise.all([
      send("\r\n\r\n\r\n"),
      send(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00])),
      send("GET / HTTP/9.9\r\n\r\n"),
      send(`GET /${"x".repeat(100_000)} HTTP/1.1\r\nHost: a\r\n\r\n`),
      send(`POST ${charges} HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`),
    ])
    expect((await anonymous.get("/health")).status).toBe(200)
    expect((await seller.test.get(`${charges}/${chargeId}`)).status).toBe(200)
  })

  it("the service's log contains no API key and no postback secret", async () => {
    const log = stage.service.log()
    for (const secret of [seller.keys.test, seller.keys.live, seller.postbackSecret]) {
      expect(log).not.toContain(secret)
    }
  })
})
