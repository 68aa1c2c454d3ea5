import { isIPv6 } from "node:net"

const pairOf = (ipv4: string): ReadonlyArray<number> => {
  const [first = 0, second = 0, third = 0, fourth = 0] = ipv4.split(".").map(Number)
  return [first * 256 + second, third * 256 + fourth]
}

/** The eight groups of an IPv6 address without leading zeros; a trailing IPv4 address is two of them. */
const groupsOf = (ipv6: string): ReadonlyArray<string> => {
  const numberOf = (group: string) => Number.parseInt(group, 16)
  const numbersOf = (text: string): ReadonlyArray<number> =>
    text === ""
      ? []
      : text.split(":").flatMap((group) => (group.includes(".") ? pairOf(group) : [numberOf(group)]))
  const [head = "", tail] = ipv6.split("::")
  const [left, right] = [numbersOf(head), numbersOf(tail ?? "")]
  const filler = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => 0)
  return [...left, ...filler, ...right].map((group) => group.toString(16))
}

/** The groups of an IPv6 address, or the bytes of an IPv4 one, mapped into IPv6 or not. */
const partsOf = (ipAddress: string): { readonly isIpv6: boolean; readonly parts: ReadonlyArray<string> } => {
  if (!isIPv6(ipAddress)) return { isIpv6: false, parts: ipAddress.split(".") }
  const groups = groupsOf(ipAddress)
  if (groups.slice(0, 6).join(":") !== "0:0:0:0:0:ffff") return { isIpv6: true, parts: groups }
  const bytes = groups.slice(6).flatMap((group) => [...Buffer.from(group.padStart(4, "0"), "hex")])
  return { isIpv6: false, parts: bytes.map(String) }
}

/** An IPv4 address that is mapped into IPv6 as IPv4; any other address as it is. */
export const plainAddress = (ipAddress: string): string => {
  const { isIpv6, parts } = partsOf(ipAddress)
  return isIpv6 ? ipAddress : parts.join(".")
}

/** What counts as one client: an IPv4 address, mapped into IPv6 or not, or the /64 of an IPv6 customer. */
export const clientOf = (ipAddress: string): string => {
  const { isIpv6, parts } = partsOf(ipAddress)
  return isIpv6 ? parts.slice(0, 4).join(":") : parts.join(".")
}

/** The network that one site may own: the /48 of an IPv6 address, the /24 of an IPv4 one. */
export const networkOf = (ipAddress: string): { readonly isIpv6: boolean; readonly network: string } => {
  const { isIpv6, parts } = partsOf(ipAddress)
  return {
    isIpv6,
    network: isIpv6 ? `${parts.slice(0, 3).join(":")}::/48` : `${parts.slice(0, 3).join(".")}.0/24`,
  }
}

/**
 * What one customer surely has, and may change at will within: an IPv4 address, mapped into IPv6 or not, or the /48 of
 * an IPv6 one, with its 65,536 /64s.
 */
export const customerOf = (ipAddress: string): string => {
  const { isIpv6, network } = networkOf(ipAddress)
  return isIpv6 ? network : clientOf(ipAddress)
}

/** The networks of an address, widest first: of its provider (/32, or /16 for IPv4), its site, and itself. */
export const networksOf = (ipAddress: string): ReadonlyArray<string> => {
  const { isIpv6, parts } = partsOf(ipAddress)
  const provider = isIpv6 ? `${parts.slice(0, 2).join(":")}::/32` : `${parts.slice(0, 2).join(".")}.0.0/16`
  return [provider, networkOf(ipAddress).network, clientOf(ipAddress)]
}
