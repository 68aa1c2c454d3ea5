import type { Feed } from "../../../schema/ids.ts"
import { tagOf } from "../tags.ts"
import { byFeed, byId } from "./byIds.ts"
import { key } from "./keyKind.ts"

/** Events, and what is kept about a seller or a mode like them. */
export const feedKeys = {
  events: key(["tag", "seller", "mode"], (tag, seller, mode) => `events:${tag}:${seller}:${mode}`, {
    family: "events",
    type: "stream",
    holds: "every event in full",
    details:
      "`seq`, `type`, `resource`, `internal` (`1` or `0`), `data` (the resource as JSON), always in this order. " +
      "Read it with `XREVRANGE … + - COUNT 10`",
    lifetime:
      "entries older than the retention are trimmed, by each append (whole stream nodes) and once an hour (exactly)",
  }),
  feed: key(["tag", "seller", "mode"], (tag, seller, mode) => `feed:${tag}:${seller}:${mode}`, {
    family: "feed",
    type: "hash",
    holds: "the newest event of a feed",
    details:
      "`seq`, its number; `last`, its entry id; `rewrites`, how often an erasure has rewritten the feed",
    lifetime: "kept",
  }),
  erasing: key(["tag", "seller", "mode"], (tag, seller, mode) => `erasing:${tag}:${seller}:${mode}`, {
    family: "erasing",
    type: "set by time",
    holds:
      "charges whose customer an erasure has replaced, by when their events were changed; 0 while they are not yet",
    lifetime: "until an erasure runs 20 s after that or later",
  }),
  erasedEvents: key(
    ["tag", "seller", "mode", "run"],
    (tag, seller, mode, run) => `events-erased:${tag}:${seller}:${mode}:${run}`,
    {
      family: "erased events",
      type: "stream",
      holds: "the feed with customers replaced, until it takes the feed's place",
      lifetime: "an hour after it was last added to",
    },
  ),
  sellerAudit: key(["tag", "seller"], (tag, seller) => `seller-audit:${tag}:${seller}`, {
    family: "audit log",
    type: "stream",
    holds: "what was done to the seller's account, by whom",
    details:
      "`operation`, which names one act however often its call is repeated, and `act` (JSON: action, actor, address, resource, " +
      "details without secrets), for the [audit log](contract/audit-log.md)",
    lifetime:
      "entries older than the retention are trimmed by each append (whole stream nodes), and so are those beyond the newest " +
      "100,000; the retention after the newest",
  }),
  streams: key(["tag", "seller"], (tag, seller) => `streams:${tag}:${seller}`, {
    family: "streams",
    type: "hash",
    holds: "open SSE streams and their processes",
    details: "connection -> process",
    lifetime:
      "a field is removed with its stream; those of dead processes, and those that a process does not know as its own, when " +
      "their slots are needed",
  }),
  requestErrors: key(
    ["tag", "seller", "mode"],
    (tag, seller, mode) => `request-errors:${tag}:${seller}:${mode}`,
    {
      family: "request errors",
      type: "stream",
      holds: "the newest refused requests",
      details:
        "`error`, as JSON, with no body and no secret. At most 100 [refused requests](contract/request-errors.md)",
      lifetime: "7 days after the newest",
    },
  ),
}

export const eventsKey = byFeed(feedKeys.events.name)
export const feedKey = byFeed(feedKeys.feed.name)
export const erasingKey = byFeed(feedKeys.erasing.name)
export const erasedEventsKey = ({ sellerId, mode }: Feed, run: string): string =>
  feedKeys.erasedEvents.name(tagOf(sellerId), sellerId, mode, run)
export const sellerAuditKey = byId(feedKeys.sellerAudit.name)
export const streamsKey = byId(feedKeys.streams.name)
export const requestErrorsKey = byFeed(feedKeys.requestErrors.name)
