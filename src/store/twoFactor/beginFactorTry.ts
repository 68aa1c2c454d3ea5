import { Effect } from "effect"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction, unexpectedReply } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["user"],
  args: ["tries_max"],
})

/** `count`: tries since the last correct code, this one included. `locked`: no more codes are checked. */
export type FactorTry = { readonly kind: "begun"; readonly count: number } | { readonly kind: "locked" }

/** Counts a try of a user's second factor, to be called before its code is checked: `begun`, or refused as `locked`. */
export const beginFactorTry =
  (client: RedisClient["Service"]) =>
  (userId: string): Effect.Effect<FactorTry, StoreUnavailable> =>
    Effect.flatMap(
      callFunction(client, declaration, { user: keys.userKey(userId) }, { tries_max: limits.wrongCodesMax }),
      (reply): Effect.Effect<FactorTry, StoreUnavailable> => {
        const [kind, count] = words(reply)
        if (kind === "begun") return Effect.succeed({ kind, count: Number(count) })
        if (kind === "locked") return Effect.succeed({ kind })
        return Effect.fail(unexpectedReply(declaration, reply))
      },
    )
