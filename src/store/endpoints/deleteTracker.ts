import { Effect } from "effect"
import { destinationIdOfTracker } from "../../../actors/delivery/destinationId.ts"
import type { Mode } from "../../../schema/ids.ts"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

/** functions/delete_tracker.lua */
export const deleteTracker =
  (client: RedisClient["Service"]) => (sellerId: string, mode: Mode, operationId: string) => {
    const id = destinationIdOfTracker(sellerId, mode)
    const call = callFunction(
      client,
      "delete_tracker",
      [keys.destinationKey(id), keys.subscriptionsKey({ sellerId, mode })],
      [id, operationId],
    )
    return Effect.flatMap(call, readKind("delete_tracker", { deleted: "deleted", missing: "missing" }))
  }
