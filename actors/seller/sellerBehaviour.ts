import { Effect } from "effect"
import type { ActorSelf } from "../runtime/actor.ts"
import type { Behaviour } from "../runtime/registry.ts"
import { Lanes } from "./lanes.ts"
import type { SellerMessage } from "./operation.ts"
import type { SellerMemory } from "./sellerMemory.ts"

/** What a seller's actor works with. */
export interface SellerParts {
  readonly sellerId: string
  readonly self: ActorSelf<SellerMessage>
  readonly memory: SellerMemory
}

/**
 * Handles the messages of a seller's mailbox. A message with a lane runs beside the actor, as many at a time as its lane
 * has room for; the others are awaited by their batch. So nothing waits for a remote acquirer, charges do not wait for
 * each other's commits, and neither do they wait for timers.
 */
export const makeBehaviour = ({ sellerId, self, memory }: SellerParts): Behaviour<SellerMessage> => {
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
