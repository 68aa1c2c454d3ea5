import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Metric, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { serve } from "../../src/http/server/server.ts"
import { Admission } from "../../src/load/admission.ts"
import { LoadMeter } from "../../src/load/loadMeter.ts"
import { metricsRoute, renderedEveryMillis, type ScrapeOptions } from "../../src/scrape/route.ts"
import { parseExposition, valueOf } from "../support/exposition.ts"
import {
  authorized,
  createCharge,
  errorOf,
  getTransaction,
  goodCharge,
  makeFixture,
  openStream,
  until,
} from "./fixture.ts"
import { exchangeRaw, RawClient } from "./rawClient.ts"

const token = "0123456789abcdef"
const ownRegistry = Effect.provideService(Metric.MetricRegistry, new Map())

const scrapeAt = async (origin: string) => parseExposition(await (await fetch(`${origin}/metrics`)).text())

/** A server that has no route but `/metrics`. */
const scrapeServer = (options: Partial<ScrapeOptions>) =>
  Effect.gen(function* () {
    const defaults = { token: undefined, isProduction: false, storeGauges: Effect.succeed([]) }
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

  it.live("/metrics in production is 403 without METRICS_TOKEN, on this machine too", () =>
    Effect.gen(function* () {
      const origin = yield* scrapeServer({ isProduction: true })
      const error = yield* Effect.promise(async () => errorOf(await fetch(`${origin}/metrics`)))
      expect(error).toMatchObject({
        code: "permission_denied",
        message: expect.stringContaining("production"),
      })
    }).pipe(ownRegistry),
  )

  it.live("/metrics tells a proxy by any of several header lines, and by an empty one", () =>
    Effect.gen(function* () {
      const origin = yield* scrapeServer({})
      const port = Number(new URL(origin).port)
      const statusOf = async (lines: string) =>
        (await exchangeRaw(port, `GET /metrics HTTP/1.1\r\nHost: localhost\r\n${lines}\r\n`)).status
      yield* Effect.promise(async () => {
        expect(await statusOf("")).toBe(200)
        for (const lines of ["Via: 1.1 a\r\n", "X-Forwarded-For:\r\n", "X-Real-IP: 127.0.0.1\r\n"]) {
          expect([lines, await statusOf(lines)]).toEqual([lines, 403])
        }
        expect(await statusOf("Host: example.com\r\n")).not.toBe(200)
      })
    }).pipe(ownRegistry),
  )

  it.live("/metrics is rendered at most once a second, and answers from the last rendering meanwhile", () =>
    Effect.gen(function* () {
      let reads = 0
      const storeGauges = Effect.sync(() => {
        reads++
        return []
      })
      const refusal = { requestId: "", params: [], query: "", contentType: "", contentEncoding: "" }
      const asked = {
        ...refusal,
        authorization: undefined,
        headers: ["host", "localhost"],
        body: Buffer.alloc(0),
        remoteAddress: "127.0.0.1",
      }
      const route = yield* metricsRoute({ token: undefined, isProduction: false, storeGauges })
      const scrape = Effect.flatMap(
        Effect.sync(() => route.start(asked)),
        Fiber.join,
      )
      const [first, second] = yield* Effect.all([scrape, scrape], { concurrency: 2 })
      expect([reads, second]).toEqual([1, first])
      yield* TestClock.adjust(renderedEveryMillis - 1)
      yield* scrape
      expect(reads).toBe(1)
      yield* TestClock.adjust(1)
      yield* scrape
      expect(reads).toBe(2)
    }).pipe(ownRegistry, Effect.provide(TestClock.layer())),
  )

  it.live("/metrics is refused while requests of others would have to wait for it", () =>
    Effect.gen(function* () {
      const meter = new LoadMeter(() => 0)
      const options = { targetMillis: 0.5, runningMax: 1, bytesWaitingMax: 1, random: () => 0 }
      const load = { meter, admission: new Admission(meter, options, 0) }
      const { origin, server, steering } = yield* makeFixture({ load, drainTimeoutMillis: 100 })
      yield* Effect.promise(async () => {
        expect((await fetch(`${origin}/metrics`)).status).toBe(200)
        const waiting: Array<RawClient> = []
        for (let count = 1; count <= 16; count++) {
          const client = new RawClient(server.port)
          waiting.push(client)
          client.send(getTransaction("txn_held"))
          await until(() => meter.inProgress === count)
        }
        const refused = await fetch(`${origin}/metrics`)
        expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"])
        expect((await errorOf(refused)).code).toBe("service_unavailable")
        for (const client of waiting) client.close()
        for (const resume of steering.held) resume()
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
