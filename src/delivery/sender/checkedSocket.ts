import { isIP, type LookupFunction, type TcpNetConnectOpts } from "node:net"
import { type ConnectionOptions, connect as connectTls, type SecureContext, type TLSSocket } from "node:tls"
import type { ParsedDestination } from "../destination/parseDestination.ts"

/** Addresses of one answer that are tried in turn. */
export const ADDRESSES_TRIED_MAX = 4
/** Time before the next address is tried; the last one has the rest of the attempt. */
const ADDRESS_TIMEOUT_MILLIS = 1_000

/** Answers the lookup of the socket with the checked addresses, so that nothing is resolved twice. */
const checkedLookup = (addresses: ReadonlyArray<string>): LookupFunction => {
  const entries = addresses
    .slice(0, ADDRESSES_TRIED_MAX)
    .map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
  return (_hostname, options, callback) => {
    const [first] = entries
    if (first === undefined) callback(new Error("no checked address"), [])
    else if (options.all === true) callback(null, entries)
    else callback(null, first.address, first.family)
  }
}

/**
 * Begins a TLS connection to the checked addresses of a destination alone, with its name in SNI, which the certificate must have
 * (docs/security.md#ssrf).
 */
export const connectChecked = (
  destination: ParsedDestination,
  addresses: ReadonlyArray<string>,
  trust: SecureContext,
  more: Pick<ConnectionOptions, "ALPNProtocols" | "session"> = {},
): TLSSocket => {
  const options: ConnectionOptions & TcpNetConnectOpts = {
    host: destination.hostname,
    port: destination.port,
    lookup: checkedLookup(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MILLIS,
    secureContext: trust,
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED=0 would otherwise disable verification.
    rejectUnauthorized: true,
    ...(isIP(destination.hostname) !== 0 ? {} : { servername: destination.hostname }),
    ...more,
  }
  const socket = connectTls(options)
  socket.setNoDelay(true)
  return socket
}

/** Names a destination at its checked addresses, for connections that are kept. Servers rotate the order of their answers. */
export const checkedKey = (origin: string, addresses: ReadonlyArray<string>): string =>
  `${origin} ${addresses.length === 1 ? addresses[0] : [...addresses].sort().join(" ")}`
