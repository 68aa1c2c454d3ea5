import { limits } from "../../schema/limits.ts"

/** How requests are doing now. */
export interface WaitingRequests {
  /** How long, in ms, a request that arrived now would wait. */
  readonly currentMillis: () => number
  /** Requests that have begun and are not answered yet. */
  readonly inProgress: () => number
  /** How many have ever begun. */
  readonly started: () => number
}

/** The bounds of a window and where it looks. */
export interface DueWindowOptions {
  readonly sizeMin: number
  readonly sizeMax: number
  readonly requests: WaitingRequests
  /** Room for each request in the making, between `sizeMin` and `sizeMax`. */
  readonly perRequest: number
  readonly nowMillis: () => number
}

/**
 * Bounds how much due work is in hand at once. A request finds no more than that before it: the window shrinks while there
 * are requests and grows again when there are none. At its minimum size a backlog still drains, however many requests come
 * (docs/decisions/0018-overload-refused-not-queued.md).
 */
export class DueWindow {
  readonly #options: DueWindowOptions
  #size: number
  #taken = 0
  #lookedAtMillis = Number.NEGATIVE_INFINITY
  #started = 0
  #startedAtMillis = Number.NEGATIVE_INFINITY

  constructor(options: DueWindowOptions) {
    this.#options = options
    this.#size = options.sizeMax
  }

  /** The size as of the last look. */
  get size(): number {
    return this.#size
  }

  get taken(): number {
    return this.#taken
  }

  /** Takes up to `wanted`; returns how much it got. */
  take(wanted: number): number {
    this.#look()
    const got = Math.max(0, Math.min(wanted, this.#size - this.#taken))
    this.#taken += got
    return got
  }

  give(count: number): void {
    this.#taken -= count
  }

  /**
   * Shrinks at once when there are requests and grows step by step when there are none, because the first to come finds what is
   * in hand before it. While requests come now and then, due work that fills the event loop counts as a wait, too; once none
   * has come for a second, it may. Many requests wait for each other anyway, and beside them due work keeps its share.
   */
  #look(): void {
    const { sizeMin, sizeMax, perRequest, nowMillis, requests } = this.#options
    const now = nowMillis()
    // The system clock may have been set back.
    const isFromLater = this.#lookedAtMillis > now
    if (!isFromLater && now - this.#lookedAtMillis < limits.dueWorkLookMillis) return
    this.#lookedAtMillis = now
    if (isFromLater) this.#startedAtMillis = Math.min(this.#startedAtMillis, now)
    const making = requests.inProgress()
    if (requests.started() !== this.#started) {
      this.#started = requests.started()
      this.#startedAtMillis = now
    }
    const isQuiet = now - this.#startedAtMillis >= limits.dueWorkQuietMillis
    const isIdle = making === 0 && (isQuiet || requests.currentMillis() <= limits.dueWorkYieldsAboveMillis)
    this.#size = isIdle
      ? Math.min(sizeMax, this.#size + Math.ceil(sizeMax / limits.dueWorkGrowthLooks))
      : Math.min(sizeMax, Math.max(sizeMin, Math.ceil(making * perRequest)))
  }
}
