import { Effect } from "effect"
import type { SweepLease, UnreadItem } from "../../../actors/ports/sweepStore.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction, unexpectedReply } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"
import { textOfItem } from "./unreadText.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["sweep", "unread", "accepted"],
  args: ["fence", "remembered_max", "more", "...items"],
})

const recordedOf = (kind: string | undefined, openCount: number) => {
  if (kind === "applied") return { kind, openCount } as const
  return kind === "stale" ? ({ kind } as const) : undefined
}

/** Records what a sweep could not read: how much of it is open, or `stale` if another process has taken the lease since. */
export const recordUnread =
  (client: RedisClient["Service"]) =>
  (
    { account, fence }: SweepLease,
    { items, more }: { readonly items: ReadonlyArray<UnreadItem>; readonly more: number },
  ) =>
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
          fence,
          remembered_max: limits.sweepUnreadableMax,
          more,
          items: items.flatMap((item) => [item.digest, textOfItem(item)]),
        },
      ),
      (reply) => {
        const [kind, openCount] = words(reply)
        const recorded = recordedOf(kind, Number(openCount))
        return recorded === undefined
          ? Effect.fail(unexpectedReply(declaration, reply))
          : Effect.succeed(recorded)
      },
    )
