import { Effect } from "effect"
import { Acquirers } from "../../ports/acquirer.ts"
import type { DueTimer } from "../../ports/timerQueue.ts"
import type { StoredWithdrawal } from "../../ports/withdrawalStore.ts"
import { withdrawalTimers } from "../decisions/withdrawalTransitions.ts"
import { operation, operationProgram } from "../operation.ts"
import { firesAgain, makeFireWithLongLease } from "../programs/firesAgain.ts"
import { makeFireWithdrawalTimer } from "../programs/withdrawalTimer.ts"

/** A withdrawal's timer, due and leased to this process, with its withdrawal. */
export interface FireWithdrawalTimerRequest {
  readonly timer: DueTimer
  readonly withdrawal: StoredWithdrawal
}

/** Fires a withdrawal's timer. Nobody waits for it; one too many fires again when its lease ends. */
export const fireWithdrawalTimer = operation(
  "fireWithdrawalTimer",
  Effect.gen(function* () {
    const acquirers = yield* Acquirers
    const fireTimer = yield* makeFireWithdrawalTimer
    const withLongLease = yield* makeFireWithLongLease

    const isRemote = ({ timer, withdrawal }: FireWithdrawalTimerRequest): boolean =>
      timer.name !== withdrawalTimers.decide && !acquirers[withdrawal.mode].isLocal

    return operationProgram({
      sellerOf: ({ withdrawal }: FireWithdrawalTimerRequest) => withdrawal.sellerId,
      about: ({ withdrawal }) => withdrawal,
      lane: (request) => (isRemote(request) ? { name: "paying", whenFull: "refuse" } : undefined),
      run: (request, seller) => {
        const { timer, withdrawal } = request
        const fire = (leased: DueTimer) =>
          Effect.flatMap(seller.freshTimeOf(withdrawal.mode), (time) => fireTimer(leased, withdrawal, time))
        // Sending a payout ends its timer before the acquirer is called.
        const isSending = timer.name === withdrawalTimers.pay
        return firesAgain(timer, isRemote(request) && !isSending ? withLongLease(timer, fire) : fire(timer))
      },
      call: (request: FireWithdrawalTimerRequest, { tell }) => Effect.ignore(tell(request)),
    })
  }),
)
