import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { reader } from "./browserReader.ts"
import { ask, type Headers, type Seen } from "./dashboardFixture.ts"
import { type Fixture, inFixture } from "./fixture.ts"

const read = reader()
const addressOf = (peer: string, forwardedFor: string): string =>
  read(peer, { "x-forwarded-for": forwardedFor }).ipAddress

const outside = fc.ipV4().filter((address) => !address.startsWith("10.") && address !== "192.0.2.7")
const outsideV6 = fc.ipV6().filter((address) => !/^2001:0?db8:/i.test(address) && !address.includes("."))
const proxy = fc.oneof(
  fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)).map((rest) => `10.${rest.join(".")}`),
  fc.constant("192.0.2.7"),
  fc.nat(0xffff).map((group) => `2001:db8::${group.toString(16)}`),
)
const garbage = fc
  .oneof(
    fc.string({ maxLength: 20 }).map((text) => text.replaceAll(",", "")),
    fc.constantFrom(
      "unknown",
      "_hidden",
      "_gazonk:80",
      "",
      "[]",
      "[]:80",
      ":80",
      "203.0.113.5:",
      "fe80::1%eth0",
    ),
  )
  .filter((text) => !/^\s*\[?[\d.:a-f]+\]?(?::\d+)?\s*$/i.test(text) || /^(?:\[\])?:\d+$/.test(text))
/** How proxies write an address: bare, or with a port; an IPv6 one in brackets too. */
const spelled = (address: string) =>
  fc.nat(65_535).chain((port) => {
    const bracketed = `[${address}]`
    const forms = address.includes(":")
      ? [address, bracketed, `${bracketed}:${port}`]
      : [address, `${address}:${port}`]
    return fc.constantFrom(...forms)
  })
const anything = fc.array(fc.oneof(outside, outsideV6, proxy, garbage), { maxLength: 4 })

describe("the client's address", () => {
  it("the client's address is the peer's where the peer is no trusted proxy, whatever X-Forwarded-For says", () => {
    fc.assert(
      fc.property(fc.oneof(outside, outsideV6), anything, (peer, chain) => {
        expect(addressOf(peer, chain.join(", "))).toBe(peer)
      }),
    )
  })

  it("the client's address is what the outermost trusted proxy saw; nothing to the left of it counts", () => {
    fc.assert(
      fc.property(
        anything,
        fc.oneof(outside, outsideV6),
        fc.array(proxy, { maxLength: 3 }),
        proxy,
        fc.constantFrom(",", ", ", " , "),
        (spoofed, client, proxies, peer, comma) => {
          expect(addressOf(peer, [...spoofed, client, ...proxies].join(comma))).toBe(client)
        },
      ),
    )
  })

  it("a client whose X-Forwarded-For entry is no address is unknown: it is not its proxy", () => {
    fc.assert(
      fc.property(anything, garbage, fc.array(proxy, { maxLength: 3 }), proxy, (left, odd, proxies, peer) => {
        const chain = [...left, odd, ...proxies].join(",")
        fc.pre(chain.trim() !== "")
        expect([chain, addressOf(peer, chain)]).toEqual([chain, ""])
      }),
    )
  })

  it("a client is found by its address however its proxies write it: with a port, and in brackets", () => {
    const written = (address: fc.Arbitrary<string>) => address.chain(spelled)
    fc.assert(
      fc.property(
        anything,
        fc.oneof(outside, outsideV6).chain((client) => fc.tuple(fc.constant(client), spelled(client))),
        fc.array(written(proxy), { maxLength: 3 }),
        proxy,
        (spoofed, [client, spelling], proxies, peer) => {
          const chain = [...spoofed, spelling, ...proxies].join(", ")
          expect([chain, addressOf(peer, chain)]).toEqual([chain, client])
        },
      ),
    )
  })

  it("a chain of trusted proxies alone yields the outermost of them, and an empty chain the peer", () => {
    expect(addressOf("10.0.0.1", "10.0.0.3, 10.0.0.2")).toBe("10.0.0.3")
    expect(addressOf("10.0.0.1", "")).toBe("10.0.0.1")
    expect(addressOf("10.0.0.1", " ")).toBe("10.0.0.1")
    expect(addressOf("", "203.0.113.5")).toBe("")
  })

  it("a client's IPv4 address that a proxy maps into IPv6 is read as IPv4", () => {
    expect(addressOf("10.0.0.1", "::ffff:203.0.113.5")).toBe("203.0.113.5")
    expect(addressOf("10.0.0.1", "203.0.113.5, ::FFFF:10.0.0.2")).toBe("203.0.113.5")
    expect(addressOf("10.0.0.1", "[::ffff:203.0.113.5]:443")).toBe("203.0.113.5")
    expect(addressOf("10.0.0.1", "203.0.113.5, ::ffff:a00:2")).toBe("203.0.113.5")
    expect(addressOf("10.0.0.1", "0:0:0:0:0:ffff:cb00:7105")).toBe("203.0.113.5")
    expect(addressOf("10.0.0.1", "::ffff:1")).toBe("::ffff:1")
  })

  it("what is no address in X-Forwarded-For makes the client unknown", () => {
    for (const odd of [
      "unknown",
      "_hidden",
      "_hidden:443",
      '"203.0.113.5"',
      "203.0.113",
      "203.0.113.5:",
      "203.0.113.5:x",
      "203.0.113.5:65536",
      "203.0.113.5:123456",
      "[203.0.113.5]",
      "[2001:db9::1",
      "2001:db9::1]",
      "[2001:db9::1]443",
      "[2001:db9::1]:",
      "[[2001:db9::1]]",
      "fe80::1%eth0",
      "localhost",
      "for=203.0.113.5",
      "",
    ]) {
      expect([odd, addressOf("10.0.0.1", `198.51.100.1, ${odd}`)]).toEqual([odd, ""])
    }
    expect(addressOf("10.0.0.1", ",")).toBe("")
    expect(addressOf("10.0.0.1", "203.0.113.5:65535")).toBe("203.0.113.5")
    expect(addressOf("10.0.0.1", "203.0.113.5:0")).toBe("203.0.113.5")
  })

  it("a trusted proxy is recognised by its address, however it is written", () => {
    expect(addressOf("2001:db8:0:0:0:0:0:1", "203.0.113.5")).toBe("203.0.113.5")
    expect(addressOf("2001:0DB8::1", "203.0.113.5")).toBe("203.0.113.5")
    expect(addressOf("2001:db9::1", "203.0.113.5")).toBe("2001:db9::1")
    expect(addressOf("192.0.2.8", "203.0.113.5")).toBe("192.0.2.8")
    expect(reader({ trustedProxies: [] })("10.0.0.1", { "x-forwarded-for": "203.0.113.5" }).ipAddress).toBe(
      "10.0.0.1",
    )
  })
})

