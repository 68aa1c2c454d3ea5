import { Effect } from "effect"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { limits } from "../../schema/limits.ts"
import * as keys from "./keys.ts"
import { callFunction, unexpectedReply } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient } from "./redis/redisClient.ts"
import { readKind, words } from "./redis/reply.ts"

type Client = RedisClient["Service"]

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

const issueFunction = luaFunction("mail_codes.issue", { keys: ["mailCode"] })

/** Stores a code that is about to be mailed, in place of the one before: `issued`, or refused as `recent` or `tooMany`. */
const issue =
  (client: Client) =>
  ({ userId, storedCode, binding, nowMillis }: MailCode): Effect.Effect<MailCodeIssued, StoreUnavailable> =>
    Effect.flatMap(
      callFunction(
        client,
        issueFunction,
        { mailCode: keys.mailCodeKey(userId) },
        {
          code: storedCode,
          binding,
          now: nowMillis,
          lifeMillis: limits.mailCodeMillis,
          pauseMillis: limits.mailCodePauseMillis,
          codesMax: limits.mailCodesMax,
          windowMillis: limits.mailCodesWindowMillis,
        },
      ),
      (reply): Effect.Effect<MailCodeIssued, StoreUnavailable> => {
        const [kind, waitMillis] = words(reply)
        if (kind === "issued" || kind === "recent") return Effect.succeed({ kind })
        if (kind === "too_many") return Effect.succeed({ kind: "tooMany", waitMillis: Number(waitMillis) })
        return Effect.fail(unexpectedReply(issueFunction, reply))
      },
    )

/** A code that was sent back; `operation` identifies this request: a retry gets the same answer. */
export type MailCodeUse = MailCode & { readonly operation: string }

const useFunction = luaFunction("mail_codes.use", { keys: ["mailCode"] })

/** Uses up a mailed code: `used`, or refused as `wrong`, which counts against the code that was mailed last. */
const use =
  (client: Client) =>
  ({ userId, storedCode, binding, nowMillis, operation }: MailCodeUse) =>
    Effect.flatMap(
      callFunction(
        client,
        useFunction,
        { mailCode: keys.mailCodeKey(userId) },
        { code: storedCode, binding, now: nowMillis, triesMax: limits.mailCodeTriesMax, operation },
      ),
      readKind(useFunction, { used: "used", wrong: "wrong" }),
    )

/** Makes the store of mailed codes. */
export const makeMailCodeStore = Effect.map(RedisClient, (client) => ({
  issue: issue(client),
  use: use(client),
}))
