import { isIPv6 } from "node:net"

const pairOf = (ipv4: string): ReadonlyArray<number> => {
  const [first = 0, second = 0, third = 0, fourth = 0] = ipv4.split(".").map(Number)
  return [first * 256 + second, third * 256 + fourth]
}

/** The eight groups of an IPv6 address, without leading zeros; an IPv4 address at its end is two of them. */
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

/** What counts as one client: an IPv4 address, mapped into IPv6 or not, or the /64 that one IPv6 customer has. */
export const clientOf = (ipAddress: string): string => {
  if (!isIPv6(ipAddress)) return ipAddress
  const groups = groupsOf(ipAddress)
  if (groups.slice(0, 6).join(":") !== "0:0:0:0:0:ffff") return groups.slice(0, 4).join(":")
  const bytes = groups.slice(6).map((group) => Buffer.from(group.padStart(4, "0"), "hex").join("."))
  return bytes.join(".")
}
