import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { limits } from "../../schema/limits.ts"
import {
  type AllowedOrigins,
  type InvalidDestination,
  parseAllowedOrigins,
  parseDestination,
} from "../../src/delivery/destination/parseDestination.ts"
import { anyUrl } from "../support/anyUrl.ts"
import { runsOf } from "../support/sizes.ts"

const none: AllowedOrigins = new Set()

const reasonOf = (url: string, allowed: AllowedOrigins = none): InvalidDestination["reason"] | "accepted" =>
  Result.match(parseDestination(url, allowed), {
    onSuccess: () => "accepted" as const,
    onFailure: (invalid) => invalid.reason,
  })

const urlOfLength = (length: number) => {
  const start = "https://example.com/"
  return start + "a".repeat(length - start.length)
}

describe("parseDestination", () => {
  it("parseDestination takes an https URL apart", () => {
    expect(
      Result.getOrThrow(parseDestination("https://Hooks.Example.com:443/a/b?c=d&e=%20#f", none)),
    ).toEqual({
      origin: "https://hooks.example.com",
      path: "/a/b?c=d&e=%20",
      hostname: "hooks.example.com",
      host: "hooks.example.com",
      port: 443,
      isExempt: false,
    })
  })

  it.each([
    "https://example.com",
    "https://a_b.example.com/",
    "https://xn--bcher-kva.example/",
    "https://bücher.example/",
    "https://1and1.com/",
    "https://internal.example.com/",
    "https://localhost.example.com/",
    "https://arpa.example.com",
  ])("parseDestination accepts %s", (url) => {
    expect(reasonOf(url)).toBe("accepted")
  })

  it.each([
    ["http://example.com/", "not_https"],
    ["ftp://example.com/", "not_https"],
    ["javascript:alert(1)", "not_https"],
    ["https://example.com:8443/", "port_not_443"],
    ["https://example.com:80/", "port_not_443"],
    ["https://user@example.com/", "credentials"],
    ["https://user:password@example.com/", "credentials"],
    ["https://:password@example.com/", "credentials"],
    ["https://93.184.216.34/", "ip_literal"],
    ["https://127.0.0.1/", "ip_literal"],
    ["https://127.0.0.1./", "ip_literal"],
    ["https://2130706433/", "ip_literal"],
    ["https://0x7f000001/", "ip_literal"],
    ["https://0x7f.1/", "ip_literal"],
    ["https://0177.0.0.1/", "ip_literal"],
    ["https://017700000001/", "ip_literal"],
    ["https://127.1/", "ip_literal"],
    ["https://1２７.0.0.1/", "ip_literal"],
    ["https://①②⑦.0.0.1/", "ip_literal"],
    ["https://%31%32%37.0.0.1/", "ip_literal"],
    ["https://127。0。0。1/", "ip_literal"],
    ["https://[::1]/", "ip_literal"],
    ["https://[::ffff:127.0.0.1]/", "ip_literal"],
    ["https://[2606:4700::1111]/", "ip_literal"],
    ["https://localhost/", "local_name"],
    ["https://LOCALHOST/", "local_name"],
    ["https://localhost./", "local_name"],
    ["https://a.localhost/", "local_name"],
    ["https://a.localhost./", "local_name"],
    ["https://redis/", "local_name"],
    ["https://com./", "local_name"],
    ["https://printer.local/", "local_name"],
    ["https://metadata.google.internal/", "local_name"],
    ["https://router.lan/", "local_name"],
    ["https://nas.home.arpa/", "local_name"],
    ["https://example.com./", "malformed"],
    ["https://a..example.com/", "malformed"],
    ["https://-a.example.com/", "malformed"],
    ["https://a!b.example.com/", "malformed"],
    ["https://127.0.0.256/", "malformed"],
    ["https:///", "malformed"],
    ["example.com", "malformed"],
    ["", "malformed"],
    [" https://example.com/", "malformed"],
    ["https://example.com/a b", "malformed"],
    ["https://exam\tple.com/", "malformed"],
    ["https://example.com/\r\nX-Evil: 1", "malformed"],
    ["https://example.com/\u0000", "malformed"],
  ] as const)("parseDestination refuses %j as %s", (url, reason) => {
    expect(reasonOf(url)).toBe(reason)
  })

  it("parseDestination accepts a URL of the greatest length and refuses a longer one", () => {
    expect(reasonOf(urlOfLength(limits.destinationUrlLengthMax))).toBe("accepted")
    expect(reasonOf(urlOfLength(limits.destinationUrlLengthMax + 1))).toBe("too_long")
  })

  it("parseDestination accepts labels of 63 and names of 253 characters and refuses longer ones", () => {
    const name = (lastLength: number) =>
      [...Array<string>(3).fill("a".repeat(62)), "b".repeat(lastLength), "com"].join(".")
    expect(reasonOf(`https://${"a".repeat(63)}.com/`)).toBe("accepted")
    expect(reasonOf(`https://${"a".repeat(64)}.com/`)).toBe("malformed")
    expect(name(60)).toHaveLength(253)
    expect(reasonOf(`https://${name(60)}/`)).toBe("accepted")
    expect(reasonOf(`https://${name(61)}/`)).toBe("malformed")
  })

  it("parseDestination says what to do about credentials, without repeating the password", () => {
    const refused = parseDestination("https://user:hunter2@example.com/", none)
    expect(Result.getFailure(refused)).toMatchObject({
      _tag: "Some",
      value: { message: "Remove the user and password from the URL." },
    })
  })

  it("parseDestination never throws, and accepts only https to port 443 of a dotted name", () => {
    const parts = fc.constantFrom(
      "https://",
      "http://",
      "127.1",
      "localhost",
      "@",
      ":",
      "443",
      "[",
      "]",
      "::1",
      ".",
      "/",
      "\\",
      "%",
      "0x7f",
      "example.com",
      "?",
      "#",
      "é",
      "\t",
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(parts).map((some) => some.join("")),
          anyUrl,
        ),
        (text) => {
          const parsed = parseDestination(text, none)
          if (Result.isFailure(parsed)) return
          expect(parsed.success.port).toBe(443)
          expect(parsed.success.hostname).toMatch(/[a-z0-9_-]\.[a-z0-9_-]*[a-z_-][a-z0-9_-]*$/)
          expect(parsed.success.origin).toBe(`https://${parsed.success.hostname}`)
        },
      ),
      { numRuns: runsOf(2_000) },
    )
  })
})

