import { type BlockList, isIP } from "node:net"
import { plainAddress } from "../../accounts/clientAddress.ts"
import { contains } from "../server/addressList.ts"

/** An IPv4 address or an IPv6 one in brackets, and a port: a node of RFC 7239 6 without names. */
const nodePattern = /^(?:([\d.]+)|\[([\da-f.:]+)\])(?::(\d{1,5}))?$/i
const portMax = 65_535

/**
 * The address in an entry of `X-Forwarded-For`: `ip`, `ip:port`, `[v6]` or `[v6]:port`, as RFC 7239 6 writes nodes; an IPv4 one mapped
 * into IPv6 becomes IPv4. "" for whatever else stands there (`unknown`, `_hidden`, an address with a zone): it is no address.
 */
export const addressOfEntry = (entry: string): string => {
  const text = entry.trim()
  const [, ipv4, ipv6, port = "0"] = nodePattern.exec(text) ?? []
  if (Number(port) > portMax) return ""
  if (ipv4 !== undefined) return isIP(ipv4) === 4 ? ipv4 : ""
  const address = ipv6 ?? text
  return isIP(address) === 6 && !address.includes("%") ? plainAddress(address) : ""
}

/**
 * The last address of the chain that is not a trusted proxy's; anyone may have written what stands before it. "" if no address stands
 * there: the client is then unknown, and counts neither as its proxy nor as this machine (docs/contract/README.md#client-addresses).
 * A proxy that names nobody asks for itself. `forwardedFor` holds all lines of the header as one list.
 */
export const clientAddress = (peer: string, forwardedFor: string, proxies: BlockList): string => {
  if (!contains(proxies, peer) || forwardedFor.trim() === "") return peer
  const chain = forwardedFor.split(",").map(addressOfEntry)
  return chain.findLast((address) => !contains(proxies, address)) ?? chain[0] ?? peer
}
