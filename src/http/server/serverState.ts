import { randomFillSync } from "node:crypto"
import type { Cause } from "effect"
import { type ApiError, serviceUnavailable, validationFailed } from "../../../schema/errors.ts"
import { type Mode, makeId } from "../../../schema/ids.ts"
import type { Admission } from "../../load/admission.ts"
import type { Load } from "../../load/load.ts"
import type { LoadMeter } from "../../load/loadMeter.ts"
import type { LogRefusal } from "../contract/refusalLog.ts"
import { answerLimits, defaultHeadersOf } from "./answer.ts"
import { Callers } from "./callers.ts"
import { DeadlineList, type Expiring } from "./deadlines.ts"
import type { RequestLog } from "./requestLog.ts"
import type { RequestMetrics } from "./requestMetrics.ts"

/** Streams flushed per turn of the event loop; the others wait for the next turn, so that requests get in between. */
const streamsPerTurn = 256

/** A stream with bytes that wait to be written. */
interface Flushable {
  readonly flush: () => void
}

/** Flushes, once a turn, the streams that were written to. */
class StreamFlusher {
  #waiting: Array<Flushable> = []
  #scheduled = false

  add(stream: Flushable): void {
    this.#waiting.push(stream)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(this.#flush)
  }

  readonly #flush = (): void => {
    this.#scheduled = false
    const batch =
      this.#waiting.length > streamsPerTurn ? this.#waiting.splice(0, streamsPerTurn) : this.#waiting
    if (batch === this.#waiting) this.#waiting = []
    for (const stream of batch) stream.flush()
    if (this.#waiting.length > 0) this.#schedule()
  }
}

const callersIdPattern = /^[A-Za-z0-9_-]{8,64}$/

/** Random bytes per id. */
const idBytes = 14
/** Ids per draw of random bytes: a call to the generator costs more than the rest of an id. */
const idsPerDraw = 256

/**
 * Request ids: the caller's `X-Request-Id` if it is well formed, else a new `req_` id
 * (`docs/contract/README.md#headers`).
 */
export class RequestIds {
  readonly #pool = new Uint8Array(idBytes * idsPerDraw)
  readonly #views: ReadonlyArray<Uint8Array>
  readonly #nowMillis: () => number
  #next = idsPerDraw

  constructor(nowMillis: () => number) {
    this.#nowMillis = nowMillis
    this.#views = Array.from({ length: idsPerDraw }, (_, index) =>
      this.#pool.subarray(index * idBytes, (index + 1) * idBytes),
    )
  }

