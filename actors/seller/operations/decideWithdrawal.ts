import { Clock, Effect } from "effect"
import { type ApiError, resourceNotFound, serviceUnavailable } from "../../../schema/errors.ts"
import { payoutIdOf, timeOfId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { SellerStore } from "../../ports/sellerStore.ts"
import type { StoreUnavailable } from "../../ports/store.ts"
import {
  type StoredWithdrawal,
  WithdrawalStore,
  type WithdrawalTransition,
} from "../../ports/withdrawalStore.ts"
import { simulatedEndToEndId } from "../decisions/endToEndId.ts"
import type { SellerTime } from "../decisions/sellerTime.ts"
import { approvalRefusal } from "../decisions/withdrawalDecisions.ts"
import {
  decideApproved,
  decideProcessing,
  decideTransition,
  notAllowed,
} from "../decisions/withdrawalTransitions.ts"
import { makeApplyDecision } from "../programs/applyWithdrawal.ts"
import type { WithdrawalAct } from "../sellerCommands.ts"

/** Test mode: what the simulated operator refuses (decisions 3). */
const refusedEnding = 3

/** What test mode's simulated operator decides of an amount. */
export const simulatedDecision = (amount: number): "approve" | "reject" =>
  amount % 100 === refusedEnding ? "reject" : "approve"

/** Which state each act wants, as its refusal says. */
const whatFits: Readonly<Record<WithdrawalAct, string>> = {
  approve: "can be approved only while it is awaiting",
  reject: "can be rejected only while it is awaiting",
  cancel: "can be cancelled only while it is awaiting",
  succeed: "can succeed only once it is approved and until it has ended",
  fail: "can fail only once it is approved and until it has ended",
}

/** The transition an act calls for; undefined where the state does not allow it. */
export const decideAct = (
  stored: StoredWithdrawal,
  act: WithdrawalAct,
  reason: string | undefined,
  time: SellerTime,
): WithdrawalTransition | undefined => {
  switch (act) {
    case "approve":
      return decideApproved(stored, time)
    case "reject":
      return decideTransition(stored, "rejected", { failureReason: reason }, time)
    case "cancel":
      return decideTransition(stored, "cancelled", {}, time)
    case "fail":
      return decideTransition(stored, "failed", { failureReason: reason ?? "test_control" }, time)
    case "succeed": {
      const endToEndId = simulatedEndToEndId(timeOfId(stored.id), payoutIdOf(stored.id))
      return decideTransition(stored, "successful", { endToEndId }, time)
    }
  }
}

/**
 * Makes the decision of an act on what is stored and, for an approval, on its seller as it is now: 409 `invalid_state` where
 * the request would be refused by now.
 */
export const makeDecideAct = Effect.map(SellerStore, (sellers) =>
  Effect.fnUntraced(function* (
    stored: StoredWithdrawal,
    act: WithdrawalAct,
    reason: string | undefined,
    time: SellerTime,
  ) {
    const transition = decideAct(stored, act, reason, time)
    if (act !== "approve" || transition === undefined) return transition
    const seller = yield* sellers.get(stored.sellerId)
    const refused = approvalRefusal(seller, stored, yield* Clock.currentTimeMillis)
    if (refused !== undefined) return yield* refused
    return { ...transition, sellerVersion: seller?.version }
  }),
)

/** Makes the program that an operator's, a seller's or the test control plane's word on a withdrawal runs. */
export const makeDecideWithdrawal = Effect.gen(function* () {
  const store = yield* WithdrawalStore
  const apply = yield* makeApplyDecision
  const decide = yield* makeDecideAct

  return (
    withdrawalId: string,
    act: WithdrawalAct,
    reason: string | undefined,
    time: SellerTime,
  ): Effect.Effect<StoredWithdrawal, ApiError | StoreUnavailable> =>
    Effect.gen(function* () {
      let stored = yield* store.load(withdrawalId)
      if (stored === undefined) return yield* resourceNotFound("withdrawal", withdrawalId)
      // The simulated bank's word may come before the payout worker does: it is with the bank then.
      if ((act === "succeed" || act === "fail") && stored.status === "approved") {
        const handed = yield* apply(stored, (found) =>
          Effect.succeed(decideProcessing(found, limits.payoutPollMillisMax, time)),
        )
        stored = handed?.stored ?? stored
      }
      const now = yield* apply(stored, (found) => decide(found, act, reason, time))
      if (now === undefined) return yield* resourceNotFound("withdrawal", withdrawalId)
      if (now.isContended) {
        return yield* serviceUnavailable("The withdrawal is being changed by others just now. Try again.", 1)
      }
      return now.isApplied ? now.stored : yield* notAllowed(now.stored, whatFits[act])
    })
})
