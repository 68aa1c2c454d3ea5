import { Context, type Effect } from "effect"
import type { Feed } from "../../schema/ids.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"

/** An entry of a feed as stored; `data` is the resource's JSON text, its document ciphertext. */
export interface EventEntry {
  /** Redis' `<ms>-<seq>`; its milliseconds are the true time. */
  readonly entryId: string
  /** How far ahead of that the seller's test clock was, in ms; absent where it was not. Both are the event's `created_at`. */
  readonly aheadMillis?: number | undefined
  /** Contiguous from 1 in the feed. */
  readonly seq: number
  readonly type: string
  readonly resourceId: string
  readonly internal: boolean
  readonly data: string
}

/** A window over a feed by creation time, in ms; both ends count. */
export interface EventWindow {
  readonly fromMillis?: number
  readonly toMillis?: number
}

/** Reads the event feeds: one append-only stream per seller and mode. */
export class EventLog extends Context.Service<
  EventLog,
  {
    /** Entries newer than `afterEntryId` ("0": from the oldest kept), oldest first. */
    readonly readAfter: (
      feed: Feed,
      afterEntryId: string,
      entriesMax: number,
    ) => Effect.Effect<ReadonlyArray<EventEntry>, StoreUnavailable>
    /** Entries older than `beforeEntryId` (undefined: from the newest) in the window, newest first. */
    readonly readBefore: (
      feed: Feed,
      beforeEntryId: string | undefined,
      window: EventWindow,
      entriesMax: number,
    ) => Effect.Effect<ReadonlyArray<EventEntry>, StoreUnavailable>
    /** Those of the named entries that are still kept, in the given order. */
    readonly getMany: (
      feed: Feed,
      entryIds: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyArray<EventEntry>, StoreUnavailable>
    /** Entry ids of one resource's events, oldest first; empty for an unknown or foreign resource. */
    readonly entriesOfResource: (
      feed: Feed,
      resourceId: string,
    ) => Effect.Effect<ReadonlyArray<string>, StoreUnavailable>
    /** The newest entry ever written ("0-0" where there is none). */
    readonly newest: (feed: Feed) => Effect.Effect<string, StoreUnavailable>
  }
>()("corrente/actors/EventLog") {}
