import { Effect } from "effect"
import { destinationIdOfTracker } from "../../../actors/delivery/destinationId.ts"
import type { Mode } from "../../../schema/ids.ts"
import { callFunction } from "../functionLibrary.ts"
import * as keys from "../keys.ts"
import type { RedisClient } from "../redisClient.ts"
import { readKind } from "./reply.ts"

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
