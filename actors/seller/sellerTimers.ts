import { Array as Arr, Effect, FiberSet } from "effect"
import { limits } from "../../schema/limits.ts"
import { ExceptionStore } from "../ports/exceptionStore.ts"
import { RefundStore } from "../ports/refundStore.ts"
import type { TimerHandler } from "../ports/timerHandlers.ts"
import { type DueTimer, TimerQueue } from "../ports/timerQueue.ts"
import { WithdrawalStore } from "../ports/withdrawalStore.ts"
import { fireEach, orFireAgain } from "../timers/fireEach.ts"
import { exceptionTimerName } from "../values/exceptionTimers.ts"
import { refundTimers as refundTimerNames } from "../values/refundTimers.ts"
import { readPending } from "./decisions/exceptionActs.ts"
import { timerNames } from "./decisions/transactionTransitions.ts"
import { withdrawalTimers as withdrawalTimerNames } from "./decisions/withdrawalTransitions.ts"
import { fireRefundTimer } from "./operations/fireRefundTimer.ts"
import { type DueCharge, fireTimers } from "./operations/fireTimers.ts"
import { fireWithdrawalTimer } from "./operations/fireWithdrawalTimer.ts"
import { makeFireBooking } from "./programs/exceptionProgress.ts"
import { makeFireRefund } from "./programs/exceptionRefund.ts"
import { SellerActors } from "./sellerActor.ts"

/**
 * The timers of charges fire at their seller's actor, those of a seller in one message, so that what they share is done
 * once. Waits until all have fired: whoever claimed them bounds how many there are.
 */
export const chargeTimers = Effect.gen(function* () {
  const timerQueue = yield* TimerQueue
  const sellers = yield* SellerActors

  const handler: TimerHandler = {
    kinds: Object.values(timerNames),
    fire: (claimed) => {
      const due: Array<DueCharge> = []
      const drops: Array<Effect.Effect<void>> = []
      for (const { charge, ...timer } of claimed) {
        if (charge !== undefined) due.push({ timer, charge })
        // Its charge does not exist.
        else drops.push(orFireAgain(timer, timerQueue.drop(timer)))
      }
      const bySeller = Arr.groupBy(due, ({ charge }) => charge.transaction.sellerId)
      const fired = Object.entries(bySeller).map(([sellerId, ofSeller]) =>
        sellers.ask(fireTimers, { sellerId, due: ofSeller }),
      )
      return Effect.all([...drops, ...fired], { concurrency: "unbounded", discard: true })
    },
  }
  return handler
})

/** The timers of refunds fire at their seller's actor, which is told and not waited for. */
export const refundTimers = Effect.gen(function* () {
  const timerQueue = yield* TimerQueue
  const refunds = yield* RefundStore
  const sellers = yield* SellerActors

  return fireEach(
    Object.values(refundTimerNames),
    Effect.fnUntraced(function* (timer) {
      const refund = yield* refunds.load(timer.resourceId)
      if (refund === undefined) return yield* timerQueue.drop(timer)
      yield* sellers.ask(fireRefundTimer, { timer, refund })
    }),
  )
})

/** The timers of withdrawals fire at their seller's actor, which is told and not waited for. */
export const withdrawalTimers = Effect.gen(function* () {
  const timerQueue = yield* TimerQueue
  const withdrawals = yield* WithdrawalStore
  const sellers = yield* SellerActors

  return fireEach(
    Object.values(withdrawalTimerNames),
    Effect.fnUntraced(function* (timer) {
      const withdrawal = yield* withdrawals.load(timer.resourceId)
      if (withdrawal === undefined) return yield* timerQueue.drop(timer)
      yield* sellers.ask(fireWithdrawalTimer, { timer, withdrawal })
    }),
  )
})

/**
 * The timers of exceptions whose act is under way. A refund waits for its acquirer, so each runs in a fiber of its own; past
 * `noticesInProcessMax`, a timer fires again when its lease ends.
 */
export const exceptionTimers = Effect.gen(function* () {
  const timerQueue = yield* TimerQueue
  const exceptions = yield* ExceptionStore
  const fireRefund = yield* makeFireRefund
  const fireBooking = yield* makeFireBooking
  const running = yield* FiberSet.make()

  const fire = Effect.fnUntraced(function* (timer: DueTimer) {
    const stored = yield* exceptions.load(timer.resourceId)
    const pending = stored && readPending(stored)
    if (stored === undefined || pending?.stage !== "going") return yield* timerQueue.drop(timer)
    if (pending.act === "refund") return yield* fireRefund(timer, stored, pending)
    return yield* fireBooking(timer, pending.act === "debit" ? "debit" : "credit")
  })

  return fireEach([exceptionTimerName], (timer) =>
    Effect.flatMap(FiberSet.size(running), (size) => {
      if (size >= limits.noticesInProcessMax) return Effect.void
      // Leased for as long as the acquirer may take, so that nobody else carries it on meanwhile.
      const carriedOn = timerQueue.postpone(timer, limits.acquirerTimerLeaseMillis).pipe(
        Effect.flatMap((leased) => (leased === undefined ? Effect.void : fire(leased))),
        Effect.catchCause((cause) =>
          Effect.logDebug(`exception ${timer.resourceId} is carried on later`, cause),
        ),
      )
      return Effect.asVoid(FiberSet.run(running, carriedOn))
    }),
  )
})
