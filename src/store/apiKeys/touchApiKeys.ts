import { Effect } from "effect"
import type { KeyUse } from "../../../actors/ports/apiKeyStore.ts"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"

/** functions/touch_api_keys.lua */
export const touchApiKeys =
  (client: RedisClient["Service"]) => (partition: number, uses: ReadonlyArray<KeyUse>) =>
    Effect.asVoid(
      callFunction(
        client,
        "touch_api_keys",
        uses.map(({ keyHash }) => keys.apiKeyKey(partition, keyHash)),
        uses.map(({ usedAtMillis }) => usedAtMillis),
      ),
    )
