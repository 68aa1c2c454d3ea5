import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import { DocumentSealer } from "../../../actors/ports/documentSealer.ts"
import type { EventEntry } from "../../../actors/ports/eventLog.ts"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { Feed } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { copyEvents } from "../../store/erasure/copyEvents.ts"
import { swapEvents } from "../../store/erasure/swapEvents.ts"
import { readEntries } from "../../store/events/eventLog.ts"
import * as keys from "../../store/keys.ts"
import { RedisClient } from "../../store/redis/redisClient.ts"
import { isErased, withoutCustomer } from "./erasedCustomer.ts"

/** The entries of a feed after one ("" begins), oldest first. */
const readPage = Effect.fnUntraced(function* (feed: Feed, afterEntryId: string) {
  const client = yield* RedisClient
  const from = afterEntryId === "" ? "-" : `(${afterEntryId}`
  return readEntries(
    yield* client.call("XRANGE", [keys.eventsKey(feed), from, "+", "COUNT", limits.erasurePageEntries]),
  )
})

const shows = (entry: EventEntry, charges: ReadonlySet<string>): boolean =>
  charges.has(entry.resourceId) && !isErased(entry.data)

/** How many kept events show the customer of one of the charges. */
const countShown = Effect.fnUntraced(function* (feed: Feed, charges: ReadonlySet<string>) {
  let shown = 0
  let last = ""
  while (true) {
    const page = yield* readPage(feed, last)
    shown += page.filter((entry) => shows(entry, charges)).length
    if (page.length < limits.erasurePageEntries) return shown
    last = page.at(-1)?.entryId ?? last
  }
})

/** Copies what follows `last` to the copy of a run, customers replaced; returns the last entry copied. */
const copyOn = Effect.fnUntraced(function* (
  feed: Feed,
  run: string,
  charges: ReadonlySet<string>,
  copied: string,
) {
  const client = yield* RedisClient
  const { seal } = yield* DocumentSealer
  let last = copied
  while (true) {
    const page = yield* readPage(feed, last)
    const [first, end] = [page[0], page.at(-1)]
    if (first === undefined || end === undefined) return last
    const replaced = page.filter((entry) => shows(entry, charges))
    const data = new Map(replaced.map((entry) => [entry.entryId, withoutCustomer(entry.data, seal)]))
    yield* copyEvents(client)(feed, run, { first: first.entryId, last: end.entryId }, data)
    last = end.entryId
    if (page.length < limits.erasurePageEntries) return last
  }
})

/** Copies a feed and lets the copy take its place; false if another run was faster. */
const rewrite = Effect.fnUntraced(function* (feed: Feed, charges: ReadonlySet<string>) {
  const client = yield* RedisClient
  const run = randomBytes(8).toString("hex")
  const rewrites = String((yield* client.call("HGET", [keys.feedKey(feed), "rewrites"])) ?? "0")
  let last = yield* copyOn(feed, run, charges, "")
  while (true) {
    const { kind } = yield* swapEvents(client)(feed, run, { last, rewrites })
    if (kind !== "more") return kind === "swapped"
    last = yield* copyOn(feed, run, charges, last)
  }
})

/**
 * Replaces the customers of charges in the events of their feed, and returns in how many. Entries of a stream cannot be changed,
 * so the feed is copied under the same ids, page by page, and the copy takes its place in one step; events may be appended
 * meanwhile. Events appended after the charges were changed no longer show the customer.
 */
export const eraseFromEvents = Effect.fnUntraced(function* (feed: Feed, charges: ReadonlySet<string>) {
  const shown = yield* countShown(feed, charges)
  if (shown === 0) return 0
  for (let tries = 0; tries < limits.decisionsMax; tries++) {
    if (yield* rewrite(feed, charges)) return shown
  }
  return yield* new StoreUnavailable({
    operation: "erase",
    reason: `${keys.eventsKey(feed)} was rewritten by another run each time`,
  })
})
