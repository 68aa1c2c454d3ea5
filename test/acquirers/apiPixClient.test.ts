import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { limits } from "../../schema/limits.ts"
import { type ApiPixOptions, makeApiPix } from "../../src/acquirers/apiPix/apiPix.ts"
import { callTimeoutMillis, lookUpTimeoutMillis } from "../../src/acquirers/apiPix/client.ts"
import type { PspFault } from "../support/psp.ts"
import {
  chargeOf,
  openApiPix,
  openPsp,
  optionsOf,
  passing,
  payoutOf,
  queryOf,
  skippingPauses,
} from "../support/pspClient.ts"

const tokenRequests = "POST /oauth/token"
const answer = (status: number, headers: Record<string, string> = {}): PspFault => ({
  kind: "answer",
  status,
  headers,
})

describe("mutual TLS", () => {
  it.effect("api-pix shows our certificate, and the PSP accepts no other client", () =>
    Effect.gen(function* () {
      const psp = yield* openPsp()
      const accepted = yield* makeApiPix(optionsOf(psp))
      yield* accepted.createCharge(chargeOf())
      expect(psp.requestsOf("PUT /cob")).toHaveLength(1)

      const stranger = yield* makeApiPix({ ...optionsOf(psp), ...psp.strangerPem })
      const { value } = yield* skippingPauses(Effect.flip(stranger.createCharge(chargeOf())))
      expect(value).toMatchObject({ _tag: "AcquirerUnavailable", operation: "createCharge" })
      expect(value.reason).toMatch(/^the connection failed: /)
      expect(psp.requestsOf("PUT /cob")).toHaveLength(1)
      expect(psp.requestsOf(tokenRequests)).toHaveLength(1)
    }),
  )

  it.effect("api-pix sends nothing to a PSP whose certificate comes from another CA", () =>
    Effect.gen(function* () {
      const other = yield* openPsp()
      const { psp, acquirer } = yield* openApiPix({ ca: other.pem.ca })
      const { value } = yield* skippingPauses(Effect.flip(acquirer.createCharge(chargeOf())))
      expect(value).toMatchObject({ _tag: "AcquirerUnavailable" })
      expect(psp.requests).toHaveLength(0)

      const byDefault = yield* makeApiPix({ ...optionsOf(psp), ca: undefined })
      yield* skippingPauses(Effect.flip(byDefault.createCharge(chargeOf())))
      expect(psp.requests).toHaveLength(0)
    }),
  )

  it.effect("api-pix fails to start on invalid or mismatched PEM texts, and its error shows none", () =>
    Effect.gen(function* () {
      const psp = yield* openPsp()
      const key = psp.strangerPem.key
      for (const changes of [{ cert: "none" }, { key: "none" }, { key }, { ca: "-----BEGIN" }]) {
        const error = yield* Effect.flip(makeApiPix({ ...optionsOf(psp), ...changes }))
        expect(error._tag).toBe("InvalidApiPixCertificate")
        expect(error.message).not.toContain("none")
        expect(error.message).not.toContain("PRIVATE")
      }
    }),
  )
})

describe("an answer of the bank", () => {
  it.effect(
    "calls and requests for tokens count though the bank sends an unasked 100 Continue before it answers",
    () =>
      Effect.gen(function* () {
        const { psp, acquirer } = yield* openApiPix()
        psp.fail(/./, { kind: "interim" }, Number.POSITIVE_INFINITY)
        yield* acquirer.createCharge(chargeOf())
        yield* acquirer.queryCharge(queryOf())
        expect(psp.requests.map(({ method, path }) => `${method} ${path}`)).toHaveLength(3)
      }),
  )

  it.effect("a call says what was wrong with an answer that is not HTTP", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      const bytes = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}"
      psp.fail("GET /cob", { kind: "raw", bytes }, Number.POSITIVE_INFINITY)
      const { value } = yield* skippingPauses(Effect.flip(acquirer.queryCharge(queryOf())))
      expect(value).toMatchObject({ _tag: "AcquirerUnavailable", reason: "the answer has two lengths" })
    }),
  )
})

