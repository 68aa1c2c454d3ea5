import { Effect } from "effect"
import { type StoredWithdrawal, WithdrawalStore } from "../../ports/withdrawalStore.ts"
import { operation, operationProgram } from "../operation.ts"
import { orTriedAgain } from "../programs/orTriedAgain.ts"
import { makePayout } from "../programs/payout.ts"

/** A notice about a withdrawal's payout. */
export interface ReconcilePayoutRequest {
  readonly withdrawalId: string
}

interface Message {
  readonly withdrawal: StoredWithdrawal
}

/** Asks the acquirer about a payout because of a notice, and commits what the acquirer says. */
export const reconcilePayout = operation(
  "reconcilePayout",
  Effect.gen(function* () {
    const store = yield* WithdrawalStore
    const payout = yield* makePayout
    return operationProgram({
      sellerOf: ({ withdrawal }: Message) => withdrawal.sellerId,
      about: ({ withdrawal }) => withdrawal,
      lane: () => ({ name: "paying", whenFull: "refuse" }),
      run: ({ withdrawal: { id, mode } }, seller) =>
        Effect.flatMap(seller.freshTimeOf(mode), (time) => payout.reconcile(id, time)),
      call: ({ withdrawalId }: ReconcilePayoutRequest, { ask }) =>
        orTriedAgain(
          Effect.flatMap(store.load(withdrawalId), (withdrawal) =>
            withdrawal === undefined ? Effect.succeed({ kind: "missing" } as const) : ask({ withdrawal }),
          ),
        ),
    })
  }),
)