  /** `callersId` is "" if the caller sent none. */
  of(callersId: string): string {
    if (callersId !== "" && callersIdPattern.test(callersId)) return callersId
    if (this.#next === idsPerDraw) {
      randomFillSync(this.#pool)
      this.#next = 0
    }
    const random = this.#views[this.#next++] as Uint8Array
    return makeId("req_", this.#nowMillis(), 0, random)
  }
}

/** Longest interval between sweeps; shorter if a deadline is shorter. */
const sweepMillisMax = 250

/** How long a caller may take to send a request, and we to answer it. */
export interface ServerTimeouts {
  readonly bodyMillis: number
  readonly answerMillis: number
  /** How long a caller may take to read an answer. Default: answerLimits.unsentMillis. */
  readonly unsentMillis?: number
}

/** Reports defects, which callers never see. `what` died; `requestId` if it was a request. */
export type ReportDefect = (what: string, cause: Cause.Cause<unknown>, requestId?: string) => void

/** State shared by all requests of a server: deadlines, counts, and whether it is draining. */
export class ServerState {
  draining = false
  /** Whether so many connections are open that each one ends with its next answer. */
  isCrowded = false
  /** Headers of every answer. */
  defaultHeaders = defaultHeadersOf(false)
  /** Draws a random number from 0 (inclusive) to 1. */
  chance: () => number = Math.random
  /** What sellers asked waits here to be logged; undefined: nobody logs it. */
  requestLog: RequestLog | undefined = undefined
  /** Logs what was refused for its credential; undefined: nobody does. */
  logRefusal: LogRefusal | undefined = undefined
  readonly requestIds: RequestIds
  readonly reportDefect: ReportDefect
  readonly lateBody: ApiError
  readonly lateAnswer: ApiError
  readonly sweepMillis: number
  readonly unsentMillis: number
  readonly meter: LoadMeter
  readonly admission: Admission
  readonly callers: Callers
  readonly metrics: RequestMetrics
  readonly #bodies: DeadlineList
  readonly #programs: DeadlineList
  readonly #flusher = new StreamFlusher()
  #bodiesAwaited = 0
  #programsRunning = 0
  #streamsOpen = 0
  #answersUnsent = 0
  #answersInTurn = 0
  #idleListener: (() => void) | undefined = undefined
  #connectionsOpen = 0
  #leftListener: (() => void) | undefined = undefined

  constructor(
    timeouts: ServerTimeouts,
    requestIds: RequestIds,
    reportDefect: ReportDefect,
    load: Load["Service"],
    remoteModes: ReadonlySet<Mode>,
    metrics: RequestMetrics,
  ) {
    this.meter = load.meter
    this.admission = load.admission
    this.callers = new Callers(remoteModes)
    this.metrics = metrics
    this.requestIds = requestIds
    this.reportDefect = reportDefect
    this.unsentMillis = timeouts.unsentMillis ?? answerLimits.unsentMillis
    this.sweepMillis = Math.min(sweepMillisMax, timeouts.bodyMillis, timeouts.answerMillis)
    this.#bodies = new DeadlineList(Math.ceil(timeouts.bodyMillis / this.sweepMillis))
    this.#programs = new DeadlineList(Math.ceil(timeouts.answerMillis / this.sweepMillis))
    const bodySeconds = timeouts.bodyMillis / 1000
    this.lateBody = validationFailed(undefined, `The body did not arrive completely within ${bodySeconds} s.`)
    this.lateAnswer = serviceUnavailable(
      `There was no answer within ${timeouts.answerMillis / 1000} s. The request may have succeeded: repeat it, with the same Idempotency-Key if it has one.`,
    )
  }

  /** Must be called every `sweepMillis`. */
  sweep(): void {
    this.#bodies.sweep()
    this.#programs.sweep()
  }

  bodyAwaited(exchange: Expiring): void {
    this.#bodiesAwaited++
    this.#bodies.add(exchange)
  }

  /** The body is complete; a program takes over in the same turn. */
  bodyArrived(exchange: Expiring): void {
    this.#bodiesAwaited--
    this.#bodies.remove(exchange)
  }

  /** Nobody waits for the body any more. */
  bodyAbandoned(exchange: Expiring): void {
    this.bodyArrived(exchange)
    this.#checkIdle()
  }

  programStarted(exchange: Expiring): void {
    this.#programsRunning++
    this.#programs.add(exchange)
  }

  /** Nobody waits for the answer any more; the program continues. */
  programAbandoned(exchange: Expiring): void {
    this.#programs.remove(exchange)
  }

  /** The program has ended and its request was answered. */
  programEnded(exchange: Expiring): void {
    this.#programsRunning--
    this.#programs.remove(exchange)
    this.#checkIdle()
  }

  streamOpened(): void {
    this.#streamsOpen++
  }

  streamWritten(stream: Flushable): void {
    this.#flusher.add(stream)
  }

  streamEnded(): void {
    this.#streamsOpen--
    this.#checkIdle()
  }

  answerUnsent(): void {
    this.#answersUnsent++
  }

  /** The answer was sent, or nobody reads it any more. */
  answerGone(): void {
    this.#answersUnsent--
    this.#checkIdle()
  }

  /** Counts an answer made within a callback of uWebSockets.js; returns how many came before it in this turn. */
  answerAtOnce(): number {
    if (this.#answersInTurn === 0) setImmediate(this.#turnEnded)
    return this.#answersInTurn++
  }

  /** Whether the next answer without a body should find out whether the client reads. */
  probesReading(): boolean {
    return this.chance() * answerLimits.bodilessPerProbe < 1
  }

  readonly #turnEnded = (): void => {
    this.#answersInTurn = 0
  }

  connectionsAre(open: number): void {
    this.#connectionsOpen = open
    this.#checkLeft()
  }

  /** Calls back once, when no connection is open. */
  whenLeft(listener: () => void): void {
    this.#leftListener = listener
    this.#checkLeft()
  }

  #checkLeft(): void {
    if (this.#leftListener === undefined || this.#connectionsOpen > 0) return
    setImmediate(this.#leftListener)
    this.#leftListener = undefined
  }

  /** Calls back once, when nothing is in progress: no body, program, answer or stream. */
  whenIdle(listener: () => void): void {
    this.#idleListener = listener
    this.#checkIdle()
  }

  #checkIdle(): void {
    if (this.#idleListener === undefined) return
    if (this.#bodiesAwaited + this.#programsRunning + this.#answersUnsent + this.#streamsOpen > 0) return
    // uWebSockets.js sends the last answer at the end of this turn.
    setImmediate(this.#idleListener)
    this.#idleListener = undefined
  }
}
