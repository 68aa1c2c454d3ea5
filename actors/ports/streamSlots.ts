import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "./store.ts"

/** What a request for a slot is answered. */
export type SlotAnswer =
  | "taken"
  /** The seller has its ten streams, all of processes known to live (spec 4.2: 429). */
  | "full"
  /** It looks full, but a process that holds some may have just died: the client should come back (decisions 5). */
  | "uncertain"

/** Counts a seller's open SSE streams over all processes (spec 4.2, 8); slots of dead processes are given back. */
export class StreamSlots extends Context.Service<
  StreamSlots,
  {
    readonly take: (sellerId: string, connectionId: string) => Effect.Effect<SlotAnswer, StoreUnavailable>
    readonly release: (sellerId: string, connectionId: string) => Effect.Effect<void, StoreUnavailable>
  }
>()("corrente/actors/StreamSlots") {}
