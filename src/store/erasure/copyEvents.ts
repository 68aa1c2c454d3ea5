import { Effect } from "effect"
import type { Feed } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["events", "copy"],
  args: ["first", "last", "expiry_millis", "...replaced"],
})

/** Copies the events from `first` to `last` to the copy of a run, with the data of `replaced` for its entries. */
export const copyEvents =
  (client: RedisClient["Service"]) =>
  (
    feed: Feed,
    run: string,
    range: { readonly first: string; readonly last: string },
    replaced: ReadonlyMap<string, string>,
  ) =>
    Effect.asVoid(
      callFunction(
        client,
        declaration,
        { events: keys.eventsKey(feed), copy: keys.erasedEventsKey(feed, run) },
        { ...range, expiry_millis: limits.erasedEventsExpiryMillis, replaced: [...replaced].flat() },
      ),
    )
