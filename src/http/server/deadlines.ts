/** A member of a {@link DeadlineList}. The list alone writes these fields. */
export interface Expiring {
  previous: Expiring | undefined
  next: Expiring | undefined
  /** The tick it was added at; -1 while it is in no list. */
  addedTick: number
  /** The deadline has passed; it is in no list any more. */
  readonly expire: () => void
}

/**
 * Things that all have the same time to finish, oldest first. One sweep a tick looks at the oldest alone, so a request
 * costs two pointer writes and no timer of its own.
 */
export class DeadlineList {
  #oldest: Expiring | undefined = undefined
  #newest: Expiring | undefined = undefined
  #tick = 0
  readonly #ticksMax: number

  /** Members expire at the sweep number `ticksMax + 1` after they were added: never early, at most one tick late. */
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

  /** Does nothing where it is in no list. */
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

  /** One tick has passed: expires those whose time is over. */
  sweep(): void {
    this.#tick++
    while (this.#oldest !== undefined && this.#tick - this.#oldest.addedTick > this.#ticksMax) {
      const member = this.#oldest
      this.remove(member)
      member.expire()
    }
  }
}
