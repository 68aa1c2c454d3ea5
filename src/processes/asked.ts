import { Deferred, Effect } from "effect"

/** A question to another process, asked once for all who wait for its answer. */
export class Asked<A> {
  #waiting: Deferred.Deferred<A> | undefined

  /** Asks by `ask`, unless that was done already, and waits for the answer. */
  wait(ask: () => void): Effect.Effect<A> {
    return Effect.suspend(() => {
      if (this.#waiting === undefined) {
        this.#waiting = Deferred.makeUnsafe<A>()
        ask()
      }
      return Deferred.await(this.#waiting)
    })
  }

  /** The answer is there. */
  answer(value: A): void {
    if (this.#waiting !== undefined) Deferred.doneUnsafe(this.#waiting, Effect.succeed(value))
    this.#waiting = undefined
  }
}
