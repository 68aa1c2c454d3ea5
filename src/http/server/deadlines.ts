/** A member of a {@link DeadlineList}; only the list writes these fields. */
export interface Expiring {
  previous: Expiring | undefined
  next: Expiring | undefined
  /** The tick at which it was added; -1 while it is in no list. */
  addedTick: number
  /** Called when its deadline has passed; it has left the list by then. */
  readonly expire: () => void
}

/**
 * Members with equal time to finish, oldest first. A sweep per tick looks only at the oldest, so a request costs two
 * pointer writes and no timer of its own.
 */
export class DeadlineList {
  #oldest: Expiring | undefined = undefined
  #newest: Expiring | undefined = undefined
  #tick = 0
  readonly #ticksMax: number

  /** Members expire at sweep `ticksMax + 1` after they were added: never early, at most one tick late. */
  constructor(ticksMax: number) {
    this.#ticksMax = ticksMax
  }

  add(member: Expiring): void {
    member.addedTick = this.#tick
    member.previous = this.#newest
    if (this.#newest === undefined) this.#oldest = member
    else this.#newest.next = member
    this.#newest = member
  }

  /** Does nothing if it is in no list. */
  remove(member: Expiring): void {
    if (member.addedTick < 0) return
    if (member.previous === undefined) this.#oldest = member.next
    else member.previous.next = member.next
    if (member.next === undefined) this.#newest = member.previous
    else member.next.previous = member.previous
    member.previous = undefined
    member.next = undefined
    member.addedTick = -1
  }

  /** Advances one tick and expires the members whose time is over. */
  sweep(): void {
    this.#tick++
    while (this.#oldest !== undefined && this.#tick - this.#oldest.addedTick > this.#ticksMax) {
      const member = this.#oldest
      this.remove(member)
      member.expire()
    }
  }
}
