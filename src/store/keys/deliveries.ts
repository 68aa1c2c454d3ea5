import type { Mode } from "../../../schema/ids.ts"
import { attemptStatuses } from "../../../schema/resources/delivery.ts"
import { tagOf, tagOfDestination } from "../tags.ts"
import { byDestination, byFeed, byId, bySellerAndMode } from "./byIds.ts"
import { key } from "./keyKind.ts"

/** What is owed to endpoints, postbacks and trackers, and what became of it. */
export const deliveryKeys = {
  due: key(["tag"], (tag) => `due:${tag}`, {
    family: "due",
    type: "set by time",
    holds: "destinations, by the time something is due there (ms)",
    lifetime: "a member is removed when nothing is owed",
  }),
  queue: key(["tag", "destination"], (tag, destination) => `queue:${tag}:${destination}`, {
    family: "queue",
    type: "set by time",
    holds: "events owed to one destination, by the time they are due (ms)",
    details: "Entry ids; a leased one is due again when its lease ends",
    lifetime: "a member is removed when its delivery ends",
  }),
  turns: key(["tag", "endpoint"], (tag, endpoint) => `turns:${tag}:${endpoint}`, {
    family: "turns",
    type: "hash",
    holds: "if the endpoint is ordered, which event of a resource is queued",
    details:
      "with `ordering: resource`, resource -> the entry that has its turn, and that entry -> its resource. The " +
      "entry is in the queue until its delivery ends",
    lifetime: "fields are removed when the last delivery of the resource ends",
  }),
  waiting: key(["tag", "endpoint"], (tag, endpoint) => `waiting:${tag}:${endpoint}`, {
    family: "waiting",
    type: "set by text",
    holds: "if the endpoint is ordered, the events that wait for those",
    details:
      "`<resource> <seq in 16 digits> <entry>`. `ZRANGE … '[txn_…' '(txn_…!' BYLEX` shows a resource's, in order",
    lifetime: "a member is removed when its turn comes",
  }),
  destination: key(["tag", "destination"], (tag, destination) => `destination:${tag}:${destination}`, {
    family: "destination",
    type: "hash",
    holds: "one endpoint, postback or tracker; its secrets and headers are ciphertext",
    details:
      "An endpoint has the id `we_` and a ULID, a postback or a tracker `pb_` or `tr_`, the partition's two characters, and a " +
      "SHA-256 in base64url. Fields: `seller`, `mode`, `target`, `url`, `url_password` (of a Redis Stream; ciphertext), `enabled`, secrets and headers (ciphertext), `dead_streak`, " +
      "`last_success_at`, `last_ping_at`, `deleted_by`, `ordering`, `keeps_turns` (whether claims look at `turns`), " +
      "`disabled_after` (the feed's newest entry when it was disabled), `outages` (its disabled periods that have ended: " +
      "`<after> <up to>` by entries, separated by commas) …",
    lifetime:
      "endpoint: kept until deleted, then the retention. Postback: until the retention has passed since something was last " +
      "owed. Tracker: kept",
  }),
  delivery: key(
    ["tag", "destination", "entry"],
    (tag, destination, entry) => `delivery:${tag}:${destination}:${entry}`,
    {
      family: "delivery",
      type: "hash",
      holds: "one event owed to one destination, from its first claim on",
      details:
        "`attempts`, `state` (`leased`, `scheduled` or the last attempt's status), `fence`, `promised_id`, `manual`, `turn` (the " +
        "resource whose turn it had)",
      lifetime: "the retention after its last claim",
    },
  ),
  attempt: key(["tag", "whd"], (tag, whd) => `attempt:${tag}:${whd}`, {
    family: "attempt",
    type: "hash",
    holds: "one delivery attempt",
    details:
      "`seller`, `mode`, `destination`, `entry`, `row` and `detail` (JSON; the path is in `detail`, the host in `row`; `detail` " +
      "lacks the headers that [follow from the row](decisions/0096-headers-that-follow.md))",
    lifetime: "the retention",
  }),
  attemptsOfStatus: key(
    ["tag", "seller", "mode", "status"],
    (tag, seller, mode, status) => `attempts:${tag}:${seller}:${mode}:status:${status}`,
    {
      family: "attempts",
      type: "set by id",
      holds: "ids of the attempts of one status; each attempt has one",
      lifetime: "trimmed to the retention by one attempt in sixteen and once an hour",
      values: { status: attemptStatuses },
    },
  ),
  attemptsOfEvent: key(
    ["tag", "seller", "mode", "event"],
    (tag, seller, mode, event) => `attempts:${tag}:${seller}:${mode}:event:${event}`,
    {
      family: "attempts",
      type: "set by id",
      holds: "ids of the attempts of one event",
      lifetime: "the retention after its last attempt",
    },
  ),
  attemptsOfEndpoint: key(
    ["tag", "seller", "mode", "endpoint"],
    (tag, seller, mode, endpoint) => `attempts:${tag}:${seller}:${mode}:endpoint:${endpoint}`,
    {
      family: "attempts",
      type: "set by id",
      holds: "ids of the attempts of one endpoint",
      lifetime: "as those of a status; that of a deleted endpoint expires after the retention",
    },
  ),
  deadAttempts: key(["tag", "mode"], (tag, mode) => `dead-attempts:${tag}:${mode}`, {
    family: "dead attempts",
    type: "set by id",
    holds: "ids of the dead attempts of all the partition's sellers",
    details: "For operators' lists. Audits compare it with the sellers' own",
    lifetime: "trimmed to the retention by each that joins and once an hour",
  }),
  endpoints: key(["tag", "seller", "mode"], (tag, seller, mode) => `endpoints:${tag}:${seller}:${mode}`, {
    family: "endpoints",
    type: "set by id",
    holds: "ids of webhook endpoints that are not deleted",
    lifetime: "kept",
  }),
  subscriptions: key(
    ["tag", "seller", "mode"],
    (tag, seller, mode) => `subscriptions:${tag}:${seller}:${mode}`,
    {
      family: "subscriptions",
      type: "hash",
      holds: "enabled endpoints and the tracker, each with its event types, and what alerts are wanted of",
      details:
        "`*` or `,type,type,`; `alert-mail` and `alert-url` of live are `,name=when,`. Fan-out reads it",
      lifetime: "kept",
    },
  ),
  postbacks: key(["tag", "seller", "mode"], (tag, seller, mode) => `postbacks:${tag}:${seller}:${mode}`, {
    family: "postbacks",
    type: "set by time",
    holds:
      "postback destinations, by when an event was last owed to them, and deleted endpoints, by when they were deleted (ms)",
    lifetime: "trimmed to the retention, once an hour at the latest",
  }),
  counters: key(["tag", "seller", "mode"], (tag, seller, mode) => `counters:${tag}:${seller}:${mode}`, {
    family: "counters",
    type: "string",
    holds: "the cached answer of `/v1/me/counters`",
    lifetime: "10 s",
  }),
}

