import { Effect } from "effect"
import { acquirerRefundIdOf, payoutIdOf } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { traceIdOf } from "../../../schema/trace.ts"
import { Acquirers, AcquirerUnavailable, type PayoutReport, type RefundAnswer } from "../../ports/acquirer.ts"
import type { StoredWithdrawal } from "../../ports/withdrawalStore.ts"
import { CurrentTrace } from "../../values/currentTrace.ts"
import { inSpan } from "../../values/traceSpan.ts"
import { readRefund } from "../decisions/refundTransitions.ts"
import { readCharge } from "../decisions/transactionTransitions.ts"
import { readWithdrawal } from "../decisions/withdrawalTransitions.ts"
import type { RefundWithCharge } from "./applyRefund.ts"
import type { Payee } from "./payee.ts"

/**
 * Gives an acquirer's call a deadline, whatever its adapter does, and the trace id of the resource that it is about. What a
 * call came to that missed it is unknown (docs/architecture.md#rule-7).
 */
export const boundedCall = <A, E>(
  operation: string,
  call: Effect.Effect<A, E>,
  traceId?: string,
): Effect.Effect<A, E | AcquirerUnavailable> =>
  inSpan(
    `acquirer ${operation}`,
    {},
    Effect.timeoutOrElse(Effect.provideService(call, CurrentTrace, traceId), {
      duration: limits.acquirerTimeoutMillis,
      orElse: () =>
        Effect.fail(
          new AcquirerUnavailable({
            operation,
            reason: `no answer within ${limits.acquirerTimeoutMillis / 1000} s`,
          }),
        ),
    }),
  )

/** The acquirer's answer about a payout; `silent` is unknown, not failed. */
export type PayoutTold = PayoutReport | { readonly status: "silent"; readonly reason: string }

/** The acquirer's answer to a sending. `refused`: this sending will not be paid, whatever happened to an earlier one. */
export type PayoutHeard =
  | PayoutTold
  | { readonly status: "refused"; readonly reason: string; readonly isWithoutFunds?: boolean | undefined }

/** Makes the two calls to the acquirer about the payout of a withdrawal; neither fails. */
export const makePayoutCalls = Effect.map(Acquirers, (acquirers) => ({
  query: (stored: StoredWithdrawal): Effect.Effect<PayoutTold> => {
    const { amount } = readWithdrawal(stored)
    const call = acquirers[stored.mode].queryPayout({ payoutId: payoutIdOf(stored.id), amount })
    return boundedCall("query payout", call, traceIdOf(stored.document)).pipe(
      Effect.catch(({ reason }) => Effect.succeed({ status: "silent", reason } as const)),
    )
  },
  send: (stored: StoredWithdrawal, { keyValue, holderDocument }: Payee): Effect.Effect<PayoutHeard> => {
    const { amount, description, pix_key } = readWithdrawal(stored)
    const call = acquirers[stored.mode].sendPayout({
      payoutId: payoutIdOf(stored.id),
      amount,
      pixKey: { type: pix_key.type, value: keyValue },
      ...(holderDocument === undefined ? {} : { holderDocument }),
      description,
    })
    return boundedCall("send payout", call, traceIdOf(stored.document)).pipe(
      Effect.catchTags({
        AcquirerRefused: ({ reason, isWithoutFunds }) =>
          Effect.succeed({ status: "refused", reason, isWithoutFunds } as const),
        AcquirerUnavailable: ({ reason }) => Effect.succeed({ status: "silent", reason } as const),
      }),
    )
  },
}))

/** The acquirer's answer about a refund; `silent` is unknown, not failed. */
export type RefundTold = RefundAnswer | { readonly status: "silent"; readonly reason: string }

/** The acquirer's answer to a sending. `refused`: this sending will move no money, whatever happened to an earlier one. */
export type RefundHeard =
  | RefundTold
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
    query: (found: RefundWithCharge): Effect.Effect<RefundTold> =>
      bounded("query refund", found, acquirers[found.refund.mode].queryRefund(requestOf(found))).pipe(
        Effect.catch(({ reason }) => Effect.succeed({ status: "silent", reason } as const)),
      ),
    send: (found: RefundWithCharge): Effect.Effect<RefundHeard> =>
      bounded("refund", found, acquirers[found.refund.mode].refund(requestOf(found))).pipe(
        Effect.catchTags({
          AcquirerRefused: ({ reason, isWithoutFunds }) =>
            Effect.succeed({ status: "refused", reason, isWithoutFunds } as const),
          AcquirerUnavailable: ({ reason }) => Effect.succeed({ status: "silent", reason } as const),
        }),
      ),
  }
})
