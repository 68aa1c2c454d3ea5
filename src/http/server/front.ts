import type { Cause } from "effect"
import { type ApiError, serviceUnavailable, validationFailed } from "../../../schema/errors.ts"
import type { Mode } from "../../../schema/ids.ts"
import type { Admission } from "../../load/admission.ts"
import type { Load } from "../../load/load.ts"
import type { LoadMeter } from "../../load/loadMeter.ts"
import { answerLimits } from "./answerLimits.ts"
import { Callers } from "./callers.ts"
import { DeadlineList, type Expiring } from "./deadlines.ts"
import type { RequestIds } from "./requestIds.ts"
import { type ResponseStream, StreamFlusher } from "./responseStream.ts"
import { standingHeadersOf } from "./standingHeaders.ts"

/** How often deadlines are looked at, at most; shorter where a deadline is. */
const sweepMillisMax = 250

/** How long a caller may take to send, and we to answer. */
export interface FrontTimeouts {
  readonly bodyMillis: number
  readonly answerMillis: number
  /** How long a caller may take to read an answer. Default: answerLimits.unsentMillis. */
  readonly unsentMillis?: number
}

/** Where defects go: they are never shown to callers. `what` died; `requestId` where it was a request. */
export type ReportDefect = (what: string, cause: Cause.Cause<unknown>, requestId?: string) => void

/** What all exchanges of a server share: deadlines, counts, and whether the server is going down. */
export class Front {
  draining = false
  /** Whether so many connections are open that each is to end with its next answer. */
  isCrowded = false
  /** Headers of every answer. */
  standing = standingHeadersOf(false)
  /** Draws a number from 0, inclusive, to 1. */
  chance: () => number = Math.random
  readonly requestIds: RequestIds
  readonly reportDefect: ReportDefect
  readonly lateBody: ApiError
  readonly lateAnswer: ApiError
  readonly sweepMillis: number
  readonly unsentMillis: number
  readonly meter: LoadMeter
  readonly admission: Admission
  readonly callers: Callers
  readonly #bodies: DeadlineList
  readonly #programs: DeadlineList
  readonly #flusher = new StreamFlusher()
  #bodiesAwaited = 0
  #programsRunning = 0
  #streamsOpen = 0
  #answersUnsent = 0
  #answersInTurn = 0
  #idleListener: (() => void) | undefined = undefined

  constructor(
    timeouts: FrontTimeouts,
    requestIds: RequestIds,
    reportDefect: ReportDefect,
    load: Load["Service"],
    remoteModes: ReadonlySet<Mode>,
  ) {
    this.meter = load.meter
    this.admission = load.admission
    this.callers = new Callers(remoteModes)
    this.requestIds = requestIds
    this.reportDefect = reportDefect
    this.unsentMillis = timeouts.unsentMillis ?? answerLimits.unsentMillis
    this.sweepMillis = Math.min(sweepMillisMax, timeouts.bodyMillis, timeouts.answerMillis)
    this.#bodies = new DeadlineList(Math.ceil(timeouts.bodyMillis / this.sweepMillis))
    this.#programs = new DeadlineList(Math.ceil(timeouts.answerMillis / this.sweepMillis))
    const bodySeconds = timeouts.bodyMillis / 1000
    this.lateBody = validationFailed(undefined, `The body did not arrive whole within ${bodySeconds} s.`)
    this.lateAnswer = serviceUnavailable(
      `There was no answer within ${timeouts.answerMillis / 1000} s. It may have been done: ask again, with the same Idempotency-Key where there is one.`,
    )
  }

  /** To be called every `sweepMillis`. */
  sweep(): void {
    this.#bodies.sweep()
    this.#programs.sweep()
  }

  bodyAwaited(exchange: Expiring): void {
    this.#bodiesAwaited++
    this.#bodies.add(exchange)
  }

  /** It is whole; a program takes over at once. */
  bodyArrived(exchange: Expiring): void {
    this.#bodiesAwaited--
    this.#bodies.remove(exchange)
  }

  /** Nobody waits for it any more. */
  bodyAbandoned(exchange: Expiring): void {
    this.bodyArrived(exchange)
    this.#checkIdle()
  }

  programStarted(exchange: Expiring): void {
    this.#programsRunning++
    this.#programs.add(exchange)
  }

  /** Nobody waits for its answer any more; it runs on. */
  programAbandoned(exchange: Expiring): void {
    this.#programs.remove(exchange)
  }

  /** It has ended, and was answered. */
  programEnded(exchange: Expiring): void {
    this.#programsRunning--
    this.#programs.remove(exchange)
    this.#checkIdle()
  }

  streamOpened(): void {
    this.#streamsOpen++
  }

  streamWritten(stream: ResponseStream): void {
    this.#flusher.add(stream)
  }

  streamEnded(): void {
    this.#streamsOpen--
    this.#checkIdle()
  }

  answerUnsent(): void {
    this.#answersUnsent++
  }

  /** It is sent, or nobody reads it any more. */
  answerGone(): void {
    this.#answersUnsent--
    this.#checkIdle()
  }

  /** Counts an answer that is made within a callback of uWebSockets.js: how many were before it in this turn. */
  answerAtOnce(): number {
    if (this.#answersInTurn === 0) setImmediate(this.#turnEnded)
    return this.#answersInTurn++
  }

  /** Whether the next answer without a body is one of those that find out whether the client reads. */
  probesReading(): boolean {
    return this.chance() * answerLimits.bodilessPerProbe < 1
  }

  readonly #turnEnded = (): void => {
    this.#answersInTurn = 0
  }

  /** Calls back, once, when nothing is under way: no body, no program, no answer, no stream. */
  whenIdle(listener: () => void): void {
    this.#idleListener = listener
    this.#checkIdle()
  }

  #checkIdle(): void {
    if (this.#idleListener === undefined) return
    if (this.#bodiesAwaited + this.#programsRunning + this.#answersUnsent + this.#streamsOpen > 0) return
    // The last answer leaves uWebSockets.js' hands when this turn is over.
    setImmediate(this.#idleListener)
    this.#idleListener = undefined
  }
}
