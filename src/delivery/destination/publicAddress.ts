import { BlockList } from "node:net"
import { Result } from "effect"
import * as NetAddress from "effect/net/NetAddress"

type Block = readonly [network: string, prefixLength: number]

/**
 * The IANA IPv4 special-purpose registry, including its globally reachable blocks: no receiver is in them. Then multicast
 * and the reserved rest, and addresses that look public and lead into a cloud.
 */
const nonPublicIpv4: ReadonlyArray<Block> = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  // AS112 sinks and AMT relays: anycast, perhaps answered by a host next to ours.
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.175.48.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
  // Azure's platform (DHCP, DNS, agents, health probes) on each of its hosts.
  ["168.63.129.16", 32],
  // IBM Cloud's services, as its own hosts reach them.
  ["161.26.0.0", 16],
  ["166.8.0.0", 14],
]

const nonPublicIpv6: ReadonlyArray<Block> = [
  // IETF protocols: Teredo (2001::/32), benchmarking, ORCHID
  ["2001::", 23],
  // Documentation
  ["2001:db8::", 32],
  ["3fff::", 20],
  // AS112
  ["2620:4f:8000::", 48],
]

/** What may be public: IPv4, mapped into IPv6 or not, NAT64, and 2000::/3, from which global unicast is assigned. */
const candidates = new BlockList()
candidates.addSubnet("0.0.0.0", 1)
candidates.addSubnet("128.0.0.0", 1)
candidates.addSubnet("64:ff9b::", 96, "ipv6")
candidates.addSubnet("2000::", 3, "ipv6")

/** A BlockList judges an IPv4-mapped address by its IPv4 address; NAT64 and 6to4 end up at theirs as well. */
const nonPublic = new BlockList()
for (const [network, prefixLength] of nonPublicIpv4) {
  nonPublic.addSubnet(network, prefixLength)
  nonPublic.addSubnet(`64:ff9b::${network}`, 96 + prefixLength, "ipv6")
  const hex = Buffer.from(network.split(".").map(Number)).toString("hex")
  nonPublic.addSubnet(`2002:${hex.slice(0, 4)}:${hex.slice(4)}::`, 16 + prefixLength, "ipv6")
}
for (const [network, prefixLength] of nonPublicIpv6) nonPublic.addSubnet(network, prefixLength, "ipv6")

/** ISATAP (`::0:5efe:a.b.c.d`, `::200:5efe:a.b.c.d`) is a tunnel inside of a site, whatever its prefix (RFC 5214). */
const isIsatap = (address: NetAddress.Ipv6Address): boolean => {
  const [, , , , s4, s5] = NetAddress.ipv6ToSegments(address)
  return (s4 & 0xfcff) === 0 && s5 === 0x5efe
}

/**
 * Whether an address, as a resolver gives it, is public unicast (docs/contract/endpoints.md#destination-rules). What is
 * not an address in strict notation, or has a zone, is not public. A BlockList finds nothing in what it cannot parse, so
 * an address must be in one list and not in the other.
 */
export const isPublicUnicast = (address: string): boolean => {
  const parsed = NetAddress.ipFromString(address)
  if (Result.isFailure(parsed)) return false
  const isIpv4 = NetAddress.isIpv4Address(parsed.success)
  if (!isIpv4 && isIsatap(parsed.success)) return false
  const family = isIpv4 ? "ipv4" : "ipv6"
  return candidates.check(address, family) && !nonPublic.check(address, family)
}
