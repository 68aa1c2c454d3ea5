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
  answeredRequests: key(
    ["tag", "seller", "mode"],
    (tag, seller, mode) => `requests-answered:${tag}:${seller}:${mode}`,
    {
      family: "request log",
      type: "stream",
      holds: "the newest requests that were not refused",
      details:
        "`request` (the id), `method`, `route`, `status`, `ms`, `key`, `address`, `idempotency_key`, `code`, `param`, `message`, for " +
        "the [request log](contract/request-log.md): no body, query or secret",
      lifetime:
        "entries older than 7 days are trimmed by each write (whole stream nodes), and so are those beyond the newest 50,000; " +
        "7 days after the newest",
    },
  ),
  refusedRequests: key(
    ["tag", "seller", "mode"],
    (tag, seller, mode) => `requests-refused:${tag}:${seller}:${mode}`,
    {
      family: "request log",
      type: "stream",
      holds: "the newest refused requests",
      details: "as above, with ids of the same order",
      lifetime: "the same",
    },
  ),
  requestShares: key(
    ["tag", "seller", "mode"],
    (tag, seller, mode) => `request-shares:${tag}:${seller}:${mode}`,
    {
      family: "request log",
      type: "hash",
      holds: "what each key has in the log of the newest minute",
      details: "key id or `session` -> minute, how many refused, ids of the others",
      lifetime: "two minutes after it was last written",
    },
  ),
  alertSettings: key(["tag", "seller"], (tag, seller) => `alert-settings:${tag}:${seller}`, {
    family: "alerts",
    type: "hash",
    holds: "what the seller wants to hear of, and where",
    details:
      "`sealed`, ciphertext of JSON, since a URL of a chat is a credential. `subscriptions` and `balance` of live have what of it " +
      "commits compare with",
    lifetime: "kept",
  }),
  alerts: key(["tag", "seller"], (tag, seller) => `alerts:${tag}:${seller}`, {
    family: "alerts",
    type: "set by time",
    holds: "alerts that the seller is still to be told, by when each is due (ms)",
    details: "`<tries> <channel> <when> <about>`. A claim moves one to the end of its lease",
    lifetime: "a member until it was sent or given up, a few hours at most",
  }),
  alertCounts: key(
    ["tag", "seller", "hour"],
    (tag, seller, hour) => `alert-counts:${tag}:${seller}:${hour}`,
    {
      family: "alerts",
      type: "hash",
      holds: "how many alerts of each kind an hour had",
      details: "`<channel>:<when>` -> count",
      lifetime: "two hours",
    },
  ),
  bulk: key(["tag", "id"], (tag, id) => `bulk:${tag}:${id}`, {
    family: "bulk act",
    type: "hash",
    holds: "one act on many rows, and how far it is",
    details:
      "`seller`, `mode`, `user`, `by` (JSON, for the audit log), `act`, `reason`, `ids` (JSON), `total`, `done`, " +
      "`created_at`, and `failed:<index>`, the error code of a row",
    lifetime: "7 days after its last row",
  }),
  bulkRunning: key(
    ["tag", "seller", "mode"],
    (tag, seller, mode) => `bulk-running:${tag}:${seller}:${mode}`,
    {
      family: "bulk act",
      type: "string",
      holds: "the bulk act that the seller has under way",
      lifetime: "until its last row",
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
export const answeredRequestsKey = byFeed(feedKeys.answeredRequests.name)
export const refusedRequestsKey = byFeed(feedKeys.refusedRequests.name)
export const requestSharesKey = byFeed(feedKeys.requestShares.name)
export const alertSettingsKey = byId(feedKeys.alertSettings.name)
export const alertsKey = byId(feedKeys.alerts.name)
export const bulkKey = byId(feedKeys.bulk.name)
export const bulkRunningKey = byFeed(feedKeys.bulkRunning.name)
