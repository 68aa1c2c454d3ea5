/**
 * A map of at most `sizeMax` entries that keeps what is used: an entry that was neither set nor got between two
 * `turn`s is dropped by the second, and room is made by dropping such entries first.
 */
export class RecentMap<Key, Value> {
  #recent = new Map<Key, Value>()
  #older = new Map<Key, Value>()
  readonly #recentMax: number

  constructor(sizeMax: number) {
    this.#recentMax = Math.max(1, Math.floor(sizeMax / 2))
  }

  get size(): number {
    return this.#recent.size + this.#older.size
  }

  get(key: Key): Value | undefined {
    const recent = this.#recent.get(key)
    if (recent !== undefined) return recent
    const older = this.#older.get(key)
    if (older !== undefined) this.set(key, older)
    return older
  }

  set(key: Key, value: Value): void {
    this.#older.delete(key)
    if (this.#recent.size >= this.#recentMax && !this.#recent.has(key)) this.turn()
    this.#recent.set(key, value)
  }

  delete(key: Key): void {
    this.#recent.delete(key)
    this.#older.delete(key)
  }

  /** Drops what was not used since the turn before. */
  turn(): void {
    this.#older = this.#recent
    this.#recent = new Map()
  }
}
