import { Clock, Context, Deferred, Effect, FiberSet, Layer, Schema } from "effect"
import { limits } from "../../schema/limits.ts"
import { Acquirers } from "../ports/acquirer.ts"
import { SellerStore } from "../ports/sellerStore.ts"
import type { StoreUnavailable } from "../ports/store.ts"
import { ActorFailed, makeRegistry, type Registry } from "../runtime/registry.ts"
import { makeCreateTransaction } from "./createTransaction.ts"
import { makeFireTimer } from "./fireTimer.ts"
import type { CreateTransactionMessage, FireTimerMessage, SellerMessage } from "./sellerMessages.ts"
import { timerNames } from "./transactionTransitions.ts"

/** Runs a call to a remote partner beside the actor; `orElse` where as many as may be are under way. */
const beside = (calls: FiberSet.FiberSet, call: Effect.Effect<unknown>, orElse: Effect.Effect<unknown>) =>
  Effect.flatMap(FiberSet.size(calls), (size) =>
    size < limits.partnerCallsPerSellerMax ? FiberSet.run(calls, call) : orElse,
  )

/** The seller whose actor was asked for does not exist. */
export class SellerMissing extends Schema.TaggedError<SellerMissing>()("SellerMissing", {
  sellerId: Schema.String,
}) {}

/**
 * The seller actors: one a seller, started by its first message. Each serialises its seller's commands into batches
 * that leave for the store in one write, and keeps the seller's settings at hand.
 */
export class SellerActors extends Context.Service<SellerActors, Registry<SellerMessage>>()(
  "corrente/actors/SellerActors",
) {}

export const SellerActorsLive = Layer.effect(
  SellerActors,
  Effect.gen(function* () {
    const sellers = yield* SellerStore
    const acquirers = yield* Acquirers
    const createTransaction = yield* makeCreateTransaction
    const fireTimer = yield* makeFireTimer

    const loadSettings = Effect.fnUntraced(function* (sellerId: string) {
      const seller = yield* sellers.get(sellerId)
      if (seller === undefined) return yield* new SellerMissing({ sellerId })
      return { settings: seller.settings, readAtMillis: yield* Clock.currentTimeMillis }
    })

    /** A timer that breaks must not take the seller's other commands with it. */
    const fire = (message: FireTimerMessage) =>
      fireTimer(message.timer, message.transaction).pipe(
        Effect.catchTag("StoreUnavailable", (error) =>
          Effect.logDebug(
            `timer ${message.timer.name} of ${message.transaction.id} fires again: ${error.reason}`,
          ),
        ),
        Effect.catchDefect((defect) =>
          Effect.logError(
            `timer ${message.timer.name} of ${message.transaction.id} broke and fires again`,
            defect,
          ),
        ),
      )

    const start = Effect.fnUntraced(function* (sellerId: string) {
      let known = yield* loadSettings(sellerId)
      const charging = yield* FiberSet.make()
      const asking = yield* FiberSet.make()

      const create = (message: CreateTransactionMessage) =>
        Effect.flatMap(Effect.exit(createTransaction(message, known.settings)), (exit) =>
          Deferred.done(message.reply, exit),
        )
      const refuse = (message: CreateTransactionMessage) =>
        Deferred.fail(message.reply, new ActorFailed({ actor: `seller ${sellerId}` }))

      /** Local work is awaited by its batch; a remote partner must not hold up the seller's other commands. */
      const handle = (message: SellerMessage): Effect.Effect<unknown> => {
        if (message._tag === "FireTimer") {
          const { timer, transaction } = message
          const isLocal = timer.name === timerNames.expire || acquirers[transaction.mode].isLocal
          // One too many: its lease ends and it fires again.
          return isLocal ? fire(message) : beside(asking, fire(message), Effect.void)
        }
        if (acquirers[message.principal.mode].isLocal) return create(message)
        return beside(charging, create(message), refuse(message))
      }

      return (batch: ReadonlyArray<SellerMessage>) =>
        Effect.gen(function* () {
          const ageMillis = (yield* Clock.currentTimeMillis) - known.readAtMillis
          if (ageMillis > limits.sellerSettingsMaxAgeMillis) {
            known = yield* loadSettings(sellerId).pipe(Effect.orElseSucceed(() => known))
          }
          if (batch.length === 1 && batch[0] !== undefined) yield* handle(batch[0])
          else yield* Effect.forEach(batch, handle, { concurrency: "unbounded", discard: true })
        })
    })

    return yield* makeRegistry<SellerMessage, StoreUnavailable | SellerMissing>({
      name: "seller",
      start,
      mailboxCapacity: limits.mailboxCapacity,
      batchMax: limits.commitBatchMax,
      idleMillis: limits.actorIdleMillis,
    })
  }),
)
