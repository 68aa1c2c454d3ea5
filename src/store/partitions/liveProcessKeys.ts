import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["processes", "process_keys"],
  args: ["silence_max_millis"],
})

/** For each live process of the service the ids of its keys of `ENCRYPTION_KEY`, newest first: it encrypts with the first. */
export const liveProcessKeys = (client: RedisClient["Service"]) =>
  Effect.map(
    callFunction(
      client,
      declaration,
      { processes: keys.processesKey, process_keys: keys.processKeysKey },
      { silence_max_millis: limits.partitionLeaseMillis },
    ),
    (reply): ReadonlyArray<ReadonlyArray<string>> => words(reply).map((ids) => ids.split(",")),
  )
