/** A share is told of the last one to two of these. */
const windowMillis = 1_000
/** A share of fewer requests says nothing. */
const requestsMin = 20

/** How many of the requests of the last one to two seconds were refused. */
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

  /** To be called several times a second. */
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

  /** Refused requests of the last whole second. */
  get refusedPerSecond(): number {
    return this.#refusedBefore
  }

  /** From 0 to 1; 0 where there were few requests. */
  get share(): number {
    const refused = this.#refused + this.#refusedBefore
    const all = refused + this.#admitted + this.#admittedBefore
    return all < requestsMin ? 0 : refused / all
  }
}
