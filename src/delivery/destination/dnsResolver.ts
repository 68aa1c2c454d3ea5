import { promises as dns } from "node:dns"
import { Context, Effect, Layer, Schema } from "effect"

/**
 * A name without an address, or whose name servers did not answer. `code` is that of the resolver, such as ENOTFOUND.
 */
class DnsError extends Schema.TaggedError<DnsError>()("DnsError", {
  hostname: Schema.String,
  code: Schema.String,
}) {}

/**
 * Turns a host name into its addresses, at least one, anew at every call. Callers set their own deadline.
 *
 * - `resolve` asks the name servers, for destinations out in the world.
 * - `lookup` asks the operating system, hosts file included, for exempt origins such as localhost.
 */
export class DnsResolver extends Context.Service<
  DnsResolver,
  {
    readonly resolve: (hostname: string) => Effect.Effect<ReadonlyArray<string>, DnsError>
    readonly lookup: (hostname: string) => Effect.Effect<ReadonlyArray<string>, DnsError>
  }
>()("corrente/delivery/DnsResolver") {}

export interface DnsResolverOptions {
  /** Name servers as `address[:port]`; by default those of the operating system. */
  readonly servers?: ReadonlyArray<string>
}

/** Codes that say for certain that a name is unknown, or that there is no server to ask. */
const UNKNOWN_TO_DNS: ReadonlySet<string> = new Set(["ENOTFOUND", "ENODATA", "ECONNREFUSED"])
const QUERY_TIMEOUT_MILLIS = 2_000
const QUERY_TRIES = 2
/** Half of the four threads that Node has for lookups and files. */
const SYSTEM_LOOKUPS_AT_ONCE_MAX = 2

/**
 * The DnsResolver of the service. Asks name servers over our own sockets instead of getaddrinfo, which holds one of
 * four threads while a name server stalls, so that a few bad destinations would stop all others
 * (docs/contract/deliveries.md#isolation). Looks up names that DNS does not know in the hosts file.
 */
export const layerDnsResolver = (options: DnsResolverOptions = {}): Layer.Layer<DnsResolver> =>
  Layer.sync(DnsResolver, () => {
    const resolver = new dns.Resolver({ timeout: QUERY_TIMEOUT_MILLIS, tries: QUERY_TRIES })
    if (options.servers !== undefined) resolver.setServers(options.servers)
    const lookup = shareInFlight(limitConcurrency(lookupSystem, SYSTEM_LOOKUPS_AT_ONCE_MAX))
    const resolve = shareInFlight((hostname) =>
      resolveBothFamilies(resolver, hostname).catch((error: unknown) => {
        if (UNKNOWN_TO_DNS.has(codeOf(error))) return lookup(hostname)
        throw error
      }),
    )
    return { resolve: toEffect(resolve), lookup: toEffect(lookup) }
  })

type Resolve = (hostname: string) => Promise<ReadonlyArray<string>>

const toEffect =
  (resolve: Resolve) =>
  (hostname: string): Effect.Effect<ReadonlyArray<string>, DnsError> =>
    Effect.tryPromise({
      try: () => resolve(hostname),
      catch: (error) => new DnsError({ hostname, code: codeOf(error) }),
    })

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "EUNKNOWN"

const lookupSystem: Resolve = async (hostname) =>
  (await dns.lookup(hostname, { all: true, order: "verbatim" })).map((entry) => entry.address)

const resolveBothFamilies = async (
  resolver: dns.Resolver,
  hostname: string,
): Promise<ReadonlyArray<string>> => {
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  const addresses = [
    ...(v4.status === "fulfilled" ? v4.value : []),
    ...(v6.status === "fulfilled" ? v6.value : []),
  ]
  if (addresses.length > 0) return addresses
  // A failure for one family leaves open whether the name exists; "unknown" must be certain.
  const errors = [v4, v6].flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []))
  throw errors.find((error) => !UNKNOWN_TO_DNS.has(codeOf(error))) ?? errors[0] ?? new Error("empty answer")
}

/** Callers that ask for a name while it is being resolved share that answer, which is no older than their question. */
const shareInFlight = (resolve: Resolve): Resolve => {
  const inFlight = new Map<string, Promise<ReadonlyArray<string>>>()
  return (hostname) => {
    const running = inFlight.get(hostname)
    if (running !== undefined) return running
    const started = resolve(hostname).finally(() => inFlight.delete(hostname))
    inFlight.set(hostname, started)
    return started
  }
}

const limitConcurrency = (resolve: Resolve, runningMax: number): Resolve => {
  const waiting: Array<() => void> = []
  let running = 0
  return async (hostname) => {
    if (running === runningMax) await new Promise<void>((start) => waiting.push(start))
    else running++
    try {
      return await resolve(hostname)
    } finally {
      const next = waiting.shift()
      if (next === undefined) running--
      else next()
    }
  }
}
