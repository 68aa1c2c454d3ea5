import { describe, expect, it } from "@effect/vitest"
import { isId } from "../../schema/ids.ts"
import {
  authorized,
  awayKey,
  coldKey,
  createCharge,
  errorOf,
  type Fixture,
  goodCharge,
  goodKey,
  inFixture,
  revokedKey,
} from "./fixture.ts"
import { exchangeRaw, RawClient } from "./rawClient.ts"

const get = ({ origin }: Fixture, path: string, headers: Readonly<Record<string, string>> = authorized) =>
  fetch(origin + path, { headers })

describe("the text of an answer", () => {
  it.live(
    "arrives whole, whether it fits the megabyte that is encoded at once or not",
    inFixture(async (fixture) => {
      const unitsMax = Math.floor(2 ** 20 / 3)
      for (const units of [1, 1_000, unitsMax, unitsMax + 1, 2 * unitsMax]) {
        const response = await get(fixture, `/v1/transactions/txn_euros_${units}`)
        expect(Number(response.headers.get("content-length"))).toBe(3 * units)
        expect((await response.text()) === "€".repeat(units), `${units} euros`).toBe(true)
      }
    }),
  )
})

describe("routing", () => {
  it.live(
    "an unknown path is 404 in the envelope by any method, before a key is asked for",
    inFixture(async (fixture) => {
      for (const path of [
        "/",
        "/v1",
        "/v1/transactions/",
        "/v1/transactions/a/b",
        "/nope?x=1",
        "//",
        "/v1//events",
      ]) {
        for (const method of ["GET", "POST", "DELETE", "OPTIONS"]) {
          const response = await fetch(fixture.origin + path, { method })
          expect(response.status, `${method} ${path}`).toBe(404)
          expect(await errorOf(response)).toMatchObject({
            code: "resource_not_found",
            type: "not_found_error",
          })
        }
      }
    }),
  )

  it.live(
    "another method on a known path is 405 with Allow, before a key is asked for",
    inFixture(async (fixture) => {
      const tries = [
        ["PUT", "/v1/transactions", "POST, GET, HEAD"],
        ["DELETE", "/v1/transactions/txn_1", "GET, HEAD"],
        ["OPTIONS", "/v1/events", "GET, HEAD"],
        ["GET", "/v1/webhook-deliveries/whd_1/retry", "POST"],
        ["HEAD", "/v1/webhook-deliveries/whd_1/retry", "POST"],
        ["POST", "/events", "GET"],
        ["HEAD", "/events", "GET"],
        ["POST", "/docs", "GET, HEAD"],
      ]
      for (const [method = "", path = "", allow = ""] of tries) {
        const response = await fetch(fixture.origin + path, { method })
        expect(response.status, `${method} ${path}`).toBe(405)
        expect(response.headers.get("allow")?.split(", ").sort()).toEqual(allow.split(", ").sort())
        if (method === "HEAD") continue
        expect(await errorOf(response)).toMatchObject({ code: "method_not_allowed" })
      }
      const odd = await exchangeRaw(fixture.server.port, "BREW /v1/events HTTP/1.1\r\nHost: x\r\n\r\n")
      expect(odd.status).toBe(405)
    }),
  )

  it.live(
    "HEAD is answered like GET, without the body, and keeps the connection",
    inFixture(async (fixture) => {
      const whole = await get(fixture, "/v1/transactions/txn_é")
      const length = String((await whole.arrayBuffer()).byteLength)
      const client = new RawClient(fixture.server.port)
      const request = `HEAD /v1/transactions/txn_%C3%A9 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${goodKey}\r\n\r\n`
      client.send(request)
      const [head] = await client.responses(1, true)
      expect(head).toMatchObject({ status: 200, headers: { "content-length": length } })
      client.send(request.replace("txn_%C3%A9", "txn_missing"))
      const [, missing] = await client.responses(2, true)
      expect(missing?.status).toBe(404)
      client.received = Buffer.alloc(0)
      client.send("GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
      const [health] = await client.responses(1)
      expect(health).toMatchObject({ status: 200, body: '{"status":"ok"}' })
      client.close()
    }),
  )

  it.live(
    "a 204 has neither a body nor a Content-Length",
    inFixture(async (fixture) => {
      const response = await get(fixture, "/ready")
      expect(response.status).toBe(204)
      expect(response.headers.get("content-length")).toBeNull()
      expect(await response.text()).toBe("")
      expect((await get(fixture, "/health")).status).toBe(200)
    }),
  )
})

describe("X-Request-Id", () => {
  it.live(
    "an answer has an X-Request-Id of ours, a new one each time",
    inFixture(async (fixture) => {
      const ids = new Set<string>()
      for (let index = 0; index < 600; index++) {
        const id = (await get(fixture, "/health")).headers.get("x-request-id") ?? ""
        expect(isId("req_", id)).toBe(true)
        ids.add(id)
      }
      expect(ids.size).toBe(600)
    }),
  )

  it.live(
    "a caller's X-Request-Id of 8 to 64 allowed characters is kept, and any other is replaced",
    inFixture(async (fixture) => {
      for (const id of ["abcd-_09", "x".repeat(64)]) {
        const found = await get(fixture, "/nope", { "x-request-id": id })
        expect((await errorOf(found)).request_id).toBe(id)
      }
      for (const id of ["abcdefg", "x".repeat(65), "abc def ghi", "abcdefgh;"]) {
        const found = await get(fixture, "/nope", { "x-request-id": id })
        expect((await errorOf(found)).request_id).toMatch(/^req_/)
      }
    }),
  )
})

describe("authentication", () => {
  it.live(
    "a missing or wrong API key is 401 before anything else that is wrong with the request",
    inFixture(async (fixture) => {
      for (const authorization of [undefined, "Bearer nope"]) {
        const response = await createCharge(fixture, "{", {
          authorization,
          "content-type": "text/plain",
          "idempotency-key": undefined,
        })
        expect(response.status).toBe(401)
        expect(await errorOf(response)).toMatchObject({
          code: "invalid_api_key",
          type: "authentication_error",
        })
      }
      const list = await get(fixture, "/v1/events?limit=0", {})
      expect(list.status).toBe(401)
    }),
  )

  it.live(
    "an API key whose lookup takes a while is served like any other",
    inFixture(async (fixture) => {
      const authorization = `Bearer ${coldKey}`
      expect((await get(fixture, "/v1/transactions/txn_1", { authorization })).status).toBe(200)
      expect((await createCharge(fixture, goodCharge, { authorization })).status).toBe(201)
      expect((await createCharge(fixture, "{", { authorization })).status).toBe(400)
    }),
  )

  it.live(
    "a revoked API key that is still cached is 401 also where the request is wrong",
    inFixture(async (fixture) => {
      const authorization = `Bearer ${revokedKey}`
      const body = await createCharge(fixture, "{", { authorization })
      expect(body.status).toBe(401)
      expect(await errorOf(body)).toMatchObject({ code: "invalid_api_key" })
      expect((await get(fixture, "/v1/events?limit=0", { authorization })).status).toBe(401)
      expect(
        (await createCharge(fixture, goodCharge, { authorization, "idempotency-key": undefined })).status,
      ).toBe(401)
      expect((await get(fixture, "/v1/transactions/txn_missing", { authorization })).status).toBe(401)
      // Where the request is right, the check is left to the handler's own store call.
      expect((await get(fixture, "/v1/transactions/txn_1", { authorization })).status).toBe(200)
    }),
  )

  it.live(
    "a request whose API key cannot be looked up is 503 with Retry-After while the store is away",
    inFixture(async (fixture) => {
      const response = await get(fixture, "/v1/transactions/txn_1", { authorization: `Bearer ${awayKey}` })
      expect(response.status).toBe(503)
      expect(response.headers.get("retry-after")).toBe("1")
      expect(await errorOf(response)).toMatchObject({ code: "service_unavailable", type: "internal_error" })
    }),
  )

  it.live(
    "/health is served without a key",
    inFixture(async (fixture) => {
      expect((await get(fixture, "/health", {})).status).toBe(200)
    }),
  )
})

describe("a query", () => {
  it.live(
    "a query is decoded by its declared names, and others are ignored",
    inFixture(async (fixture) => {
      const response = await get(
        fixture,
        "/v1/events?limit=7&types=transaction.paid%2Cseller.*&resource_id=a+b%20c&other=1&other=2&&x&__proto__=1&constructor=2",
      )
      expect(response.status).toBe(200)
      expect(await response.json()).toEqual({
        limit: "7",
        types: "transaction.paid,seller.*",
        resource_id: "a b c",
      })
    }),
  )

  const wrong: ReadonlyArray<readonly [query: string, param: string | undefined, message: RegExp]> = [
    ["limit=0", "limit", /^limit must be an integer of 1 to 100\.$/],
    ["limit=101", "limit", /^limit must be an integer of 1 to 100\.$/],
    ["limit=", "limit", /integer/],
    ["limit=1&limit=2", "limit", /more than once/],
    ["from=yesterday", "from", /^from must be an ISO 8601 date-time/],
    ["resource_type=seller", "resource_type", /"transaction".*"withdrawal".*"refund"/],
    ["resource_id=", "resource_id", /./],
    ["types=%zz", "types", /percent-encoding/],
    ["types=%ff", "types", /percent-encoding/],
    ["%=1", undefined, /percent-encoding/],
    ["other=%e0%a4", undefined, /percent-encoding/],
  ]
  it.live.each(wrong)("the query %s is 400 validation_failed", ([query, param, message]) =>
    inFixture(async (fixture) => {
      const response = await get(fixture, `/v1/events?${query}`)
      expect(response.status).toBe(400)
      const error = await errorOf(response)
      expect(error.code).toBe("validation_failed")
      expect(error.param).toBe(param)
      expect(error.message).toMatch(message)
    })(),
  )

  it.live(
    "a query's limit may be 1 and may be 100",
    inFixture(async (fixture) => {
      for (const limit of ["1", "100"]) {
        expect((await get(fixture, `/v1/transactions?limit=${limit}`)).status).toBe(200)
      }
    }),
  )
})

describe("a path parameter", () => {
  it.live(
    "a path parameter is percent-decoded",
    inFixture(async (fixture) => {
      const response = await get(fixture, "/v1/events/a%2Fb%20%C3%A9+c")
      expect(await response.json()).toEqual({ id: "a/b é+c" })
    }),
  )

  it.live(
    "a path parameter with a broken encoding is 400, with its name as param",
    inFixture(async (fixture) => {
      for (const id of ["%zz", "%ff", "a%"]) {
        const response = await exchangeRaw(
          fixture.server.port,
          `GET /v1/events/${id} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${goodKey}\r\n\r\n`,
        )
        expect(response.status).toBe(400)
        expect(JSON.parse(response.body).error).toMatchObject({ code: "validation_failed", param: "id" })
      }
    }),
  )
})

describe("how a handler ends", () => {
  it.live(
    "a handler's own error is answered as that error",
    inFixture(async (fixture) => {
      const response = await get(fixture, "/v1/transactions/txn_missing")
      expect(response.status).toBe(404)
      expect(await errorOf(response)).toMatchObject({ code: "resource_not_found" })
    }),
  )

  it.live(
    "a handler that finds its store away or is interrupted is answered 503 with Retry-After",
    inFixture(async (fixture) => {
      for (const id of ["txn_away", "txn_interrupts"]) {
        const response = await get(fixture, `/v1/transactions/${id}`)
        expect(response.status).toBe(503)
        expect(response.headers.get("retry-after")).toBe("1")
        expect(await errorOf(response)).toMatchObject({ code: "service_unavailable" })
      }
    }),
  )

  it.live(
    "a handler's defect is answered 500, which reveals nothing, and logged with its request id, without secrets",
    inFixture(async (fixture) => {
      for (const id of ["txn_dies", "txn_throws", "txn_bad_reply"]) {
        const response = await get(fixture, `/v1/transactions/${id}`)
        expect(response.status).toBe(500)
        const error = await errorOf(response)
        expect(error).toMatchObject({ code: "internal_error", type: "internal_error" })
        expect(error.message).not.toMatch(/broken|effect|undefined/)
        const line = fixture.logs.find((text) => text.includes(error.request_id)) ?? ""
        expect(line).toContain("GET /v1/transactions/:id died")
        expect(line).not.toContain(goodKey)
      }
      expect(fixture.logs.join()).toContain("broken by sk_test_…")
      expect((await get(fixture, "/v1/transactions/txn_1")).status).toBe(200)
    }),
  )
})
