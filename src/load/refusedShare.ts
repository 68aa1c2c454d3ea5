/** The share covers the last one to two of these windows. */
const windowMillis = 1_000
/** A share of fewer requests is meaningless. */
const requestsMin = 20

/** Counts the requests refused in the last one to two seconds. */
export class RefusedShare {
  #startMillis: number
  #refused = 0
  #admitted = 0
  #refusedBefore = 0
  #admittedBefore = 0

  constructor(nowMillis: number) {
    this.#startMillis = nowMillis
  }

  refused(): void {
    this.#refused += 1
  }

  admitted(): void {
    this.#admitted += 1
  }

  /** Must be called several times a second. */
  tick(nowMillis: number): void {
    const passedMillis = nowMillis - this.#startMillis
    if (passedMillis < windowMillis) return
    const isNext = passedMillis < 2 * windowMillis
    this.#refusedBefore = isNext ? this.#refused : 0
    this.#admittedBefore = isNext ? this.#admitted : 0
    this.#refused = 0
    this.#admitted = 0
    this.#startMillis = nowMillis
  }

  /** From 0 to 1; 0 if there were few requests. */
  get share(): number {
    const refused = this.#refused + this.#refusedBefore
    const all = refused + this.#admitted + this.#admittedBefore
    return all < requestsMin ? 0 : refused / all
  }
}
