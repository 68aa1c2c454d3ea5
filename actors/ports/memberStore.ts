import { Context, type Effect } from "effect"
import type { Membership, StoredMember, StoredTeam } from "../values/membership.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"

/** A change of a team, decided on what was read. */
export interface TeamChange {
  /** What it was decided on. */
  readonly team: Pick<StoredTeam, "sellerId" | "version">
  /** Names this change: a call whose reply was lost and that comes again is the same change. */
  readonly operation: string
  /** Members as they are from then on, new ones among them. */
  readonly written: ReadonlyArray<StoredMember>
  /** Ids of those that are gone. */
  readonly removed: ReadonlyArray<string>
  /** The user who owns the seller from then on; undefined: who owned it before. */
  readonly ownerId?: string | undefined
}

/** Sellers' teams (docs/contract/members.md). What the seller's records say of a user counts, and nothing that the user's say. */
export class MemberStore extends Context.Service<
  MemberStore,
  {
    /** A seller's team; undefined for an unknown seller. */
    readonly load: (sellerId: string) => Effect.Effect<StoredTeam | undefined, StoreUnavailable>
    /** What a user is in a seller's team; `memberId` undefined: the id of the seller's first user. Undefined: nothing. */
    readonly membershipOf: (
      sellerId: string,
      userId: string,
      memberId: string | undefined,
    ) => Effect.Effect<Membership | undefined, StoreUnavailable>
    /** Writes a change of a team, all of it or nothing. `stale`: the team has changed since it was read. */
    readonly change: (
      change: TeamChange,
    ) => Effect.Effect<{ readonly kind: "changed" | "stale" | "noSeller" }, StoreUnavailable>
  }
>()("corrente/actors/MemberStore") {}
