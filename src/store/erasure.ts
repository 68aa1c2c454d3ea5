import { Effect } from "effect"
import type { CustomerEffect } from "../../actors/ports/transactionStore.ts"
import type { Feed } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { lookupTermsOf } from "./chargeLookup.ts"
import * as keys from "./keys.ts"
import { callFunction } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import type { RedisClient } from "./redis/redisClient.ts"
import { readKind } from "./redis/reply.ts"

type Client = RedisClient["Service"]

/** A text of a hash, and what takes its place. */
export interface TextErasure {
  readonly hash: string
  readonly field: "document" | "detail"
  readonly expected: string
  readonly replacement: string
  /** The charge to note as being erased, and what it added to its customer's sums. */
  readonly charge?: { readonly id: string; readonly sums: CustomerEffect }
}

const eraseTextFunction = luaFunction("erasure.erase_text", {
  keys: ["hash", "erasing", "lookup"],
  texts: ["expected", "replacement"],
})

/** What a charge is no longer found by, besides its customer. */
const goneTerms = (expected: string, replacement: string): ReadonlyArray<string> => {
  const kept = new Set(lookupTermsOf(replacement, undefined))
  return lookupTermsOf(expected, undefined).filter((term) => !kept.has(term))
}

/** Replaces a text of a hash: `erased`, or refused as `stale` if it is no longer as expected. */
export const eraseText =
  (client: Client) =>
  (feed: Feed, { hash, field, expected, replacement, charge }: TextErasure) =>
    Effect.flatMap(
      callFunction(
        client,
        eraseTextFunction,
        {
          hash: keys.keyWithin(keys.tagOf(feed.sellerId), hash),
          erasing: keys.erasingKey(feed),
          lookup: keys.lookupKey(feed),
        },
        {
          field,
          chargeId: charge?.id,
          sellerId: feed.sellerId,
          mode: feed.mode,
          lookup: charge === undefined ? [] : goneTerms(expected, replacement),
          customer: charge?.sums,
        },
        { expected, replacement },
      ),
      readKind(eraseTextFunction, { erased: "erased", stale: "stale" }),
    )

const copyEventsFunction = luaFunction("erasure.copy_events", { keys: ["events", "copy"] })

/** Copies the events from `first` to `last` to the copy of a run, with the data of `replaced` for its entries. */
export const copyEvents =
  (client: Client) =>
  (
    feed: Feed,
    run: string,
    { first, last }: { readonly first: string; readonly last: string },
    replaced: ReadonlyMap<string, string>,
  ) =>
    Effect.asVoid(
      callFunction(
        client,
        copyEventsFunction,
        { events: keys.eventsKey(feed), copy: keys.erasedEventsKey(feed, run) },
        {
          first,
          last,
          replaced: Object.fromEntries(replaced),
          expiryMillis: limits.erasedEventsExpiryMillis,
        },
      ),
    )

const swapEventsFunction = luaFunction("erasure.swap_events", { keys: ["events", "copy", "feed"] })

/**
 * Lets the copy of a run take the place of a feed's events: `swapped`; `more` if events have to be copied first; or refused as
 * `stale` if another run was faster.
 */
export const swapEvents =
  (client: Client) =>
  (feed: Feed, run: string, { last, rewrites }: { readonly last: string; readonly rewrites: number }) =>
    Effect.flatMap(
      callFunction(
        client,
        swapEventsFunction,
        { events: keys.eventsKey(feed), copy: keys.erasedEventsKey(feed, run), feed: keys.feedKey(feed) },
        { last, rewrites, tailMax: limits.erasurePageEntries },
      ),
      readKind(swapEventsFunction, { swapped: "swapped", more: "more", stale: "stale" }),
    )
