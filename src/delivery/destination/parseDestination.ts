import { isIPv4 } from "node:net"
import { Result, Schema } from "effect"
import { limits } from "../../../schema/limits.ts"

const HOSTNAME_LENGTH_MAX = 253
const HTTPS_PORT = 443
const LABEL_PATTERN = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/
/** Names of the local machine or network by RFC 6761, 6762, 8375 and convention. */
const LOCAL_SUFFIXES: ReadonlySet<string> = new Set([
  "localhost",
  "localdomain",
  "local",
  "internal",
  "intranet",
  "lan",
])

/** What is wrong with a destination. All but `unresolvable` block it for good; that one may pass. */
const InvalidDestinationReason = Schema.Literals([
  "malformed",
  "too_long",
  "not_https",
  "port_not_443",
  "port_not_allowed",
  "credentials",
  "ip_literal",
  "local_name",
  "unresolvable",
  "private_address",
])

/**
 * A destination URL that breaks the rules (docs/contract/endpoints.md#destination-rules). `message` tells the seller
 * what to do.
 */
export class InvalidDestination extends Schema.TaggedError<InvalidDestination>()("InvalidDestination", {
  reason: InvalidDestinationReason,
  message: Schema.String,
}) {}

/** An entry of `WEBHOOK_ALLOW_DESTINATIONS` that is not an origin. */
class InvalidAllowList extends Schema.TaggedError<InvalidAllowList>()("InvalidAllowList", {
  entry: Schema.String,
  message: Schema.String,
}) {}

/** Origins (`https://host[:port]`, as `URL.origin` writes them, and `rediss://host:port`) exempt from the port and address rules. */
export type AllowedOrigins = ReadonlySet<string>

/** A URL that passed all rules that need no lookup. */
export interface ParsedDestination {
  readonly origin: string
  /** Path and query. */
  readonly path: string
  /** Host name, or an address if the origin is exempt; IPv6 without brackets. */
  readonly hostname: string
  /** Host name, and the port unless it is 443. */
  readonly host: string
  readonly port: number
  /** Listed in `WEBHOOK_ALLOW_DESTINATIONS`: any port, any address. */
  readonly isExempt: boolean
  /** Of a Redis Stream: whom to sign in as (empty: the default user), and where to append. Absent: HTTPS. */
  readonly stream?:
    | { readonly user: string; readonly name: string; readonly maxLength: number | undefined }
    | undefined
}

/**
 * Parses `WEBHOOK_ALLOW_DESTINATIONS`, a comma-separated list of `https://host:port` and `rediss://host:port`; empty text is an
 * empty list. Fails with InvalidAllowList at the first entry that is no such bare origin.
 */
export const parseAllowedOrigins = (list: string): Result.Result<AllowedOrigins, InvalidAllowList> => {
  const origins = new Set<string>()
  for (const part of list.split(",")) {
    const entry = part.trim()
    if (entry === "") continue
    if (/^rediss:\/\/[^/?#@\s]+:\d+$/.test(entry)) {
      origins.add(entry.toLowerCase())
      continue
    }
    const url = URL.parse(entry)
    const isOrigin =
      url !== null &&
      url.protocol === "https:" &&
      url.username + url.password === "" &&
      url.pathname + url.search + url.hash === "/"
    if (!isOrigin) {
      return Result.fail(
        new InvalidAllowList({
          entry,
          message: `WEBHOOK_ALLOW_DESTINATIONS takes https://host:port and rediss://host:port, separated by commas; not: ${entry}`,
        }),
      )
    }
    origins.add(url.origin)
  }
  return Result.succeed(origins)
}

/** A broken rule, in words that tell the seller what to do. */
export const invalidDestination = (reason: InvalidDestination["reason"], message: string) =>
  Result.fail(new InvalidDestination({ reason, message }))

/**
 * Checks a destination URL by all rules that need no lookup: https, port 443, no credentials, no literal address in
 * any notation (the URL parser first turns decimal, octal, hexadecimal and short forms into dotted ones), no name of
 * the local machine or network. An exempt origin only has to be https without credentials.
 */
export const parseDestination = (
  text: string,
  allowedOrigins: AllowedOrigins,
): Result.Result<ParsedDestination, InvalidDestination> => {
  if (text.length > limits.destinationUrlLengthMax) {
    return invalidDestination(
      "too_long",
      `Use a URL of at most ${limits.destinationUrlLengthMax} characters.`,
    )
  }
  const url = hasWhitespaceOrControl(text) ? null : URL.parse(text)
  if (url === null)
    return invalidDestination("malformed", "Use a complete URL such as https://example.com/webhooks.")
  if (url.protocol !== "https:")
    return invalidDestination("not_https", "Use a URL that starts with https://.")
  if (url.username !== "" || url.password !== "") {
    return invalidDestination("credentials", "Remove the user and password from the URL.")
  }
  const isExempt = allowedOrigins.has(url.origin)
  if (!isExempt) {
    if (url.port !== "")
      return invalidDestination("port_not_443", `Use port ${HTTPS_PORT}: remove :${url.port} from the URL.`)
    const refused = refuseHostname(url.hostname)
    if (refused !== null) return Result.fail(refused)
  }
  return Result.succeed({
    origin: url.origin,
    path: url.pathname + url.search,
    hostname: url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname,
    host: url.host,
    port: url.port === "" ? HTTPS_PORT : Number(url.port),
    isExempt,
  })
}

// The URL parser would drop them silently, and the stored URL would differ from the called one.
/** Whether a text has what no URL has. */
export const hasWhitespaceOrControl = (text: string): boolean => {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code <= 0x20 || code === 0x7f) return true
  }
  return false
}

/** What is wrong with a host name, as the URL parser spells it; null for a public one in a valid form. */
export const refuseHostname = (hostname: string): InvalidDestination | null => {
  const refuse = (reason: InvalidDestination["reason"], message: string) =>
    new InvalidDestination({ reason, message })
  if (hostname.startsWith("[") || isIPv4(hostname)) {
    return refuse("ip_literal", "Use a host name instead of an IP address.")
  }
  // A trailing dot names the same host, but certificates and SNI do not use it (RFC 6066, section 3).
  const labels = (hostname.endsWith(".") ? hostname.slice(0, -1) : hostname).split(".")
  if (labels.length === 1 || LOCAL_SUFFIXES.has(labels.at(-1) ?? "") || isHomeArpa(labels)) {
    return refuse("local_name", "Use a public host name, such as example.com.")
  }
  if (hostname.endsWith(".")) return refuse("malformed", "Remove the dot at the end of the host name.")
  if (hostname.length > HOSTNAME_LENGTH_MAX || !labels.every((label) => LABEL_PATTERN.test(label))) {
    return refuse("malformed", "Use a valid host name, such as example.com.")
  }
  return null
}

const isHomeArpa = (labels: ReadonlyArray<string>): boolean =>
  labels.at(-1) === "arpa" && labels.at(-2) === "home"
