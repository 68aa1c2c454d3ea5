import { Effect } from "effect"
import type { UnreadItem } from "../../../actors/ports/sweepStore.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"
import { textOfItem } from "./unreadText.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["sweep", "unread", "accepted"],
  args: ["digest", "text", "kept_millis", "accepted_max"],
})

/** Lets sweeps pass over an item: `applied`, or `unknown` where it is not open, `full` where too many are accepted. */
export const acceptUnread =
  (client: RedisClient["Service"]) => (account: string, item: UnreadItem, reason: string) =>
    Effect.flatMap(
      callFunction(
        client,
        declaration,
        {
          sweep: keys.sweepKey(account),
          unread: keys.unreadKey(account),
          accepted: keys.acceptedKey(account),
        },
        {
          digest: item.digest,
          text: textOfItem(item, reason),
          kept_millis: limits.sweepAcceptedMillis,
          accepted_max: limits.sweepAcceptedMax,
        },
      ),
      readKind(declaration, kinds),
    )

const kinds = { applied: "applied", full: "full", unknown: "unknown" } as const
