import { Effect } from "effect"
import { isWithdrawalOver } from "../../../schema/resources/withdrawal.ts"
import { ExceptionStore } from "../../ports/exceptionStore.ts"
import type { WithdrawalTransition } from "../../ports/withdrawalStore.ts"
import type { StoreUnavailable } from "../../values/storeUnavailable.ts"
import { decideResolved, factOf } from "../decisions/exceptionDocument.ts"

/**
 * Makes the program that lets the end of a withdrawal resolve its `payout_stuck`, which nobody could settle or fail any more
 * (docs/contract/exceptions.md#kinds).
 */
export const makeWithStuckResolved = Effect.map(ExceptionStore, (exceptions) =>
  Effect.fnUntraced(function* (
    transition: WithdrawalTransition,
  ): Effect.fn.Return<WithdrawalTransition, StoreUnavailable> {
    const { withdrawal, to, exception } = transition
    const isEnd = withdrawal.status === "processing" && isWithdrawalOver(to)
    if (!isEnd || exception !== undefined) return transition
    const stuck = yield* exceptions.findFact(withdrawal.id, factOf("payout_stuck", withdrawal.id))
    if (stuck?.state !== "open") return transition
    const { updated_at } = JSON.parse(transition.document) as { readonly updated_at: string }
    const resolution = {
      act: to === "successful" ? ("settle" as const) : ("fail" as const),
      reason: "The withdrawal has ended by itself",
      operatorIds: [],
    }
    const time = { nowMillis: Date.parse(updated_at), offsetMillis: 0 }
    return { ...transition, exception: { kind: "change", change: decideResolved(stuck, resolution, time) } }
  }),
)