describe("a token", () => {
  it.effect("a token is requested by client credentials, once for concurrent callers", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      const txids = Array.from({ length: 20 }, (_, index) => `${index}`.padStart(32, "c"))
      yield* Effect.forEach(txids, (txid) => acquirer.createCharge(chargeOf({ txid })), {
        concurrency: "unbounded",
      })
      const [asked, ...more] = psp.requestsOf(tokenRequests)
      expect(more).toEqual([])
      expect(asked?.body).toBe('{"grant_type":"client_credentials"}')
      expect(asked?.headers["content-type"]).toBe("application/json")
      const basic = Buffer.from(`${psp.clientId}:${psp.clientSecret}`).toString("base64")
      expect(asked?.headers.authorization).toBe(`Basic ${basic}`)
      const bearers = new Set(psp.requestsOf("PUT /cob").map(({ headers }) => headers.authorization))
      expect(bearers.size).toBe(1)
      expect([...bearers][0]).toMatch(/^Bearer \S+$/)
    }),
  )

  it.effect.each([
    { seconds: 3_600, usableMillis: 3_570_000 },
    { seconds: 40, usableMillis: 20_000 },
    { seconds: null, usableMillis: 30_000 },
  ])("a token that lives $seconds s is used for $usableMillis ms", ({ seconds, usableMillis }) =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.setTokenSeconds(seconds)
      yield* acquirer.queryCharge(queryOf())
      yield* TestClock.adjust(usableMillis - 1)
      yield* acquirer.queryCharge(queryOf())
      expect(psp.requestsOf(tokenRequests)).toHaveLength(1)
      yield* TestClock.adjust(1)
      yield* acquirer.queryCharge(queryOf())
      expect(psp.requestsOf(tokenRequests)).toHaveLength(2)
    }),
  )

  it.effect("a token refused before its time is renewed once, and the call repeated", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      yield* acquirer.queryCharge(queryOf())
      psp.revokeTokens()
      yield* acquirer.createCharge(chargeOf())
      expect(psp.requestsOf("PUT /cob")).toHaveLength(2)
      expect(psp.requestsOf(tokenRequests)).toHaveLength(2)

      psp.fail("PATCH /cob", answer(401), 2)
      const error = yield* Effect.flip(acquirer.cancelCharge(chargeOf().txid))
      expect(error).toMatchObject({ _tag: "AcquirerUnavailable", reason: "answered 401" })
      expect(psp.requestsOf("PATCH /cob")).toHaveLength(2)

      // A 401 says nothing about the charge, so the charge is not refused.
      psp.fail("PUT /cob", answer(401), 2)
      expect(yield* Effect.flip(acquirer.createCharge(chargeOf({ txid: "n".repeat(32) })))).toMatchObject({
        _tag: "AcquirerUnavailable",
      })
    }),
  )

  it.effect("a token that cannot be had fails the call, and the next caller requests it again", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail(tokenRequests, answer(503), 3)
      const { value, pauses } = yield* skippingPauses(Effect.flip(acquirer.sendPayout(payoutOf())))
      expect(value).toMatchObject({
        _tag: "AcquirerUnavailable",
        reason: "the token request was answered 503",
      })
      expect(pauses).toEqual([200, 400])
      psp.fail(tokenRequests, answer(503), 3)
      const asking = Effect.flip(acquirer.queryCharge(queryOf()))
      expect((yield* skippingPauses(asking)).pauses).toEqual([200, 400])
      expect(psp.requestsOf(tokenRequests)).toHaveLength(6)
      psp.fail(tokenRequests, { kind: "text", text: '{"access_token":"a b","expires_in":60}' })
      const error = yield* Effect.flip(acquirer.sendPayout(payoutOf()))
      expect(error).toMatchObject({ reason: "the token response is malformed" })
      expect(psp.payouts.size).toBe(0)
      expect(yield* acquirer.sendPayout(payoutOf())).toMatchObject({ status: "processing" })
    }),
  )

  it.effect("a token request outlives the caller that started it", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail(tokenRequests, { kind: "slow", millis: 100 })
      const first = yield* Effect.forkChild(acquirer.queryCharge(queryOf()))
      yield* Effect.promise(() => psp.waitFor(tokenRequests, 1))
      const second = yield* Effect.forkChild(acquirer.createCharge(chargeOf()))
      yield* Fiber.interrupt(first)
      yield* Fiber.join(second)
      expect(psp.requestsOf(tokenRequests)).toHaveLength(1)
    }),
  )

  it.effect("wrong credentials get no token and are not in the error", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix({ clientSecret: Redacted.make("wr0ng-secret") })
      const error = yield* Effect.flip(acquirer.queryCharge(queryOf()))
      expect(error).toMatchObject({
        _tag: "AcquirerUnavailable",
        reason: "the token request was answered 401",
      })
      expect(JSON.stringify(error)).not.toContain("wr0ng-secret")
      expect(psp.requests).toHaveLength(1)
    }),
  )
})

