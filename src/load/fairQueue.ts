/** An entry of a {@link FairQueue}; only the queue writes it. */
export class Place<A> {
  readonly value: A
  readonly sinceMillis: number
  readonly bytes: number
  line: Line<A> | undefined
  previous: Place<A> | undefined = undefined
  next: Place<A> | undefined = undefined

  constructor(value: A, sinceMillis: number, bytes: number, line: Line<A>) {
    this.value = value
    this.sinceMillis = sinceMillis
    this.bytes = bytes
    this.line = line
  }
}

/** The entries of one key, oldest first. */
class Line<A> {
  readonly key: string
  first: Place<A> | undefined = undefined
  last: Place<A> | undefined = undefined
  size = 0

  constructor(key: string) {
    this.key = key
  }
}

/** A queue that serves keys in turn, and the entries of a key in order: a key with many entries only delays itself. */
export class FairQueue<A> {
  /** Lines with entries; the first is served next. */
  readonly #lines = new Map<string, Line<A>>()
  #size = 0
  #bytes = 0

  get size(): number {
    return this.#size
  }

  /** Total size of the entries. */
  get bytes(): number {
    return this.#bytes
  }

  /** Number of entries under a key. */
  sizeOf(key: string): number {
    return this.#lines.get(key)?.size ?? 0
  }

  /** How many entries are served before a new one under this key, counting those of the other keys served before. */
  aheadOf(key: string): number {
    const own = this.sizeOf(key)
    const keys = this.#lines.size + (own === 0 ? 1 : 0)
    return Math.min(this.#size, own * keys + keys - 1)
  }

  add(key: string, value: A, sinceMillis: number, bytes: number): Place<A> {
    let line = this.#lines.get(key)
    if (line === undefined) {
      line = new Line<A>(key)
      this.#lines.set(key, line)
    }
    const place = new Place(value, sinceMillis, bytes, line)
    place.previous = line.last
    if (line.last === undefined) line.first = place
    else line.last.next = place
    line.last = place
    line.size += 1
    this.#size += 1
    this.#bytes += bytes
    return place
  }

  /** Does nothing if the entry has left the queue. */
  remove(place: Place<A>): void {
    const { line, previous, next } = place
    if (line === undefined) return
    if (previous === undefined) line.first = next
    else previous.next = next
    if (next === undefined) line.last = previous
    else next.previous = previous
    place.line = undefined
    place.previous = undefined
    place.next = undefined
    line.size -= 1
    this.#size -= 1
    this.#bytes -= place.bytes
    if (line.size === 0) this.#lines.delete(line.key)
  }

  /** Removes the oldest entry of the key that is served next. */
  take(): A | undefined {
    for (const line of this.#lines.values()) {
      const place = line.first
      if (place === undefined) continue
      this.remove(place)
      if (line.size > 0) {
        this.#lines.delete(line.key)
        this.#lines.set(line.key, line)
      }
      return place.value
    }
    return undefined
  }

  /** Removes all entries that are older than a time. */
  takeOlder(thanMillis: number): ReadonlyArray<A> {
    const older: Array<A> = []
    for (const line of this.#lines.values()) {
      for (
        let place = line.first;
        place !== undefined && place.sinceMillis < thanMillis;
        place = line.first
      ) {
        this.remove(place)
        older.push(place.value)
      }
    }
    return older
  }
}
