import { Effect } from "effect"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction, unexpectedReply } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["mail_code"],
  args: ["code", "binding", "now", "life", "pause", "codes_max", "window"],
})

/** A code to mail, as it is stored: its HMAC, and what binds it to the user's password. */
export interface MailCode {
  readonly userId: string
  readonly storedCode: string
  readonly binding: string
  readonly nowMillis: number
}

/** `recent`: one was mailed a moment ago and stands. `tooMany`: none may be mailed for so long. */
export type MailCodeIssued =
  | { readonly kind: "issued" | "recent" }
  | { readonly kind: "tooMany"; readonly waitMillis: number }

/** Stores a code that is about to be mailed, in place of the one before: `issued`, or refused as `recent` or `tooMany`. */
export const issueMailCode =
  (client: RedisClient["Service"]) =>
  ({ userId, storedCode, binding, nowMillis }: MailCode): Effect.Effect<MailCodeIssued, StoreUnavailable> =>
    Effect.flatMap(
      callFunction(
        client,
        declaration,
        { mail_code: keys.mailCodeKey(userId) },
        {
          code: storedCode,
          binding,
          now: nowMillis,
          life: limits.mailCodeMillis,
          pause: limits.mailCodePauseMillis,
          codes_max: limits.mailCodesMax,
          window: limits.mailCodesWindowMillis,
        },
      ),
      (reply): Effect.Effect<MailCodeIssued, StoreUnavailable> => {
        const [kind, waitMillis] = words(reply)
        if (kind === "issued" || kind === "recent") return Effect.succeed({ kind })
        if (kind === "too_many") return Effect.succeed({ kind: "tooMany", waitMillis: Number(waitMillis) })
        return Effect.fail(unexpectedReply(declaration, reply))
      },
    )