describe("an idempotent call", () => {
  it.effect.each([
    { name: "408", fault: answer(408) },
    { name: "429", fault: answer(429) },
    { name: "500", fault: answer(500) },
    { name: "503", fault: answer(503) },
    { name: "a cut connection", fault: { kind: "cut" } as const },
  ])("an idempotent call is tried twice more after $name", ({ fault }) =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("PUT /cob", fault, 2)
      const { value, pauses } = yield* skippingPauses(acquirer.createCharge(chargeOf()))
      expect(value.location).toBe(psp.charge(chargeOf().txid)?.location)
      expect(pauses).toEqual([200, 400])
      expect(psp.requestsOf("PUT /cob")).toHaveLength(3)
    }),
  )

  it.effect("an idempotent call is given up after the third failure", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("GET /cob", answer(502), 9)
      const { value } = yield* skippingPauses(Effect.flip(acquirer.queryCharge(queryOf())))
      expect(value).toMatchObject({
        _tag: "AcquirerUnavailable",
        operation: "queryCharge",
        reason: "answered 502",
      })
      expect(psp.requestsOf("GET /cob")).toHaveLength(3)
    }),
  )

  it.effect("an idempotent call waits as Retry-After says, or fails if that is beyond its deadline", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("GET /cob", answer(429, { "retry-after": "3" }))
      psp.fail("GET /cob", answer(429, { "retry-after": "Thu, 01 Jan 1970 00:00:05 GMT" }))
      const { pauses } = yield* skippingPauses(acquirer.queryCharge(queryOf()))
      expect(pauses).toEqual([3_000, 2_000])

      psp.fail("GET /cob", answer(429, { "retry-after": "10" }))
      const { value, pauses: none } = yield* skippingPauses(Effect.flip(acquirer.queryCharge(queryOf())))
      expect(value.reason).toBe("answered 429")
      expect(none).toEqual([])
    }),
  )

  it.effect.each([
    { name: "a redirect", fault: answer(302, { location: "https://localhost:1/" }), reason: "answered 302" },
    {
      name: "an answer that is not JSON",
      fault: { kind: "text", text: "<html>" } as const,
      reason: "answered 200 with invalid JSON",
    },
    {
      name: "an answer of another shape",
      fault: { kind: "text", text: '{"status":"ATIVA"}' } as const,
      reason: "answered 200 with a body of an unexpected shape",
    },
    {
      name: "an answer over one mebibyte",
      fault: { kind: "text", text: " ".repeat(1024 * 1024 + 1) } as const,
      reason: "answered 200 with more than 1048576 bytes",
    },
  ])("an idempotent call is not tried again after $name", ({ fault, reason }) =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("GET /cob", fault)
      const error = yield* Effect.flip(acquirer.queryCharge(queryOf()))
      expect(error).toMatchObject({ _tag: "AcquirerUnavailable", operation: "queryCharge", reason })
      expect(psp.requestsOf("GET /cob")).toHaveLength(1)
      // The connection does not hold up the next call.
      yield* acquirer.queryCharge(queryOf())
    }),
  )
})

describe("the deadline of a call", () => {
  it("the deadlines of a call and its look-up add up to less than callers wait for an acquirer", () => {
    expect(callTimeoutMillis + lookUpTimeoutMillis).toBeLessThan(limits.acquirerTimeoutMillis)
  })

  it.effect("a call's deadline is 10 s, not a millisecond less", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("GET /cob", { kind: "silent" })
      const fiber = yield* Effect.forkChild(Effect.flip(acquirer.queryCharge(queryOf())))
      yield* Effect.promise(() => psp.waitFor("GET /cob", 1))
      yield* TestClock.adjust(9_999)
      expect(fiber.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust(1)
      expect(yield* Fiber.join(fiber)).toMatchObject({
        _tag: "AcquirerUnavailable",
        reason: "did not answer within 10000 ms",
      })
      expect(psp.requestsOf("GET /cob")).toHaveLength(1)
    }),
  )

  it.effect("a call's deadline covers its token request", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail(tokenRequests, { kind: "silent" })
      const call = Effect.flip(acquirer.queryCharge(queryOf()))
      expect(yield* passing(psp, tokenRequests, 1, 10_000, call)).toMatchObject({
        _tag: "AcquirerUnavailable",
      })
      yield* acquirer.queryCharge(queryOf())
    }),
  )
})

describe("the base URL", () => {
  it.effect.each([
    { basePath: "/v2", end: "" },
    { basePath: "/v2", end: "/" },
    { basePath: "", end: "" },
    { basePath: "", end: "/" },
  ])(
    "a base URL of the path '$basePath' and the end '$end' leads to charges below it and payouts at /v3",
    ({ basePath, end }) =>
      Effect.gen(function* () {
        const psp = yield* openPsp({ basePath })
        const acquirer = yield* makeApiPix({ ...optionsOf(psp), baseUrl: `${psp.baseUrl}${end}` })
        yield* acquirer.createCharge(chargeOf())
        yield* acquirer.sendPayout(payoutOf())
        expect(psp.requests.slice(1).map(({ path }) => path)).toEqual([
          `${basePath}/cob/${chargeOf().txid}`,
          `/v3/gn/pix/${payoutOf().payoutId}`,
        ])
      }),
  )
})

describe("the account at the acquirer", () => {
  it.effect("an api-pix account is identified by its address, client and PIX key alone", () =>
    Effect.gen(function* () {
      const psp = yield* openPsp()
      const accountOf = (changes: Partial<ApiPixOptions> = {}) =>
        Effect.map(makeApiPix({ ...optionsOf(psp), ...changes }), ({ account }) => account)
      const account = yield* accountOf()
      expect(account).toMatch(/^api-pix:[0-9a-f]{32}$/)
      expect(yield* accountOf({ clientSecret: Redacted.make("renewed") })).toBe(account)
      expect(yield* accountOf({ tokenUrl: "https://localhost/elsewhere" })).toBe(account)
      expect(yield* accountOf({ baseUrl: `${psp.baseUrl}/` })).toBe(account)
      const others = [
        yield* accountOf({ baseUrl: "https://localhost:1/v2" }),
        yield* accountOf({ clientId: "another" }),
        yield* accountOf({ pixKey: "another" }),
      ]
      expect(new Set([account, ...others]).size).toBe(4)
    }),
  )
})
