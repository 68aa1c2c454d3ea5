import { eventTypeOf } from "../../schema/events.ts"
import type { Feed } from "../../schema/ids.ts"
import * as keys from "./keys.ts"

/** Whether an event of this type reaches no destination (docs/contract/events.md#types). */
export const isInternal = (eventType: string | undefined): boolean =>
  eventType !== undefined && eventTypeOf(eventType)?.internal === true

/** The names of {@link eventKeys}. */
export const eventKeyNames = ["events", "feed", "subscriptions", "due"] as const

/** The keys of a commit that appends an event: those of `events.append`. */
export const eventKeys = (feed: Feed) => ({
  events: keys.eventsKey(feed),
  feed: keys.feedKey(feed),
  subscriptions: keys.subscriptionsKey(feed),
  due: keys.dueKey(keys.tagOf(feed.sellerId)),
})

/** The names of {@link moneyKeys}. */
export const moneyKeyNames = ["balance", "ledger", "releases"] as const

/** The keys of a commit that moves money: those of `ledger.move`. */
export const moneyKeys = (feed: Feed) => ({
  balance: keys.balanceKey(feed),
  ledger: keys.ledgerKey(feed),
  releases: keys.releasesKey(feed),
})
