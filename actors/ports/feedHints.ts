import { Context, type Effect, type Scope } from "effect"
import type { Feed } from "../../schema/ids.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"

/** A hint about a feed. The stream is the truth (docs/decisions/0002-streams-are-the-truth.md). */
export type FeedHint =
  | {
      readonly kind: "appended"
      readonly feed: Feed
      readonly entryId: string
      readonly previousEntryId: string
    }
  /** A key or session of the feed's seller has ended: streams opened under it must end. */
  | { readonly kind: "revoked"; readonly feed: Feed; readonly credentialId: string }
  /** The feed is on another server: its streams begin again there. */
  | { readonly kind: "moved"; readonly feed: Feed }
  /** The connection that carries hints broke: some may be lost. */
  | { readonly kind: "dropped" }
  /** The connection is back. */
  | { readonly kind: "restored" }

/** Tells which feeds have grown, across all processes. */
export class FeedHints extends Context.Service<
  FeedHints,
  {
    /** Calls `listener` for every hint until the scope closes. The listener must not block. */
    readonly listen: (listener: (hint: FeedHint) => void) => Effect.Effect<void, never, Scope.Scope>
    /** Starts the hints of a feed; completes when they flow. */
    readonly watch: (feed: Feed) => Effect.Effect<void, StoreUnavailable>
    /** Ends the hints of a feed. */
    readonly unwatch: (feed: Feed) => Effect.Effect<void>
  }
>()("corrente/actors/FeedHints") {}
