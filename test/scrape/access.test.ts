import { Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { makeAccess } from "../../src/scrape/access.ts"

const token = "0123456789abcdef"

interface Given {
  readonly token?: string
  readonly isProduction?: boolean
  readonly peer?: string
  readonly authorization?: string
  /** By lower-case name; `host` is this machine's unless it is given. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Whether a client may scrape: by default one of this machine, in development, without a proxy. */
const isLetIn = ({ token: wanted, isProduction = false, peer, authorization, headers }: Given): boolean => {
  const refusal = makeAccess({
    token: wanted === undefined ? undefined : Redacted.make(wanted),
    isProduction,
  })({
    remoteAddress: peer ?? "127.0.0.1",
    authorization,
    headers: Object.entries({ host: "localhost:3000", ...headers }).flat(),
  })
  if (refusal !== undefined) expect([refusal.code, refusal.status]).toEqual(["permission_denied", 403])
  return refusal === undefined
}

describe("who may scrape", () => {
  it.for([
    ["127.0.0.1", true],
    ["127.255.255.255", true],
    ["0:0:0:0:0:0:0:1", true],
    ["126.255.255.255", false],
    ["128.0.0.0", false],
    ["0:0:0:0:0:0:0:2", false],
    ["10.0.0.1", false],
    ["", false],
  ] as const)("without a token, %s: %s", ([peer, expected]) => {
    expect(isLetIn({ peer })).toBe(expected)
  })

  it.for([
    ["localhost", true],
    ["LocalHost:3000", true],
    ["127.0.0.1", true],
    ["127.8.8.8:65535", true],
    ["[::1]", true],
    ["[::1]:3000", true],
    ["localhost.", false],
    ["localhost.example.com", false],
    ["a.localhost", false],
    ["metrics.example.com", false],
    ["127.0.0.1.example.com", false],
    ["127.0.0.1:x", false],
    ["[::2]", false],
    ["10.0.0.1:3000", false],
    ["localhost, example.com", false],
    ["", false],
  ] as const)("without a token, Host: %s: %s", ([host, expected]) => {
    expect(isLetIn({ headers: { host } })).toBe(expected)
  })

  it.for([
    "via",
    "forwarded",
    "x-real-ip",
    "x-forwarded-for",
    "x-forwarded-proto",
    "x-forwarded-host",
    "x-forwarded-anything",
  ])("behind any proxy, which the header %s shows, nobody is let in", (name) => {
    for (const value of ["127.0.0.1", "for=127.0.0.1", "unknown", ""]) {
      expect(isLetIn({ headers: { [name]: value } })).toBe(false)
    }
  })

  it("a page of another site that a browser of this machine shows is not let in", () => {
    expect(isLetIn({ headers: { "sec-fetch-site": "cross-site" } })).toBe(false)
    expect(isLetIn({ headers: { "sec-fetch-site": "Cross-Site" } })).toBe(false)
    expect(isLetIn({ headers: { "sec-fetch-site": "none" } })).toBe(true)
    expect(isLetIn({ headers: { "sec-fetch-site": "same-origin" } })).toBe(true)
  })

  it("in production nobody is let in without METRICS_TOKEN, this machine neither", () => {
    expect(isLetIn({ isProduction: true })).toBe(false)
    expect(isLetIn({ isProduction: true, authorization: "Bearer " })).toBe(false)
    expect(isLetIn({ isProduction: true, authorization: "Bearer undefined" })).toBe(false)
    expect(isLetIn({ isProduction: true, token, authorization: `Bearer ${token}` })).toBe(true)
  })

  it("with a token whoever sends it is let in, and nobody else, this machine neither", () => {
    const authorization = `Bearer ${token}`
    const headers = { host: "metrics.example.com", "x-forwarded-for": "203.0.113.5", via: "1.1 proxy" }
    expect(isLetIn({ token, peer: "203.0.113.5", authorization, headers })).toBe(true)
    expect(isLetIn({ token })).toBe(false)
    for (const wrong of [
      `Bearer ${token}0`,
      `Bearer ${token.slice(1)}`,
      token,
      `bearer ${token}`,
      "Bearer ",
    ]) {
      expect(isLetIn({ token, authorization: wrong })).toBe(false)
    }
  })
})
