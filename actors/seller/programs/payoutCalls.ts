import { Effect } from "effect"
import { payoutIdOf } from "../../../schema/ids.ts"
import { traceIdOf } from "../../../schema/trace.ts"
import { Acquirers, type PayoutReport } from "../../ports/acquirer.ts"
import type { StoredWithdrawal } from "../../ports/withdrawalStore.ts"
import { readWithdrawal } from "../decisions/withdrawalTransitions.ts"
import { boundedCall } from "./boundedCall.ts"
import type { Payee } from "./payee.ts"

/** The acquirer's answer about a payout; `silent` is unknown, not failed. */
export type Told = PayoutReport | { readonly status: "silent"; readonly reason: string }

/** The acquirer's answer to a sending. `refused`: this sending will not be paid, whatever happened to an earlier one. */
export type Heard =
  | Told
  | { readonly status: "refused"; readonly reason: string; readonly isWithoutFunds?: boolean | undefined }

/** Makes the two calls to the acquirer about the payout of a withdrawal; neither fails. */
export const makePayoutCalls = Effect.map(Acquirers, (acquirers) => ({
  query: (stored: StoredWithdrawal): Effect.Effect<Told> => {
    const { amount } = readWithdrawal(stored)
    const call = acquirers[stored.mode].queryPayout({ payoutId: payoutIdOf(stored.id), amount })
    return boundedCall("query payout", call, traceIdOf(stored.document)).pipe(
      Effect.catch(({ reason }) => Effect.succeed({ status: "silent", reason } as const)),
    )
  },
  send: (stored: StoredWithdrawal, { keyValue, holderDocument }: Payee): Effect.Effect<Heard> => {
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
