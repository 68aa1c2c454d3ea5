import { Result } from "effect"
import * as NetAddress from "effect/net/NetAddress"

interface Ipv4Range {
  readonly base: number
  readonly mask: number
}

const ipv4Range = (first: readonly [number, number, number, number], prefixLength: number): Ipv4Range => {
  const mask = prefixLength === 0 ? 0 : (0xffffffff << (32 - prefixLength)) >>> 0
  return { base: toUint32(first), mask }
}

const toUint32 = (octets: NetAddress.Ipv4Octets): number =>
  ((octets[0] << 24) | (octets[1] << 16) | (octets[2] << 8) | octets[3]) >>> 0

/**
 * The IANA IPv4 special-purpose registry, with those of its blocks that are globally reachable too: no receiver is in
 * them. Then multicast and the reserved rest, and addresses that look public and lead inside of a cloud.
 */
const NON_PUBLIC_IPV4: ReadonlyArray<Ipv4Range> = [
  ipv4Range([0, 0, 0, 0], 8),
  ipv4Range([10, 0, 0, 0], 8),
  ipv4Range([100, 64, 0, 0], 10),
  ipv4Range([127, 0, 0, 0], 8),
  ipv4Range([169, 254, 0, 0], 16),
  ipv4Range([172, 16, 0, 0], 12),
  ipv4Range([192, 0, 0, 0], 24),
  ipv4Range([192, 0, 2, 0], 24),
  // AS112 sinks and AMT relays: anycast, perhaps answered by a host next to ours.
  ipv4Range([192, 31, 196, 0], 24),
  ipv4Range([192, 52, 193, 0], 24),
  ipv4Range([192, 175, 48, 0], 24),
  ipv4Range([192, 88, 99, 0], 24),
  ipv4Range([192, 168, 0, 0], 16),
  ipv4Range([198, 18, 0, 0], 15),
  ipv4Range([198, 51, 100, 0], 24),
  ipv4Range([203, 0, 113, 0], 24),
  ipv4Range([224, 0, 0, 0], 4),
  ipv4Range([240, 0, 0, 0], 4),
  // Azure's platform (DHCP, DNS, agents, health probes) on each of its hosts.
  ipv4Range([168, 63, 129, 16], 32),
  // IBM Cloud's services, as its own hosts reach them.
  ipv4Range([161, 26, 0, 0], 16),
  ipv4Range([166, 8, 0, 0], 14),
]

const isPublicIpv4 = (address: number): boolean => {
  for (const range of NON_PUBLIC_IPV4) {
    if ((address & range.mask) >>> 0 === range.base) return false
  }
  return true
}

const ipv4OfSegments = (high: number, low: number): number => ((high << 16) | low) >>> 0

/**
 * Forms that carry an IPv4 address are judged by it: they end up at it. All else must be in 2000::/3, the one block
 * from which global unicast is assigned, and there outside of the protocol and documentation blocks. ISATAP's form of an
 * address is a tunnel inside of a site (RFC 5214), whatever IPv4 address and prefix it carries.
 */
const isPublicIpv6 = (segments: NetAddress.Ipv6Segments): boolean => {
  const [s0, s1, s2, s3, s4, s5, s6, s7] = segments
  const isZeroFrom1To4 = s1 === 0 && s2 === 0 && s3 === 0 && s4 === 0
  // ::ffff:0:0/96, IPv4-mapped
  if (s0 === 0 && isZeroFrom1To4 && s5 === 0xffff) return isPublicIpv4(ipv4OfSegments(s6, s7))
  // 64:ff9b::/96, NAT64
  if (s0 === 0x64 && s1 === 0xff9b && s2 === 0 && s3 === 0 && s4 === 0 && s5 === 0) {
    return isPublicIpv4(ipv4OfSegments(s6, s7))
  }
  if (s0 >>> 13 !== 0b001) return false
  // 2001::/23, IETF protocols: Teredo (2001::/32), benchmarking, ORCHID
  if (s0 === 0x2001 && s1 < 0x200) return false
  // 2001:db8::/32 and 3fff::/20, documentation
  if (s0 === 0x2001 && s1 === 0xdb8) return false
  if (s0 === 0x3fff && s1 < 0x1000) return false
  // 2620:4f:8000::/48, AS112
  if (s0 === 0x2620 && s1 === 0x4f && s2 === 0x8000) return false
  // ::0:5efe:a.b.c.d and ::200:5efe:a.b.c.d below any prefix, ISATAP
  if ((s4 & 0xfcff) === 0 && s5 === 0x5efe) return false
  // 2002::/16, 6to4
  if (s0 === 0x2002) return isPublicIpv4(ipv4OfSegments(s1, s2))
  return true
}

/**
 * Whether an address, as a resolver gives it, is public unicast (spec 4.3, decisions 5). It is judged by its parsed
 * bytes; what is not an address in strict notation, or bears a zone, is not public.
 */
export const isPublicUnicast = (address: string): boolean => {
  const parsed = NetAddress.ipFromString(address)
  if (Result.isFailure(parsed)) return false
  return NetAddress.isIpv4Address(parsed.success)
    ? isPublicIpv4(toUint32(NetAddress.ipv4ToOctets(parsed.success)))
    : isPublicIpv6(NetAddress.ipv6ToSegments(parsed.success))
}
