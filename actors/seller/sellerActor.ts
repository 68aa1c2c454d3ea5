import { Clock, Context, Effect, Layer, Schema } from "effect"
import { limits } from "../../schema/limits.ts"
import { Acquirers } from "../ports/acquirer.ts"
import { SellerClock } from "../ports/sellerClock.ts"
import { SellerStore } from "../ports/sellerStore.ts"
import type { StoreUnavailable } from "../ports/store.ts"
import { TimerQueue } from "../ports/timerQueue.ts"
import { makeRegistry, type Registry } from "../runtime/registry.ts"
import { listenToChanges } from "./recentChanges.ts"
import { makeBehaviour } from "./sellerBehaviour.ts"
import { SellerMemory } from "./sellerMemory.ts"
import type { SellerMessage } from "./sellerMessages.ts"
import { makeSellerPrograms } from "./sellerPrograms.ts"

/** The seller whose actor was asked for does not exist. */
export class SellerMissing extends Schema.TaggedError<SellerMissing>()("SellerMissing", {
  sellerId: Schema.String,
}) {}

/**
 * The seller actors: one a seller, started by its first message. Each takes its seller's commands in order, keeps the
 * seller's settings at hand, and bounds what is under way; charges of a local partner go to the store at once.
 */
export class SellerActors extends Context.Service<SellerActors, Registry<SellerMessage>>()(
  "corrente/actors/SellerActors",
) {}

/** Makes the actors in the current scope; what an actor opens is closed when it leaves memory. */
export const makeSellerActors = Effect.gen(function* () {
  const sellers = yield* SellerStore
  const clock = yield* SellerClock
  const programs = yield* makeSellerPrograms
  const acquirers = yield* Acquirers
  const timers = yield* TimerQueue
  const changes = yield* listenToChanges

  const load = Effect.fnUntraced(function* (sellerId: string) {
    const readAtMillis = yield* Clock.currentTimeMillis
    const [seller, offsetMillis] = yield* Effect.all([sellers.get(sellerId), clock.offsetMillis(sellerId)], {
      concurrency: "unbounded",
    })
    if (seller === undefined) return yield* new SellerMissing({ sellerId })
    return { settings: seller.settings, offsetMillis, readAtMillis }
  })

  return yield* makeRegistry<SellerMessage, StoreUnavailable | SellerMissing>({
    name: "seller",
    start: (sellerId, self) =>
      Effect.map(load(sellerId), (known) =>
        makeBehaviour({
          ...{ sellerId, self, programs, acquirers, timers },
          memory: new SellerMemory(sellerId, known, { all: load, offsetMillis: clock.offsetMillis, changes }),
        }),
      ),
    mailboxCapacity: limits.mailboxCapacity,
    batchMax: limits.commitBatchMax,
    idleMillis: limits.actorIdleMillis,
  })
})

export const SellerActorsLive = Layer.effect(SellerActors, makeSellerActors)
