import { limits } from "../../schema/limits.ts"
import type { AttemptFault } from "../../schema/names.ts"
import type { DueWindow } from "../runtime/dueWindow.ts"
import { isResponseFault } from "../values/responseFault.ts"

/**
 * Counts the attempts in flight in this process, over all destinations. Destinations that failed last time are suspect and
 * share a part of the slots, so that receivers that hang never take the room of healthy ones
 * (docs/contract/deliveries.md#isolation).
 */
export class AttemptSlots {
  #taken = 0
  #suspectTaken = 0
  #destinations = 0

  /** Takes up to `wanted` slots; returns how many it got. */
  take(wanted: number, isSuspect: boolean): number {
    const free = limits.attemptsInFlightMax - this.#taken
    const share = isSuspect ? limits.suspectAttemptsInFlightMax - this.#suspectTaken : free
    const got = Math.max(0, Math.min(wanted, free, share))
    this.#taken += got
    if (isSuspect) this.#suspectTaken += got
    return got
  }

  /** Gives back slots of the kind they were taken as. */
  give(count: number, isSuspect: boolean): void {
    this.#taken -= count
    if (isSuspect) this.#suspectTaken -= count
  }

  get inFlight(): number {
    return this.#taken
  }

  /** A destination has its first attempt in flight. */
  enter(): void {
    this.#destinations += 1
  }

  /** A destination has no attempt in flight any more. */
  leave(): void {
    this.#destinations -= 1
  }

  /** The most attempts a destination may have in flight now, where `waiting` destinations wait for room. */
  perDestinationMax(waiting: number): number {
    const share = Math.floor(limits.attemptsInFlightShared / Math.max(1, this.#destinations + waiting))
    return Math.max(limits.attemptsPerClaimMax, Math.min(limits.attemptsInFlightPerDestination, share))
  }
}

/** Among them `redis_error`, which a Redis answers that has too many clients. */
const overloads: ReadonlySet<string> = new Set<AttemptFault>([
  "timeout",
  "connection_error",
  "redis_not_resp",
  "redis_error",
])

const isNotAnswered = (error: string | null): boolean => overloads.has(error ?? "") || isResponseFault(error)

/**
 * How many attempts a destination may have in flight: halved when the receiver times out, cannot be reached or answers with
 * something other than HTTP or Redis, one more with each success.
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
    } else if (isNotAnswered(outcome.error)) {
      this.#size = Math.max(1, Math.floor(this.#size / 2))
    }
  }
}

/** Attempts that began together. `count`: those that still cost time, as they have not ended and have not waited for long. */
interface Begun {
  count: number
  readonly atMillis: number
}

/** An attempt's room in the window; given back once. */
export interface BegunAttempt {
  readonly end: () => void
}

/**
 * The attempts of a process that cost time now, in a window that makes room for requests. Destinations that found no room get
 * it in turn.
 */
export class BegunAttempts {
  readonly #window: DueWindow
  readonly #nowMillis: () => number
  /** Oldest first. */
  readonly #started: Array<Begun> = []
  readonly #waiting = new Map<string, () => void>()
  readonly #onWaiting: () => void

  /** `onWaiting` is called when a destination starts to wait: call `look` regularly until none does. */
  constructor(window: DueWindow, nowMillis: () => number, onWaiting: () => void) {
    this.#window = window
    this.#nowMillis = nowMillis
    this.#onWaiting = onWaiting
  }

  /** Destinations that wait for room. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Takes room for up to `wanted` attempts; returns how many. Give back the room that no attempt uses. */
  take(wanted: number): number {
    this.#forgetOld()
    return this.#window.take(wanted)
  }

  give(count: number): void {
    this.#window.give(count)
    this.#wakeNext()
  }

  /** Begins `count` attempts, for which room was taken. */
  begin(count: number): BegunAttempt {
    const begun: Begun = { count, atMillis: this.#nowMillis() }
    if (count > 0) this.#started.push(begun)
    return {
      end: () => {
        if (begun.count === 0) return
        begun.count -= 1
        this.give(1)
      },
    }
  }

  /** Calls `wake` when there is room again; a destination that already waits keeps its turn. */
  wait(destinationId: string, wake: () => void): void {
    this.#waiting.set(destinationId, wake)
    this.#onWaiting()
  }

  /** Takes back the room of attempts that have waited for their receivers for long, and gives it to others. */
  look(): void {
    this.#forgetOld()
    this.#wakeNext()
  }

  #forgetOld(): void {
    const beforeMillis = this.#nowMillis() - limits.attemptBegunMillis
    let gone = 0
    for (const begun of this.#started) {
      if (begun.count > 0 && begun.atMillis > beforeMillis) break
      this.#window.give(begun.count)
      begun.count = 0
      gone += 1
    }
    this.#started.splice(0, gone)
  }

  #wakeNext(): void {
    // A claim for a single attempt is not worth its round trip.
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
