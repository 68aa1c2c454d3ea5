import { isIP } from "node:net"
import { Effect } from "effect"
import { DnsResolver } from "./dnsResolver.ts"
import {
  type AllowedOrigins,
  InvalidDestination,
  type ParsedDestination,
  parseDestination,
} from "./parseDestination.ts"
import { isPublicUnicast } from "./publicAddress.ts"

/** Deadline of name servers: half of an attempt, so that the other half is left to connect. */
export const DNS_TIMEOUT_MILLIS = 5_000

/**
 * Resolves a destination once, for one attempt. All addresses must be public unicast; one that is not blocks the
 * destination. Returns the checked addresses in the order of the answer: the attempt connects only to these
 * (docs/security.md#ssrf). Addresses of an exempt origin are not checked.
 * Fails with `unresolvable` (a `connection_error`) or `private_address` (a `blocked_destination`).
 */
export const resolveDestination = (
  destination: ParsedDestination,
  timeoutMillis: number = DNS_TIMEOUT_MILLIS,
): Effect.Effect<ReadonlyArray<string>, InvalidDestination, DnsResolver> => {
  if (isIP(destination.hostname) !== 0) {
    // Only exempt origins get here with a literal address.
    return Effect.succeed([destination.hostname])
  }
  // Created on demand: an error costs more than the rest of a successful lookup.
  const unresolvable = Effect.suspend(() =>
    Effect.fail(
      new InvalidDestination({
        reason: "unresolvable",
        message: `Use a host name that resolves: ${destination.hostname} has no address now.`,
      }),
    ),
  )
  return DnsResolver.use((resolver) =>
    destination.isExempt ? resolver.lookup(destination.hostname) : resolver.resolve(destination.hostname),
  ).pipe(
    Effect.timeoutOrElse({ duration: timeoutMillis, orElse: () => unresolvable }),
    Effect.catchTag("DnsError", () => unresolvable),
    Effect.flatMap((addresses) => {
      if (addresses.length === 0) return unresolvable
      if (destination.isExempt || addresses.every(isPublicUnicast)) return Effect.succeed(addresses)
      return Effect.fail(
        new InvalidDestination({
          reason: "private_address",
          message: `Use a host all of whose addresses are public: ${destination.hostname} resolves to one that is not.`,
        }),
      )
    }),
  )
}

/**
 * Checks a destination at registration by the rules that every attempt applies again
 * (docs/contract/endpoints.md#destination-rules). An unresolvable name is refused too; an exempt origin is not
 * resolved.
 */
export const checkDestination = (
  url: string,
  allowedOrigins: AllowedOrigins,
): Effect.Effect<ParsedDestination, InvalidDestination, DnsResolver> =>
  Effect.fromResult(parseDestination(url, allowedOrigins)).pipe(
    Effect.tap((destination) => (destination.isExempt ? Effect.void : resolveDestination(destination))),
  )
