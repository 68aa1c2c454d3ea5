import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { dueIn, words } from "../redis/reply.ts"

/** functions/due_destinations.lua */
export const dueDestinations = (client: RedisClient["Service"]) => (partition: number, skip: number) =>
  Effect.map(
    callFunction(
      client,
      "due_destinations",
      [keys.dueKey(keys.partitionTag(partition))],
      [skip, limits.dueDestinationsPerLook],
    ),
    (reply) => {
      const [nextIn, ...destinationIds] = words(reply)
      return { destinationIds, nextInMillis: dueIn(nextIn) }
    },
  )
