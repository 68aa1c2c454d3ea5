import { Cause, Exit } from "effect"
import { type ApiError, renderError, serviceUnavailable } from "../../../schema/errors.ts"
import { crowdedFrame, turnAwayFrame } from "../../feed/frames.ts"
import type { Waiter } from "../../load/admission.ts"
import { errorHeaders, failureToError, internalError } from "../contract/failure.ts"
import { remoteAddressText } from "./address.ts"
import { type Asked, isHeadAlone, writeAnswer, writeStreamEnd, writeStreamHead } from "./answer.ts"
import { AnswerWriter } from "./answerWriter.ts"
import type { Expiring } from "./deadlines.ts"
import { errorPageFor } from "./errorPage.ts"
import { framingOf, framingRefusal } from "./framing.ts"
import type { Front } from "./front.ts"
import { allHeaders, headersOf, noValues, pathParams } from "./headerValues.ts"
import { emptyBody, IncomingBody } from "./incomingBody.ts"
import { overloadedBody } from "./overloaded.ts"
import type { Reply, ReplyHeaders, RequestFailure, StreamReply } from "./reply.ts"
import { ResponseStream } from "./responseStream.ts"
import type { Body, Incoming, Route } from "./route.ts"
import type { StandingHeaders } from "./standingHeaders.ts"
import { Turn } from "./turn.ts"
import type { HttpRequest, HttpResponse } from "./uws.ts"

const jsonType = "application/json"

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
  readonly #front: Front
  readonly route: Route
  readonly headOnly: boolean
  readonly asksToClose: boolean
  readonly #writer: AnswerWriter
  #stream: ResponseStream | undefined = undefined
  #phase: "body" | "waiting" | "program" | "answered" = "answered"
  readonly #turn: Turn
  /** When its head had arrived, by `performance.now()`. */
  readonly #beganMillis = performance.now()
  readonly #errorPage: ReturnType<typeof errorPageFor>
  /** Headers that let a page of another origin read the answer. */
  readonly cors: ReplyHeaders | undefined

  constructor(front: Front, route: Route, headOnly: boolean, res: HttpResponse, req: HttpRequest) {
    this.#front = front
    this.route = route
    this.#turn = new Turn(front, route)
    this.headOnly = headOnly
    this.#writer = new AnswerWriter(front, res)
    res.onAborted(() => this.#aborted())
    this.requestId = front.requestIds.of(req.getHeader("x-request-id"))
    // Exactly as uWebSockets.js judges it.
    this.asksToClose = req.getHeader("connection").length === "close".length
    this.cors = route.cors?.headersFor(req.getHeader("origin"))
    this.#errorPage = errorPageFor(route.errorPage, req)
  }

  get standing(): StandingHeaders {
    return this.#front.standing
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
      if (this.#front.draining) this.refuse(serviceUnavailable("The service is restarting. Try again."))
      else if (this.#turn.isRefused(req, this)) this.#refuseOverloaded()
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
    else this.#send(503, jsonType, overloadedBody(this.requestId), this.#turn.retryAfter())
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
    this.#front.bodyAwaited(this)
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
    if (this.#front.probesReading()) this.#send(200, jsonType, "{}", headers)
    else this.#send(204, "", "", headers)
  }

  /**
   * The time for the body, or for the answer, is over. A running program continues, because its commit may be in
   * progress (`docs/decisions/0046-unknown-is-not-failed.md`).
   */
  expire(): void {
    if (this.#phase === "body") {
      this.#phase = "answered"
      this.#writer.closing = true
      this.refuse(this.#front.lateBody)
      this.#front.bodyAbandoned(this)
    } else {
      this.#turn.markGone()
      this.refuse(this.#front.lateAnswer)
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
    this.#front.bodyArrived(this)
    this.#run()
  }

  #run(): void {
    this.#phase = "waiting"
    this.#front.programStarted(this)
    if (!this.#turn.take(this, this)) this.refuseLate()
  }

  /** The request waited too long for its turn: it was not started and never will be. */
  refuseLate(): void {
    this.#leaveUndone()
    this.#refuseOverloaded()
  }

  #leaveUndone(): void {
    this.#phase = "answered"
    this.body = emptyBody
    this.#turn.leaveUndone()
    this.#front.programEnded(this)
  }

  /** The request's turn has come. */
  start(): void {
    this.#phase = "program"
    try {
      this.#turn.start(this).addObserver((exit) => this.#settle(exit))
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
    this.#front.programEnded(this)
    this.#turn.end()
  }

  #answer(reply: Reply): void {
    if ("stream" in reply) this.#openStream(reply)
    else if ("text" in reply) this.#send(reply.status, reply.contentType, reply.text, reply.headers)
    else this.#send(reply.status, jsonType, reply.body, reply.headers)
  }

  #answerFailure(cause: Cause.Cause<RequestFailure>): void {
    const error = failureToError(cause)
    if (error === undefined) this.#reportDefect(cause)
    else this.#front.logRefusal?.(this, error)
    this.refuse(error ?? internalError())
  }

  #reportDefect(cause: Cause.Cause<unknown>): void {
    this.#front.reportDefect(`${this.route.method} ${this.route.path}`, cause, this.requestId)
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
    if (headAlone && this.#front.probesReading()) this.#writer.closing = true
    this.#writer.write(answer.body, headAlone, (res, closes) => writeAnswer(res, this, closes, answer))
  }

  /** To be called before the answer is written. Clients that have left, or were answered, get none. */
  #countAnswer(status: number, body: string | Uint8Array = ""): void {
    if (this.#writer.open === undefined) return
    this.#front.metrics.answered(this.route, status, this.#beganMillis)
    if (status >= 400 && this.principal !== undefined) this.#front.refusals?.note(this, status, body)
  }

  #openStream(reply: StreamReply): void {
    this.#countAnswer(200)
    const res = this.#writer.release()
    const stream = new ResponseStream(this.#front, this.headOnly ? undefined : res)
    this.#stream = stream
    this.#forget()
    res?.cork(() => {
      writeStreamHead(res, this, reply.headers, reply.contentType)
      if (this.headOnly) res.endWithoutBody()
    })
    reply.stream(stream)
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
    this.#turn.markGone()
    if (this.#stream !== undefined) this.#stream.markEnded()
    else if (this.#phase === "program") this.#front.programAbandoned(this)
    else if (this.#phase === "waiting") this.#leaveUndone()
    else if (this.#phase === "body") {
      this.#phase = "answered"
      this.#front.bodyAbandoned(this)
    }
  }
}
