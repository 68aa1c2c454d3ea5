import { Array as Arr, Effect } from "effect"
import type { TimerHandler } from "../ports/timerHandlers.ts"
import { TimerQueue } from "../ports/timerQueue.ts"
import { orFireAgain } from "../timers/fireEach.ts"
import { timerNames } from "./decisions/transactionTransitions.ts"
import { type DueCharge, fireTimers } from "./operations/fireTimers.ts"
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
