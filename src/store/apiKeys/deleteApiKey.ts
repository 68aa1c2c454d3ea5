import { Effect } from "effect"
import { revokeTimerName } from "../../../actors/values/revokeTimer.ts"
import type { Mode } from "../../../schema/ids.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["keys_of_mode", "timers"],
  args: ["key_id", "api_key_prefix", "timer", "hint_channel", "only_if_due"],
  audited: { replies: ["deleted"], id: "key_id" },
})

const kinds = { deleted: "deleted", missing: "missing", not_yet: "notYet" } as const

/**
 * Deletes an API key: `deleted`, or refused as `missing`, or as `notYet` if `onlyIfDue` is set and its revocation time has
 * not come.
 */
export const deleteApiKey =
  (client: RedisClient["Service"]) => (sellerId: string, mode: Mode, keyId: string, onlyIfDue: boolean) => {
    const partition = keys.partitionOf(sellerId)
    const call = callFunction(
      client,
      declaration,
      { keys_of_mode: keys.apiKeysKey(sellerId, mode), timers: keys.timersKey(keys.partitionTag(partition)) },
      {
        key_id: keyId,
        api_key_prefix: keys.apiKeyKey(partition, ""),
        timer: `${keyId}:${revokeTimerName(sellerId, mode)}`,
        hint_channel: keys.feedChannel({ sellerId, mode }),
        only_if_due: onlyIfDue ? "1" : "0",
      },
    )
    return Effect.flatMap(call, readKind(declaration, kinds))
  }
