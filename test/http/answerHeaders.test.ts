import { describe, expect, it } from "@effect/vitest"
import { ask, cookieOf, type Headers, tokens } from "./dashboardFixture.ts"
import { type Fixture, goodKey, inFixture, revokedKey } from "./fixture.ts"
import { RawClient, type RawResponse } from "./rawClient.ts"

const key = ["Authorization", `Bearer ${goodKey}`] as const
const cookie = ["Cookie", cookieOf(tokens.seller)] as const

/** One request of each kind of answer: method, path, headers, status. */
const asked: ReadonlyArray<readonly [string, string, Headers, number]> = [
  ["GET", "/health", [], 200],
  ["GET", "/ready", [], 204],
  ["GET", "/docs/try", [], 200],
  ["GET", "/openapi.json", [], 200],
  ["GET", "/openapi/merchant.json", [], 200],
  ["GET", "/metrics", [["Host", "localhost"]], 200],
  ["GET", "/nope", [], 404],
  ["PUT", "/docs", [], 405],
  ["TRACE", "/docs", [], 405],
  ["GET", "/v1/transactions/txn_1", [key], 200],
  ["GET", "/v1/transactions/txn_missing", [key], 404],
  ["GET", "/v1/transactions/txn_away", [key], 503],
  ["GET", "/v1/transactions/txn_dies", [key], 500],
  ["GET", "/v1/transactions", [], 401],
  ["POST", "/v1/transactions", [key], 400],
  ["GET", "/v1/transactions", [["Transfer-Encoding", "chunked"]], 411],
  ["GET", "/v1/transactions", [["Content-Length", ""]], 400],
  ["GET", "/user", [cookie], 200],
  ["GET", "/user", [], 401],
  ["GET", "/operator", [cookie], 403],
]

const each = async (fixture: Fixture, check: (answer: RawResponse, path: string) => void) => {
  for (const [method, path, headers, status] of asked) {
    const answer = await ask(fixture, method, path, headers)
    expect([path, answer.status]).toEqual([path, status])
    check(answer, path)
  }
}

/** The head of a stream. */
const streamHead = async ({ server, steering }: Fixture): Promise<string> => {
  const client = new RawClient(server.port)
  client.send(`GET /events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${goodKey}\r\n\r\n`)
  while (steering.streams.length === 0) await new Promise((resolve) => setImmediate(resolve))
  steering.streams[0]?.write(Buffer.from(":\n\n"))
  await client.until(({ received }) => received.includes("\r\n\r\n"))
  client.close()
  return client.text().split("\r\n\r\n")[0] ?? ""
}

