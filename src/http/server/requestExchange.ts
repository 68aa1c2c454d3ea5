/**
 * A request and its answer (docs/architecture.md#rule-6):
 * 1. The constructor registers `onAborted` before anything else; `open` checks that the end of the request can be found.
 * 2. Draining or overload refuses it here, before a byte of its body is read.
 * 3. What the route needs is copied from `req`, which is invalid once `open` returns. The body is collected, under a limit and a
 *    deadline.
 * 4. Its `AdmissionTicket` starts the route's program now or later, or refuses it late.
 * 5. The program's exit is rendered and sent in one corked write. A stream takes `res` over instead.
 *
 * If the client leaves during 3 or 4, nothing is started. If it leaves, or the deadline passes, during 5, the program runs to its end,
 * because its commit may be in progress (docs/architecture.md#rule-7); nobody is answered.
 */

import { Cause, Exit } from "effect"
import { type ApiError, renderError, serviceUnavailable } from "../../../schema/errors.ts"
import { crowdedFrame, turnAwayFrame } from "../../feed/frames.ts"
import type { Waiter } from "../../load/admission.ts"
import { errorHeaders, failureToError, internalError } from "../contract/failure.ts"
import { remoteAddressText } from "./addressList.ts"
import { AdmissionTicket } from "./admissionTicket.ts"
import {
  type Answer,
  type Asked,
  type DefaultHeaders,
  isHeadAlone,
  writeAnswer,
  writeStreamEnd,
  writeStreamHead,
} from "./answer.ts"
import { AnswerWriter } from "./answerWriter.ts"
import type { Expiring } from "./deadlines.ts"
import { emptyBody, framingOf, framingRefusal, IncomingBody } from "./framing.ts"
import { allHeaders, headersOf, noValues, pathParams } from "./headerValues.ts"
import type { ErrorPage, Reply, ReplyHeaders, RequestFailure, StreamReply } from "./reply.ts"
import { ResponseStream } from "./responseStream.ts"
import type { Body, Incoming, Route } from "./route.ts"
import type { ServerState } from "./serverState.ts"
import type { HttpRequest, HttpResponse } from "./uws.ts"

/** Whether a browser shows the answer to a person: it says that it reads HTML, and does not ask for a script or a picture. */
const isNavigation = (req: HttpRequest): boolean => {
  if (!req.getHeader("accept").toLowerCase().includes("text/html")) return false
  const mode = req.getHeader("sec-fetch-mode")
  return mode === "" || mode === "navigate"
}

/** How errors of the service's own (5xx) are answered to whoever asks; undefined for callers who get JSON. */
const errorPageFor = (
  errorPage: ErrorPage | undefined,
  req: HttpRequest,
): ((status: number, headers: ReplyHeaders | undefined) => Answer) | undefined => {
  if (errorPage === undefined || !isNavigation(req)) return undefined
  const accepted = req.getHeader("accept-language")
  return (status, headers) => {
    const { text, ...rest } = errorPage(accepted, status, headers)
    return { ...rest, body: text, headers: rest.headers }
  }
}

const jsonType = "application/json"
const overloaded = serviceUnavailable("The service is overloaded right now. Try again after Retry-After.")

/**
 * One request and its answer. Only this class touches uWebSockets.js' `res` and `req`: `req` while the constructor
 * and `open` run, `res` until the answer or the abort. A stream takes `res` over.
 */
export class RequestExchange implements Incoming, Expiring, Asked, Waiter {
  readonly requestId: string
  authorization: string | undefined = undefined
  params: ReadonlyArray<string> = noValues
  query = ""
  headers: ReadonlyArray<string> = noValues
  contentType = ""
  contentEncoding = ""
  body: Body = emptyBody
  principal: Incoming["principal"] = undefined
  askedBy: Incoming["askedBy"] = undefined
  previous: Expiring | undefined = undefined
  next: Expiring | undefined = undefined
  addedTick = -1
  readonly #state: ServerState
  readonly route: Route
  readonly headOnly: boolean
  readonly asksToClose: boolean
  readonly #writer: AnswerWriter
  #stream: ResponseStream | undefined = undefined
  #phase: "body" | "waiting" | "program" | "answered" = "answered"
  readonly #ticket: AdmissionTicket
  /** When its head had arrived, by `performance.now()`. */
  readonly #beganMillis = performance.now()
  readonly #errorPage: ReturnType<typeof errorPageFor>
  /** Headers that let a page of another origin read the answer. */
  readonly cors: ReplyHeaders | undefined

