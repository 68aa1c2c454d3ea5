import { Context, type Effect } from "effect"
import type { Feed } from "../../schema/ids.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"

/** A stream that is about to open. */
export interface StreamOpening {
  readonly feed: Feed
  /** The name of its slot. */
  readonly connectionId: string
  /** The API key that asks, as a principal has it; of a session `sessionKeyHash`. */
  readonly keyHash: string
  /** The entry that it resumes from, if it names one. */
  readonly requestedEntryId?: string | undefined
}

/** What a feed has: the newest entry ever written ("0-0" where there is none), the oldest kept, and whether the requested one is kept. */
export interface FeedBounds {
  readonly newest: string
  readonly oldest: string | undefined
  readonly hasRequested: boolean
}

/** The answer to a request for a slot. */
export type SlotAnswer =
  | { readonly kind: "taken"; readonly bounds: FeedBounds }
  | {
      readonly kind: /** The API key was revoked: 401. */
        | "keyInvalid"
        /** The seller has ten streams, all held by processes known to be alive: 429. */
        | "full"
        /** It looks full, but a process that holds slots may have just died: the client should try again. */
        | "uncertain"
    }

/**
 * Counts a seller's open SSE streams across all processes, and frees those of dead ones
 * and those that nobody holds any more (docs/contract/events.md#stream-limits).
 */
export class StreamSlots extends Context.Service<
  StreamSlots,
  {
    /** Checks the key, takes a slot and reads what the feed has, atomically. */
    readonly take: (opening: StreamOpening) => Effect.Effect<SlotAnswer, StoreUnavailable>
    readonly release: (sellerId: string, connectionId: string) => Effect.Effect<void, StoreUnavailable>
  }
>()("corrente/actors/StreamSlots") {}
