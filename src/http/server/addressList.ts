import { BlockList, isIP } from "node:net"

/** The text of an address of 4 or 16 bytes; IPv4 addresses mapped into IPv6 become IPv4. */
export const remoteAddressText = (address: ArrayBuffer): string => {
  const bytes = Buffer.from(address)
  if (bytes.length === 4) return bytes.join(".")
  if (bytes.length !== 16) return ""
  const isMapped = bytes.readBigUInt64BE(0) === 0n && bytes.readUInt32BE(8) === 0xffff
  if (isMapped) return bytes.subarray(12).join(".")
  const groups: Array<string> = []
  for (let index = 0; index < 16; index += 2) groups.push(bytes.readUInt16BE(index).toString(16))
  return groups.join(":")
}

/** Prepares addresses and CIDR ranges from settings for {@link contains}. */
export const blockListOf = (ranges: ReadonlyArray<string>): BlockList => {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = "", bits] = range.split("/")
    const family = isIP(address) === 6 ? "ipv6" : "ipv4"
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return list
}

/** Whether a list contains an address; false if the text is not an address. */
export const contains = (list: BlockList, address: string): boolean => {
  const version = isIP(address)
  return version !== 0 && list.check(address, version === 6 ? "ipv6" : "ipv4")
}