  constructor(state: ServerState, route: Route, headOnly: boolean, res: HttpResponse, req: HttpRequest) {
    this.#state = state
    this.route = route
    this.#ticket = new AdmissionTicket(state, route)
    this.headOnly = headOnly
    this.#writer = new AnswerWriter(state, res)
    res.onAborted(() => this.#aborted())
    this.requestId = state.requestIds.of(req.getHeader("x-request-id"))
    // Exactly as uWebSockets.js judges it.
    this.asksToClose = req.getHeader("connection").length === "close".length
    this.cors = route.cors?.headersFor(req.getHeader("origin"))
    this.#errorPage = errorPageFor(route.errorPage, req)
  }

  get defaultHeaders(): DefaultHeaders {
    return this.#state.defaultHeaders
  }

  get remoteAddress(): string {
    return this.#writer.open === undefined ? "" : remoteAddressText(this.#writer.open.getRemoteAddress())
  }

  /** Checks that the end of the request can be found; if not, refuses it. Ends its connection unless it is certain. */
  checkFraming(req: HttpRequest): boolean {
    const framing = framingOf(req)
    if (framing === "sound" || framing === "malformed") return framing === "sound"
    this.#writer.mustEnd = true
    const refusal = framingRefusal(framing, req.getCaseSensitiveMethod())
    if (refusal !== undefined) this.refuse(refusal)
    return refusal === undefined
  }

  /** Copies what the route needs, then runs it, or first waits for the body. */
  open(req: HttpRequest): void {
    if (this.checkFraming(req)) {
      if (this.#state.draining) this.refuse(serviceUnavailable("The service is restarting. Try again."))
      else if (this.#ticket.isRefused(req, this)) this.#refuseOverloaded()
      else this.#take(req)
    }
    this.#writer.isInCallback = false
  }

  #take(req: HttpRequest): void {
    this.#copy(req)
    if (this.route.takesBody) this.#awaitBody(req)
    else this.#run()
  }

  #refuseOverloaded(): void {
    if (this.route.streams) this.#turnAway(crowdedFrame(Math.random()))
    else this.#send(503, jsonType, renderError(overloaded, this.requestId), this.#ticket.retryAfter())
  }

  #copy(req: HttpRequest): void {
    const { secured, paramCount, takesQuery, headerNames, joinsFrom, takesAllHeaders } = this.route
    if (secured) this.authorization = req.getHeader("authorization") || undefined
    if (paramCount > 0) this.params = pathParams(req, paramCount)
    if (takesQuery) this.query = req.getQuery() ?? ""
    if (takesAllHeaders) this.headers = allHeaders(req)
    else if (headerNames.length > 0) this.headers = headersOf(req, headerNames, joinsFrom)
  }

