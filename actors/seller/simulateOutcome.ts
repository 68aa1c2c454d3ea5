import { Effect } from "effect"
import { ApiError, resourceNotFound, serviceUnavailable } from "../../schema/errors.ts"
import { timeOfId, txidOf } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import type { TransactionStatus } from "../../schema/resources/transaction.ts"
import type { SellerSettings } from "../ports/sellerStore.ts"
import type { StoreUnavailable } from "../ports/store.ts"
import {
  type StoredTransaction,
  TransactionStore,
  type TransitionCommit,
  type TransitionOutcome,
} from "../ports/transactionStore.ts"
import { simulatedEndToEndId } from "./decisions/endToEndId.ts"
import { balanceFull } from "./decisions/movements.ts"
import type { SellerTime } from "./decisions/sellerTime.ts"
import {
  afterCommit,
  decideEnd,
  decidePaid,
  decideReturned,
  readCharge,
} from "./decisions/transactionTransitions.ts"

/** The commit that the test control plane's word on a charge calls for (decisions 3). */
export const decideSimulatedOutcome = (
  stored: StoredTransaction,
  to: Exclude<TransactionStatus, "pending">,
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
      const kind = to === "refunded" ? "refund" : "chargeback"
      return decideReturned(stored, { id: "test_control", amount: amount - refunded_amount, kind }, time)
    }
  }
}

/**
 * Makes the program that forces a charge into a status its present one may go to; 409 `invalid_state` otherwise, 503 where
 * others change it all the while.
 */
export const makeSimulateOutcome = Effect.gen(function* () {
  const store = yield* TransactionStore

  return (
    known: StoredTransaction,
    to: Exclude<TransactionStatus, "pending">,
    settings: SellerSettings,
    time: SellerTime,
  ): Effect.Effect<StoredTransaction, ApiError | StoreUnavailable> =>
    Effect.gen(function* () {
      let stored: StoredTransaction | undefined = known
      for (let round = 0; round < limits.decisionsMax && stored !== undefined; round++) {
        const commit = decideSimulatedOutcome(stored, to, settings, time)
        if (commit === undefined) {
          return yield* new ApiError({
            code: "invalid_state",
            message: `Transaction '${stored.id}' is ${stored.status} and cannot become ${to}.`,
            details: { status: stored.status },
          })
        }
        const { kind }: TransitionOutcome = yield* store.transition(commit)
        if (kind === "applied") return afterCommit(stored, commit)
        if (kind === "overflow") {
          return yield* new ApiError({
            code: "invalid_state",
            message: `Transaction '${stored.id}' cannot become ${to}: ${balanceFull}.`,
            details: { status: stored.status, reason: "balance_limit" },
          })
        }
        stored = kind === "stale" ? yield* store.load(known.id) : undefined
      }
      if (stored === undefined) return yield* resourceNotFound("transaction", known.id)
      return yield* serviceUnavailable("The transaction is being changed by others just now. Try again.", 1)
    })
})
