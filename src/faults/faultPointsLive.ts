import { Context, Effect, Layer } from "effect"
import { Acquirers } from "../../actors/ports/acquirer.ts"
import { InboxStore } from "../../actors/ports/inboxStore.ts"
import { RefundStore } from "../../actors/ports/refundStore.ts"
import { TimerQueue } from "../../actors/ports/timerQueue.ts"
import { TransactionStore } from "../../actors/ports/transactionStore.ts"
import { WithdrawalStore } from "../../actors/ports/withdrawalStore.ts"
import type { FaultPoint } from "../config/faultPoint.ts"
import { makeFaultPoint } from "./faultPoint.ts"

/**
 * The ports that handle money, with a fault point in their calls: `transactions`, `withdrawals`, `refunds`, `inbox`, `timers` and
 * `acquirer`. For tests: the process dies there as if it were killed (docs/testing.md#suites).
 */
export const FaultPointsLive = (point: FaultPoint) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const acquirers = yield* Acquirers
      const faulty = makeFaultPoint(point)
      return Context.empty().pipe(
        Context.add(TransactionStore, faulty("transactions", yield* TransactionStore)),
        Context.add(WithdrawalStore, faulty("withdrawals", yield* WithdrawalStore)),
        Context.add(RefundStore, faulty("refunds", yield* RefundStore)),
        Context.add(InboxStore, faulty("inbox", yield* InboxStore)),
        Context.add(TimerQueue, faulty("timers", yield* TimerQueue)),
        Context.add(Acquirers, {
          live: faulty("acquirer", acquirers.live),
          test: faulty("acquirer", acquirers.test),
        }),
      )
    }),
  )
