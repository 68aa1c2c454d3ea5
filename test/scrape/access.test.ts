import { Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { makeAccess } from "../../src/scrape/access.ts"

const token = "0123456789abcdef"

/** Whether a client at an address may scrape, with these headers. */
const isLetIn = (
  rules: { readonly token?: string; readonly trustedProxies?: ReadonlyArray<string> },
  remoteAddress: string,
  headers: {
    readonly authorization?: string
    readonly forwardedFor?: string
    readonly forwarded?: string
  } = {},
): boolean => {
  const refusal = makeAccess({
    token: rules.token === undefined ? undefined : Redacted.make(rules.token),
    trustedProxies: rules.trustedProxies ?? [],
  })({
    remoteAddress,
    authorization: headers.authorization,
    headers: [headers.forwardedFor ?? "", headers.forwarded ?? ""],
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
  ] as const)("without a token, %s: %s", ([address, expected]) => {
    expect(isLetIn({}, address)).toBe(expected)
  })

  it("behind a trusted proxy the client's address counts, wherever the proxy is", () => {
    const rules = { trustedProxies: ["127.0.0.1", "10.0.0.0/8"] }
    expect(isLetIn(rules, "127.0.0.1", { forwardedFor: "203.0.113.5" })).toBe(false)
    expect(isLetIn(rules, "10.0.0.9", { forwardedFor: "127.0.0.1" })).toBe(true)
    expect(isLetIn(rules, "10.0.0.9", { forwardedFor: "127.0.0.1, 203.0.113.5" })).toBe(false)
    expect(isLetIn(rules, "127.0.0.1")).toBe(true)
    expect(isLetIn(rules, "10.0.0.9")).toBe(false)
  })

  it("behind a proxy of this machine that is not trusted nobody is let in", () => {
    expect(isLetIn({}, "127.0.0.1", { forwardedFor: "127.0.0.1" })).toBe(false)
    expect(isLetIn({}, "127.0.0.1", { forwarded: "for=127.0.0.1" })).toBe(false)
    expect(isLetIn({ trustedProxies: ["127.0.0.1"] }, "127.0.0.1", { forwarded: "for=127.0.0.1" })).toBe(
      false,
    )
  })

  it("with a token whoever sends it is let in, and nobody else, this machine neither", () => {
    const rules = { token }
    expect(isLetIn(rules, "203.0.113.5", { authorization: `Bearer ${token}` })).toBe(true)
    expect(isLetIn(rules, "127.0.0.1")).toBe(false)
    for (const wrong of [
      `Bearer ${token}0`,
      `Bearer ${token.slice(1)}`,
      token,
      `bearer ${token}`,
      "Bearer ",
    ]) {
      expect(isLetIn(rules, "127.0.0.1", { authorization: wrong })).toBe(false)
    }
  })
})
