import { BlockList } from "node:net"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isPublicUnicast } from "../../src/delivery/destination/publicAddress.ts"

const NON_PUBLIC_IPV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.175.48.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "168.63.129.16/32",
  "161.26.0.0/16",
  "166.8.0.0/14",
]

const split = (cidr: string): readonly [string, number] => {
  const [base = "", prefixLength] = cidr.split("/")
  return [base, Number(prefixLength)]
}

/** Node's own matching of address blocks, to compare ours with. */
const ipv4Oracle = new BlockList()
for (const cidr of NON_PUBLIC_IPV4) ipv4Oracle.addSubnet(...split(cidr), "ipv4")
const isPublicByOracle = (address: string) => !ipv4Oracle.check(address, "ipv4")

const ipv6Oracle = new BlockList()
for (const cidr of ["2001::/23", "2001:db8::/32", "3fff::/20", "2620:4f:8000::/48"])
  ipv6Oracle.addSubnet(...split(cidr), "ipv6")
const ipv6Global = new BlockList()
ipv6Global.addSubnet("2000::", 3, "ipv6")

const dotted = (value: number) =>
  [value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff].join(".")
const toUint32 = (address: string) =>
  address.split(".").reduce((value, octet) => ((value << 8) | Number(octet)) >>> 0, 0)
const hexPair = (value: number) => `${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}`

const anyIpv4 = fc.oneof(
  fc.nat(0xffffffff),
  // The blocks and their neighbourhood come up too seldom by chance.
  fc
    .tuple(fc.constantFrom(...NON_PUBLIC_IPV4), fc.integer({ min: -3, max: 70_000 }))
    .map(([cidr, offset]) => (toUint32(split(cidr)[0]) + offset) >>> 0),
)
const segment = fc.nat(0xffff).map((value) => value.toString(16))

