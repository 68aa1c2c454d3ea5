import { Effect } from "effect"
import { acquirerRefundIdOf } from "../../../schema/ids.ts"
import { traceIdOf } from "../../../schema/trace.ts"
import { Acquirers, type RefundAnswer } from "../../ports/acquirer.ts"
import { readRefund } from "../decisions/refundTransitions.ts"
import { readCharge } from "../decisions/transactionTransitions.ts"
import type { RefundWithCharge } from "./applyRefund.ts"
import { boundedCall } from "./boundedCall.ts"

/** The acquirer's answer about a refund; `silent` is unknown, not failed. */
export type Told = RefundAnswer | { readonly status: "silent"; readonly reason: string }

/** The acquirer's answer to a sending. `refused`: this sending will move no money, whatever happened to an earlier one. */
export type Heard =
  | Told
  | { readonly status: "refused"; readonly reason: string; readonly isWithoutFunds?: boolean | undefined }

/** Makes the two calls to the acquirer about a refund of a charge; neither fails. */
export const makeRefundCalls = Effect.map(Acquirers, (acquirers) => {
  const requestOf = ({ refund, transaction }: RefundWithCharge) => ({
    endToEndId: readCharge(transaction).end_to_end_id ?? "",
    refundId: acquirerRefundIdOf(refund.id),
    amount: readRefund(refund).amount,
  })
  const bounded = <A, E>(operation: string, { refund }: RefundWithCharge, call: Effect.Effect<A, E>) =>
    boundedCall(operation, call, traceIdOf(refund.document))
  return {
    query: (found: RefundWithCharge): Effect.Effect<Told> =>
      bounded("query refund", found, acquirers[found.refund.mode].queryRefund(requestOf(found))).pipe(
        Effect.catch(({ reason }) => Effect.succeed({ status: "silent", reason } as const)),
      ),
    send: (found: RefundWithCharge): Effect.Effect<Heard> =>
      bounded("refund", found, acquirers[found.refund.mode].refund(requestOf(found))).pipe(
        Effect.catchTags({
          AcquirerRefused: ({ reason, isWithoutFunds }) =>
            Effect.succeed({ status: "refused", reason, isWithoutFunds } as const),
          AcquirerUnavailable: ({ reason }) => Effect.succeed({ status: "silent", reason } as const),
        }),
      ),
  }
})
