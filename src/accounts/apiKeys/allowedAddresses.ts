import { BlockList, isIP } from "node:net"
import { plainAddress } from "../clientAddress.ts"

const rangePattern = /^([\da-f.:]+)(?:\/(0|[1-9]\d{0,2}))?$/i

/** The bits that an IPv4 address mapped into IPv6 (RFC 4291 2.5.5.2) has before it. */
const mappedBits = 96

/**
 * An address or CIDR range as keys keep it, in lower case; one of IPv4 that is mapped into IPv6 becomes IPv4
 * (docs/contract/api-keys.md#allowed-addresses). Undefined for any other text, and for a range that holds mapped addresses and others.
 */
export const readAddressRange = (text: string): string | undefined => {
  const [, address = "", bits] = rangePattern.exec(text) ?? []
  const version = isIP(address)
  if (version === 0) return undefined
  const plain = plainAddress(address).toLowerCase()
  if (bits === undefined) return plain
  const least = isIP(plain) === version ? 0 : mappedBits
  const count = Number(bits)
  const isOfVersion = count >= least && count <= (version === 4 ? 32 : 128)
  return isOfVersion ? `${plain}/${count - least}` : undefined
}

const familyOf = (address: string): "ipv4" | "ipv6" => (isIP(address) === 6 ? "ipv6" : "ipv4")

/**
 * Makes the test whether an address is in one of these ranges; undefined for no ranges, which allow any. An unknown address ("") is in
 * none. Each family has a list of its own, because `BlockList` finds every IPv4 address in `::/0`.
 */
export const addressTest = (ranges: ReadonlyArray<string>): ((address: string) => boolean) | undefined => {
  if (ranges.length === 0) return undefined
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const range of ranges) {
    const [address = "", bits] = range.split("/")
    const family = familyOf(address)
    if (bits === undefined) lists[family].addAddress(address, family)
    else lists[family].addSubnet(address, Number(bits), family)
  }
  return (text) => {
    const address = plainAddress(text)
    const family = familyOf(address)
    return isIP(address) !== 0 && lists[family].check(address, family)
  }
}
