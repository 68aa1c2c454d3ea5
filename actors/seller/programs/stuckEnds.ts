import { Effect } from "effect"
import { isRefundOver } from "../../../schema/resources/refund.ts"
import { isWithdrawalOver } from "../../../schema/resources/withdrawal.ts"
import { ExceptionStore } from "../../ports/exceptionStore.ts"
import type { RefundTransition } from "../../ports/refundStore.ts"
import type { WithdrawalTransition } from "../../ports/withdrawalStore.ts"
import { parseRefund, parseWithdrawal } from "../../values/storedDocuments.ts"
import type { StoreUnavailable } from "../../values/storeUnavailable.ts"
import { decideResolved, factOf } from "../decisions/exceptionDocument.ts"

/** How a withdrawal or refund ends that was processing. */
interface End {
  readonly kind: "payout_stuck" | "refund_stuck"
  readonly id: string
  /** Whether the money has left. */
  readonly isDone: boolean
  readonly document: string
}

const parseEnd = { payout_stuck: parseWithdrawal, refund_stuck: parseRefund }

/** Makes the program that decides how the end of something resolves its exception of being stuck; undefined where it has none open. */
const makeStuckResolution = Effect.map(ExceptionStore, (exceptions) =>
  Effect.fnUntraced(function* ({ kind, id, isDone, document }: End) {
    const stuck = yield* exceptions.findFact(id, factOf(kind, id))
    if (stuck?.state !== "open") return undefined
    const { updated_at } = parseEnd[kind](document)
    const what = kind === "payout_stuck" ? "withdrawal" : "refund"
    const resolution = {
      act: isDone ? ("settle" as const) : ("fail" as const),
      reason: `The ${what} has ended by itself`,
      operatorIds: [],
    }
    const time = { nowMillis: Date.parse(updated_at), offsetMillis: 0 }
    return { kind: "change", change: decideResolved(stuck, resolution, time) } as const
  }),
)

/**
 * Makes the program that lets the end of a withdrawal resolve its `payout_stuck`, which nobody could settle or fail any more
 * (docs/contract/exceptions.md#kinds).
 */
export const makeWithStuckPayoutResolved = Effect.map(makeStuckResolution, (resolutionOf) =>
  Effect.fnUntraced(function* (
    transition: WithdrawalTransition,
  ): Effect.fn.Return<WithdrawalTransition, StoreUnavailable> {
    const { withdrawal, to, document } = transition
    const isEnd = withdrawal.status === "processing" && isWithdrawalOver(to)
    if (!isEnd || transition.exception !== undefined) return transition
    const end = { kind: "payout_stuck", id: withdrawal.id, isDone: to === "successful", document } as const
    const exception = yield* resolutionOf(end)
    return exception === undefined ? transition : { ...transition, exception }
  }),
)

/** The same of a refund and its `refund_stuck`. */
export const makeWithStuckRefundResolved = Effect.map(makeStuckResolution, (resolutionOf) =>
  Effect.fnUntraced(function* (
    transition: RefundTransition,
  ): Effect.fn.Return<RefundTransition, StoreUnavailable> {
    const { refund, to, document } = transition
    const isEnd = refund.status === "processing" && isRefundOver(to)
    if (!isEnd || transition.exception !== undefined) return transition
    const end = { kind: "refund_stuck", id: refund.id, isDone: to === "succeeded", document } as const
    const exception = yield* resolutionOf(end)
    return exception === undefined ? transition : { ...transition, exception }
  }),
)
