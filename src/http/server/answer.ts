import { answerLimits } from "./answerLimits.ts"
import type { ReplyHeaders } from "./reply.ts"
import type { Route } from "./route.ts"
import { isPrivate, policyName, type StandingHeaders } from "./standingHeaders.ts"
import { statusLine } from "./statusLine.ts"
import { type HttpResponse, tryEnd } from "./uws.ts"

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
  readonly standing: StandingHeaders
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

const standingOf = ({ standing, route }: Asked, headers: ReplyHeaders | undefined): string => {
  if (headers?.some(([name]) => name === policyName)) return standing.ofPages
  return isPrivate(route) ? standing.ofPrivate : standing.ofAll
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
    res.writeHeader("X-Content-Type-Options", standingOf(asked, headers))
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
  res.writeHeader("X-Content-Type-Options", asked.standing.ofAll)
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
