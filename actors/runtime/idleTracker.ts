import type { Clock } from "effect"

/**
 * The actors that rest: who waits for a message since when, and who has for long enough to leave memory. One look at
 * the longest resting ones does for all, instead of a timer each.
 */
export class IdleTracker<A extends { readonly isIdle: boolean }> {
  /** By since when in ms, which is the order in which they came. */
  readonly #sinceMillis = new Map<A, number>()
  readonly #clock: Clock.Clock
  readonly #idleMillis: number

  constructor(clock: Clock.Clock, idleMillis: number) {
    this.#clock = clock
    this.#idleMillis = idleMillis
  }

  /** The actor waits for a message from now on. */
  begin(actor: A): void {
    this.#sinceMillis.set(actor, this.#clock.currentTimeMillisUnsafe())
  }

  /** It has one, or has ended. */
  end(actor: A): void {
    this.#sinceMillis.delete(actor)
  }

  /** Takes out those that have rested for long enough. Who is not idle then, for all its resting, begins anew. */
  takeExpired(): ReadonlyArray<A> {
    const rested: Array<A> = []
    const nowMillis = this.#clock.currentTimeMillisUnsafe()
    for (const [actor, sinceMillis] of this.#sinceMillis) {
      // The machine's clock may have been set back.
      const isFromLater = sinceMillis > nowMillis
      if (!isFromLater && nowMillis - sinceMillis < this.#idleMillis) break
      this.#sinceMillis.delete(actor)
      if (isFromLater || !actor.isIdle) this.#sinceMillis.set(actor, nowMillis)
      else rested.push(actor)
    }
    return rested
  }

  /** How long, in ms, until somebody may have rested for long enough: whoever begins later will not before that. */
  nextInMillis(): number {
    const [first] = this.#sinceMillis.values()
    if (first === undefined) return this.#idleMillis
    return Math.min(this.#idleMillis, first + this.#idleMillis - this.#clock.currentTimeMillisUnsafe())
  }
}
