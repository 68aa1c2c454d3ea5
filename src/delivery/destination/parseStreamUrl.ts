import { Result } from "effect"
import { limits } from "../../../schema/limits.ts"
import {
  type AllowedOrigins,
  hasWhitespaceOrControl,
  type InvalidDestination,
  invalidDestination as invalid,
  type ParsedDestination,
  refuseHostname,
} from "./parseDestination.ts"

/** What the URL of a Redis Stream begins with: TLS always. */
export const streamScheme = "rediss:"

const defaultPort = 6_379
/** Below are the well-known services; providers of Redis use ports above. */
const portMin = 1_024
const queryNames = new Set(["stream", "maxlen"])

/** A URL of a Redis Stream, and its password: undefined where it has none. */
export interface StreamUrl {
  readonly destination: ParsedDestination
  /** The URL as it is stored and shown: without the password, with its port, in one spelling. */
  readonly url: string
  readonly password: string | undefined
}

const form = "rediss://user:password@host:port/?stream=NAME&maxlen=N"

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const isLine = (text: string, lengthMax: number): boolean =>
  text.length >= 1 && text.length <= lengthMax && !/\p{Cc}/u.test(text)

const maxLengthOf = (text: string | null): number | undefined =>
  text === null || !/^[1-9]\d{0,7}$/.test(text) ? undefined : Number(text)

type Parsed<A> = Result.Result<A, InvalidDestination>

/** The stream and its length, from the query. */
const parseQuery = (query: URLSearchParams): Parsed<{ name: string; maxLength: number | undefined }> => {
  const names = [...query.keys()]
  if (names.some((name) => !queryNames.has(name)) || new Set(names).size < names.length) {
    return invalid("malformed", "Use stream and maxlen in the query, each once, and nothing else.")
  }
  const name = query.get("stream") ?? ""
  if (!isLine(name, limits.streamNameLengthMax)) {
    return invalid("malformed", `Name the stream, in 1 to ${limits.streamNameLengthMax} characters: ${form}.`)
  }
  const maxLength = maxLengthOf(query.get("maxlen"))
  const isWrong = query.has("maxlen") && (maxLength === undefined || maxLength > limits.streamEntriesMax)
  if (isWrong) {
    return invalid(
      "malformed",
      `Use a maxlen from 1 to ${limits.streamEntriesMax}, or none: nothing is trimmed then.`,
    )
  }
  return Result.succeed({ name, maxLength })
}

/** User and password, decoded. */
const parseCredentials = (url: URL): Parsed<{ user: string; password: string | undefined }> => {
  const user = decoded(url.username)
  const password = decoded(url.password)
  const isShort = (text: string) => text === "" || isLine(text, limits.streamCredentialLengthMax)
  if (user === undefined || password === undefined || !isShort(user) || !isShort(password)) {
    return invalid(
      "malformed",
      `Use a user and a password of at most ${limits.streamCredentialLengthMax} characters, percent-encoded.`,
    )
  }
  return Result.succeed({ user, password: password === "" ? undefined : password })
}

/**
 * Checks the URL of a Redis Stream by all rules that need no lookup (docs/contract/redis-streams.md#url): those of HTTPS destinations
 * for its host, and a port from 1024 on. An exempt origin may have any host and port. No message repeats the URL, which has a
 * password.
 */
export const parseStreamUrl = (text: string, allowedOrigins: AllowedOrigins): Parsed<StreamUrl> => {
  if (text.length > limits.destinationUrlLengthMax) {
    return invalid("too_long", `Use a URL of at most ${limits.destinationUrlLengthMax} characters.`)
  }
  // As https the parser brings the host into one spelling; a port of 443 it would drop.
  const isClean = !hasWhitespaceOrControl(text) && text.startsWith(`${streamScheme}//`)
  const url = isClean ? URL.parse(`https:${text.slice(streamScheme.length)}`) : null
  const given = isClean ? URL.parse(text) : null
  if (url === null || given === null) return invalid("malformed", `Use a complete URL: ${form}.`)
  if (url.pathname !== "/" || url.hash !== "") {
    return invalid("malformed", `Use no path but /: streams are in database 0. The form is ${form}.`)
  }
  const port = given.port === "" ? defaultPort : Number(given.port)
  const host = `${url.hostname}:${port}`
  const isExempt = allowedOrigins.has(`${streamScheme}//${host}`)
  if (!isExempt) {
    if (port < portMin) return invalid("port_not_allowed", `Use a port from ${portMin} on.`)
    const refused = refuseHostname(url.hostname)
    if (refused !== null) return Result.fail(refused)
  }
  return Result.flatMap(parseQuery(url.searchParams), (stream) =>
    Result.map(parseCredentials(url), ({ user, password }) => {
      const query = `?stream=${encodeURIComponent(stream.name)}`
      const path = `/${query}${stream.maxLength === undefined ? "" : `&maxlen=${stream.maxLength}`}`
      const destination: ParsedDestination = {
        origin: `${streamScheme}//${host}`,
        path,
        hostname: url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname,
        host,
        port,
        isExempt,
        stream: { ...stream, user },
      }
      const named = user === "" ? "" : `${encodeURIComponent(user)}@`
      return { destination, url: `${streamScheme}//${named}${host}${path}`, password }
    }),
  )
}
