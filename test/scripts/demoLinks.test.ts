import { request } from "node:http"
import { Effect, Exit, Scope } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { linkMinutes, type SignInLinks, serveSignInLinks } from "../../scripts/demo/visit/links.ts"

const target = "http://127.0.0.1:1/app"
const cookies = ["lm.session=abc; Path=/; HttpOnly; SameSite=Lax"]
const linkMillis = linkMinutes * 60_000

let scope: Scope.Closeable
let links: SignInLinks
let nowMillis: number
let signIn: () => Promise<ReadonlyArray<string>>
let signIns: number

beforeEach(async () => {
  nowMillis = 0
  signIns = 0
  signIn = async () => cookies
  scope = await Effect.runPromise(Scope.make())
  const counted = () => {
    signIns += 1
    return signIn()
  }
  links = await Effect.runPromise(
    Scope.provide(
      serveSignInLinks(target, counted, () => nowMillis),
      scope,
    ),
  )
})
afterEach(() => Effect.runPromise(Scope.close(scope, Exit.void)))

/** Opens a link as browsers do, without following it. */
const open = (
  url: string,
  options: { readonly method?: string; readonly headers?: Record<string, string> } = {},
) =>
  new Promise<{ readonly status: number; readonly headers: Readonly<Record<string, unknown>> }>(
    (done, failed) => {
      const sent = request(url, { agent: false, ...options }, (answer) => {
        answer.resume()
        answer.once("end", () => done({ status: answer.statusCode ?? 0, headers: answer.headers }))
      })
      sent.once("error", failed)
      sent.end()
    },
  )
const statusOf = async (url: string, options = {}) => (await open(url, options)).status

describe("the demo's links that sign in", () => {
  it("a link gives the session's cookie to the browser and leads to the dashboard, once", async () => {
    const link = links.next()
    expect(new URL(link).hostname).toBe("127.0.0.1")
    const answer = await open(link)
    expect([answer.status, answer.headers.location, answer.headers["set-cookie"]]).toEqual([
      303,
      target,
      cookies,
    ])
    expect(answer.headers["cache-control"]).toBe("no-store")
    expect([await statusOf(link), signIns]).toEqual([410, 1])
  })

  it("a link works until its time is over, and not from then on", async () => {
    const first = links.next()
    nowMillis = linkMillis - 1
    expect(await statusOf(first)).toBe(303)
    const second = links.next()
    nowMillis += linkMillis
    expect([await statusOf(second), signIns]).toEqual([410, 1])
  })

  it("a new link ends the one before it, and no other path opens anything", async () => {
    const old = links.next()
    const link = links.next()
    const { origin } = new URL(link)
    const wrong = link.slice(0, -1) + (link.endsWith("A") ? "B" : "A")
    for (const path of [old, wrong, `${origin}/`, `${origin}/app`, `${link}?a=1`, `${link}x`]) {
      expect([path, await statusOf(path)]).toEqual([path, 410])
    }
    expect(signIns).toBe(0)
    expect(await statusOf(link)).toBe(303)
  })

  it("a browser's guess and other methods do not use a link up", async () => {
    const link = links.next()
    expect(await statusOf(link, { headers: { "Sec-Purpose": "prefetch;prerender" } })).toBe(503)
    expect(await statusOf(link, { method: "HEAD" })).toBe(405)
    expect(await statusOf(link, { method: "POST" })).toBe(405)
    expect(await statusOf(link)).toBe(303)
  })

  it("a link that could not sign in can be opened again", async () => {
    const link = links.next()
    signIn = () => Promise.reject(new Error("busy"))
    expect(await statusOf(link)).toBe(503)
    signIn = async () => cookies
    expect(await statusOf(link)).toBe(303)
  })

  it("nothing answers once the demo has ended", async () => {
    const link = links.next()
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await expect(open(link)).rejects.toThrow("ECONNREFUSED")
  })
})
