import { Effect } from "effect"
import { isRefundOver } from "../../../schema/resources/refund.ts"
import { ExceptionStore } from "../../ports/exceptionStore.ts"
import type { RefundTransition } from "../../ports/refundStore.ts"
import type { StoreUnavailable } from "../../values/storeUnavailable.ts"
import { decideResolved, factOf } from "../decisions/exceptionDocument.ts"

/** Makes the program that lets the end of a refund resolve its `refund_stuck`, which nobody could settle or fail any more. */
export const makeWithStuckRefundResolved = Effect.map(ExceptionStore, (exceptions) =>
  Effect.fnUntraced(function* (
    transition: RefundTransition,
  ): Effect.fn.Return<RefundTransition, StoreUnavailable> {
    const { refund, to, exception } = transition
    const isEnd = refund.status === "processing" && isRefundOver(to)
    if (!isEnd || exception !== undefined) return transition
    const stuck = yield* exceptions.findFact(refund.id, factOf("refund_stuck", refund.id))
    if (stuck?.state !== "open") return transition
    const { updated_at } = JSON.parse(transition.document) as { readonly updated_at: string }
    const resolution = {
      act: to === "succeeded" ? ("settle" as const) : ("fail" as const),
      reason: "The refund has ended by itself",
      operatorIds: [],
    }
    const time = { nowMillis: Date.parse(updated_at), offsetMillis: 0 }
    return { ...transition, exception: { kind: "change", change: decideResolved(stuck, resolution, time) } }
  }),
)
