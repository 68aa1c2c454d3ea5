import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"

/** The answer to a request for a slot. */
export type SlotAnswer =
  | "taken"
  /** The seller has ten streams, all held by processes known to be alive: 429. */
  | "full"
  /** It looks full, but a process that holds slots may have just died: the client should try again. */
  | "uncertain"

/**
 * Counts a seller's open SSE streams across all processes, and frees those of dead ones
 * and those that nobody holds any more (docs/contract/events.md#stream-limits).
 */
export class StreamSlots extends Context.Service<
  StreamSlots,
  {
    readonly take: (sellerId: string, connectionId: string) => Effect.Effect<SlotAnswer, StoreUnavailable>
    readonly release: (sellerId: string, connectionId: string) => Effect.Effect<void, StoreUnavailable>
  }
>()("corrente/actors/StreamSlots") {}
