import { Effect } from "effect"
import { ApiError, resourceNotFound } from "../../../schema/errors.ts"
import { Acquirers } from "../../ports/acquirer.ts"
import { type StoredWithdrawal, WithdrawalStore } from "../../ports/withdrawalStore.ts"
import { changedByOthers } from "../../runtime/decideAndCommit.ts"
import { decideManualEnd, isPaidByHand, type ManualEnd, notPaidByHand } from "../decisions/manualPayouts.ts"
import type { SellerTime } from "../decisions/sellerTime.ts"
import { operation, operationProgram, orUnavailable } from "../operation.ts"
import { makeApplyDecision } from "../programs/applyWithdrawal.ts"
import { makePayoutClaims } from "../programs/payoutClaims.ts"

/** What an operator says of a withdrawal that operators pay themselves. Whether they may is the caller's to check. */
export interface EndManualPayoutRequest {
  readonly withdrawalId: string
  readonly end: ManualEnd
}

interface Message {
  readonly withdrawal: StoredWithdrawal
  readonly end: ManualEnd
}

const makeEnd = Effect.gen(function* () {
  const store = yield* WithdrawalStore
  const acquirers = yield* Acquirers
  const apply = yield* makeApplyDecision
  const claims = yield* makePayoutClaims

  return Effect.fnUntraced(function* ({ withdrawal: { id }, end }: Message, time: SellerTime) {
    const stored = yield* store.load(id)
    if (stored === undefined) return yield* resourceNotFound("withdrawal", id)
    if (!isPaidByHand(stored, acquirers)) return yield* notPaidByHand(stored)
    const decided = decideManualEnd(stored, end, time)
    if (decided instanceof ApiError) return yield* decided
    if (end.act === "settle") yield* claims.claim(stored, end.endToEndId)
    const now = yield* apply(stored, (found) => {
      const again = decideManualEnd(found, end, time)
      if (again instanceof ApiError) return Effect.fail(again)
      return Effect.succeed(again === "same" ? undefined : again)
    })
    if (now === undefined) return yield* resourceNotFound("withdrawal", id)
    if (now.isContended) return yield* changedByOthers("withdrawal")
    if (end.act === "settle") yield* claims.resolveUnknown(stored, end.endToEndId)
    return now.stored
  })
})

/**
 * Settles or fails an approved withdrawal that an operator paid in the bank's own application, or did not, and answers it as it is then
 * (docs/contract/withdrawals.md#paid-by-hand). Asked again it changes nothing. 404 where there is none; 409 `invalid_state` where the
 * service hands it over itself, where it has ended otherwise, and where the Pix belongs to something else.
 */
export const endManualPayout = operation(
  "endManualPayout",
  Effect.gen(function* () {
    const store = yield* WithdrawalStore
    const end = yield* makeEnd
    return operationProgram({
      sellerOf: ({ withdrawal }: Message) => withdrawal.sellerId,
      about: ({ withdrawal }) => withdrawal,
      lane: () => undefined,
      run: (message, seller) =>
        Effect.flatMap(seller.freshTimeOf(message.withdrawal.mode), (time) => end(message, time)),
      call: ({ withdrawalId, end }: EndManualPayoutRequest, { ask }) =>
        Effect.flatMap(store.load(withdrawalId), (withdrawal) =>
          withdrawal === undefined
            ? Effect.fail(resourceNotFound("withdrawal", withdrawalId))
            : orUnavailable(ask({ withdrawal, end })),
        ),
    })
  }),
)