export const dueKey = deliveryKeys.due.name
export const queueKey = byDestination(deliveryKeys.queue.name)
export const turnsKey = byDestination(deliveryKeys.turns.name)
export const waitingKey = byDestination(deliveryKeys.waiting.name)
export const destinationKey = byDestination(deliveryKeys.destination.name)
export const deliveryKey = (destinationId: string, entryId: string): string =>
  deliveryKeys.delivery.name(tagOfDestination(destinationId), destinationId, entryId)
export const attemptKey = byId(deliveryKeys.attempt.name)

const attemptsBy = {
  endpoint: deliveryKeys.attemptsOfEndpoint.name,
  event: deliveryKeys.attemptsOfEvent.name,
  status: deliveryKeys.attemptsOfStatus.name,
}
/** The index of the attempts of one endpoint, event or status. */
export const attemptsKey = (
  sellerId: string,
  mode: Mode,
  by: { readonly kind: keyof typeof attemptsBy; readonly value: string },
): string => attemptsBy[by.kind](tagOf(sellerId), sellerId, mode, by.value)
export const deadAttemptsKey = (tag: string, mode: Mode): string => deliveryKeys.deadAttempts.name(tag, mode)
export const endpointsKey = byFeed(deliveryKeys.endpoints.name)
export const subscriptionsKey = byFeed(deliveryKeys.subscriptions.name)
export const postbacksKey = byFeed(deliveryKeys.postbacks.name)
export const countersKey = bySellerAndMode(deliveryKeys.counters.name)
