import { fastBounds, Histogram } from "../../actors/metrics/histogram.ts"

/** How often {@link LoadMeter.tick} is due while requests come. */
export const tickMillis = 20
/** How often it is due while the meter rests: each tick wakes the process. */
export const restTickMillis = 200
/** The meter rests after this time without a request. */
export const restAfterMillis = 1_000

/** Measurements are summed up over this interval: a burst or garbage collection is over by then. */
const intervalMillis = 100
const restIntervalMillis = (intervalMillis / tickMillis) * restTickMillis

/** Assumed requests per second until the process has shown what it can do. */
const initialPerSecond = 2_000
/** A rate below this is a standstill rather than a speed, and must not be used to judge requests. */
const perSecondMin = 100
/** How fast the rate follows measurements: faster down than up, because a request admitted too early waits too long. */
const slowerTimeConstantMillis = 250
const fasterTimeConstantMillis = 1_000
/** This many concurrent requests, as a mean over an interval, delay each other. */
const busyRequests = 8
/** Requests that take longer delay each other, so their rate is all the process can do. */
const congestedMillis = 100

/**
 * Measures how long requests wait. By Little's law, a new request waits for the number of requests in progress
 * divided by the rate at which they finish. That rate is only known when there are many requests: with few, it shows
 * the demand and not the capacity. Requests still unread in their sockets are only visible as lag of the event loop.
 *
 * Lag and time in progress count by their minimum over an interval, like sojourn times in CoDel (RFC 8289): it is
 * high only if a queue stands.
 */
export class LoadMeter {
  /** How late ticks were, in seconds. */
  readonly lags = new Histogram(fastBounds)
  readonly #nowMillis: () => number
  readonly #onWake: () => void
  #inProgress = 0
  #started = 0
  #perSecond = initialPerSecond
  /** When the next tick is due. */
  #dueMillis: number
  #intervalStartMillis: number
  #isResting = false
  #idleMillis = 0
  #startedBefore = 0
  #ended = 0
  #sojournSumMillis = 0
  #sojournMinMillis = Number.POSITIVE_INFINITY
  #lagMinMillis = Number.POSITIVE_INFINITY
  #standingSojournMillis = 0
  #standingLagMillis = 0

  /** `nowMillis` is a monotonic clock. `onWake` is called by the first request after a rest: the next tick is due sooner. */
  constructor(nowMillis: () => number, onWake: () => void = () => {}) {
    this.#nowMillis = nowMillis
    this.#onWake = onWake
    this.#intervalStartMillis = nowMillis()
    this.#dueMillis = this.#intervalStartMillis + tickMillis
  }

  /** Starts a request; returns its start time for {@link end}. */
  begin(): number {
    if (this.#isResting) this.#wake()
    this.#inProgress += 1
    this.#started += 1
    return this.#nowMillis()
  }

  /** A request that began at `beganMillis` was answered. */
  end(beganMillis: number): void {
    const sojournMillis = this.#nowMillis() - beganMillis
    this.#inProgress -= 1
    this.#ended += 1
    this.#sojournSumMillis += sojournMillis
    if (sojournMillis < this.#sojournMinMillis) this.#sojournMinMillis = sojournMillis
  }

  /** A started request was dropped before anything was done for it. */
  giveUp(): void {
    this.#inProgress -= 1
  }

  /** Requests in progress. */
  get inProgress(): number {
    return this.#inProgress
  }

  /** Requests started so far. */
  get started(): number {
    return this.#started
  }

  /** Requests per second that the process can do, as far as it has shown. */
  get perSecond(): number {
    return this.#perSecond
  }

  /**
   * How much longer than a tick turns of the event loop have lately taken; at least as long as the current one has
   * taken so far.
   */
  get lagMillis(): number {
    return Math.max(this.#standingLagMillis, this.#nowMillis() - this.#dueMillis)
  }

  /** How long this many requests take, in ms. */
  millisFor(requests: number): number {
    return (requests * 1_000) / this.#perSecond
  }

  /** How long a new request would wait for its answer, in ms; 0 when idle. */
  get delayMillis(): number {
    return Math.max(this.millisFor(this.#inProgress), this.#standingSojournMillis) + this.lagMillis
  }

  /** In how many ms the next tick is due, from the last one or from waking. */
  get tickAfterMillis(): number {
    return this.#isResting ? restTickMillis : tickMillis
  }

  /** Must be called {@link tickAfterMillis} after the last time, as precisely as the event loop allows. */
  tick(): void {
    const nowMillis = this.#nowMillis()
    const lagMillis = Math.max(0, nowMillis - this.#dueMillis)
    this.lags.record(lagMillis / 1_000)
    if (lagMillis < this.#lagMinMillis) this.#lagMinMillis = lagMillis
    const lengthMillis = nowMillis - this.#intervalStartMillis
    if (lengthMillis >= (this.#isResting ? restIntervalMillis : intervalMillis)) {
      this.#sumUp(nowMillis, lengthMillis)
    }
    this.#dueMillis = nowMillis + this.tickAfterMillis
  }

  #wake(): void {
    this.#isResting = false
    this.#idleMillis = 0
    const nowMillis = this.#nowMillis()
    // A tick that is late already stays so.
    if (nowMillis < this.#dueMillis) this.#dueMillis = nowMillis + tickMillis
    this.#onWake()
  }

  #sumUp(nowMillis: number, lengthMillis: number): void {
    this.#measureRate(lengthMillis)
    if (this.#ended > 0) this.#standingSojournMillis = this.#sojournMinMillis
    else if (this.#inProgress === 0) this.#standingSojournMillis = 0
    else this.#standingSojournMillis += lengthMillis
    // Timers are a millisecond late now and then.
    this.#standingLagMillis = this.#lagMinMillis < 2 ? 0 : this.#lagMinMillis
    this.#intervalStartMillis = nowMillis
    const isIdle = this.#inProgress === 0 && this.#started === this.#startedBefore
    this.#idleMillis = isIdle ? this.#idleMillis + lengthMillis : 0
    this.#isResting = this.#idleMillis >= restAfterMillis
    this.#startedBefore = this.#started
    this.#ended = 0
    this.#sojournSumMillis = 0
    this.#sojournMinMillis = Number.POSITIVE_INFINITY
    this.#lagMinMillis = Number.POSITIVE_INFINITY
  }

  #measureRate(lengthMillis: number): void {
    const perSecond = (this.#ended * 1_000) / lengthMillis
    const isFaster = perSecond > this.#perSecond
    if (!isFaster && !this.#isCongested(lengthMillis)) return
    const timeConstantMillis = isFaster ? fasterTimeConstantMillis : slowerTimeConstantMillis
    const weight = 1 - Math.exp(-lengthMillis / timeConstantMillis)
    const next = this.#perSecond + weight * (perSecond - this.#perSecond)
    this.#perSecond = Math.max(perSecondMin, next)
  }

  /** Whether requests delayed each other: only then does a low rate mean a low speed. */
  #isCongested(lengthMillis: number): boolean {
    if (this.#ended === 0) return this.#inProgress >= busyRequests
    const meanSojournMillis = this.#sojournSumMillis / this.#ended
    return meanSojournMillis >= congestedMillis && this.#sojournSumMillis / lengthMillis >= busyRequests
  }
}
