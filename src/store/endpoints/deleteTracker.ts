import { Effect } from "effect"
import { destinationIdOfTracker } from "../../../actors/delivery/destinationId.ts"
import type { Mode } from "../../../schema/ids.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["destination", "subscriptions"],
  args: ["destination_id", "operation"],
  audited: { replies: ["deleted"], id: "destination_id" },
})

/** Deletes a tracker: `deleted`, or refused as `missing`. `operationId` identifies retries after a lost reply. */
export const deleteTracker =
  (client: RedisClient["Service"]) => (sellerId: string, mode: Mode, operationId: string) => {
    const id = destinationIdOfTracker(sellerId, mode)
    const call = callFunction(
      client,
      declaration,
      { destination: keys.destinationKey(id), subscriptions: keys.subscriptionsKey({ sellerId, mode }) },
      { destination_id: id, operation: operationId },
    )
    return Effect.flatMap(call, readKind(declaration, { deleted: "deleted", missing: "missing" }))
  }