describe("an allowed origin", () => {
  const allowed = Result.getOrThrow(
    parseAllowedOrigins("https://localhost:8443, https://127.0.0.1:9443,https://[::1]:9443,https://receiver"),
  )

  it("an allowed origin is exempt from the rules of port, address and name", () => {
    for (const url of [
      "https://localhost:8443/hook",
      "https://127.0.0.1:9443/",
      "https://2130706433:9443/",
      "https://[::1]:9443/",
      "https://receiver/",
      "https://receiver:443/",
    ]) {
      expect(reasonOf(url, allowed)).toBe("accepted")
    }
    expect(Result.getOrThrow(parseDestination("https://[::1]:9443/x", allowed))).toMatchObject({
      hostname: "::1",
      host: "[::1]:9443",
      port: 9443,
      isExempt: true,
    })
  })

  it("an allowed origin is exact: another scheme, host or port is not exempt, nor are credentials", () => {
    expect(reasonOf("http://localhost:8443/", allowed)).toBe("not_https")
    expect(reasonOf("https://localhost:8444/", allowed)).toBe("port_not_443")
    expect(reasonOf("https://localhost/", allowed)).toBe("local_name")
    expect(reasonOf("https://sub.localhost:8443/", allowed)).toBe("port_not_443")
    expect(reasonOf("https://user@localhost:8443/", allowed)).toBe("credentials")
  })

  it.each([
    "http://localhost:1",
    "https://localhost:1/path",
    "https://a@localhost:1",
    "localhost:1",
    "https://a?b",
    "*",
  ])("an allowed origin cannot be %s", (entry) => {
    expect(Result.getFailure(parseAllowedOrigins(`https://good:1,${entry}`))).toMatchObject({
      _tag: "Some",
      value: { _tag: "InvalidAllowList", entry },
    })
  })

  it("the list of allowed origins may be empty", () => {
    expect(Result.getOrThrow(parseAllowedOrigins("")).size).toBe(0)
    expect(Result.getOrThrow(parseAllowedOrigins(" , ")).size).toBe(0)
  })
})
