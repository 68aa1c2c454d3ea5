import { promises as dns } from "node:dns"
import { Context, Effect, Layer, Schema } from "effect"

/** A name that has no address, or whose name servers did not say. `code` is the resolver's own, such as ENOTFOUND. */
export class DnsError extends Schema.TaggedError<DnsError>()("DnsError", {
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

/** The answers by which a name server says for certain that it does not know a name, or that there is none to ask. */
const UNKNOWN_TO_DNS: ReadonlySet<string> = new Set(["ENOTFOUND", "ENODATA", "ECONNREFUSED"])
const QUERY_TIMEOUT_MILLIS = 2_000
const QUERY_TRIES = 2
/** Half of the four threads that Node has for these and for files. */
const SYSTEM_LOOKUPS_AT_ONCE_MAX = 2

/**
 * The DnsResolver of the running service. Name servers are asked by sockets of our own, not by getaddrinfo: that
 * holds a thread of four for as long as a name server stalls, so that a few bad destinations would stop all others
 * (spec 6: destinations do not block each other). A name that DNS does not know is looked for in the hosts file.
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
  // A name server that failed for one family leaves open whether the name exists; that it is unknown must be certain.
  const errors = [v4, v6].flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []))
  throw errors.find((error) => !UNKNOWN_TO_DNS.has(codeOf(error))) ?? errors[0] ?? new Error("empty answer")
}

/** Callers that ask for a name while it is being resolved get that answer: it is no older than their question's. */
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
