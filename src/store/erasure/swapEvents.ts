import { Effect } from "effect"
import type { Feed } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["events", "copy", "feed"],
  args: ["last", "rewrites", "tail_max"],
})

/**
 * Lets the copy of a run take the place of a feed's events: `swapped`; `more` if events have to be copied first; or refused as
 * `stale` if another run was faster.
 */
export const swapEvents =
  (client: RedisClient["Service"]) =>
  (feed: Feed, run: string, copied: { readonly last: string; readonly rewrites: string }) =>
    Effect.flatMap(
      callFunction(
        client,
        declaration,
        { events: keys.eventsKey(feed), copy: keys.erasedEventsKey(feed, run), feed: keys.feedKey(feed) },
        { ...copied, tail_max: limits.erasurePageEntries },
      ),
      readKind(declaration, { swapped: "swapped", more: "more", stale: "stale" }),
    )
