import { Clock, Context, Effect, Layer, Metric, Schema } from "effect"
import { limits } from "../../schema/limits.ts"
import { SellerClock } from "../ports/sellerClock.ts"
import { SellerStore } from "../ports/sellerStore.ts"
import { makeRegistry, type Registry } from "../runtime/registry.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"
import { approvedNameOf } from "./decisions/payee.ts"
import type { SellerMessage } from "./operation.ts"
import { type OperationName, operations } from "./operations/index.ts"
import { payoutsWithoutFunds, refundsWithoutFunds } from "./programs/withoutFunds.ts"
import { listenToChanges } from "./recentChanges.ts"
import { makeBehaviour } from "./sellerBehaviour.ts"
import { SellerMemory } from "./sellerMemory.ts"

/** No seller has the id whose actor was to start. */
export class SellerMissing extends Schema.TaggedError<SellerMissing>()("SellerMissing", {
  sellerId: Schema.String,
}) {}

/** An operation of the list, as its callers see it. */
export interface ListedOperation<Request, Answer, Failure> {
  readonly name: OperationName
  readonly open: (
    actors: Registry<SellerMessage>,
  ) => Effect.Effect<(request: Request) => Effect.Effect<Answer, Failure>, never, unknown>
}

/**
 * The sellers' actors: one a seller, started by its first message. Each handles its seller's messages in order, keeps the
 * seller's settings at hand, and bounds what is in progress. `ask` is the only way in.
 */
export class SellerActors extends Context.Service<
  SellerActors,
  {
    /** Asks the seller's actor for an operation. 503 `service_unavailable`, or what the operation says, when overloaded. */
    readonly ask: <Request, Answer, Failure>(
      operation: ListedOperation<Request, Answer, Failure>,
      request: Request,
    ) => Effect.Effect<Answer, Failure>
    /** How many actors are in memory. */
    readonly size: () => number
  }
>()("corrente/actors/SellerActors") {}

const makeSellerRegistry = Effect.gen(function* () {
  const sellers = yield* SellerStore
  const clock = yield* SellerClock
  const changes = yield* listenToChanges

  const load = Effect.fnUntraced(function* (sellerId: string) {
    const readAtMillis = yield* Clock.currentTimeMillis
    const [seller, offsetMillis] = yield* Effect.all([sellers.get(sellerId), clock.offsetMillis(sellerId)], {
      concurrency: "unbounded",
    })
    if (seller === undefined) return yield* new SellerMissing({ sellerId })
    return { settings: seller.settings, approvedName: approvedNameOf(seller), offsetMillis, readAtMillis }
  })

  return yield* makeRegistry<SellerMessage, StoreUnavailable | SellerMissing>({
    name: "seller",
    start: (sellerId, self) =>
      Effect.map(load(sellerId), (known) =>
        makeBehaviour({
          ...{ sellerId, self },
          memory: new SellerMemory(sellerId, known, { all: load, offsetMillis: clock.offsetMillis, changes }),
        }),
      ),
    mailboxCapacity: limits.mailboxCapacity,
    batchMax: limits.commitBatchMax,
    idleMillis: limits.actorIdleMillis,
  })
})

/** Makes the actors in the current scope; what an actor opens is closed when it leaves memory. */
export const makeSellerActors = Effect.gen(function* () {
  const registry = yield* makeSellerRegistry
  // So that the counters are there before the first.
  yield* Metric.update(payoutsWithoutFunds, 0)
  yield* Metric.update(refundsWithoutFunds, 0)
  const opened = new Map<OperationName, (request: never) => Effect.Effect<unknown, unknown>>()
  for (const { name, open } of operations) opened.set(name, yield* open(registry))

  return SellerActors.of({
    ask: <Request, Answer, Failure>(
      { name }: ListedOperation<Request, Answer, Failure>,
      request: Request,
    ) => {
      // The list opened this operation under its name, so the function has the operation's types.
      const call = opened.get(name) as (request: Request) => Effect.Effect<Answer, Failure>
      return call(request)
    },
    size: registry.size,
  })
})

/** The actors as a service of the process. */
export const SellerActorsLive = Layer.effect(SellerActors, makeSellerActors)
