import { Clock, type Deferred, Effect, Layer } from "effect"
import { type ApiError, resourceNotFound, serviceUnavailable } from "../../schema/errors.ts"
import { SellerClock } from "../ports/sellerClock.ts"
import type { StoreUnavailable } from "../ports/store.ts"
import { type StoredTransaction, TransactionStore } from "../ports/transactionStore.ts"
import { type StoredWithdrawal, WithdrawalStore } from "../ports/withdrawalStore.ts"
import type { ActorFailed } from "../runtime/actor.ts"
import type { MailboxFull } from "../runtime/registry.ts"
import { SellerActors } from "./sellerActor.ts"
import { type ReconcileAnswer, SellerCommands } from "./sellerCommands.ts"
import type { SellerMessage } from "./sellerMessages.ts"

const overloaded = (_: MailboxFull | ActorFailed) =>
  Effect.fail(serviceUnavailable("Too many requests of this seller are under way. Send it again."))

/** Commands by way of the sellers' actors. */
export const SellerCommandsLive = Layer.effect(
  SellerCommands,
  Effect.gen(function* () {
    const sellers = yield* SellerActors
    const transactions = yield* TransactionStore
    const withdrawals = yield* WithdrawalStore
    const clock = yield* SellerClock

    const ask = <A>(
      sellerId: string,
      build: (reply: Deferred.Deferred<A, ApiError | StoreUnavailable | ActorFailed>) => SellerMessage,
    ): Effect.Effect<A, ApiError | StoreUnavailable> =>
      sellers
        .ask<A, ApiError | StoreUnavailable>(sellerId, build)
        .pipe(Effect.catchTags({ MailboxFull: overloaded, ActorFailed: overloaded }))

    /** What an asking came to that its actor did not finish: the notice is tried again. */
    const orUnavailable = (
      asked: Effect.Effect<ReconcileAnswer, StoreUnavailable | MailboxFull | ActorFailed>,
    ): Effect.Effect<ReconcileAnswer> =>
      Effect.catch(asked, (error) =>
        Effect.succeed({
          kind: "unavailable",
          reason: error._tag === "StoreUnavailable" ? error.reason : "the seller's actor is overloaded",
        } as const),
      )

    return SellerCommands.of({
      createWithdrawal: (request) =>
        ask(request.principal.sellerId, (reply) => ({ _tag: "CreateWithdrawal", ...request, reply })),

      decideWithdrawal: Effect.fnUntraced(function* (withdrawalId, act, reason) {
        const withdrawal = yield* withdrawals.load(withdrawalId)
        if (withdrawal === undefined) return yield* resourceNotFound("withdrawal", withdrawalId)
        return yield* ask<StoredWithdrawal>(withdrawal.sellerId, (reply) => ({
          _tag: "DecideWithdrawal",
          ...{ withdrawal, act, reason, reply },
        }))
      }),

      simulateOutcome: Effect.fnUntraced(function* (transactionId, to) {
        const transaction = yield* transactions.load(transactionId)
        if (transaction === undefined) return yield* resourceNotFound("transaction", transactionId)
        return yield* ask<StoredTransaction>(transaction.sellerId, (reply) => ({
          _tag: "SimulateOutcome",
          ...{ transaction, to, reply },
        }))
      }),

      reconcileCharge: (transactionId, noticed) =>
        orUnavailable(
          Effect.flatMap(transactions.load(transactionId), (transaction) =>
            transaction === undefined
              ? Effect.succeed({ kind: "missing" } as const)
              : sellers.ask<ReconcileAnswer, StoreUnavailable>(transaction.sellerId, (reply) => ({
                  _tag: "Reconcile",
                  about: { transaction, noticed },
                  reply,
                })),
          ),
        ),

      reconcilePayout: (withdrawalId) =>
        orUnavailable(
          Effect.flatMap(withdrawals.load(withdrawalId), (withdrawal) =>
            withdrawal === undefined
              ? Effect.succeed({ kind: "missing" } as const)
              : sellers.ask<ReconcileAnswer, StoreUnavailable>(withdrawal.sellerId, (reply) => ({
                  _tag: "Reconcile",
                  about: { withdrawal },
                  reply,
                })),
          ),
        ),

      advanceClock: Effect.fnUntraced(function* (sellerId, seconds) {
        const offsetMillis = yield* clock.advance(sellerId, seconds * 1000)
        yield* sellers
          .tell(sellerId, { _tag: "ClockAdvanced", offsetMillis })
          // The actor reads it again within seconds.
          .pipe(Effect.ignore)
        return (yield* Clock.currentTimeMillis) + offsetMillis
      }),
    })
  }),
)
