/**
 * How a seller's work is done:
 * 1. `ask` finds the seller's actor in this process, or starts it: settings and clock are read from the store.
 * 2. The message waits in a bounded mailbox. A full one is 503.
 * 3. The actor takes what has gathered as one batch, and reads settings again if a hint told of a change.
 * 4. A message without a lane runs in the batch, which is awaited. One with a lane runs beside the actor, as many at a time as the lane
 *    has room for.
 * 5. The program decides and commits; the answer goes to whoever asked.
 *
 * If the caller leaves before 3, the message is dropped. If the actor fails, whoever waits gets `ActorFailed`, and the next message starts
 * it anew: truth is in the store. Two processes may have an actor for one seller; `decideAndCommit` makes that harmless.
 */

import { Clock, Context, Effect, Layer, Metric, Schema } from "effect"
import { limits } from "../../schema/limits.ts"
import { SellerClock } from "../ports/sellerClock.ts"
import { SellerStore } from "../ports/sellerStore.ts"
import type { ActorSelf } from "../runtime/actor.ts"
import { type Behaviour, makeRegistry, type Registry } from "../runtime/registry.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"
import { approvedNameOf } from "./decisions/payee.ts"
import { Lanes } from "./lanes.ts"
import type { SellerMessage } from "./operation.ts"
import { type OperationName, operations } from "./operations/index.ts"
import { payoutsWithoutFunds, refundsWithoutFunds } from "./programs/withoutFunds.ts"
import { listenToChanges } from "./recentChanges.ts"
import { SellerMemory } from "./sellerMemory.ts"

/** What a seller's actor works with. */
interface SellerParts {
  readonly sellerId: string
  readonly self: ActorSelf<SellerMessage>
  readonly memory: SellerMemory
}

/**
 * Handles the messages of a seller's mailbox. A message with a lane runs beside the actor, as many at a time as its lane
 * has room for; the others are awaited by their batch. So nothing waits for a remote acquirer, charges do not wait for
 * each other's commits, and neither do they wait for timers.
 */
const makeBehaviour = ({ sellerId, self, memory }: SellerParts): Behaviour<SellerMessage> => {
  const lanes = new Lanes(self)

  const handleOne = (message: SellerMessage): Effect.Effect<unknown> => {
    const { lane } = message
    const program = message.run(memory)
    if (lane === undefined) return program
    return lanes.runInLane(lane.name, program, lane.whenFull === "wait" ? program : message.refuse(sellerId))
  }

  const handle = (message: SellerMessage): Effect.Effect<unknown> => {
    const parts = message.parts()
    return parts === undefined ? handleOne(message) : Effect.forEach(parts, handleOne, { discard: true })
  }

  const handleAll = (batch: ReadonlyArray<SellerMessage>): Effect.Effect<unknown> => {
    const [first] = batch
    if (batch.length === 1 && first !== undefined) return handle(first)
    return Effect.forEach(batch, handle, { concurrency: "unbounded", discard: true })
  }

  return (batch) => Effect.andThen(memory.refresh, Effect.asVoid(handleAll(batch)))
}

/** An actor could not start: no seller has this id. */
class SellerMissing extends Schema.TaggedError<SellerMissing>()("SellerMissing", {
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
          sellerId,
          self,
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
