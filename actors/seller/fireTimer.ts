import { Clock, Effect } from "effect"
import { Acquirers } from "../ports/acquirer.ts"
import type { StoreUnavailable } from "../ports/store.ts"
import { type DueTimer, TimerQueue } from "../ports/timerQueue.ts"
import { type StoredTransaction, TransactionStore, type TransitionCommit } from "../ports/transactionStore.ts"
import { decideOutcome, decideTransition, timerNames } from "./transactionTransitions.ts"

/**
 * Makes the program that a charge's due timer runs: expiry, or asking the acquirer what became of it.
 * A timer that calls for nothing any more is dropped; one whose commit fails fires again when its lease ends.
 */
export const makeFireTimer = Effect.gen(function* () {
  const store = yield* TransactionStore
  const timers = yield* TimerQueue
  const acquirers = yield* Acquirers

  /** The transition the timer calls for; otherwise when to ask again, or undefined where nothing is left to do. */
  const decide = Effect.fnUntraced(function* (name: string, stored: StoredTransaction) {
    const nowMillis = yield* Clock.currentTimeMillis
    if (name === timerNames.expire) {
      return { commit: decideTransition(stored, "expired", {}, nowMillis), askAfterMillis: undefined }
    }
    const { amount } = JSON.parse(stored.document) as { readonly amount: number }
    const outcome = yield* acquirers[stored.mode].query({ amount, status: stored.status })
    return {
      commit: decideOutcome(stored, outcome, nowMillis),
      askAfterMillis: outcome.status === "unchanged" ? outcome.askAfterMillis : undefined,
    }
  })

  return (timer: DueTimer, stored: StoredTransaction): Effect.Effect<void, StoreUnavailable> =>
    Effect.gen(function* () {
      let current: StoredTransaction | undefined = stored
      while (current !== undefined) {
        const { commit, askAfterMillis }: Decision = yield* decide(timer.name, current)
        if (askAfterMillis !== undefined) return yield* timers.postpone(timer, askAfterMillis)
        if (commit === undefined) return yield* timers.drop(timer)
        const answer: { readonly kind: "applied" | "stale" | "missing" } = yield* store.transition(commit)
        if (answer.kind === "applied") return
        // Another transition came first: decide again on what is there now.
        current = answer.kind === "stale" ? yield* store.load(stored.id) : undefined
      }
      yield* timers.drop(timer)
    })
})

interface Decision {
  readonly commit: TransitionCommit | undefined
  readonly askAfterMillis: number | undefined
}
