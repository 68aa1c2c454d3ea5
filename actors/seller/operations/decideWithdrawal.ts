import { Effect } from "effect"
import { resourceNotFound } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import { type StoredWithdrawal, WithdrawalStore } from "../../ports/withdrawalStore.ts"
import { changedByOthers } from "../../runtime/decideAndCommit.ts"
import { asAct, type SellerAct } from "../../values/sellerAct.ts"
import type { SellerTime } from "../decisions/sellerTime.ts"
import { neededState, type WithdrawalAct } from "../decisions/withdrawalActs.ts"
import { notAllowed } from "../decisions/withdrawalTransitions.ts"
import { operation, operationProgram, orUnavailable } from "../operation.ts"
import { makeApplyDecision, makeDecideAct, makeDecideHandOver } from "../programs/applyWithdrawal.ts"

/** What an operator, a seller or the test control plane decides. Whether they may is the caller's to check. */
export interface DecideWithdrawalRequest {
  readonly withdrawalId: string
  readonly act: WithdrawalAct
  /** Shown as the `failure_reason`. */
  readonly reason: string | undefined
  /** What it is in the seller's audit log. Left out: nothing, or it is there already. */
  readonly audited?: SellerAct | undefined
}

interface Message extends Pick<DecideWithdrawalRequest, "audited"> {
  readonly withdrawal: StoredWithdrawal
  readonly act: WithdrawalAct
  readonly reason: string | undefined
}

const makeDecide = Effect.gen(function* () {
  const store = yield* WithdrawalStore
  const apply = yield* makeApplyDecision
  const decide = yield* makeDecideAct
  const handOver = yield* makeDecideHandOver

  return Effect.fnUntraced(function* ({ withdrawal, act, reason }: Message, time: SellerTime) {
    const { id } = withdrawal
    // The message may have waited: the withdrawal is read again.
    let stored = yield* store.load(id)
    if (stored === undefined) return yield* resourceNotFound("withdrawal", id)
    // The simulated bank may be quicker than the payout worker; a withdrawal the bank decides on is with the bank.
    if ((act === "succeed" || act === "fail") && stored.status === "approved") {
      const handed = yield* apply(stored, (found) => handOver(found, limits.payoutPollMillisMax, time))
      stored = handed?.stored ?? stored
    }
    const now = yield* apply(stored, (found) => decide(found, act, reason, time))
    if (now === undefined) return yield* resourceNotFound("withdrawal", id)
    if (now.isContended) return yield* changedByOthers("withdrawal")
    return now.isApplied ? now.stored : yield* notAllowed(now.stored, neededState[act])
  })
})

/**
 * Decides a withdrawal and answers it as it is then: 404 where there is none, 409 `invalid_state` where its state does
 * not allow the act.
 */
export const decideWithdrawal = operation(
  "decideWithdrawal",
  Effect.gen(function* () {
    const store = yield* WithdrawalStore
    const decide = yield* makeDecide
    return operationProgram({
      sellerOf: ({ withdrawal }: Message) => withdrawal.sellerId,
      about: ({ withdrawal }) => withdrawal,
      lane: () => undefined,
      run: (message, seller) =>
        Effect.flatMap(seller.freshTimeOf(message.withdrawal.mode), (time) =>
          asAct(message.audited, decide(message, time)),
        ),
      call: ({ withdrawalId, act, reason, audited }: DecideWithdrawalRequest, { ask }) =>
        Effect.flatMap(store.load(withdrawalId), (withdrawal) =>
          withdrawal === undefined
            ? Effect.fail(resourceNotFound("withdrawal", withdrawalId))
            : orUnavailable(ask({ withdrawal, act, reason, audited })),
        ),
    })
  }),
)
