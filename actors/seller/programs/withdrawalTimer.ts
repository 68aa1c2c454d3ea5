import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import type { StoreUnavailable } from "../../ports/store.ts"
import { type DueTimer, TimerQueue } from "../../ports/timerQueue.ts"
import type { StoredWithdrawal } from "../../ports/withdrawalStore.ts"
import type { SellerTime } from "../decisions/sellerTime.ts"
import { readWithdrawal, withdrawalTimers } from "../decisions/withdrawalTransitions.ts"
import { makeDecideAct, simulatedDecision } from "../operations/decideWithdrawal.ts"
import { makeApplyDecision } from "./applyWithdrawal.ts"
import type { Payout } from "./payout.ts"

/** Makes the program that a withdrawal's due timer runs: the simulated operator, the payout worker, or its asking. */
export const makeFireWithdrawalTimer = Effect.fnUntraced(function* (payout: Payout) {
  const timers = yield* TimerQueue
  const apply = yield* makeApplyDecision
  const decideAct = yield* makeDecideAct

  const decide = Effect.fnUntraced(function* (timer: DueTimer, known: StoredWithdrawal, time: SellerTime) {
    const act = simulatedDecision(readWithdrawal(known).amount)
    const now = yield* apply(known, (stored) => decideAct(stored, act, undefined, time)).pipe(
      // Its seller may not withdraw now: the operator looks again.
      Effect.catchTag("ApiError", () =>
        Effect.as(timers.postpone(timer, limits.payoutPollMillisMax), "waiting" as const),
      ),
    )
    if (now === "waiting") return
    // A transition ends the timers of the state before it; one that could not be decided is tried when the lease ends.
    if (now?.isApplied !== true && now?.isContended !== true) yield* timers.drop(timer)
  })

  return (
    timer: DueTimer,
    stored: StoredWithdrawal,
    time: SellerTime,
  ): Effect.Effect<void, StoreUnavailable> => {
    switch (timer.name) {
      case withdrawalTimers.decide:
        return decide(timer, stored, time)
      case withdrawalTimers.pay:
        return payout.pay(timer, stored, time)
      default:
        return payout.poll(timer, stored, time)
    }
  }
})
