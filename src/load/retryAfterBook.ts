import { loadLimits } from "./loadLimits.ts"

const { retryAfterSecondsMax } = loadLimits
/**
 * Returning callers may use this share of the capacity: most are refused again, and each refusal costs the others
 * something.
 */
const returnsShare = 0.2
/** This few returns cost nothing, whatever the measured rate. */
const returnsPerSecondMin = 100

/**
 * Spreads the return of refused callers. Counts how many were told to return in each of the next seconds and assigns
 * the first second with room, so that a crowd returns no faster than it can be refused again.
 */
export class RetryAfterBook {
  /** Ring of counts per second: the current one and those that `Retry-After` may name. */
  readonly #booked = new Array<number>(retryAfterSecondsMax + 1).fill(0)
  readonly #random: () => number
  #second: number

  /** `random` returns a number from 0 (inclusive) to 1 (exclusive). */
  constructor(nowMillis: number, random: () => number) {
    this.#second = Math.floor(nowMillis / 1_000)
    this.#random = random
  }

  /** After how many seconds a caller refused now may return, for a process that does `perSecond` requests a second. */
  book(perSecond: number): number {
    const perSecondMax = Math.max(returnsPerSecondMin, perSecond * returnsShare)
    let seconds = 1
    while (seconds <= retryAfterSecondsMax && this.#bookedIn(seconds) >= perSecondMax) seconds += 1
    if (seconds > retryAfterSecondsMax) seconds = 1 + Math.floor(this.#random() * retryAfterSecondsMax)
    this.#booked[this.#slotOf(seconds)] = this.#bookedIn(seconds) + 1
    return seconds
  }

  /** Must be called several times a second. */
  tick(nowMillis: number): void {
    const second = Math.floor(nowMillis / 1_000)
    const passed = Math.min(second - this.#second, this.#booked.length)
    for (let i = 0; i < passed; i += 1) {
      this.#booked[this.#slotOf(i)] = 0
    }
    this.#second = second
  }

  #slotOf(seconds: number): number {
    return (this.#second + seconds) % this.#booked.length
  }

  #bookedIn(seconds: number): number {
    return this.#booked[this.#slotOf(seconds)] ?? 0
  }
}
