import { Context, Effect, Layer } from "effect"
import { type Acquirer, Acquirers } from "../../actors/ports/acquirer.ts"
import { ClosingStore } from "../../actors/ports/closingStore.ts"
import { ExceptionStore } from "../../actors/ports/exceptionStore.ts"
import { InboxStore } from "../../actors/ports/inboxStore.ts"
import { Ledger } from "../../actors/ports/ledger.ts"
import { PixClaimStore } from "../../actors/ports/pixClaimStore.ts"
import { RefundStore } from "../../actors/ports/refundStore.ts"
import { SweepStore } from "../../actors/ports/sweepStore.ts"
import { TimerQueue } from "../../actors/ports/timerQueue.ts"
import { TransactionStore } from "../../actors/ports/transactionStore.ts"
import { WithdrawalStore } from "../../actors/ports/withdrawalStore.ts"
import { OperatorLog } from "../accounts/operatorLog.ts"
import type { FaultPoint } from "../config/faultPoint.ts"
import { makeFaultPoint } from "./faultPoint.ts"

/**
 * The ports that handle money or say who moved it, with a fault point in their calls: `transactions`, `withdrawals`, `refunds`,
 * `exceptions`, `pixClaims`, `sweeps`, `closings`, `ledger`, `inbox`, `timers`, `operatorLog`, and `acquirer` with the acquirer's books. For
 * tests: the process dies there as if it were killed (docs/testing.md#suites).
 */
export const FaultPointsLive = (point: FaultPoint) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const acquirers = yield* Acquirers
      const faulty = makeFaultPoint(point)
      const ofAcquirer = (acquirer: Acquirer): Acquirer => {
        const { books } = acquirer
        const ported = books === undefined ? acquirer : { ...acquirer, books: faulty("acquirer", books) }
        return faulty("acquirer", ported)
      }
      return Context.empty().pipe(
        Context.add(TransactionStore, faulty("transactions", yield* TransactionStore)),
        Context.add(WithdrawalStore, faulty("withdrawals", yield* WithdrawalStore)),
        Context.add(RefundStore, faulty("refunds", yield* RefundStore)),
        Context.add(ExceptionStore, faulty("exceptions", yield* ExceptionStore)),
        Context.add(PixClaimStore, faulty("pixClaims", yield* PixClaimStore)),
        Context.add(SweepStore, faulty("sweeps", yield* SweepStore)),
        Context.add(ClosingStore, faulty("closings", yield* ClosingStore)),
        Context.add(Ledger, faulty("ledger", yield* Ledger)),
        Context.add(InboxStore, faulty("inbox", yield* InboxStore)),
        Context.add(TimerQueue, faulty("timers", yield* TimerQueue)),
        Context.add(OperatorLog, faulty("operatorLog", yield* OperatorLog)),
        Context.add(Acquirers, {
          live: ofAcquirer(acquirers.live),
          test: ofAcquirer(acquirers.test),
        }),
      )
    }),
  )
