import { Effect } from "effect"
import { TimerQueue } from "../ports/timerQueue.ts"
import { WithdrawalStore } from "../ports/withdrawalStore.ts"
import { fireEach } from "../timers/fireEach.ts"
import { withdrawalTimers as timerNames } from "./decisions/withdrawalTransitions.ts"
import { fireWithdrawalTimer } from "./operations/fireWithdrawalTimer.ts"
import { SellerActors } from "./sellerActor.ts"

/** The timers of withdrawals fire at their seller's actor, which is told and not waited for. */
export const withdrawalTimers = Effect.gen(function* () {
  const timerQueue = yield* TimerQueue
  const withdrawals = yield* WithdrawalStore
  const sellers = yield* SellerActors

  return fireEach(
    Object.values(timerNames),
    Effect.fnUntraced(function* (timer) {
      const withdrawal = yield* withdrawals.load(timer.resourceId)
      if (withdrawal === undefined) return yield* timerQueue.drop(timer)
      yield* sellers.ask(fireWithdrawalTimer, { timer, withdrawal })
    }),
  )
})
