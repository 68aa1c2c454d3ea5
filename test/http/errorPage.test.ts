import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { busyPage } from "../../src/http/pay/busyPage.ts"
import { documentRoute } from "../../src/http/server/compressed.ts"
import type { Reply, RequestFailure } from "../../src/http/server/reply.ts"
import type { Route } from "../../src/http/server/route.ts"
import { Admission } from "../../src/load/admission.ts"
import { LoadMeter } from "../../src/load/loadMeter.ts"
import { makeFixture, until } from "./fixture.ts"
import { RawClient, type RawResponse } from "./rawClient.ts"

const shown: Reply = { status: 200, text: "shown", contentType: "text/html; charset=utf-8" }
const away = new StoreUnavailable({ operation: "load", reason: "away" })

/** A payment page that is shown, that its store is away for, or that never ends, by its token. */
const pageRoute: Route = {
  ...documentRoute("/pay/:token", Effect.never),
  paramCount: 1,
  errorPage: busyPage,
  start: ({ params: [token] }) => {
    const program: Effect.Effect<Reply, RequestFailure> =
      token === "held" ? Effect.never : token === "away" ? Effect.fail(away) : Effect.succeed(shown)
    return Effect.runFork(program)
  },
}

const html = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"
const get = (token: string, headers: Readonly<Record<string, string>>, method = "GET") =>
  `${method} /pay/${token} HTTP/1.1\r\nHost: x\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")}\r\n`

/** The answer to one request on a connection of its own. */
const ask = async (
  port: number,
  token: string,
  headers: Readonly<Record<string, string>>,
  method = "GET",
) => {
  const client = new RawClient(port)
  client.send(get(token, headers, method))
  const [answer] = await client.responses(1, method === "HEAD")
  client.close()
  if (answer === undefined) throw new Error("no answer")
  return answer
}

const expectPage = ({ status, headers, body }: RawResponse, seconds: string) => {
  expect(status).toBe(503)
  expect(headers["content-type"]).toBe("text/html; charset=utf-8")
  expect([headers["retry-after"], headers.refresh]).toEqual([seconds, seconds])
  expect(headers["cache-control"]).toBe("no-store")
  expect(headers["content-security-policy"]).toMatch(/^default-src 'none';.* style-src 'sha256-[\w+/=]+';/)
  expect(body).toContain("Página indisponível")
  // It loads nothing, which might be refused as well.
  expect(body).not.toMatch(/<link rel="stylesheet"|<script|src=/)
}
const expectJson = ({ status, headers, body }: RawResponse) => {
  expect([status, headers["content-type"], headers.refresh]).toEqual([503, "application/json", undefined])
  expect(Number(headers["retry-after"])).toBeGreaterThan(0)
  expect(JSON.parse(body).error.code).toBe("service_unavailable")
}

const inFixture = (
  run: (port: number, fixture: Effect.Success<ReturnType<typeof makeFixture>>) => Promise<void>,
) =>
  Effect.gen(function* () {
    const fixture = yield* makeFixture({ routes: [pageRoute], drainTimeoutMillis: 100 })
    yield* Effect.promise(() => run(fixture.server.port, fixture))
  })

describe("a payment page that cannot be shown", () => {
  it.live("without its store is a page for browsers, and JSON for everybody else", () =>
    inFixture(async (port) => {
      expectPage(await ask(port, "away", { Accept: html }), "5")
      expectPage(await ask(port, "away", { Accept: html, "Sec-Fetch-Mode": "navigate" }), "5")
      const english = await ask(port, "away", { Accept: html, "Accept-Language": "en-GB" })
      expect([english.headers["content-language"], english.body]).toEqual([
        "en",
        expect.stringContaining("This page tries again by itself"),
      ])
      for (const headers of [
        {},
        { Accept: "*/*" },
        { Accept: "application/json" },
        { Accept: html, "Sec-Fetch-Mode": "cors" },
      ]) {
        expectJson(await ask(port, "away", headers))
      }
      expect((await ask(port, "ok", { Accept: html })).body).toBe("shown")
      const head = await ask(port, "away", { Accept: html }, "HEAD")
      expect([head.status, head.headers.refresh, head.body]).toEqual([503, "5", ""])
    }),
  )

  it.live("while the service stops is a page, too", () =>
    inFixture(async (port, { server }) => {
      const client = new RawClient(port)
      const other = new RawClient(port)
      client.send(get("held", { Accept: html }))
      other.send(get("ok", { Accept: html }))
      await other.responses(1)
      const drained = Effect.runPromise(server.drain)
      other.send(get("ok", { Accept: html }))
      const [, refused] = await other.responses(2)
      if (refused === undefined) throw new Error("no second answer")
      expectPage(refused, "5")
      expect(refused.headers.connection).toBe("close")
      await drained
      client.close()
      other.close()
    }),
  )

  it.live("under overload is a page, with the time that the service asks for", () =>
    Effect.gen(function* () {
      const meter = new LoadMeter(() => 0)
      const options = { targetMillis: 17, runningMax: 1, bytesWaitingMax: 1_000_000, random: () => 0 }
      const load = { meter, admission: new Admission(meter, options, 0) }
      const { server } = yield* makeFixture({ routes: [pageRoute], load, drainTimeoutMillis: 100 })
      yield* Effect.promise(async () => {
        const waiting: Array<RawClient> = []
        const isRefused = () => waiting.some(({ received }) => received.length > 0)
        while (!isRefused()) {
          const before = meter.inProgress
          const client = new RawClient(server.port)
          waiting.push(client)
          client.send(get("held", { Accept: html }))
          await until(() => meter.inProgress > before || isRefused())
        }
        const [refused] = (await waiting.at(-1)?.responses(1)) ?? []
        if (refused === undefined) throw new Error("no answer")
        expectPage(refused, "5")
        expectJson(await ask(server.port, "ok", {}))
        for (const client of waiting) client.close()
      })
    }),
  )
})

describe("how soon the page that stands in for a payment page comes back", () => {
  it.each([
    [undefined, "5"],
    ["1", "5"],
    ["12", "12"],
  ])("Retry-After %s is %s seconds", (asked, seconds) => {
    const { headers = [] } = busyPage("", 503, asked === undefined ? undefined : [["Retry-After", asked]])
    expect(headers).toContainEqual(["Retry-After", seconds])
    expect(headers).toContainEqual(["Refresh", seconds])
  })
})
