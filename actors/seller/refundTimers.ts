import { Effect } from "effect"
import { RefundStore } from "../ports/refundStore.ts"
import { TimerQueue } from "../ports/timerQueue.ts"
import { fireEach } from "../timers/fireEach.ts"
import { refundTimers as timerNames } from "../values/refundTimers.ts"
import { fireRefundTimer } from "./operations/fireRefundTimer.ts"
import { SellerActors } from "./sellerActor.ts"

/** The timers of refunds fire at their seller's actor, which is told and not waited for. */
export const refundTimers = Effect.gen(function* () {
  const timerQueue = yield* TimerQueue
  const refunds = yield* RefundStore
  const sellers = yield* SellerActors

  return fireEach(
    Object.values(timerNames),
    Effect.fnUntraced(function* (timer) {
      const refund = yield* refunds.load(timer.resourceId)
      if (refund === undefined) return yield* timerQueue.drop(timer)
      yield* sellers.ask(fireRefundTimer, { timer, refund })
    }),
  )
})
