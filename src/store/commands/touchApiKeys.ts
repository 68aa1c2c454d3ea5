import { Effect } from "effect"
import type { KeyUse } from "../../../actors/ports/apiKeyStore.ts"
import { callFunction } from "../functionLibrary.ts"
import * as keys from "../keys.ts"
import type { RedisClient } from "../redisClient.ts"

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
