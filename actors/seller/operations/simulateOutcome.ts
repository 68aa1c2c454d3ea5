import { Effect } from "effect"
import { ApiError, resourceNotFound } from "../../../schema/errors.ts"
import type { SellerSettings } from "../../ports/sellerStore.ts"
import { type StoredTransaction, TransactionStore } from "../../ports/transactionStore.ts"
import { changedByOthers, decideAndCommit, stale } from "../../runtime/decideAndCommit.ts"
import { balanceFull } from "../decisions/movements.ts"
import type { SellerTime } from "../decisions/sellerTime.ts"
import { decideSimulatedOutcome, type SimulatedStatus } from "../decisions/simulatedOutcome.ts"
import { afterCommit } from "../decisions/transactionTransitions.ts"
import { operation, operationProgram, orUnavailable } from "../operation.ts"

/** A route of the test control plane about a charge. */
export interface SimulateOutcomeRequest {
  readonly transactionId: string
  readonly to: SimulatedStatus
}

interface Message {
  readonly transaction: StoredTransaction
  readonly to: SimulatedStatus
}

const notAllowed = ({ id, status }: StoredTransaction, to: SimulatedStatus): ApiError<"invalid_state"> =>
  new ApiError({
    code: "invalid_state",
    message: `Transaction '${id}' is ${status} and cannot become ${to}.`,
    details: { status },
  })

const noRoom = ({ id, status }: StoredTransaction, to: SimulatedStatus): ApiError<"invalid_state"> =>
  new ApiError({
    code: "invalid_state",
    message: `Transaction '${id}' cannot become ${to}: ${balanceFull}.`,
    details: { status, reason: "balance_limit" },
  })

const makeSimulate = Effect.map(
  TransactionStore,
  (store) =>
    ({ transaction: known, to }: Message, settings: SellerSettings, time: SellerTime) =>
      decideAndCommit({
        known,
        read: store.load(known.id),
        attempt: Effect.fnUntraced(function* (stored: StoredTransaction | undefined) {
          if (stored === undefined) return yield* resourceNotFound("transaction", known.id)
          const commit = decideSimulatedOutcome(stored, to, settings, time)
          if (commit === undefined) return yield* notAllowed(stored, to)
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
      }),
)

/**
 * Puts a charge into a status, as the test control plane asks: 409 `invalid_state` where its present status does not
 * allow it or a balance has no room, 404 where there is no such charge.
 */
export const simulateOutcome = operation(
  "simulateOutcome",
  Effect.gen(function* () {
    const store = yield* TransactionStore
    const simulate = yield* makeSimulate
    return operationProgram({
      sellerOf: ({ transaction }: Message) => transaction.sellerId,
      about: ({ transaction }) => transaction,
      lane: () => undefined,
      run: (message, seller) =>
        Effect.flatMap(seller.freshTimeOf(message.transaction.mode), (time) =>
          simulate(message, seller.settings, time),
        ),
      call: ({ transactionId, to }: SimulateOutcomeRequest, { ask }) =>
        Effect.flatMap(store.load(transactionId), (transaction) =>
          transaction === undefined
            ? Effect.fail(resourceNotFound("transaction", transactionId))
            : orUnavailable(ask({ transaction, to })),
        ),
    })
  }),
)
