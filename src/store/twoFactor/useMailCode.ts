import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"
import type { MailCode } from "./issueMailCode.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["mail_code"],
  args: ["code", "binding", "now", "tries_max", "operation"],
})

/** A code that was sent back; `operation` identifies this request: a retry gets the same answer. */
export type MailCodeUse = MailCode & { readonly operation: string }

/** Uses up a mailed code: `used`, or refused as `wrong`, which counts against the code that was mailed last. */
export const useMailCode =
  (client: RedisClient["Service"]) =>
  ({ userId, storedCode, binding, nowMillis, operation }: MailCodeUse) =>
    Effect.flatMap(
      callFunction(
        client,
        declaration,
        { mail_code: keys.mailCodeKey(userId) },
        { code: storedCode, binding, now: nowMillis, tries_max: limits.mailCodeTriesMax, operation },
      ),
      readKind(declaration, { used: "used", wrong: "wrong" }),
    )
