/**
 * How requests are admitted (docs/decisions/0018-overload-refused-not-queued.md):
 * 1. While few requests run, each starts at once.
 * 2. When it is crowded, a request's key (its seller, or the client's address) is asked for before its body is read: if it would wait
 *    longer than the target, it is refused with `Retry-After`.
 * 3. A complete request starts, or waits in a queue that serves keys in rotation.
 * 4. When one ends, the next starts.
 * 5. One that has waited too long is refused unstarted; one whose client leaves gives up its place.
 *
 * `Retry-After` spreads those refused over the seconds to come, so that a crowd does not come back as one.
 */

import { FairQueue, type Place } from "./fairQueue.ts"
import type { LoadMeter } from "./loadMeter.ts"
import { RetryAfterBook } from "./retryAfterBook.ts"

/** The share covers the last one to two of these windows. */
const windowMillis = 1_000
/** A share of fewer requests is meaningless. */
const requestsMin = 20

/** Counts the requests refused in the last one to two seconds. */
class RefusedShare {
  #startMillis: number
  #refused = 0
  #admitted = 0
  #refusedBefore = 0
  #admittedBefore = 0

  constructor(nowMillis: number) {
    this.#startMillis = nowMillis
  }

  refused(): void {
    this.#refused += 1
  }

  admitted(): void {
    this.#admitted += 1
  }

  /** Must be called several times a second. */
  tick(nowMillis: number): void {
    const passedMillis = nowMillis - this.#startMillis
    if (passedMillis < windowMillis) return
    const isNext = passedMillis < 2 * windowMillis
    this.#refusedBefore = isNext ? this.#refused : 0
    this.#admittedBefore = isNext ? this.#admitted : 0
    this.#refused = 0
    this.#admitted = 0
    this.#startMillis = nowMillis
  }

  /** From 0 to 1; 0 if there were few requests. */
  get share(): number {
    const refused = this.#refused + this.#refusedBefore
    const all = refused + this.#admitted + this.#admittedBefore
    return all < requestsMin ? 0 : refused / all
  }
}

/** A complete request that waits to start. */
export interface Waiter {
  /** It may start; call {@link Admission.leave} when its work is done. */
  readonly start: () => void
  /** It has waited so long that its client may be gone; it is not started. */
  readonly refuseLate: () => void
}

/** How requests are admitted. */
export interface AdmissionOptions {
  /** Requests that would wait longer are refused immediately. */
  readonly targetMillis: number
  /** Requests that run concurrently. */
  readonly runningMax: number
  /** Total size of the bodies of waiting requests. */
  readonly bytesWaitingMax: number
  /** A random number from 0 to 1, for the `Retry-After` of refused requests. */
  readonly random: () => number
}

/** This few requests are no queue, whatever the measured rate. */
const makingMin = 16
/**
 * A request waits longer than expected if more requests arrive after it under other keys; this is the most it waits
 * beyond the target.
 */
const lateByMillisMax = 500
/** Admitting a crowd slows the process down, so the expected wait may only be this share of the target. */
const expectedTargetShare = 0.6
/** Running requests may take this share of the target, so that a request under another key need not wait for more. */
const runningTargetShare = 0.25
/** Fewer concurrent requests would only wait for a distant store. */
const runningMin = 64

/** Decides which requests run, and when. An answer that comes after its client has given up is wasted work. */
export class Admission {
  readonly #meter: LoadMeter
  readonly #options: AdmissionOptions
  readonly #queue = new FairQueue<Waiter>()
  readonly #share: RefusedShare
  readonly #retryAfter: RetryAfterBook
  #running = 0
  #isStarting = false
  #nowMillis: number

  constructor(meter: LoadMeter, options: AdmissionOptions, nowMillis: number) {
    this.#meter = meter
    this.#options = options
    this.#share = new RefusedShare(nowMillis)
    this.#retryAfter = new RetryAfterBook(nowMillis, options.random)
    this.#nowMillis = nowMillis
  }

  /** Number of waiting requests. */
  get waiting(): number {
    return this.#queue.size
  }

  /** Share of the last seconds' requests that were refused, from 0 to 1. */
  get refusedShare(): number {
    return this.#share.share
  }

  /** Whether requests must be checked by key; otherwise none is refused. */
  get isCrowded(): boolean {
    return this.#running >= this.#places
  }

  /** How many requests may run concurrently, judging by the rate at which they finish. */
  get #places(): number {
    const { targetMillis, runningMax } = this.#options
    const wanted = (this.#meter.perSecond * targetMillis * runningTargetShare) / 1_000
    return Math.min(runningMax, Math.max(runningMin, wanted))
  }

  /**
   * Whether a request under this key would wait too long; if so, counts it as refused. A key without waiting requests
   * is refused only if one request of every other key takes too long: others pay for their own requests.
   */
  refuses(key: string): boolean {
    if (this.#meter.inProgress < makingMin) return false
    const ahead = this.#queue.aheadOf(key)
    const waitMillis =
      this.#queue.sizeOf(key) === 0
        ? this.#meter.millisFor(ahead)
        : this.#meter.millisFor(this.#running + ahead) + this.#meter.lagMillis
    if (waitMillis <= this.#options.targetMillis * expectedTargetShare) return false
    this.#share.refused()
    return true
  }

  /** Whether a body finds no room among the waiting ones; if so, counts it as refused. */
  refusesBytes(bytes: number): boolean {
    if (this.#running < this.#places) return false
    if (this.#queue.bytes + bytes <= this.#options.bytesWaitingMax) return false
    this.#share.refused()
    return true
  }

  /** Starts a request immediately (and returns undefined), or queues it. */
  enter(waiter: Waiter, keyOf: () => string, bytes: number): Place<Waiter> | undefined {
    this.#share.admitted()
    if (this.#running >= this.#places) {
      return this.#queue.add(keyOf(), waiter, this.#nowMillis, bytes)
    }
    this.#running += 1
    waiter.start()
    return undefined
  }

  /** The client has left. */
  abandon(place: Place<Waiter>): void {
    this.#queue.remove(place)
  }

  /** A started request is done; starts the next ones. */
  leave(): void {
    this.#running -= 1
    // A request that finishes within `start` calls this again.
    if (this.#isStarting) return
    this.#isStarting = true
    while (this.#running < this.#places) {
      const next = this.#queue.take()
      if (next === undefined) break
      this.#running += 1
      next.start()
    }
    this.#isStarting = false
  }

  /** When a refused caller may come back, in seconds: the more callers there are, the further they are spread. */
  retryAfterSeconds(): number {
    return this.#retryAfter.book(this.#meter.perSecond)
  }

  /** Must be called many times a second, with a monotonic time. */
  tick(nowMillis: number): void {
    this.#nowMillis = nowMillis
    this.#share.tick(nowMillis)
    this.#retryAfter.tick(nowMillis)
    const lateMillis = nowMillis - this.#options.targetMillis - lateByMillisMax
    for (const waiter of this.#queue.takeOlder(lateMillis)) {
      this.#share.refused()
      waiter.refuseLate()
    }
  }
}
