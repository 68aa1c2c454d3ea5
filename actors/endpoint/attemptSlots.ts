import { limits } from "../../schema/limits.ts"

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
