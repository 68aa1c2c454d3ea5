import { Clock, Effect, Queue, type Scope } from "effect"

/** A deadline. */
export interface Deadline {
  readonly atMillis: number
  /** Expired or ended. */
  isOver: boolean
  /** Called when it expires. */
  onExpired: () => void
}

/** Monotonic milliseconds of a clock: wall clocks get set. */
const monotonicMillis = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1_000_000

/**
 * Deadlines of equal length: the first to begin is the first to expire, so one fiber and one timer serve all, instead
 * of a timer and a race of two fibers for each.
 */
export class Deadlines {
  readonly #timeoutMillis: number
  /** Soonest first, since they are added in the order of their times. */
  readonly #open = new Set<Deadline>()
  readonly #added: Queue.Queue<"added">

  private constructor(timeoutMillis: number, added: Queue.Queue<"added">) {
    this.#timeoutMillis = timeoutMillis
    this.#added = added
  }

  /** Creates them; their fiber ends with the scope. */
  static make(timeoutMillis: number): Effect.Effect<Deadlines, never, Scope.Scope> {
    return Effect.gen(function* () {
      const deadlines = new Deadlines(timeoutMillis, yield* Queue.sliding<"added">(1))
      yield* Effect.forkScoped(Effect.forever(deadlines.#step))
      return deadlines
    })
  }

  /** Begins a deadline now. */
  begin(clock: Clock.Clock): Deadline {
    const atMillis = monotonicMillis(clock) + this.#timeoutMillis
    const deadline: Deadline = { atMillis, isOver: false, onExpired: () => {} }
    this.#open.add(deadline)
    if (this.#open.size === 1) Queue.offerUnsafe(this.#added, "added")
    return deadline
  }

  /** Ends a deadline early; does nothing after it expired. */
  end(deadline: Deadline): void {
    deadline.isOver = true
    this.#open.delete(deadline)
  }

  /** Waits for the soonest, or for the first to begin. */
  readonly #step = Effect.suspend(() => {
    const [soonest] = this.#open
    if (soonest === undefined) return Effect.asVoid(Queue.take(this.#added))
    return Clock.clockWith((clock) => {
      const waitMillis = soonest.atMillis - monotonicMillis(clock)
      if (waitMillis > 0) return Effect.sleep(Math.ceil(waitMillis))
      this.end(soonest)
      soonest.onExpired()
      return Effect.void
    })
  })
}
