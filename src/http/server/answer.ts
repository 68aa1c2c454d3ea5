import { answerLimits } from "./answerLimits.ts"
import type { ReplyHeaders } from "./request.ts"
import type { Route } from "./route.ts"
import { isPrivate, type StandingHeaders } from "./standingHeaders.ts"
import { statusLine } from "./statusLine.ts"
import { type HttpResponse, tryEnd } from "./uws.ts"

const streamHeaders: ReplyHeaders = [
  ["Cache-Control", "private, no-cache, no-store"],
  ["X-Accel-Buffering", "no"],
]

/** What an answer depends on of the request it answers. */
export interface Asked {
  readonly requestId: string
  readonly route: Route
  /** By `Connection: close`: uWebSockets.js closes the socket by itself then, but does not say so. */
  readonly asksToClose: boolean
  /** Asked by HEAD: the head of what GET would answer. */
  readonly headOnly: boolean
  /** What a page of another origin needs to read the answer; undefined where there is none that may. */
  readonly cors: ReplyHeaders | undefined
  readonly standing: StandingHeaders
}

/** An answer that is whole. `body` is "" for a status without one. */
export interface Answer {
  readonly status: number
  readonly contentType: string
  readonly body: string | Uint8Array
  readonly headers: ReplyHeaders | undefined
}

/**
 * Writes an answer as far as the socket takes it, and says whether it is complete: `res` is not to be used any more
 * then, else it knows how much of the body has been sent.
 *
 * `closes` says that we end the connection. uWebSockets.js does, where it gets the body whole and does not go on parsing
 * (it forgets to close then); after a long one the client does, as it is told. HEAD's is left open for the caller to cut.
 */
export const writeAnswer = (res: HttpResponse, asked: Asked, closes: boolean, answer: Answer): boolean => {
  const { status, contentType, body, headers } = answer
  const isHandedOver =
    closes && !asked.headOnly && status !== 204 && body.length <= answerLimits.handedOverMax
  let isComplete = true
  res.cork(() => {
    if (status !== 200) res.writeStatus(statusLine(status))
    res.writeHeader("X-Request-Id", asked.requestId)
    // It says so by itself where it is handed over to close.
    if (asked.asksToClose || (closes && !isHandedOver)) res.writeHeader("Connection", "close")
    const { ofAll, ofPrivate } = asked.standing
    res.writeHeader("X-Content-Type-Options", isPrivate(asked.route) ? ofPrivate : ofAll)
    if (asked.cors !== undefined) writeHeaders(res, asked.cors)
    if (headers !== undefined) writeHeaders(res, headers)
    if (status === 204) {
      // Any argument of endWithoutBody is taken for a length.
      res.endWithoutBody()
      return
    }
    res.writeHeader("Content-Type", contentType)
    if (asked.headOnly) isComplete = endHead(res, Buffer.byteLength(body), closes)
    else if (isHandedOver) res.end(body, true)
    else isComplete = tryEnd(res, body, 0)
  })
  return isComplete
}

/** Ends an answer whose head tells a length and that has no body. */
const endHead = (res: HttpResponse, bodyBytes: number, closes: boolean): boolean => {
  // Nothing of so many bytes leaves the answer open; its end then tells no length of its own.
  if (tryEnd(res, "", bodyBytes)) return true
  if (!closes) res.end("")
  return !closes
}

/** Writes the head of a stream, within a cork. */
export const writeStreamHead = (res: HttpResponse, asked: Asked, headers: ReplyHeaders | undefined): void => {
  res.writeHeader("X-Request-Id", asked.requestId)
  if (asked.asksToClose) res.writeHeader("Connection", "close")
  res.writeHeader("Content-Type", "text/event-stream")
  res.writeHeader("X-Content-Type-Options", asked.standing.ofAll)
  writeHeaders(res, streamHeaders)
  if (asked.cors !== undefined) writeHeaders(res, asked.cors)
  if (headers !== undefined) writeHeaders(res, headers)
}

/** Writes a stream that says one thing and is over, and the connection with it. */
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
