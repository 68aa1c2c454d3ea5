import { Effect } from "effect"
import { Acquirers } from "../../ports/acquirer.ts"
import type { ClaimedCharge, DueTimer } from "../../ports/timerQueue.ts"
import type { StoreUnavailable } from "../../values/storeUnavailable.ts"
import { inTraceOf } from "../../values/traceSpan.ts"
import { timerNames } from "../decisions/transactionTransitions.ts"
import { operation, operationProgram } from "../operation.ts"
import { makeFireTimer } from "../programs/chargeTimer.ts"
import { firesAgain, makeFireWithLongLease } from "../programs/firesAgain.ts"
import type { SellerView } from "../sellerMemory.ts"

/** A charge's timer, due and leased to this process, with its charge. */
export interface DueCharge {
  readonly timer: DueTimer
  readonly charge: ClaimedCharge
}

/** Timers of one seller's charges that came due together. */
export interface FireTimersRequest {
  readonly sellerId: string
  readonly due: ReadonlyArray<DueCharge>
}

/**
 * Fires the timers of charges, and answers once all have ended. Those that ask a remote acquirer run one by one in a lane
 * of their own and are not waited for; one too many fires again when its lease ends.
 */
export const fireTimers = operation(
  "fireTimers",
  Effect.gen(function* () {
    const acquirers = yield* Acquirers
    const fireTimer = yield* makeFireTimer
    const withLongLease = yield* makeFireWithLongLease

    const isRemote = ({ timer, charge }: DueCharge): boolean =>
      timer.name !== timerNames.release && !acquirers[charge.transaction.mode].isLocal

    const fireRemote = ({ timer, charge: { transaction } }: DueCharge, seller: SellerView) =>
      withLongLease(timer, (leased) =>
        Effect.flatMap(seller.freshTimeOf(transaction.mode), (time) =>
          fireTimer(leased, transaction, seller.settings, time),
        ),
      )

    const fireLocal = ({ timer, charge: { transaction, offsetMillis } }: DueCharge, seller: SellerView) =>
      Effect.flatMap(seller.timeSince(transaction.mode, offsetMillis), (time) =>
        fireTimer(timer, transaction, seller.settings, time),
      )

    const fireTraced = ({ timer, charge }: DueCharge, fire: Effect.Effect<void, StoreUnavailable>) =>
      firesAgain(timer, inTraceOf(charge.transaction, `timer ${timer.name}`, {}, fire))

    return operationProgram({
      sellerOf: ({ sellerId }: FireTimersRequest) => sellerId,
      lane: ({ due: [first] }) =>
        first !== undefined && isRemote(first)
          ? { name: "polling", whenFull: "refuse" }
          : { name: "firing", whenFull: "wait" },
      split: ({ sellerId, due }) => ({
        apart: due.filter(isRemote).map((one) => ({ sellerId, due: [one] })),
        rest: { sellerId, due: due.filter((one) => !isRemote(one)) },
      }),
      run: ({ due }, seller) =>
        Effect.forEach(
          due,
          (one) => fireTraced(one, isRemote(one) ? fireRemote(one, seller) : fireLocal(one, seller)),
          { concurrency: "unbounded", discard: true },
        ),
      // Timers of an actor that is overloaded or failed fire again when their leases end.
      call: (request: FireTimersRequest, { ask }) => Effect.ignore(ask(request)),
    })
  }),
)
