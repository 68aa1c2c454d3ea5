import { timeOfId, txidOf } from "../../../schema/ids.ts"
import type { TransactionStatus } from "../../../schema/resources/transaction.ts"
import type { SellerSettings } from "../../ports/sellerStore.ts"
import type { StoredTransaction, TransitionCommit } from "../../ports/transactionStore.ts"
import { simulatedEndToEndId } from "./endToEndId.ts"
import type { SellerTime } from "./sellerTime.ts"
import { decideEnd, decidePaid, decideReturned, readCharge } from "./transactionTransitions.ts"

/** A status the test control plane can put a charge into. */
export type SimulatedStatus = Exclude<TransactionStatus, "pending">

/**
 * Decides what the test control plane asked for (docs/contract/test-controls.md#transactions); undefined where the
 * charge's status does not allow it.
 */
export const decideSimulatedOutcome = (
  stored: StoredTransaction,
  to: SimulatedStatus,
  settings: SellerSettings,
  time: SellerTime,
): TransitionCommit | undefined => {
  switch (to) {
    case "paid":
      return decidePaid(stored, simulatedEndToEndId(timeOfId(stored.id), txidOf(stored.id)), settings, time)
    case "expired":
      return decideEnd(stored, "expired", {}, time)
    case "failed":
      return decideEnd(stored, "failed", { reason: "test_control" }, time)
    default: {
      const { amount, refunded_amount } = readCharge(stored)
      const left = { id: "test_control", amount: amount - refunded_amount }
      return to === "refunded"
        ? decideReturned(stored, { ...left, kind: "refund" }, time)
        : decideReturned(stored, { ...left, kind: "chargeback", reason: "MED_FRAUDE" }, time)
    }
  }
}
