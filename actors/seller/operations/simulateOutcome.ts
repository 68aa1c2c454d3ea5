import { Effect } from "effect"
import { ApiError, resourceNotFound } from "../../../schema/errors.ts"
import { timeOfId, txidOf } from "../../../schema/ids.ts"
import type { TransactionStatus } from "../../../schema/resources/transaction.ts"
import type { SellerSettings } from "../../ports/sellerStore.ts"
import type { StoreUnavailable } from "../../ports/store.ts"
import {
  type StoredTransaction,
  TransactionStore,
  type TransitionCommit,
} from "../../ports/transactionStore.ts"
import { changedByOthers, decideAndCommit, stale } from "../../runtime/decideAndCommit.ts"
import { simulatedEndToEndId } from "../decisions/endToEndId.ts"
import { balanceFull } from "../decisions/movements.ts"
import type { SellerTime } from "../decisions/sellerTime.ts"
import {
  afterCommit,
  decideEnd,
  decidePaid,
  decideReturned,
  readCharge,
} from "../decisions/transactionTransitions.ts"

/** A status that the test control plane can put a charge into. */
export type SimulatedStatus = Exclude<TransactionStatus, "pending">

/** The commit that the test control plane's word on a charge calls for (decisions 3). */
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
      const kind = to === "refunded" ? "refund" : "chargeback"
      return decideReturned(stored, { id: "test_control", amount: amount - refunded_amount, kind }, time)
    }
  }
}

const notPossible = ({ id, status }: StoredTransaction, to: SimulatedStatus): ApiError =>
  new ApiError({
    code: "invalid_state",
    message: `Transaction '${id}' is ${status} and cannot become ${to}.`,
    details: { status },
  })

const noRoom = ({ id, status }: StoredTransaction, to: SimulatedStatus): ApiError =>
  new ApiError({
    code: "invalid_state",
    message: `Transaction '${id}' cannot become ${to}: ${balanceFull}.`,
    details: { status, reason: "balance_limit" },
  })

/**
 * Makes the program that puts a charge into a status its present one may go to: 409 `invalid_state` where it may not or a
 * balance has no room, 404 where there is no such charge, 503 where others keep changing it.
 */
export const makeSimulateOutcome = Effect.gen(function* () {
  const store = yield* TransactionStore

  return (
    known: StoredTransaction,
    to: SimulatedStatus,
    settings: SellerSettings,
    time: SellerTime,
  ): Effect.Effect<StoredTransaction, ApiError | StoreUnavailable> =>
    decideAndCommit({
      known,
      read: store.load(known.id),
      attempt: Effect.fnUntraced(function* (stored: StoredTransaction | undefined) {
        if (stored === undefined) return yield* resourceNotFound("transaction", known.id)
        const commit = decideSimulatedOutcome(stored, to, settings, time)
        if (commit === undefined) return yield* notPossible(stored, to)
        const { kind } = yield* store.transition(commit)
        switch (kind) {
          case "applied":
            return afterCommit(stored, commit)
          case "stale":
            return stale
          case "missing":
            return yield* resourceNotFound("transaction", known.id)
          case "overflow":
            return yield* noRoom(stored, to)
        }
      }),
      giveUp: () => changedByOthers("transaction"),
    })
})
