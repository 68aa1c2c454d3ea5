import { describe, expect, it } from "@effect/vitest"
import { limits } from "../../schema/limits.ts"
import { ask, cookieOf, dashboardOrigin, type Headers, publicOrigin, tokens } from "./dashboardFixture.ts"
import { type Fixture, goodKey, inFixture, openStream } from "./fixture.ts"
import { RawClient, type RawResponse } from "./rawClient.ts"

const corsOf = ({ headers }: RawResponse) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => name === "vary" || name.startsWith("access-control-")),
  )

const readable = {
  "access-control-allow-origin": dashboardOrigin,
  "access-control-allow-credentials": "true",
  "access-control-expose-headers":
    "X-Request-Id, Retry-After, X-MFA-Step-Up, Idempotent-Replayed, RateLimit, RateLimit-Policy, X-Server-Time",
  vary: "Origin",
}

const fromDashboard = ["Origin", dashboardOrigin] as const
const asJson = ["Content-Type", "application/json"] as const
const cookie = ["Cookie", cookieOf(tokens.seller)] as const

describe("answers of the dashboard's routes", () => {
  it.live(
    "answers of the dashboard's routes and of /v1 are no-store",
    inFixture(async (fixture) => {
      const asked: ReadonlyArray<readonly [string, string, Headers, string]> = [
        ["GET", "/page", [], "no-store"],
        ["GET", "/user", [cookie], "no-store"],
        ["GET", "/user", [], "no-store"],
        ["GET", "/v1/transactions", [["Authorization", `Bearer ${goodKey}`]], "no-store"],
      ]
      for (const [method, path, headers, wanted] of asked) {
        const answer = await ask(fixture, method, path, headers)
        expect([path, answer.headers["cache-control"]]).toEqual([path, wanted])
      }
    }),
  )
})

describe("answers to a page of DASHBOARD_ORIGINS", () => {
  it.live(
    "a page of DASHBOARD_ORIGINS may read every answer, errors too",
    inFixture(async (fixture) => {
      const asked: ReadonlyArray<readonly [string, string, Headers, number]> = [
        ["GET", "/page", [], 200],
        ["POST", "/page", [], 200],
        ["GET", "/user", [cookie], 200],
        ["POST", "/seller", [cookie, asJson], 400],
        ["POST", "/seller", [cookie], 415],
        ["DELETE", "/seller/always", [["Cookie", cookieOf(tokens.sellerWithoutStepUp)]], 403],
        ["GET", "/operator", [cookie], 403],
        ["GET", "/user", [], 401],
        ["GET", "/seller", [["Cookie", cookieOf(tokens.away)]], 503],
        ["DELETE", "/page", [], 405],
        ["GET", "/events", [], 401],
        ["POST", "/events", [], 405],
        ["GET", "/events?mode=none", [cookie], 400],
      ]
      for (const [method, path, headers, status] of asked) {
        const answer = await ask(fixture, method, path, [...headers, fromDashboard])
        expect([method, path, answer.status, corsOf(answer)]).toEqual([method, path, status, readable])
      }
    }),
  )

  it.live(
    "a page of DASHBOARD_ORIGINS may read streams, and those that turn it away",
    inFixture(async (fixture) => {
      for (const [path, token] of [
        ["/events", tokens.seller],
        ["/events", tokens.away],
        ["/events?types=away", tokens.seller],
      ] as const) {
        const headers = { cookie: cookieOf(token), origin: dashboardOrigin }
        const response = await openStream(fixture, path, headers)
        expect(response.headers.get("content-type")).toBe("text/event-stream")
        expect(response.headers.get("access-control-allow-origin")).toBe(dashboardOrigin)
        expect(response.headers.get("access-control-allow-credentials")).toBe("true")
        expect(response.headers.get("vary")).toBe("Origin")
        await response.body?.cancel()
      }
    }),
  )

  it.live(
    "a page of DASHBOARD_ORIGINS may read the answer to a body that is too large or never comes",
    inFixture(
      async (fixture) => {
        const large = "x".repeat(limits.bodyBytesMax + 1)
        const tooLarge = await ask(fixture, "POST", "/seller", [cookie, fromDashboard, asJson], large)
        expect([tooLarge.status, corsOf(tooLarge)]).toEqual([413, readable])
        const client = new RawClient(fixture.server.port)
        client.send(
          `POST /seller HTTP/1.1\r\nHost: x\r\nOrigin: ${dashboardOrigin}\r\nContent-Length: 5\r\n\r\n{`,
        )
        const [late] = await client.responses(1)
        expect(late?.status).toBe(400)
        expect(late === undefined ? {} : corsOf(late)).toEqual(readable)
        client.close()
      },
      { timeouts: { bodyMillis: 200, answerMillis: 10_000 } },
    ),
  )
})

