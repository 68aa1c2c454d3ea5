import { FairQueue, type Place } from "./fairQueue.ts"
import type { LoadMeter } from "./loadMeter.ts"
import { RefusedShare } from "./refusedShare.ts"
import { Returns } from "./returns.ts"

/** A request that is whole, and waits for its turn to be worked on. */
export interface Waiter {
  /** It is its turn; {@link Admission.leave} is to be called when its work is over. */
  readonly start: () => void
  /** It has waited for so long that nobody may hear the answer: it is not begun. */
  readonly refuseLate: () => void
}

/** How requests are admitted. */
export interface AdmissionOptions {
  /** Who would wait for longer is refused at once. */
  readonly targetMillis: number
  /** Requests that are worked on at once. */
  readonly runningMax: number
  /** What the bodies of those that wait may come to. */
  readonly bytesWaitingMax: number
  /** From 0 to 1, for the seconds after which who is refused may come again. */
  readonly random: () => number
}

/** So few in the making are no queue, whatever the rate seems to be. */
const makingMin = 16
/** A request waits longer than was expected where more came after it under other keys: for so much longer at most. */
const lateByMillisMax = 500
/** A crowd slows the process down after it was let in: so much of the target may be expected of what waits. */
const expectedTargetShare = 0.6
/** What is worked on may take this share of the target, so that who comes under another key need not wait for more. */
const runningTargetShare = 0.25
/** Fewer at a time would wait for a store that is only far away. */
const runningMin = 64

/**
 * Decides which requests are worked on, and when. A bounded number is at a time, so that the rest waits where it costs
 * nothing, keeps its order, is served fairly by key, and can be left undone when its client goes away. Who would wait for
 * longer than the target is refused at once: an answer that comes after its client has given up is work for nobody.
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

  /** How many wait for their turn. */
  get waiting(): number {
    return this.#queue.size
  }

  /** Share of the last seconds' requests that were refused, from 0 to 1. */
  get refusedShare(): number {
    return this.#share.share
  }

  /** Whether it must be asked by key who is refused; else nobody is. */
  get isCrowded(): boolean {
    return this.#running >= this.#places
  }

  /** How many are worked on at once, by the rate at which they end. */
  get #places(): number {
    const { targetMillis, runningMax } = this.#options
    const wanted = (this.#meter.perSecond * targetMillis * runningTargetShare) / 1_000
    return Math.min(runningMax, Math.max(runningMin, wanted))
  }

  /**
   * Whether a request under a key would wait for too long. It is counted then. Who has nobody waiting is refused only
   * where the turns of all the keys take too long: what others ask is theirs to be refused.
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

  /** Whether a body of so many bytes finds no room among those that wait. It is counted then. */
  refusesBytes(bytes: number): boolean {
    if (this.#running < this.#places) return false
    if (this.#queue.bytes + bytes <= this.#options.bytesWaitingMax) return false
    this.#share.refused()
    return true
  }

  /** Starts a request at once (undefined then), or has it wait for its turn. */
  enter(waiter: Waiter, keyOf: () => string, bytes: number): Place<Waiter> | undefined {
    this.#share.admitted()
    if (this.#running >= this.#places) {
      return this.#queue.add(keyOf(), waiter, this.#nowMillis, bytes)
    }
    this.#running += 1
    waiter.start()
    return undefined
  }

  /** Its client has gone. */
  abandon(place: Place<Waiter>): void {
    this.#queue.remove(place)
  }

  /** The work of a request that was started is over; the next one's turn has come. */
  leave(): void {
    this.#running -= 1
    // What ends as soon as it is started calls this again.
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

  /** When, in seconds, somebody who is refused now may come again: the more there are, the more they are spread. */
  retryAfterSeconds(): number {
    return this.#returns.book(this.#meter.perSecond)
  }

  /** To be called many times a second, with a monotonic time. */
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