  #awaitBody(req: HttpRequest): void {
    this.contentType = req.getHeader("content-type")
    this.contentEncoding = req.getHeader("content-encoding")
    this.#phase = "body"
    this.#state.bodyAwaited(this)
    const bytes = new IncomingBody(this.#writer.mustEnd)
    this.#writer.open?.onData((chunk, last) => {
      this.#writer.isInCallback = true
      this.#receive(bytes, chunk, last)
      this.#writer.isInCallback = false
    })
  }

  /** Answers with an error, without running anything. */
  refuse(error: ApiError): void {
    if (this.route.streams && error.status >= 500) this.#turnAway(turnAwayFrame)
    else this.#send(error.status, jsonType, renderError(error, this.requestId), errorHeaders(error))
  }

  /** Answers with an empty body, without running anything. */
  answerEmpty(headers: ReplyHeaders): void {
    // Only a body reveals whether the client reads.
    if (this.#state.probesReading()) this.#send(200, jsonType, "{}", headers)
    else this.#send(204, "", "", headers)
  }

  /**
   * The time for the body, or for the answer, is over. A running program continues, because its commit may be in
   * progress (`docs/architecture.md#rule-7`).
   */
  expire(): void {
    if (this.#phase === "body") {
      this.#phase = "answered"
      this.#writer.closing = true
      this.refuse(this.#state.lateBody)
      this.#state.bodyAbandoned(this)
    } else {
      this.#ticket.callerLeft()
      this.refuse(this.#state.lateAnswer)
    }
  }

  #receive(bytes: IncomingBody, chunk: ArrayBuffer, last: boolean): void {
    if (this.#phase !== "body") return
    const body = bytes.take(chunk, last)
    if (body === undefined) return
    if (!last) this.#writer.closing = true
    // What came with a chunked body and is no part of it ends the connection in this turn: then nothing is done.
    if (this.#writer.mustEnd) setImmediate(() => this.#begin(body))
    else this.#begin(body)
  }

  #begin(body: Body): void {
    if (this.#phase !== "body") return
    this.body = body
    this.#state.bodyArrived(this)
    this.#run()
  }

  #run(): void {
    this.#phase = "waiting"
    this.#state.programStarted(this)
    if (!this.#ticket.take(this, this)) this.refuseLate()
  }

  /** The request waited too long: it was not started and never will be. */
  refuseLate(): void {
    this.#cancel()
    this.#refuseOverloaded()
  }

  #cancel(): void {
    this.#phase = "answered"
    this.body = emptyBody
    this.#ticket.cancel()
    this.#state.programEnded(this)
  }

  /** Admission lets the request start. */
  start(): void {
    this.#phase = "program"
    try {
      this.#ticket.start(this).addObserver((exit) => this.#settle(exit))
    } catch (defect) {
      this.#settle(Exit.die(defect))
    }
  }

  #settle(exit: Exit.Exit<Reply, RequestFailure>): void {
    if (this.#phase !== "program") return
    this.#phase = "answered"
    try {
      if (Exit.isSuccess(exit)) this.#answer(exit.value)
      else this.#answerFailure(exit.cause)
    } catch (defect) {
      this.#reportDefect(Cause.die(defect))
      this.refuse(internalError())
      this.#stream?.cut()
    }
    this.#state.programEnded(this)
    this.#ticket.end()
  }

  #answer(reply: Reply): void {
    if ("stream" in reply) this.#openStream(reply)
    else if ("text" in reply) this.#send(reply.status, reply.contentType, reply.text, reply.headers)
    else this.#send(reply.status, jsonType, reply.body, reply.headers)
  }

  #answerFailure(cause: Cause.Cause<RequestFailure>): void {
    const error = failureToError(cause)
    if (error === undefined) this.#reportDefect(cause)
    else this.#state.logRefusal?.(this, error)
    this.refuse(error ?? internalError())
  }

  #reportDefect(cause: Cause.Cause<unknown>): void {
    this.#state.reportDefect(`${this.route.method} ${this.route.path}`, cause, this.requestId)
  }

  #send(
    status: number,
    contentType: string,
    body: string | Uint8Array,
    headers: ReplyHeaders | undefined,
  ): void {
    const page = status >= 500 && contentType === jsonType ? this.#errorPage?.(status, headers) : undefined
    this.#countAnswer(status, body)
    const answer = page ?? { status, contentType, body, headers }
    const headAlone = isHeadAlone(this, status)
    if (headAlone && this.#state.probesReading()) this.#writer.closing = true
    this.#writer.write(answer.body, headAlone, (res, closes) => writeAnswer(res, this, closes, answer))
  }

  /** To be called before the answer is written. Clients that have left, or were answered, get none. */
  #countAnswer(status: number, body: string | Uint8Array = ""): void {
    if (this.#writer.open === undefined) return
    this.#state.metrics.answered(this.route, status, this.#beganMillis)
    if (this.principal !== undefined) this.#state.requestLog?.note(this, status, body, this.#beganMillis)
  }

  #openStream(reply: StreamReply): void {
    this.#countAnswer(200)
    const res = this.#writer.release()
    const stream = new ResponseStream(this.#state, this.headOnly ? undefined : res)
    this.#stream = stream
    this.#forget()
    reply.stream(stream)
    const writeHead = (open: HttpResponse) => writeStreamHead(open, this, reply.headers, reply.contentType)
    if (this.headOnly) {
      res?.cork(() => {
        writeHead(res)
        res.endWithoutBody()
      })
    } else stream.begin(writeHead)
  }

  /** Turns a stream away: 200 with `retry` and `reconnect`, and the end (`docs/decisions/0020-streams-answer-200.md`). */
  #turnAway(frame: Uint8Array): void {
    this.#countAnswer(200)
    this.#writer.closing = true
    this.#writer.write(frame, false, (res) => writeStreamEnd(res, this, frame))
  }

  /** A stream may last an hour, and should not keep a secret in memory. */
  #forget(): void {
    this.authorization = undefined
    this.params = noValues
    this.headers = noValues
    this.query = ""
  }

  #aborted(): void {
    this.#writer.abandon()
    this.#ticket.callerLeft()
    if (this.#stream !== undefined) this.#stream.markEnded()
    else if (this.#phase === "program") this.#state.programAbandoned(this)
    else if (this.#phase === "waiting") this.#cancel()
    else if (this.#phase === "body") {
      this.#phase = "answered"
      this.#state.bodyAbandoned(this)
    }
  }
}
