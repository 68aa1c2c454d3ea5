import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { limits } from "../../schema/limits.ts"
import { parseAllowedOrigins } from "../../src/delivery/destination/parseDestination.ts"
import { parseStreamUrl } from "../../src/delivery/destination/parseStreamUrl.ts"

const none: ReadonlySet<string> = new Set()
const parsed = (text: string, allowed = none) => Result.getOrThrow(parseStreamUrl(text, allowed))
const refused = (text: string) => {
  const result = parseStreamUrl(text, none)
  return Result.isFailure(result) ? result.failure : undefined
}
const base = "rediss://shop:secret@redis.example.com"

describe("the URL of a Redis Stream", () => {
  it("is stored in one spelling, with its port and without its password", () => {
    const { url, password, destination } = parsed(
      "rediss://Shop:p%40ss@REDIS.Example.com/?maxlen=5&stream=a%20b:c",
    )
    expect(url).toBe("rediss://Shop@redis.example.com:6379/?stream=a%20b%3Ac&maxlen=5")
    expect(password).toBe("p@ss")
    expect(destination).toEqual({
      origin: "rediss://redis.example.com:6379",
      path: "/?stream=a%20b%3Ac&maxlen=5",
      hostname: "redis.example.com",
      host: "redis.example.com:6379",
      port: 6_379,
      isExempt: false,
      stream: { user: "Shop", name: "a b:c", maxLength: 5 },
    })
    expect(parsed(url)).toEqual({ destination, url, password: undefined })
  })

  it("may have no user, no password and no maxlen", () => {
    const { url, password, destination } = parsed("rediss://redis.example.com:1024/?stream=s")
    expect([url, password]).toEqual(["rediss://redis.example.com:1024/?stream=s", undefined])
    expect(destination.stream).toEqual({ user: "", name: "s", maxLength: undefined })
  })

  it.each([
    `${base}:65535/?stream=${"s".repeat(limits.streamNameLengthMax)}&maxlen=${limits.streamEntriesMax}`,
    `${base}/?stream=s&maxlen=1`,
    `rediss://${"u".repeat(limits.streamCredentialLengthMax)}:${"p".repeat(limits.streamCredentialLengthMax)}@redis.example.com/?stream=s`,
  ])("is taken at its limits", (text) => expect(refused(text)).toBeUndefined())

  it.each([
    ["not_tls", "redis://shop:secret@redis.example.com/?stream=s", "malformed"],
    ["no stream", `${base}/`, "malformed"],
    ["an empty stream", `${base}/?stream=`, "malformed"],
    ["a stream too long", `${base}/?stream=${"s".repeat(limits.streamNameLengthMax + 1)}`, "malformed"],
    ["a control character", `${base}/?stream=a%00b`, "malformed"],
    ["two streams", `${base}/?stream=a&stream=b`, "malformed"],
    ["another option", `${base}/?stream=a&db=1`, "malformed"],
    ["a database", `${base}/1?stream=a`, "malformed"],
    ["a fragment", `${base}/?stream=a#b`, "malformed"],
    ["a space", `${base}/?stream=a b`, "malformed"],
    ["a length of 0", `${base}/?stream=a&maxlen=0`, "malformed"],
    ["a length too great", `${base}/?stream=a&maxlen=${limits.streamEntriesMax + 1}`, "malformed"],
    ["a length that is none", `${base}/?stream=a&maxlen=-5`, "malformed"],
    [
      "a password too long",
      `rediss://u:${"p".repeat(limits.streamCredentialLengthMax + 1)}@redis.example.com/?stream=a`,
      "malformed",
    ],
    ["a broken escape", "rediss://u:%zz@redis.example.com/?stream=a", "malformed"],
    ["a port of a known service", `${base}:1023/?stream=a`, "port_not_allowed"],
    ["HTTPS' port", `${base}:443/?stream=a`, "port_not_allowed"],
    ["no port at all", `${base}:0/?stream=a`, "port_not_allowed"],
    ["an address", "rediss://u:secret@10.0.0.1/?stream=a", "ip_literal"],
    ["an address in one number", "rediss://u:secret@2130706433/?stream=a", "ip_literal"],
    ["an address in hexadecimal", "rediss://u:secret@0x7f.1/?stream=a", "ip_literal"],
    ["an address of IPv6", "rediss://u:secret@[::1]/?stream=a", "ip_literal"],
    ["this machine", "rediss://u:secret@localhost/?stream=a", "local_name"],
    ["a name of the local network", "rediss://u:secret@redis.internal/?stream=a", "local_name"],
    ["a single label", "rediss://u:secret@redis/?stream=a", "local_name"],
    ["a length over all", `${base}/?stream=${"s".repeat(limits.destinationUrlLengthMax)}`, "too_long"],
  ])("is refused with %s, in words that do not repeat the password", (_, text, reason) => {
    const failure = refused(text)
    expect(failure?.reason).toBe(reason)
    expect(failure?.message).not.toContain("secret")
  })

  it("may be anywhere if its origin is exempt", () => {
    const allowed = Result.getOrThrow(parseAllowedOrigins("https://a.example:8443, rediss://LOCALHOST:7000"))
    expect(parsed("rediss://localhost:7000/?stream=a", allowed).destination.isExempt).toBe(true)
    expect(Result.isFailure(parseStreamUrl("rediss://localhost:7001/?stream=a", allowed))).toBe(true)
    for (const wrong of ["rediss://localhost", "rediss://u@localhost:1", "rediss://localhost:1/?stream=a"]) {
      expect([wrong, Result.isFailure(parseAllowedOrigins(wrong))]).toEqual([wrong, true])
    }
  })
})
