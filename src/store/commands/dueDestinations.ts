import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import { callFunction } from "../functionLibrary.ts"
import * as keys from "../keys.ts"
import type { RedisClient } from "../redisClient.ts"
import { dueIn, words } from "./reply.ts"

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
