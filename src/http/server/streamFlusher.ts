/** Streams flushed per turn of the event loop; the others wait for the next turn, so that requests get in between. */
const streamsPerTurn = 256

/** A stream with bytes that wait to be written. */
export interface Flushable {
  readonly flush: () => void
}

/** Flushes, once a turn, the streams that were written to. */
export class StreamFlusher {
  #waiting: Array<Flushable> = []
  #scheduled = false

  add(stream: Flushable): void {
    this.#waiting.push(stream)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(this.#flush)
  }

  readonly #flush = (): void => {
    this.#scheduled = false
    const turn =
      this.#waiting.length > streamsPerTurn ? this.#waiting.splice(0, streamsPerTurn) : this.#waiting
    if (turn === this.#waiting) this.#waiting = []
    for (const stream of turn) stream.flush()
    if (this.#waiting.length > 0) this.#schedule()
  }
}
