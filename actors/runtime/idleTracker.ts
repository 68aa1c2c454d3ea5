import type { Clock } from "effect"

/**
 * Tracks since when actors are idle, and which have been for long enough to leave memory. One look at the longest idle ones
 * serves all, instead of a timer each (docs/decisions/0003-actors-hold-no-truth.md).
 */
export class IdleTracker<A extends { readonly isIdle: boolean }> {
  /** Idle since, in ms; in the order in which the actors became idle. */
  readonly #sinceMillis = new Map<A, number>()
  readonly #clock: Clock.Clock
  readonly #idleMillis: number

  constructor(clock: Clock.Clock, idleMillis: number) {
    this.#clock = clock
    this.#idleMillis = idleMillis
  }

  /** The actor is idle from now on. */
  begin(actor: A): void {
    this.#sinceMillis.set(actor, this.#clock.currentTimeMillisUnsafe())
  }

  /** The actor has a message, or has ended. */
  end(actor: A): void {
    this.#sinceMillis.delete(actor)
  }

  /** Takes out the actors that were idle for long enough. One that is busy by itself starts anew. */
  takeExpired(): ReadonlyArray<A> {
    const rested: Array<A> = []
    const nowMillis = this.#clock.currentTimeMillisUnsafe()
    for (const [actor, sinceMillis] of this.#sinceMillis) {
      // The system clock may have been set back.
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
