import { Effect } from "effect"
import type { KeyUse } from "../../../actors/ports/apiKeyStore.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["...api_keys"],
  args: ["...used_at"],
})

/** Records when API keys of a partition were last used. */
export const touchApiKeys =
  (client: RedisClient["Service"]) => (partition: number, uses: ReadonlyArray<KeyUse>) =>
    Effect.asVoid(
      callFunction(
        client,
        declaration,
        { api_keys: uses.map(({ keyHash }) => keys.apiKeyKey(partition, keyHash)) },
        { used_at: uses.map(({ usedAtMillis }) => usedAtMillis) },
      ),
    )
