import { limits } from "../../schema/limits.ts"
import type { DueWindow } from "../runtime/dueWindow.ts"

/**
 * The attempts in flight in this process, over all destinations. Those that failed last time are suspect and share a
 * part of the slots, so that receivers that hang never take the room of healthy ones (spec 6: they do not block each
 * other).
 */
export class AttemptSlots {
  #taken = 0
  #suspectTaken = 0

  /** Takes up to `wanted` slots; how many it got. */
  take(wanted: number, isSuspect: boolean): number {
    const free = limits.attemptsInFlightMax - this.#taken
    const share = isSuspect ? limits.suspectAttemptsInFlightMax - this.#suspectTaken : free
    const got = Math.max(0, Math.min(wanted, free, share))
    this.#taken += got
    if (isSuspect) this.#suspectTaken += got
    return got
  }

  /** Gives slots back, of the kind they were taken as. */
  give(count: number, isSuspect: boolean): void {
    this.#taken -= count
    if (isSuspect) this.#suspectTaken -= count
  }

  get inFlight(): number {
    return this.#taken
  }
}

/**
 * How many attempts a destination may have in flight: halved when the receiver does not answer in time or cannot be
 * reached, one more with each success.
 */
export class InFlightWindow {
  #size: number = limits.attemptsInFlightPerDestination

  get size(): number {
    return this.#size
  }

  get isSuspect(): boolean {
    return this.#size < limits.attemptsInFlightPerDestination
  }

  record(outcome: { readonly outcome: "success" | "failed"; readonly error: string | null }): void {
    if (outcome.outcome === "success") {
      this.#size = Math.min(limits.attemptsInFlightPerDestination, this.#size + 1)
    } else if (outcome.error === "timeout" || outcome.error === "connection_error") {
      this.#size = Math.max(1, Math.floor(this.#size / 2))
    }
  }
}

/** Attempts that were begun together, and how many of them have neither ended nor waited for their receiver for a while. */
interface Begun {
  count: number
  readonly atMillis: number
}

/** An attempt's place among those that were begun; given back once. */
export interface BegunAttempt {
  readonly end: () => void
}

/**
 * The attempts of a process that were begun and cost time now, in a window that makes room for requests. Destinations that
 * found no room get it in turn.
 */
export class BegunAttempts {
  readonly #window: DueWindow
  readonly #nowMillis: () => number
  /** Oldest first. */
  readonly #begun: Array<Begun> = []
  readonly #waiting = new Map<string, () => void>()
  readonly #onWaiting: () => void

  /** `onWaiting` is told when somebody begins to wait: `look` is to be called now and then until nobody does. */
  constructor(window: DueWindow, nowMillis: () => number, onWaiting: () => void) {
    this.#window = window
    this.#nowMillis = nowMillis
    this.#onWaiting = onWaiting
  }

  /** Destinations that wait for room. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Room for up to `wanted` attempts; how many it got. Room that is not begun with is given back. */
  take(wanted: number): number {
    this.#forgetOld()
    return this.#window.take(wanted)
  }

  give(count: number): void {
    this.#window.give(count)
    this.#wakeNext()
  }

  /** Begins as many attempts as room was taken for. */
  begin(count: number): BegunAttempt {
    const begun: Begun = { count, atMillis: this.#nowMillis() }
    if (count > 0) this.#begun.push(begun)
    return {
      end: () => {
        if (begun.count === 0) return
        begun.count -= 1
        this.give(1)
      },
    }
  }

  /** Calls `wake` when there is room again; whoever waits already keeps its turn. */
  wait(destinationId: string, wake: () => void): void {
    this.#waiting.set(destinationId, wake)
    this.#onWaiting()
  }

  /** Looks whether attempts have waited for their receivers for long enough to make room for others. */
  look(): void {
    this.#forgetOld()
    this.#wakeNext()
  }

  #forgetOld(): void {
    const beforeMillis = this.#nowMillis() - limits.attemptBegunMillis
    let gone = 0
    for (const begun of this.#begun) {
      if (begun.count > 0 && begun.atMillis > beforeMillis) break
      this.#window.give(begun.count)
      begun.count = 0
      gone += 1
    }
    this.#begun.splice(0, gone)
  }

  #wakeNext(): void {
    // One attempt at a time is not worth a claim.
    const room = this.#window.size - this.#window.taken
    for (let left = Math.floor(room / limits.attemptsWorthAClaim); left > 0; left--) {
      const [next] = this.#waiting
      if (next === undefined) return
      const [destinationId, wake] = next
      this.#waiting.delete(destinationId)
      wake()
    }
  }
}