describe("https", () => {
  const isSecure = (peer: string, proto: string, publicUrl?: string) =>
    reader({ publicUrl })(peer, { "x-forwarded-proto": proto }).isSecure

  it("a request counts as https where PUBLIC_URL or a trusted proxy says so", () => {
    expect(isSecure("203.0.113.5", "", "https://pay.example")).toBe(true)
    expect(isSecure("203.0.113.5", "", "http://pay.example")).toBe(false)
    for (const proto of ["https", "HTTPS", "https, http", " https "]) {
      expect([proto, isSecure("10.0.0.1", proto)]).toEqual([proto, true])
    }
    for (const proto of ["", "http", "http, https", "httpsx", "xhttps"]) {
      expect([proto, isSecure("10.0.0.1", proto)]).toEqual([proto, false])
    }
    expect(isSecure("203.0.113.5", "https")).toBe(false)
  })
})

describe("requests over the wire through a trusted proxy", () => {
  const seen = async (fixture: Fixture, headers: Headers): Promise<Seen> =>
    JSON.parse((await ask(fixture, "GET", "/page", headers)).body) as Seen

  it.live(
    "a request has the client address that the trusted proxy wrote, also after header lines of the client's own",
    inFixture(async (fixture) => {
      expect(await seen(fixture, [])).toMatchObject({ ipAddress: "127.0.0.1" })
      const chain = await seen(fixture, [["X-Forwarded-For", "198.51.100.1, 203.0.113.5"]])
      expect(chain).toMatchObject({ ipAddress: "203.0.113.5" })
      const lines = await seen(fixture, [
        ["X-Forwarded-For", "198.51.100.1"],
        ["X-Forwarded-For", "203.0.113.5"],
      ])
      expect(lines).toMatchObject({ ipAddress: "203.0.113.5" })
      const odd = await seen(fixture, [["X-Forwarded-For", "198.51.100.1, oops"]])
      expect(odd).toMatchObject({ ipAddress: "" })
      const port = await seen(fixture, [["X-Forwarded-For", "203.0.113.5:50123"]])
      expect(port).toMatchObject({ ipAddress: "203.0.113.5" })
      // The proxy's own line is empty: what the caller wrote above it does not count.
      const empty = await seen(fixture, [
        ["X-Forwarded-For", "198.51.100.1"],
        ["X-Forwarded-For", ""],
      ])
      expect(empty).toMatchObject({ ipAddress: "" })
    }),
  )

  it.live(
    "a request has its User-Agent, if there is one",
    inFixture(async (fixture) => {
      expect(await seen(fixture, [["User-Agent", "Firefox"]])).toMatchObject({ userAgent: "Firefox" })
      expect(await seen(fixture, [])).not.toHaveProperty("userAgent")
    }),
  )
})
