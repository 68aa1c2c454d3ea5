import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { dueIn, words } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["due"],
  args: ["skip", "destinations_max"],
})

/** Lists destinations with something to claim now, after the first `skip`, and when the next one is due. */
export const dueDestinations = (client: RedisClient["Service"]) => (partition: number, skip: number) =>
  Effect.map(
    callFunction(
      client,
      declaration,
      { due: keys.dueKey(keys.partitionTag(partition)) },
      { skip, destinations_max: limits.dueDestinationsPerLook },
    ),
    (reply) => {
      const [nextIn, ...destinationIds] = words(reply)
      return { destinationIds, nextInMillis: dueIn(nextIn) }
    },
  )
