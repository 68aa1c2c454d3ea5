import { readFile } from "node:fs/promises"
import { endianness } from "node:os"

/** States in which a process has a socket open: established, and closed by the other side only. */
const openStates = new Set(["01", "08"])

/** Decodes an address of the table: words in the machine's byte order. */
const bytesOf = (hex: string): ArrayBuffer => {
  const bytes = Buffer.from(hex, "hex")
  if (endianness() === "LE") bytes.swap32()
  return new Uint8Array(bytes).buffer
}

/**
 * The remote addresses, as 4 or 16 bytes, of the open connections on a local port. `table` is the text of
 * `/proc/net/tcp` or `/proc/net/tcp6`.
 */
export const remoteAddressesOf = (table: string, localPort: number): ReadonlyArray<ArrayBuffer> => {
  const port = localPort.toString(16).toUpperCase().padStart(4, "0")
  const lines = new RegExp(
    `^ *\\d+: [0-9A-F]+:${port} ([0-9A-F]{8}|[0-9A-F]{32}):[0-9A-F]{4} ([0-9A-F]{2}) `,
    "gm",
  )
  const addresses: Array<ArrayBuffer> = []
  for (const [, address = "", state = ""] of table.matchAll(lines)) {
    if (openStates.has(state)) addresses.push(bytesOf(address))
  }
  return addresses
}

/** Asks the operating system who is connected to a local port; undefined if it does not tell (not Linux). */
export const readRemoteAddresses = async (
  localPort: number,
): Promise<ReadonlyArray<ArrayBuffer> | undefined> => {
  const tables = await Promise.all(
    ["/proc/net/tcp", "/proc/net/tcp6"].map((path) => readFile(path, "latin1").catch(() => undefined)),
  )
  if (tables[0] === undefined) return undefined
  return tables.flatMap((table) => (table === undefined ? [] : remoteAddressesOf(table, localPort)))
}
