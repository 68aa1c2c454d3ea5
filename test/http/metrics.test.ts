import { describe, expect, it } from "@effect/vitest"
import { Effect, Metric, Redacted } from "effect"
import { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { serve } from "../../src/http/server/server.ts"
import { metricsRoute, type ScrapeOptions } from "../../src/scrape/route.ts"
import { parseExposition, valueOf } from "../support/exposition.ts"
import { authorized, createCharge, errorOf, goodCharge, makeFixture, openStream } from "./fixture.ts"

const token = "0123456789abcdef"
const ownRegistry = Effect.provideService(Metric.MetricRegistry, new Map())

const scrapeAt = async (origin: string) => parseExposition(await (await fetch(`${origin}/metrics`)).text())

/** A server that has no route but `/metrics`. */
const scrapeServer = (options: Partial<ScrapeOptions>) =>
  Effect.gen(function* () {
    const defaults = { token: undefined, trustedProxies: [], storeGauges: Effect.succeed([]) }
    const route = yield* metricsRoute({ ...defaults, ...options })
    const server = yield* serve({ host: "127.0.0.1", port: 0, routes: [route] })
    return `http://127.0.0.1:${server.port}`
  })

describe("/metrics", () => {
  it.live("/metrics is Prometheus' text format, and is not stored", () =>
    Effect.gen(function* () {
      const origin = yield* scrapeServer({})
      const answer = yield* Effect.promise(() => fetch(`${origin}/metrics`))
      expect(answer.status).toBe(200)
      expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8")
      expect(answer.headers.get("cache-control")).toBe("no-store")
      const families = parseExposition(yield* Effect.promise(() => answer.text()))
      expect(valueOf(families, "corrente_scrape_silent_processes")).toBe(0)
      expect(valueOf(families, "corrente_scrape_store_read")).toBe(1)
    }).pipe(ownRegistry),
  )

  it.live("/metrics counts answers by route and status, with ids in no label", () =>
    Effect.gen(function* () {
      const fixture = yield* makeFixture()
      const { origin } = fixture
      const families = yield* Effect.promise(async () => {
        for (const id of ["txn_1", "txn_2", "txn_missing", "txn_dies"]) {
          await fetch(`${origin}/v1/transactions/${id}`, { headers: authorized })
        }
        await createCharge(fixture, goodCharge)
        await createCharge(fixture, "{")
        for (const path of ["/nope", "/neither"]) await fetch(origin + path)
        await fetch(`${origin}/docs`, { method: "DELETE" })
        await openStream(fixture, "/events", authorized)
        // The drain would wait for it.
        fixture.steering.streams[0]?.end()
        return scrapeAt(origin)
      })
      const count = (method: string, route: string, status: string) =>
        valueOf(families, "corrente_http_requests_total", { method, route, status })
      expect(count("GET", "/v1/transactions/:id", "200")).toBe(2)
      expect(count("GET", "/v1/transactions/:id", "404")).toBe(1)
      expect(count("GET", "/v1/transactions/:id", "500")).toBe(1)
      expect(count("POST", "/v1/transactions", "201")).toBe(1)
      expect(count("POST", "/v1/transactions", "400")).toBe(1)
      expect(count("*", "/*", "404")).toBe(2)
      expect(count("*", "/*", "405")).toBe(1)
      expect(count("GET", "/events", "200")).toBe(1)
      const durations = "corrente_http_request_duration_seconds_count"
      expect(valueOf(families, durations, { route: "/v1/transactions/:id" })).toBe(4)
      expect(JSON.stringify([...families])).not.toMatch(/txn_|nope/)
    }).pipe(ownRegistry),
  )

  it.live("/metrics with a token is 403 in the envelope without it, and answers whoever sends it", () =>
    Effect.gen(function* () {
      const origin = yield* scrapeServer({ token: Redacted.make(token) })
      yield* Effect.promise(async () => {
        const error = await errorOf(await fetch(`${origin}/metrics`))
        expect(error).toMatchObject({
          code: "permission_denied",
          message: expect.stringContaining("METRICS_TOKEN"),
        })
        const answer = await fetch(`${origin}/metrics`, { headers: { authorization: `Bearer ${token}` } })
        expect(answer.status).toBe(200)
        expect(await answer.text()).not.toContain(token)
      })
    }).pipe(ownRegistry),
  )

  it.live("/metrics says where the store was not read, and answers all the same", () =>
    Effect.gen(function* () {
      const away = Effect.fail(new StoreUnavailable({ operation: "ZCARD", reason: "away" }))
      const origin = yield* scrapeServer({ storeGauges: away })
      const families = yield* Effect.promise(() => scrapeAt(origin))
      expect(valueOf(families, "corrente_scrape_store_read")).toBe(0)
    }).pipe(ownRegistry),
  )

  it.live("/metrics is 503 where the other processes could not be asked", () =>
    Effect.gen(function* () {
      const origin = yield* scrapeServer({ gather: Effect.succeed(undefined) })
      const error = yield* Effect.promise(async () => errorOf(await fetch(`${origin}/metrics`)))
      expect(error.code).toBe("service_unavailable")
    }).pipe(ownRegistry),
  )

  it.live("series end with the server that they are of", () =>
    Effect.gen(function* () {
      const registry: Metric.MetricRegistry = new Map()
      const own = Effect.provideService(Metric.MetricRegistry, registry)
      yield* Effect.scoped(
        Effect.flatMap(scrapeServer({}), (origin) => Effect.promise(() => scrapeAt(origin))),
      ).pipe(own)
      expect(registry.size).toBe(0)
    }),
  )
})
