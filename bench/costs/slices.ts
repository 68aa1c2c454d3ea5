/** What a process did in its slices of one side. */
export interface SliceSums {
  readonly cpuMicros: number
  readonly answers: number
  readonly seconds: number
}

export type SliceSide = "with" | "without"

export type SliceResult = Readonly<Record<SliceSide, SliceSums>>

/** Long beside a collection of young garbage, which is made in one slice and paid in the next; short beside what else changes. */
const sliceMillisMin = 80
const sliceMillisMax = 120

const nothing: SliceSums = { cpuMicros: 0, answers: 0, seconds: 0 }

/** Cuts the time of this process into short slices of two sides, whose order is random in each pair, and adds up each side. */
export class Slices {
  readonly #answers: () => number
  #sums: Record<SliceSide, SliceSums> = { with: nothing, without: nothing }
  #timer: NodeJS.Timeout | undefined
  #at = { cpuMicros: 0, answers: 0, seconds: 0 }
  #side: SliceSide = "with"
  #next: SliceSide | undefined

  /** `answers` counts what was done so far. */
  constructor(answers: () => number) {
    this.#answers = answers
  }

  /** Begins; `turn` is called at the beginning of each slice. */
  begin(turn: (side: SliceSide) => void): void {
    this.#sums = { with: nothing, without: nothing }
    this.#at = this.#now()
    this.#slice(turn)
  }

  /** Ends, and returns what each side added up to. */
  end(): SliceResult {
    clearTimeout(this.#timer)
    this.#close()
    this.#next = undefined
    return this.#sums
  }

  #slice(turn: (side: SliceSide) => void): void {
    const isSecond = this.#next !== undefined
    this.#side = this.#next ?? (Math.random() < 0.5 ? "with" : "without")
    this.#next = isSecond ? undefined : this.#side === "with" ? "without" : "with"
    turn(this.#side)
    const millis = sliceMillisMin + Math.random() * (sliceMillisMax - sliceMillisMin)
    this.#timer = setTimeout(() => {
      this.#close()
      this.#slice(turn)
    }, millis)
  }

  /** Adds up the slice that ends now. */
  #close(): void {
    const now = this.#now()
    const sum = this.#sums[this.#side]
    this.#sums[this.#side] = {
      cpuMicros: sum.cpuMicros + now.cpuMicros - this.#at.cpuMicros,
      answers: sum.answers + now.answers - this.#at.answers,
      seconds: sum.seconds + now.seconds - this.#at.seconds,
    }
    this.#at = now
  }

  #now(): SliceSums {
    const { user, system } = process.cpuUsage()
    return { cpuMicros: user + system, answers: this.#answers(), seconds: performance.now() / 1_000 }
  }
}
