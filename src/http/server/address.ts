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