describe("isPublicUnicast", () => {
  it.each([
    ["168.63.129.15", true],
    ["168.63.129.16", false],
    ["168.63.129.17", true],
    ["::ffff:168.63.129.16", false],
    ["64:ff9b::168.63.129.16", false],
    ["2002:a83f:8110::1", false],
    ["161.25.255.255", true],
    ["161.26.0.7", false],
    ["166.8.0.0", false],
    ["166.12.0.0", true],
  ] as const)("isPublicUnicast(%s), at or beside a cloud's own addresses, is %s", (address, wanted) => {
    expect(isPublicUnicast(address)).toBe(wanted)
  })

  it("isPublicUnicast takes no ISATAP address for public, whatever its prefix and IPv4 address", () => {
    const prefix = fc.tuple(fc.integer({ min: 0x2003, max: 0x3ffe }), segment, segment, segment)
    const mark = fc.constantFrom("0", "100", "200", "300")
    fc.assert(
      fc.property(prefix, mark, fc.nat(0xffffffff), ([first, ...rest], bits, value) => {
        const site = [first.toString(16), ...rest].join(":")
        expect(isPublicUnicast(`${site}:${bits}:5efe:${hexPair(value)}`)).toBe(false)
      }),
    )
    // An address whose mark differs in one bit is like any other.
    expect(isPublicUnicast("2a00:1450:4001:80e:200:5eff:a01:203")).toBe(true)
    expect(isPublicUnicast("2a00:1450:4001:80e:400:5efe:a01:203")).toBe(true)
  })

  it("isPublicUnicast judges every IPv4 address as Node's block list does", () => {
    fc.assert(
      fc.property(anyIpv4, (value) => {
        expect(isPublicUnicast(dotted(value))).toBe(isPublicByOracle(dotted(value)))
      }),
      { numRuns: 2_000 },
    )
  })

  it.each(NON_PUBLIC_IPV4)(
    "isPublicUnicast blocks %s from its first to its last address, and judges its neighbours apart",
    (cidr) => {
      const [base, prefixLength] = split(cidr)
      const first = toUint32(base)
      const last = (first + 2 ** (32 - prefixLength) - 1) >>> 0
      expect(isPublicUnicast(dotted(first))).toBe(false)
      expect(isPublicUnicast(dotted(last))).toBe(false)
      for (const outside of [first - 1, last + 1]) {
        if (outside < 0 || outside > 0xffffffff) continue
        expect(isPublicUnicast(dotted(outside))).toBe(isPublicByOracle(dotted(outside)))
      }
    },
  )

  it("isPublicUnicast judges mapped, NAT64 and 6to4 addresses by the IPv4 address within", () => {
    fc.assert(
      fc.property(anyIpv4, segment, segment, (value, subnet, host) => {
        const isPublic = isPublicByOracle(dotted(value))
        expect(isPublicUnicast(`::ffff:${dotted(value)}`)).toBe(isPublic)
        expect(isPublicUnicast(`0:0:0:0:0:ffff:${hexPair(value)}`)).toBe(isPublic)
        expect(isPublicUnicast(`64:ff9b::${hexPair(value)}`)).toBe(isPublic)
        expect(isPublicUnicast(`2002:${hexPair(value)}:${subnet}::${host}`)).toBe(isPublic)
      }),
      { numRuns: 1_000 },
    )
  })

  it("isPublicUnicast accepts of other IPv6 addresses only global unicast outside protocol blocks", () => {
    const firstSegment = fc.oneof(
      fc.nat(0xffff),
      fc.constantFrom(0x0, 0x64, 0x1fff, 0x2000, 0x2001, 0x3fff, 0x4000, 0xfbff, 0xfc00, 0xfe80, 0xff02),
    )
    const secondSegment = fc.oneof(
      fc.nat(0xffff),
      fc.constantFrom(0, 0x1ff, 0x200, 0xdb7, 0xdb8, 0xdb9, 0xfff, 0x1000),
    )
    fc.assert(
      fc.property(
        firstSegment,
        secondSegment,
        fc.array(segment, { minLength: 6, maxLength: 6 }),
        (s0, s1, rest) => {
          fc.pre(s0 !== 0x2002 && s0 !== 0 && !(s0 === 0x64 && s1 === 0xff9b))
          const address = `${s0.toString(16)}:${s1.toString(16)}:${rest.join(":")}`
          const isPublic = ipv6Global.check(address, "ipv6") && !ipv6Oracle.check(address, "ipv6")
          expect(isPublicUnicast(address)).toBe(isPublic)
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it.each([
    ["2606:4700::6810:84e5", true],
    ["2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", false],
    ["2001:200::", true],
    ["2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", true],
    ["2001:db8::", false],
    ["2001:db9::", true],
    ["2001:0:4136:e378:8000:63bf:3fff:fdd2", false],
    ["1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false],
    ["2000::", true],
    ["3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", false],
    ["3fff:1000::", true],
    ["4000::", false],
    ["::", false],
    ["::1", false],
    ["::8.8.8.8", false],
    ["fc00::1", false],
    ["fdff::1", false],
    ["fe80::1", false],
    ["fec0::1", false],
    ["ff02::1", false],
    ["64:ff9b:1::808:808", false],
    ["2002:7f00:1::1", false],
    ["2002:808:808::1", true],
    ["::ffff:169.254.169.254", false],
    ["::ffff:8.8.8.8", true],
  ])("isPublicUnicast(%s) is %s", (address, isPublic) => {
    expect(isPublicUnicast(address)).toBe(isPublic)
  })

  it.each([
    "",
    "8.8.8",
    "08.8.8.8",
    "0x8.8.8.8",
    "134744072",
    "fe80::1%eth0",
    "2606:4700::1%0",
    "[2606:4700::1]",
    "example.com",
  ])("isPublicUnicast(%j) is false, as it is no address", (text) => {
    expect(isPublicUnicast(text)).toBe(false)
  })
})