describe("preflights", () => {
  const preflight: Headers = [
    ["Access-Control-Request-Method", "PATCH"],
    ["Access-Control-Request-Headers", "content-type, x-mode"],
  ]

  it.live(
    "a preflight of a page of DASHBOARD_ORIGINS gets the path's methods and the headers it may send",
    inFixture(async (fixture) => {
      for (const [path, methods] of [
        ["/page", "GET, HEAD, POST"],
        ["/user", "GET, HEAD, POST, PUT"],
        ["/seller/account", "PATCH"],
        ["/seller/always", "DELETE"],
        ["/events", "GET"],
      ]) {
        const answer = await ask(fixture, "OPTIONS", path ?? "", [fromDashboard, ...preflight])
        expect([path, answer.status, answer.body]).toEqual([path, 204, ""])
        expect(corsOf(answer)).toEqual({
          ...readable,
          "access-control-allow-methods": methods,
          "access-control-allow-headers":
            "Content-Type, Idempotency-Key, X-Mode, X-Requested-With, Last-Event-ID, X-Request-Id, traceparent, tracestate",
          "access-control-max-age": "7200",
        })
        expect(answer.headers["x-request-id"]).toMatch(/^req_/)
      }
    }),
  )

  it.live(
    "a preflight of any other page, or on a path for API keys alone, is 405 without CORS headers",
    inFixture(async (fixture) => {
      const others: ReadonlyArray<readonly [string, Headers]> = [
        ["/page", []],
        ["/page", [["Origin", "https://foreign.example"]]],
        ["/page", [["Origin", "null"]]],
        ["/page", [["Origin", publicOrigin]]],
        ["/page", [["Origin", "http://service.test"]]],
        ["/v1/transactions", [fromDashboard]],
        ["/health", [fromDashboard]],
        ["/docs", [fromDashboard]],
      ]
      for (const [path, headers] of others) {
        const answer = await ask(fixture, "OPTIONS", path, [...headers, ...preflight])
        expect([path, answer.status, corsOf(answer)]).toEqual([path, 405, {}])
      }
    }),
  )
})

describe("answers that no page of another origin may read", () => {
  const without = async (fixture: Fixture, path: string, headers: Headers) =>
    corsOf(await ask(fixture, "GET", path, headers))

  it.live(
    "a request with a foreign, our own or a misspelled Origin gets no CORS headers",
    inFixture(async (fixture) => {
      for (const origin of [
        "https://foreign.example",
        "null",
        "",
        "*",
        publicOrigin,
        "http://service.test",
        `${dashboardOrigin}/`,
        `${dashboardOrigin}:443`,
        dashboardOrigin.toUpperCase(),
        `${dashboardOrigin}.evil.example`,
        "constructor",
      ]) {
        expect([origin, await without(fixture, "/seller", [cookie, ["Origin", origin]])]).toEqual([
          origin,
          {},
        ])
      }
    }),
  )

  it.live(
    "API-key routes, /health and unknown paths send no CORS headers to DASHBOARD_ORIGINS",
    inFixture(async (fixture) => {
      const key = ["Authorization", `Bearer ${goodKey}`] as const
      for (const path of ["/v1/transactions", "/v1/events", "/health", "/nowhere"]) {
        expect([path, await without(fixture, path, [key, fromDashboard])]).toEqual([path, {}])
      }
    }),
  )
})
