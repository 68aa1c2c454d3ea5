/** Something that waits in a {@link FairQueue}; the queue alone writes it. */
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

/** What waits under one key, oldest first. */
class Line<A> {
  readonly key: string
  first: Place<A> | undefined = undefined
  last: Place<A> | undefined = undefined
  size = 0

  constructor(key: string) {
    this.key = key
  }
}

/**
 * A queue that serves keys in turns, and what waits under a key in the order in which it came: who waits with much delays
 * himself and not the others.
 */
export class FairQueue<A> {
  /** Lines with somebody in them; the first has the next turn. */
  readonly #lines = new Map<string, Line<A>>()
  #size = 0
  #bytes = 0

  get size(): number {
    return this.#size
  }

  /** What all that wait hold together. */
  get bytes(): number {
    return this.#bytes
  }

  /** How many wait under a key. */
  sizeOf(key: string): number {
    return this.#lines.get(key)?.size ?? 0
  }

  /** How many a newcomer under a key finds before it, by the turns that the other keys have until then. */
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

  /** Does nothing where it waits no more. */
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

  /** Takes out the oldest of the key whose turn it is. */
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

  /** Takes out all that have waited since before a time. */
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
