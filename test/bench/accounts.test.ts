import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import { Redis } from "ioredis"
import { answersCheck, measureKnownEmails } from "../../bench/accounts/knownEmails.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"

const person = { email: "person-0-known@example.com", password: "correct horse battery" }
const routes = [
  "/v1/me/auth/sign-in/email",
  "/v1/me/auth/request-password-reset",
  "/v1/me/auth/two-factor/recovery/request",
]

/** A server's response to a request: its text, and its delay. */
type Answer = (
  path: string,
  isKnown: boolean,
  password: string | undefined,
) => { readonly text: string; readonly afterMillis: number }

let server: TestRedis
let client: Redis
beforeAll(async () => {
  server = await startTestRedis({ appendfsync: "no" })
  client = new Redis(server.url)
})
afterAll(async () => {
  client.disconnect()
  await server.stop()
})

const servers: Array<Server> = []
afterEach(() => {
  for (const pretender of servers.splice(0)) {
    pretender.close()
    pretender.closeAllConnections()
  }
})

/** Measures a server that responds like this; returns the requested paths and the client addresses. */
const measure = async (answer: Answer, count = 3) => {
  const asked: Array<string> = []
  const addresses: Array<string> = []
  const limits: Array<number> = []
  const pretender = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk) => {
      body += chunk
    })
    request.on("end", async () => {
      const { email, password } = JSON.parse(body) as { readonly email: string; readonly password?: string }
      asked.push(`${request.url} ${email === person.email ? "known" : "unknown"}`)
      addresses.push(String(request.headers["x-forwarded-for"]))
      limits.push((await client.keys("rate:*")).length)
      await client.set("rate:{p01}:one", "1")
      const { text, afterMillis } = answer(request.url ?? "", email === person.email, password)
      setTimeout(() => response.end(text), afterMillis)
    })
  })
  servers.push(pretender)
  await new Promise<void>((resolve) => pretender.listen(0, "127.0.0.1", resolve))
  const { port } = pretender.address() as AddressInfo
  const result = await measureKnownEmails({ port, redis: { client } }, person, count, () => {})
  return { ...result, asked, addresses, limits }
}

describe("the bench of known and unknown e-mail addresses", () => {
  it("known and unknown addresses are requested equally often on every route, without rate limits", async () => {
    const { asked, addresses, limits, metrics, ...result } = await measure(() => ({
      text: "{}",
      afterMillis: 0,
    }))
    for (const route of routes) {
      for (const kind of ["known", "unknown"]) {
        // Three warm-up requests, then three that count.
        assert.strictEqual(asked.filter((line) => line === `${route} ${kind}`).length, 6)
      }
    }
    assert.strictEqual(new Set(addresses).size, addresses.length)
    assert.isTrue(limits.every((count) => count === 0))
    assert.isTrue(metrics.every(({ values }) => values.corrente?.length === 3))
    assert.isTrue(answersCheck(result).isRight)
  })

  it("requests for a known address never carry the person's own password, so that nobody is signed in", async () => {
    const passwords = new Set<string | undefined>()
    await measure((_, __, password) => {
      passwords.add(password)
      return { text: "{}", afterMillis: 0 }
    }, 1)
    assert.isFalse(passwords.has(person.password))
  })

  it("the check of answers is wrong, and names the route, when known and unknown answers differ by a byte", async () => {
    const { answers } = await measure((path, isKnown) => ({
      text: path === routes[1] && isKnown ? '{"status":true} ' : '{"status":true}',
      afterMillis: 0,
    }))
    const check = answersCheck({ answers })
    assert.isFalse(check.isRight)
    assert.include(check.detail, "reset")
    assert.notInclude(check.detail, "recovery")
  })

  it("the sign-in target is missed when a known address takes 150 ms longer", async () => {
    const { targets } = await measure(
      (path, isKnown) => ({ text: "{}", afterMillis: path === routes[0] && isKnown ? 150 : 0 }),
      3,
    )
    assert.isFalse(targets[0]?.isMet)
  })
})
