import { payoutIdOf, timeOfId } from "../../../schema/ids.ts"
import type { StoredWithdrawal, WithdrawalTransition } from "../../ports/withdrawalStore.ts"
import { simulatedEndToEndId } from "./endToEndId.ts"
import type { SellerTime } from "./sellerTime.ts"
import { decideApproved, decideTransition } from "./withdrawalTransitions.ts"

/** What may be decided about a withdrawal; only the test control plane, in place of the bank, says `succeed` or `fail`. */
export type WithdrawalAct = "approve" | "reject" | "cancel" | "succeed" | "fail"

/** The cents of amounts that test mode's simulated operator rejects (docs/contract/withdrawals.md#test-amounts). */
const rejectedEnding = 3

/** What test mode's simulated operator decides about an amount in centavos. */
export const simulatedDecision = (amount: number): "approve" | "reject" =>
  amount % 100 === rejectedEnding ? "reject" : "approve"

/** Which state each act needs, as its refusal says. */
export const neededState: Readonly<Record<WithdrawalAct, string>> = {
  approve: "can be approved only while it is awaiting",
  reject: "can be rejected only while it is awaiting",
  cancel: "can be cancelled only while it is awaiting",
  succeed: "can succeed only once it is approved and until it has ended",
  fail: "can fail only once it is approved and until it has ended",
}

/** The transition an act calls for; undefined where the withdrawal's state does not allow it. */
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
