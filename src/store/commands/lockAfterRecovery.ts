import { Effect } from "effect"
import { callFunction } from "../functionLibrary.ts"
import * as keys from "../keys.ts"
import type { RedisClient } from "../redisClient.ts"
import { readKind } from "./reply.ts"

/** functions/lock_after_recovery.lua */
export const lockAfterRecovery =
  (client: RedisClient["Service"]) => (sellerId: string, untilMillis: number) => {
    const call = callFunction(client, "lock_after_recovery", [keys.sellerKey(sellerId)], [untilMillis])
    return Effect.flatMap(call, readKind("lock_after_recovery", { locked: "locked", no_seller: "noSeller" }))
  }
