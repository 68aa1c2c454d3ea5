import { Effect } from "effect"
import { Acquirers } from "../../ports/acquirer.ts"
import type { StoredRefund } from "../../ports/refundStore.ts"
import type { DueTimer } from "../../ports/timerQueue.ts"
import { refundTimers } from "../../values/refundTimers.ts"
import { operation, operationProgram } from "../operation.ts"
import { firesAgain, makeFireWithLongLease } from "../programs/firesAgain.ts"
import { makeRefund } from "../programs/refund.ts"

/** A refund's timer, due and leased to this process, with its refund. */
export interface FireRefundTimerRequest {
  readonly timer: DueTimer
  readonly refund: StoredRefund
}

/** Fires a refund's timer. Nobody waits for it; one too many fires again when its lease ends. */
export const fireRefundTimer = operation(
  "fireRefundTimer",
  Effect.gen(function* () {
    const acquirers = yield* Acquirers
    const worker = yield* makeRefund
    const withLongLease = yield* makeFireWithLongLease

    return operationProgram({
      sellerOf: ({ refund }: FireRefundTimerRequest) => refund.sellerId,
      about: ({ refund }) => refund,
      lane: ({ refund }) =>
        acquirers[refund.mode].isLocal ? undefined : { name: "refunding", whenFull: "refuse" },
      run: ({ timer, refund }, seller) => {
        const isSending = timer.name === refundTimers.send
        const fire = (leased: DueTimer) =>
          Effect.flatMap(seller.freshTimeOf(refund.mode), (time) =>
            (isSending ? worker.send : worker.poll)(leased, refund, time),
          )
        // Sending a refund ends its timer before the acquirer is called.
        const isLongLeased = !isSending && !acquirers[refund.mode].isLocal
        return firesAgain(timer, isLongLeased ? withLongLease(timer, fire) : fire(timer))
      },
      call: (request: FireRefundTimerRequest, { tell }) => Effect.ignore(tell(request)),
    })
  }),
)
