import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { parseDestination } from "../../src/delivery/destination/parseDestination.ts"
import { isPublicUnicast } from "../../src/delivery/destination/publicAddress.ts"
import { hostileFactor, hostileSeed } from "./effort.ts"

/** Addresses that deliveries must not reach, one of each kind. */
const inward = [
  "0.0.0.0",
  "10.0.0.1",
  "100.64.0.1",
  "127.0.0.1",
  "127.255.255.254",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.192",
  "192.168.1.1",
  "198.18.0.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
] as const

const octetsOf = (address: string) => address.split(".").map(Number) as [number, number, number, number]
const numberOf = (address: string) => octetsOf(address).reduce((sum, octet) => sum * 256 + octet, 0)
const fullwidth = (text: string) =>
  text.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)))
const encoded = (text: string) =>
  [...text].map((character) => `%${character.charCodeAt(0).toString(16)}`).join("")
const hexPairs = (address: string) => {
  const [a, b, c, d] = octetsOf(address)
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}

/** The ways to write one IPv4 address as a URL's host. */
const spellings = (address: string): ReadonlyArray<string> => {
  const [a, b, c, d] = octetsOf(address)
  const number = numberOf(address)
  const octal = (octet: number) => `0${octet.toString(8)}`
  const hex = (octet: number) => `0x${octet.toString(16)}`
  return [
    address,
    `${address}.`,
    String(number),
    `${number}.`,
    hex(number),
    hex(number).toUpperCase(),
    octal(number),
    `${a}.${b * 65_536 + c * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    [a, b, c, d].map(octal).join("."),
    [a, b, c, d].map(hex).join("."),
    `${hex(a)}.${b}.${octal(c)}.${d}`,
    [a, b, c, d].map((octet) => `000${octet.toString(8)}`).join("."),
    fullwidth(address),
    address.replaceAll(".", "。"),
    address.replaceAll(".", "．"),
    encoded(address),
    address.replaceAll(".", "%2e"),
    `[::ffff:${address}]`,
    `[::ffff:${hexPairs(address)}]`,
    `[::${address}]`,
    `[0:0:0:0:0:ffff:${hexPairs(address)}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b:1::${address}]`,
    `[2002:${hexPairs(address)}::1]`,
  ]
}

/** IPv6 addresses that wrap an inward IPv4 address, or are inward themselves. */
const inwardOfIpv6 = [
  ...inward.flatMap((address) => [
    `::ffff:${address}`,
    `::${address}`,
    `64:ff9b::${address}`,
    `64:ff9b:1::${address}`,
    `2002:${hexPairs(address)}::1`,
  ]),
  "::",
  "::1",
  "fe80::1",
  "fec0::1",
  "fc00::1",
  "fd00:ec2::254",
  "ff02::1",
  "100::1",
  "2001::1",
  "2001:db8::1",
  "3fff::1",
  "5f00::1",
]

const isRefused = (url: string): boolean => Result.isFailure(parseDestination(url, new Set()))

describe("destinations that lead inward", () => {
  it("a destination that leads inward is refused, however its address is written", () => {
    for (const address of inward) {
      for (const host of spellings(address)) {
        for (const url of [
          `https://${host}/`,
          `https://${host}:443/`,
          `https://${host}/hook?to=example.com#@example.com`,
          `https://example.com@${host}/`,
          `https:\\\\${host}\\`,
          `https:/${host}/`,
          `HTTPS://${host}/`,
        ]) {
          expect(isRefused(url), url).toBe(true)
        }
      }
    }
  })

  it("an inward address is not taken for a public one, whatever wraps it", () => {
    for (const address of [...inward, ...inwardOfIpv6]) {
      expect(isPublicUnicast(address), address).toBe(false)
    }
  })

  it("a destination that is an IP address is refused in any mixture of digits, bases and separators", () => {
    const part = fc.oneof(
      fc.nat(255).map(String),
      fc.nat(255).map((octet) => `0x${octet.toString(16)}`),
      fc.nat(255).map((octet) => `0${octet.toString(8)}`),
      fc.nat(255).map((octet) => fullwidth(String(octet))),
      fc.nat(255).map((octet) => encoded(String(octet))),
    )
    const host = fc
      .tuple(fc.array(part, { minLength: 1, maxLength: 4 }), fc.constantFrom(".", "。", "．", "%2e", "｡"))
      .map(([parts, separator]) => parts.join(separator))
    fc.assert(
      fc.property(host, (text) => isRefused(`https://${text}/`)),
      { numRuns: 2_000 * hostileFactor, seed: hostileSeed },
    )
  })
})
