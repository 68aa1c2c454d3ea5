import { limits } from "../../schema/limits.ts"

/** How requests fare now. */
export interface WaitingRequests {
  /** How long, in ms, one that came now would wait. */
  readonly currentMillis: () => number
  /** How many have begun and are not answered yet. */
  readonly inTheMaking: () => number
}

/** What a window needs to know. */
export interface DueWindowOptions {
  readonly sizeMin: number
  readonly sizeMax: number
  readonly requests: WaitingRequests
  /** What it holds at least for each request in the making, up to `sizeMax`. */
  readonly perRequest: number
  readonly nowMillis: () => number
}

/**
 * How much work that is owed by time may be in hand at once. Requests find no more than this before them: it shrinks while
 * they wait, and grows again when they do not. Its least size is what a backlog drains by however many requests there are.
 */
export class DueWindow {
  readonly #options: DueWindowOptions
  #size: number
  #taken = 0
  #lookedAtMillis = Number.NEGATIVE_INFINITY

  constructor(options: DueWindowOptions) {
    this.#options = options
    this.#size = options.sizeMax
  }

  /** How much it may be, as of the last look. */
  get size(): number {
    return this.#size
  }

  get taken(): number {
    return this.#taken
  }

  /** Takes up to `wanted`; how much it got. */
  take(wanted: number): number {
    this.#look()
    const got = Math.max(0, Math.min(wanted, this.#size - this.#taken))
    this.#taken += got
    return got
  }

  give(count: number): void {
    this.#taken -= count
  }

  /** Halves quickly, grows slowly: a window that is too large is felt by everybody, one that is too small by few. */
  #look(): void {
    const { sizeMin, sizeMax, nowMillis, requests } = this.#options
    const now = nowMillis()
    if (now - this.#lookedAtMillis < limits.dueWorkLookMillis) return
    this.#lookedAtMillis = now
    const isWaiting = requests.currentMillis() > limits.dueWorkYieldsAboveMillis
    // As much as there are requests: many of them wait for each other, and due work is to have its half beside them.
    const leastSize = Math.min(
      sizeMax,
      Math.max(sizeMin, Math.ceil(requests.inTheMaking() * this.#options.perRequest)),
    )
    this.#size = isWaiting
      ? Math.max(leastSize, Math.floor(this.#size / 2))
      : Math.min(sizeMax, this.#size + Math.ceil(sizeMax / 32))
  }
}
