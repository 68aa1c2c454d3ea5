import type { ReplyHeaders } from "./reply.ts"
import type { Route } from "./route.ts"
import { type HttpResponse, tryEnd } from "./uws.ts"

/** Limits for answers whose client does not read them. */
export const answerLimits = {
  /**
   * A caller who takes longer to read one answer is disconnected: 1.3 MB, the reference's script and the longest answer,
   * take this long at 21 kB/s.
   */
  unsentMillis: 60_000,
  /**
   * Immediate answers per turn of the event loop; the next one waits for the following turn. They take 20 ms, and
   * pipelined requests of one connection must not block the loop for longer.
   */
  perTurnMax: 2_048,
  /**
   * Answers without a body cannot reveal whether the client reads. So one in this many, chosen at random, ends the
   * connection: a client can leave 300 kB unread on average, which fit into the kernel's buffer.
   */
  bodilessPerProbe: 1_024,
  /** Longest body, in characters, that uWebSockets.js gets whole when the connection ends with it. */
  handedOverMax: 16 * 1024,
} as const

// An import would load all that `http` has, Node's own fetch among it: 30 ms of CPU.
const { STATUS_CODES = {} } = process.getBuiltinModule("node:http")

const lines = new Map(
  Object.entries(STATUS_CODES).map(([status, reason]) => [Number(status), `${status} ${reason}`]),
)

/** Status and reason phrase, such as `404 Not Found`. */
const statusLine = (status: number): string => lines.get(status) ?? String(status)

/** How long browsers that came by https must keep using https: a year, as preload lists require. */
const strictTransportSeconds = 365 * 24 * 60 * 60

/** For answers that are no pages: where a browser shows one all the same, it loads and runs nothing, and nobody frames it. */
const policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The header that pages have of their own. */
const policyName = "Content-Security-Policy"

/**
 * Headers on every answer of a kind, written in one call: each text is the value of `X-Content-Type-Options`, followed by whole header
 * lines, because uWebSockets.js copies a value as it is. Writing two or three more headers one by one would cost a call into native code
 * each. Only the constants of this file may stand here: a caller's text would let it write headers of its own.
 */
export interface DefaultHeaders {
  readonly ofAll: string
  /** For answers that have a {@link policyName} of their own: two would both count. */
  readonly ofPages: string
  /** For answers to a key or session: they must not be stored, and some show a secret once. */
  readonly ofPrivate: string
}

/** `isHttps`: clients reach us by https. */
export const defaultHeadersOf = (isHttps: boolean): DefaultHeaders => {
  const ofPages = isHttps
    ? `nosniff\r\nStrict-Transport-Security: max-age=${strictTransportSeconds}; includeSubDomains`
    : "nosniff"
  const ofAll = `${ofPages}\r\n${policyName}: ${policy}`
  return { ofAll, ofPages, ofPrivate: `${ofAll}\r\nCache-Control: no-store` }
}

/** Whether a route's answers are only for the holder of a key or session. */
const isPrivate = ({ secured, cors }: Route): boolean => secured || cors !== undefined

const streamHeaders: ReplyHeaders = [
  // A proxy that compresses a stream holds its frames back.
  ["Cache-Control", "private, no-cache, no-store, no-transform"],
  ["X-Accel-Buffering", "no"],
]

/** What an answer depends on of its request. */
export interface Asked {
  readonly requestId: string
  readonly route: Route
  /** The client sent `Connection: close`: uWebSockets.js then closes the socket, but does not announce it. */
  readonly asksToClose: boolean
  /** A HEAD request: answered with the head that GET would have. */
  readonly headOnly: boolean
  /** The headers that let a page of another origin read the answer; undefined if none may. */
  readonly cors: ReplyHeaders | undefined
  readonly defaultHeaders: DefaultHeaders
}

/** A complete answer. `body` is "" for a status without one, but for 304, which announces the length of what it stands for. */
export interface Answer {
  readonly status: number
  readonly contentType: string
  readonly body: string | Uint8Array
  readonly headers: ReplyHeaders | undefined
}

/** Whether an answer announces a length that it does not send. */
export const isHeadAlone = (asked: Asked, status: number): boolean => asked.headOnly || status === 304

const defaultHeadersFor = ({ defaultHeaders, route }: Asked, headers: ReplyHeaders | undefined): string => {
  if (headers?.some(([name]) => name === policyName)) return defaultHeaders.ofPages
  return isPrivate(route) ? defaultHeaders.ofPrivate : defaultHeaders.ofAll
}

/**
 * Writes as much of an answer as the socket takes, and returns whether it is complete. If it is, `res` must not be
 * used any more; otherwise `res` knows how much of the body was sent.
 *
 * `closes` means that we end the connection. uWebSockets.js ends it if it gets the whole body and stops parsing
 * (otherwise it forgets to close). After a long body, or none, the client closes, as the header tells it to. After HEAD
 * the caller must cut the connection.
 */
export const writeAnswer = (res: HttpResponse, asked: Asked, closes: boolean, answer: Answer): boolean => {
  const { status, contentType, body, headers } = answer
  const headAlone = isHeadAlone(asked, status)
  const isHandedOver = closes && !headAlone && status !== 204 && body.length <= answerLimits.handedOverMax
  let isComplete = true
  res.cork(() => {
    if (status !== 200) res.writeStatus(statusLine(status))
    res.writeHeader("X-Request-Id", asked.requestId)
    // uWebSockets.js adds the header itself when it is given the body to send and close.
    if (asked.asksToClose || (closes && !isHandedOver)) res.writeHeader("Connection", "close")
    res.writeHeader("X-Content-Type-Options", defaultHeadersFor(asked, headers))
    if (asked.cors !== undefined) writeHeaders(res, asked.cors)
    if (headers !== undefined) writeHeaders(res, headers)
    if (status === 204) {
      // endWithoutBody would take any argument for a length.
      res.endWithoutBody()
      return
    }
    res.writeHeader("Content-Type", contentType)
    if (headAlone) isComplete = endHead(res, Buffer.byteLength(body), closes)
    else if (isHandedOver) res.end(body, true)
    else isComplete = tryEnd(res, body, 0)
  })
  return isComplete
}

/** Ends an answer whose head announces a length but which has no body. */
const endHead = (res: HttpResponse, bodyBytes: number, closes: boolean): boolean => {
  // Sending none of `bodyBytes` leaves the answer open; ending it then announces no length of its own.
  if (tryEnd(res, "", bodyBytes)) return true
  if (!closes) res.end("")
  return !closes
}

/** Writes the head of a stream; must be called within a cork. */
export const writeStreamHead = (
  res: HttpResponse,
  asked: Asked,
  headers: ReplyHeaders | undefined,
  contentType = "text/event-stream",
): void => {
  res.writeHeader("X-Request-Id", asked.requestId)
  if (asked.asksToClose) res.writeHeader("Connection", "close")
  res.writeHeader("Content-Type", contentType)
  res.writeHeader("X-Content-Type-Options", asked.defaultHeaders.ofAll)
  writeHeaders(res, streamHeaders)
  if (asked.cors !== undefined) writeHeaders(res, asked.cors)
  if (headers !== undefined) writeHeaders(res, headers)
}

/** Writes a stream of a single frame, and ends it and its connection. */
export const writeStreamEnd = (res: HttpResponse, asked: Asked, frame: Uint8Array): boolean => {
  res.cork(() => {
    writeStreamHead(res, asked, undefined)
    res.end(frame, true)
  })
  return true
}

const writeHeaders = (res: HttpResponse, headers: ReplyHeaders): void => {
  for (const [name, value] of headers) res.writeHeader(name, value)
}
