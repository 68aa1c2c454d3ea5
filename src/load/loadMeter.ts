/** How often {@link LoadMeter.tick} is to be called. */
export const tickMillis = 20

/** What is measured is summed up over as long: a burst or a collection of garbage is over by then. */
const intervalMillis = 100

/** Requests a second that a process is taken to serve before it has shown what it can. */
const initialPerSecond = 2_000
/** Below it, a rate is a standstill rather than a speed: what was asked meanwhile must not be judged by it. */
const perSecondMin = 100
/** How fast the rate follows what is measured: down sooner than up, as who is let in too soon waits for too long. */
const slowerTimeConstantMillis = 250
const fasterTimeConstantMillis = 1_000
/** From so many requests in the making on, as a mean over an interval, they are enough to make each other wait. */
const busyRequests = 8
/** Requests that take longer are held up by each other, and their rate is all that the process can do. */
const congestedMillis = 100

/**
 * Measures how long requests wait. Little's law gives what a newcomer has to expect: requests in the making, divided by
 * the rate at which they end. That rate is known from when they were many: with few it says what was asked, not what can
 * be done. What has not been read from its socket yet is seen by the event loop's lag alone.
 *
 * Lag and time in the making count by their minimum over an interval, as CoDel (RFC 8289) counts sojourn times: it is
 * high only where a queue stands.
 */
export class LoadMeter {
  readonly #nowMillis: () => number
  #making = 0
  #begun = 0
  #perSecond = initialPerSecond
  #tickedMillis: number
  #intervalStartMillis: number
  #ended = 0
  #sojournSumMillis = 0
  #sojournMinMillis = Number.POSITIVE_INFINITY
  #lagMinMillis = Number.POSITIVE_INFINITY
  #standingSojournMillis = 0
  #standingLagMillis = 0

  /** `nowMillis` is a monotonic clock. */
  constructor(nowMillis: () => number) {
    this.#nowMillis = nowMillis
    this.#tickedMillis = nowMillis()
    this.#intervalStartMillis = this.#tickedMillis
  }

  /** A request is in the making; returns when, for {@link end}. */
  begin(): number {
    this.#making += 1
    this.#begun += 1
    return this.#nowMillis()
  }

  /** A request that began at `beganMillis` has been answered. */
  end(beganMillis: number): void {
    const sojournMillis = this.#nowMillis() - beganMillis
    this.#making -= 1
    this.#ended += 1
    this.#sojournSumMillis += sojournMillis
    if (sojournMillis < this.#sojournMinMillis) this.#sojournMinMillis = sojournMillis
  }

  /** A request that had begun was given up before anything was done for it. */
  giveUp(): void {
    this.#making -= 1
  }

  /** Requests in the making. */
  get making(): number {
    return this.#making
  }

  /** Requests that have begun, ever. */
  get begun(): number {
    return this.#begun
  }

  /** Requests a second that the process can do, as far as it has shown. */
  get perSecond(): number {
    return this.#perSecond
  }

  /** How long the turns of the event loop have lasted lately, beyond a tick; at least as long as this one already does. */
  get lagMillis(): number {
    return Math.max(this.#standingLagMillis, this.#nowMillis() - this.#tickedMillis - tickMillis)
  }

  /** How long so many requests take, in ms. */
  turnsMillis(requests: number): number {
    return (requests * 1_000) / this.#perSecond
  }

  /** How long a request that comes now waits for its answer, in ms; 0 when idle. */
  get delayMillis(): number {
    return Math.max(this.turnsMillis(this.#making), this.#standingSojournMillis) + this.lagMillis
  }

  /** To be called every {@link tickMillis}, as exactly as the event loop lets it. */
  tick(): void {
    const nowMillis = this.#nowMillis()
    const lagMillis = Math.max(0, nowMillis - this.#tickedMillis - tickMillis)
    if (lagMillis < this.#lagMinMillis) this.#lagMinMillis = lagMillis
    this.#tickedMillis = nowMillis
    const lengthMillis = nowMillis - this.#intervalStartMillis
    if (lengthMillis >= intervalMillis) this.#sumUp(nowMillis, lengthMillis)
  }

  #sumUp(nowMillis: number, lengthMillis: number): void {
    this.#measureRate(lengthMillis)
    if (this.#ended > 0) this.#standingSojournMillis = this.#sojournMinMillis
    else if (this.#making === 0) this.#standingSojournMillis = 0
    else this.#standingSojournMillis += lengthMillis
    // A timer is a millisecond late now and then.
    this.#standingLagMillis = this.#lagMinMillis < 2 ? 0 : this.#lagMinMillis
    this.#intervalStartMillis = nowMillis
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

  /** Whether requests held each other up: only then is a low rate a low speed. */
  #isCongested(lengthMillis: number): boolean {
    if (this.#ended === 0) return this.#making >= busyRequests
    const meanSojournMillis = this.#sojournSumMillis / this.#ended
    return meanSojournMillis >= congestedMillis && this.#sojournSumMillis / lengthMillis >= busyRequests
  }
}
