/** Who is refused comes again after so long at most. */
export const retryAfterSecondsMax = 10
/** Returns take this share of what the process can do: most are refused again, and each costs what it takes from the rest. */
const returnsShare = 0.2
/** Few returns cost nothing, whatever the rate seems to be. */
const returnsPerSecondMin = 100

/**
 * Spreads the returns of those who are refused. It counts how many were told to come in each of the next seconds, and
 * gives a newcomer the first that has room, so that a crowd comes back no faster than it can be told again.
 */
export class Returns {
  /** By second, modulo their number: the one that runs, and those that `Retry-After` may name. */
  readonly #booked = new Array<number>(retryAfterSecondsMax + 1).fill(0)
  readonly #random: () => number
  #second: number

  /** `random` is from 0 to 1, without 1. */
  constructor(nowMillis: number, random: () => number) {
    this.#second = Math.floor(nowMillis / 1_000)
    this.#random = random
  }

  /** After how many seconds somebody who is refused now may come again, for a process of so many requests a second. */
  book(perSecond: number): number {
    const perSecondMax = Math.max(returnsPerSecondMin, perSecond * returnsShare)
    let seconds = 1
    while (seconds <= retryAfterSecondsMax && this.#bookedIn(seconds) >= perSecondMax) seconds += 1
    if (seconds > retryAfterSecondsMax) seconds = 1 + Math.floor(this.#random() * retryAfterSecondsMax)
    this.#booked[this.#slotOf(seconds)] = this.#bookedIn(seconds) + 1
    return seconds
  }

  /** To be called several times a second. */
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
