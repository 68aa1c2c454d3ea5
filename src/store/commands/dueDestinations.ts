import { Effect } from "effect"
import { callFunction } from "../functionLibrary.ts"
import * as keys from "../keys.ts"
import type { RedisClient } from "../redisClient.ts"
import { dueIn, words } from "./reply.ts"

/** Destinations one look names; more are seen by skipping these. */
const destinationsMax = 500

/** functions/due_destinations.lua */
export const dueDestinations = (client: RedisClient["Service"]) => (partition: number, skip: number) =>
  Effect.map(
    callFunction(
      client,
      "due_destinations",
      [keys.dueKey(keys.partitionTag(partition))],
      [skip, destinationsMax],
    ),
    (reply) => {
      const [nextIn, ...destinationIds] = words(reply)
      return { destinationIds, nextInMillis: dueIn(nextIn) }
    },
  )