describe("headers of every answer", () => {
  it.live(
    "every answer has X-Content-Type-Options: nosniff and does not name the server",
    inFixture(async (fixture) => {
      await each(fixture, ({ headers }, path) => {
        expect([path, headers["x-content-type-options"]]).toEqual([path, "nosniff"])
        expect(Object.keys(headers)).not.toContain("server")
        expect(Object.keys(headers)).not.toContain("uwebsockets")
        expect(headers["strict-transport-security"]).toBeUndefined()
      })
      const head = await streamHead(fixture)
      expect(head).toContain("X-Content-Type-Options: nosniff\r\n")
      expect(head).not.toMatch(/uWebSockets/i)
    }),
  )

  it.live(
    "every answer has Strict-Transport-Security where clients connect by https",
    inFixture(
      async (fixture) => {
        await each(fixture, ({ headers }) => {
          expect(headers["strict-transport-security"]).toBe("max-age=31536000; includeSubDomains")
          expect(headers["x-content-type-options"]).toBe("nosniff")
        })
        expect(await streamHead(fixture)).toContain(
          "Strict-Transport-Security: max-age=31536000; includeSubDomains\r\n",
        )
      },
      { isHttps: true },
    ),
  )

  it.live(
    "every answer has one Content-Security-Policy, in which nobody may frame it, and only pages may load anything",
    inFixture(async (fixture) => {
      await each(fixture, ({ headers }, path) => {
        const policy = headers["content-security-policy"] ?? ""
        expect([path, policy]).toEqual([path, expect.stringMatching(/^default-src 'none';/)])
        expect([path, policy]).toEqual([
          path,
          expect.stringMatching(/; base-uri 'none'; .*frame-ancestors 'none'$/),
        ])
        const isPage = headers["content-type"]?.startsWith("text/html") ?? false
        expect([path, policy.includes("script-src")]).toEqual([path, isPage])
      })
      for (const path of ["/docs", "/docs/plain", "/nope"]) {
        const client = new RawClient(fixture.server.port)
        client.send(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
        expect((await client.toEnd()).match(/^Content-Security-Policy:/gim)).toHaveLength(1)
      }
      expect(await streamHead(fixture)).toContain(
        "Content-Security-Policy: default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n",
      )
    }),
  )

  it.live(
    "pages of the documentation tell other sites nothing of where their readers come from",
    inFixture(async (fixture) => {
      for (const path of ["/docs", "/docs/plain", "/docs/events"]) {
        const { headers } = await ask(fixture, "GET", path)
        expect([path, headers["referrer-policy"]]).toEqual([path, "no-referrer"])
      }
    }),
  )

  it.live(
    "answers of /v1, of sessions and of /metrics are no-store, errors too; public documents may be cached",
    inFixture(async (fixture) => {
      await each(fixture, ({ headers }, path) => {
        const isPrivate = path.startsWith("/v1/") || path === "/user" || path === "/operator"
        const wanted = isPrivate || path === "/metrics" ? "no-store" : undefined
        expect([path, headers["cache-control"]]).toEqual([path, wanted])
      })
    }),
  )

  it.live(
    "a 401, and no other answer, names the credential it wants in WWW-Authenticate",
    inFixture(async (fixture) => {
      await each(fixture, ({ status, headers }, path) => {
        const wanted = path === "/user" ? "Cookie" : "Bearer"
        expect([path, headers["www-authenticate"]]).toEqual([path, status === 401 ? wanted : undefined])
      })
      const revoked = await ask(fixture, "GET", "/v1/events?limit=0", [
        ["Authorization", `Bearer ${revokedKey}`],
      ])
      expect(revoked).toMatchObject({ status: 401, headers: { "www-authenticate": "Bearer" } })
      const stream = await ask(fixture, "GET", "/events", [])
      expect(stream).toMatchObject({ status: 401, headers: { "www-authenticate": "Bearer" } })
    }),
  )
})

describe("the docs page", () => {
  it.live(
    "/docs may not be framed",
    inFixture(async (fixture) => {
      const { headers } = await ask(fixture, "GET", "/docs", [])
      expect(headers["content-security-policy"]).toMatch(/(?:^|; )frame-ancestors 'none'(?:;|$)/)
    }),
  )
})

describe("HEAD", () => {
  it.live(
    "HEAD has GET's status, length and type, on errors and on closing connections too",
    inFixture(async (fixture) => {
      const paths: ReadonlyArray<readonly [string, Headers]> = [
        ["/health", []],
        ["/docs", []],
        ["/openapi.json", []],
        ["/nope", []],
        ["/v1/transactions", []],
        ["/v1/transactions/txn_1", [key]],
        ["/v1/transactions/txn_big", [key]],
        ["/v1/transactions/txn_missing", [key]],
        ["/v1/transactions/txn_later", [key]],
      ]
      for (const [path, headers] of paths) {
        for (const last of [[], [["Connection", "close"] as const]]) {
          // An error holds the request's id, whose length must be the same each time.
          const all = [...headers, ["X-Request-Id", "same-length"] as const, ...last]
          const got = await ask(fixture, "GET", path, all)
          const lines = all.map(([name, value]) => `${name}: ${value}\r\n`).join("")
          const client = new RawClient(fixture.server.port)
          client.send(`HEAD ${path} HTTP/1.1\r\nHost: x\r\n${lines}\r\n`)
          const [head] = last.length > 0 ? [await toHead(client)] : await client.responses(1, true)
          for (const name of ["content-length", "content-type", "x-content-type-options"]) {
            expect([path, name, head?.headers[name]]).toEqual([path, name, got.headers[name]])
          }
          expect(head?.status).toBe(got.status)
          expect(client.text().split("\r\n\r\n")[1]).toBe("")
          client.close()
        }
      }
    }),
  )
})

/** The one head that a connection receives before it ends. */
const toHead = async (client: RawClient): Promise<RawResponse | undefined> => {
  await client.toEnd()
  return (await client.responses(1, true))[0]
}
