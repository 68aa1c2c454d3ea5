import { Effect } from "effect"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction, unexpectedReply } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["user", "holder"],
  args: ["tries_max", "kind", "now", "first_wait", "longest_wait", "holder_max"],
})

/**
 * Where a code is sent: in a session, or at the second step of a sign-in on a device that the user is known on or not. Each
 * has a count of its own, so that a stranger's wrong codes make nobody else wait.
 */
export type TryPlace = "session" | "known" | "stranger"

/** A try of a second factor, before its code is checked. */
export interface FactorTrying {
  readonly userId: string
  readonly place: TryPlace
  /** The hash of the session's token, or of the pending sign-in's. */
  readonly tokenHash: string
  readonly nowMillis: number
}

/**
 * `count`: tries in a row in that place, this one included. `wait`: no code is checked there for so long. `spent`: this
 * session or pending sign-in has had its tries.
 */
export type FactorTry =
  | { readonly kind: "begun"; readonly count: number }
  | { readonly kind: "wait"; readonly waitMillis: number }
  | { readonly kind: "spent" }

/** Counts a try of a user's second factor, to be called before its code is checked: `begun`, or refused as `wait` or `spent`. */
export const beginFactorTry =
  (client: RedisClient["Service"]) =>
  ({ userId, place, tokenHash, nowMillis }: FactorTrying): Effect.Effect<FactorTry, StoreUnavailable> => {
    const slot = keys.accountSlotOfUser(userId)
    const isSession = place === "session"
    return Effect.flatMap(
      callFunction(
        client,
        declaration,
        {
          user: keys.userKey(userId),
          holder: isSession ? keys.sessionKey(slot, tokenHash) : keys.tokenKey(slot, tokenHash),
        },
        {
          tries_max: limits.wrongCodesMax,
          kind: place,
          now: nowMillis,
          first_wait: limits.wrongCodesFirstWaitMillis,
          longest_wait: limits.wrongCodesLongestWaitMillis,
          holder_max: isSession ? limits.sessionWrongCodesMax : limits.pendingSignInWrongCodesMax,
        },
      ),
      (reply): Effect.Effect<FactorTry, StoreUnavailable> => {
        const [kind, number] = words(reply)
        if (kind === "begun") return Effect.succeed({ kind, count: Number(number) })
        if (kind === "wait") return Effect.succeed({ kind, waitMillis: Number(number) })
        if (kind === "spent") return Effect.succeed({ kind })
        return Effect.fail(unexpectedReply(declaration, reply))
      },
    )
  }
