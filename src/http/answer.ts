import type { ReplyHeaders } from "./request.ts"
import type { Route } from "./route.ts"
import { statusLine } from "./statusLine.ts"
import type { HttpResponse } from "./uws.ts"

const streamHeaders: ReplyHeaders = [
  ["Cache-Control", "private, no-cache, no-store"],
  ["X-Accel-Buffering", "no"],
]

/** What an answer depends on of the request it answers. */
export interface Asked {
  readonly requestId: string
  readonly route: Route
  /** Asked by HEAD: the head of what GET would answer. */
  readonly headOnly: boolean
  /** What a page of another origin needs to read the answer; undefined where there is none that may. */
  readonly cors: ReplyHeaders | undefined
}

/** An answer that is whole. `body` is "" for a status without one. */
export interface Answer {
  readonly status: number
  readonly contentType: string
  readonly body: string
  readonly headers: ReplyHeaders | undefined
}

/** Writes an answer to the end. `closes` says that the connection ends with it. `res` is not to be used after. */
export const writeAnswer = (res: HttpResponse, asked: Asked, closes: boolean, answer: Answer): void => {
  const { status, contentType, body, headers } = answer
  res.cork(() => {
    if (status !== 200) res.writeStatus(statusLine(status))
    res.writeHeader("X-Request-Id", asked.requestId)
    if (closes) res.writeHeader("Connection", "close")
    // A dashboard's answers are its user's alone, and some show a secret this once.
    if (asked.route.cors !== undefined) res.writeHeader("Cache-Control", "no-store")
    if (asked.cors !== undefined) writeHeaders(res, asked.cors)
    if (headers !== undefined) writeHeaders(res, headers)
    if (status === 204) {
      // Any argument of endWithoutBody is taken for a length.
      res.endWithoutBody()
      return
    }
    res.writeHeader("Content-Type", contentType)
    if (asked.headOnly && !closes) {
      // A length as its argument would leave the request open.
      res.writeHeader("Content-Length", String(Buffer.byteLength(body)))
      res.endWithoutBody()
    } else {
      res.end(asked.headOnly ? "" : body, closes)
    }
  })
}

/** Writes the head of a stream, within a cork. */
export const writeStreamHead = (
  res: HttpResponse,
  asked: Asked,
  closes: boolean,
  headers: ReplyHeaders | undefined,
): void => {
  res.writeHeader("X-Request-Id", asked.requestId)
  if (closes) res.writeHeader("Connection", "close")
  res.writeHeader("Content-Type", "text/event-stream")
  writeHeaders(res, streamHeaders)
  if (asked.cors !== undefined) writeHeaders(res, asked.cors)
  if (headers !== undefined) writeHeaders(res, headers)
}

const writeHeaders = (res: HttpResponse, headers: ReplyHeaders): void => {
  for (const [name, value] of headers) res.writeHeader(name, value)
}
