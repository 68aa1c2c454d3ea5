import { Context, type Effect, type Scope } from "effect"
import type { Feed } from "../../schema/ids.ts"
import type { StoreUnavailable } from "./store.ts"

/** What the hint channel says. Hints are only hints: the stream is the truth (rule 4). */
export type FeedHint =
  | {
      readonly kind: "appended"
      readonly feed: Feed
      readonly entryId: string
      readonly previousEntryId: string
    }
  /** A key or a session of the feed's seller has ended: streams that were opened under it must end. */
  | { readonly kind: "revoked"; readonly feed: Feed; readonly credentialId: string }
  /** The connection that carries hints broke: hints may have been lost. */
  | { readonly kind: "dropped" }
  /** It is back. */
  | { readonly kind: "restored" }

/** Tells which feeds have grown, over all processes. */
export class FeedHints extends Context.Service<
  FeedHints,
  {
    /** Calls `listener` for every hint until the scope closes. The listener must not block. */
    readonly listen: (listener: (hint: FeedHint) => void) => Effect.Effect<void, never, Scope.Scope>
    /** Starts the hints of one feed; resolves when they flow. */
    readonly watch: (feed: Feed) => Effect.Effect<void, StoreUnavailable>
    /** Ends them. */
    readonly unwatch: (feed: Feed) => Effect.Effect<void>
  }
>()("corrente/actors/FeedHints") {}
