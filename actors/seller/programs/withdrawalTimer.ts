import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import { type DueTimer, TimerQueue } from "../../ports/timerQueue.ts"
import type { StoredWithdrawal } from "../../ports/withdrawalStore.ts"
import type { StoreUnavailable } from "../../values/storeUnavailable.ts"
import type { SellerTime } from "../decisions/sellerTime.ts"
import { simulatedDecision } from "../decisions/withdrawalActs.ts"
import { readWithdrawal, withdrawalTimers } from "../decisions/withdrawalTransitions.ts"
import { makeApplyDecision, makeDecideAct } from "./applyWithdrawal.ts"
import { makePayout } from "./payout.ts"

/**
 * Makes the program that a withdrawal's due timer runs: the simulated operator decides, or the payout worker sends or polls.
 */
export const makeFireWithdrawalTimer = Effect.gen(function* () {
  const payout = yield* makePayout
  const timers = yield* TimerQueue
  const apply = yield* makeApplyDecision
  const decideAct = yield* makeDecideAct

  const decide = Effect.fnUntraced(function* (timer: DueTimer, known: StoredWithdrawal, time: SellerTime) {
    const act = simulatedDecision(readWithdrawal(known).amount)
    const now = yield* apply(known, (stored) => decideAct(stored, act, undefined, time)).pipe(
      // The seller may not withdraw now: the operator looks again later.
      Effect.catchTag("ApiError", () =>
        Effect.as(timers.postpone(timer, limits.payoutPollMillisMax), "waiting" as const),
      ),
    )
    if (now === "waiting") return
    // A transition ends the timers of the state before. Where none could be committed, the timer fires again when its lease ends.
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
