import { Effect } from "effect"
import { revokeTimerName } from "../../../actors/ports/apiKeyStore.ts"
import type { Mode } from "../../../schema/ids.ts"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const kinds = { deleted: "deleted", missing: "missing", not_yet: "notYet" } as const

/** functions/delete_api_key.lua; `onlyIfDue` leaves a key alone whose time has not come. */
export const deleteApiKey =
  (client: RedisClient["Service"]) => (sellerId: string, mode: Mode, keyId: string, onlyIfDue: boolean) => {
    const partition = keys.partitionOf(sellerId)
    const call = callFunction(
      client,
      "delete_api_key",
      [keys.apiKeysKey(sellerId, mode), keys.timersKey(keys.partitionTag(partition))],
      [
        ...[keyId, keys.apiKeyKey(partition, ""), `${keyId}:${revokeTimerName(sellerId, mode)}`],
        ...[keys.feedChannel({ sellerId, mode }), onlyIfDue ? "1" : "0"],
      ],
    )
    return Effect.flatMap(call, readKind("delete_api_key", kinds))
  }
