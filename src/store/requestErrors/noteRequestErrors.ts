import { Effect } from "effect"
import type { StoredRequestError } from "../../../actors/ports/requestErrorStore.ts"
import type { Feed } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["errors"],
  args: ["kept", "kept_millis", "...errors"],
})

/** Adds refused requests to those of a mode, and forgets the oldest. */
export const noteRequestErrors =
  (client: RedisClient["Service"]) => (feed: Feed, errors: ReadonlyArray<StoredRequestError>) =>
    Effect.asVoid(
      callFunction(
        client,
        declaration,
        { errors: keys.requestErrorsKey(feed) },
        {
          kept: limits.requestErrorsKept,
          kept_millis: limits.requestErrorsKeptMillis,
          errors: errors.map((error) => JSON.stringify(error)),
        },
      ),
    )
