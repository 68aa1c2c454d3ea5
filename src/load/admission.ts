import { FairQueue, type Place } from "./fairQueue.ts"
import type { LoadMeter } from "./loadMeter.ts"
import { RefusedShare } from "./refusedShare.ts"
import { Returns } from "./returns.ts"

/** A complete request that waits for its turn. */
export interface Waiter {
  /** Its turn has come; call {@link Admission.leave} when its work is done. */
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

/**
 * Decides which requests run, and when. A bounded number runs concurrently; the others wait where waiting is cheap,
 * in order, fairly by key, and can be dropped when their client leaves. Requests that would wait longer than the
 * target are refused immediately: an answer that comes after its client has given up is wasted work
 * (`docs/decisions/0018-overload-refused-not-queued.md`).
 */
export class Admission {
  readonly #meter: LoadMeter
  readonly #options: AdmissionOptions
  readonly #queue = new FairQueue<Waiter>()
  readonly #share: RefusedShare
  readonly #returns: Returns
  #running = 0
  #isStarting = false
  #nowMillis: number

  constructor(meter: LoadMeter, options: AdmissionOptions, nowMillis: number) {
    this.#meter = meter
    this.#options = options
    this.#share = new RefusedShare(nowMillis)
    this.#returns = new Returns(nowMillis, options.random)
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
   * is refused only if a turn of every other key takes too long: others pay for their own requests.
   */
  refuses(key: string): boolean {
    if (this.#meter.making < makingMin) return false
    const ahead = this.#queue.aheadOf(key)
    const waitMillis =
      this.#queue.sizeOf(key) === 0
        ? this.#meter.turnsMillis(ahead)
        : this.#meter.turnsMillis(this.#running + ahead) + this.#meter.lagMillis
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
    return this.#returns.book(this.#meter.perSecond)
  }

  /** Must be called many times a second, with a monotonic time. */
  tick(nowMillis: number): void {
    this.#nowMillis = nowMillis
    this.#share.tick(nowMillis)
    this.#returns.tick(nowMillis)
    const lateMillis = nowMillis - this.#options.targetMillis - lateByMillisMax
    for (const waiter of this.#queue.takeOlder(lateMillis)) {
      this.#share.refused()
      waiter.refuseLate()
    }
  }
}
