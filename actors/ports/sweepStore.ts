import { Context, type Effect } from "effect"
import type { ListedItem } from "../values/listedItem.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"
import type { BooksWindow, UnreadableItem } from "./acquirer.ts"

/** What is known of the sweeps of an acquirer account's books. Times are ms of Redis' clock. */
export interface SweepState {
  /** When the last complete sweep began; 0 before the first. */
  readonly beganMillis: number
  /** The end of the window it read; 0 before the first. */
  readonly completedToMillis: number
  /** When the last complete daily sweep began; 0 before the first. */
  readonly longBeganMillis: number
  /** When a process last asked for a sweep at once; 0 where none has. */
  readonly wantedMillis: number
  /** Items that the last sweep met and could not read, without those that an operator has accepted. */
  readonly unreadableCount: number
}

/** A lease on the sweeps of an account, fenced. */
export interface SweepLease {
  readonly account: string
  readonly fence: number
}

/** An item that a sweep could not read, and where it met it. */
export interface UnreadItem extends UnreadableItem {
  readonly list: "received" | "sent"
  /** What the sweep read. */
  readonly window: BooksWindow
  /** As the acquirer names it; undefined for the first. */
  readonly page: string | undefined
}

/** An item that an operator lets sweeps pass over; `acceptedMillis` is Redis' clock. */
export interface AcceptedItem extends UnreadItem {
  readonly acceptedMillis: number
  readonly reason: string
}

/** What sweeps of an account met and could not read. */
export interface UnreadItems {
  /** Of the last sweep, at most `limits.sweepUnreadableMax`. */
  readonly open: ReadonlyArray<UnreadItem>
  readonly accepted: ReadonlyArray<AcceptedItem>
}

/** An item of the acquirer's lists that its query of that one item does not confirm (docs/partner.md#unconfirmed-items). */
export interface UnconfirmedItem {
  readonly item: ListedItem
  /** Since when, in ms, and how many sweeps have asked about it. */
  readonly sinceMillis: number
  readonly sweeps: number
}

/** Sweeps of the acquirer's books, one process at a time. */
export class SweepStore extends Context.Service<
  SweepStore,
  {
    readonly load: (account: string) => Effect.Effect<SweepState, StoreUnavailable>
    /** Redis' clock, in ms. */
    readonly now: Effect.Effect<number, StoreUnavailable>
    /** Asks for a sweep that begins after now. */
    readonly request: (account: string) => Effect.Effect<void, StoreUnavailable>
    /** Takes or renews the lease; undefined while another process holds it. */
    readonly claim: (
      account: string,
      holder: string,
      leaseMillis: number,
    ) => Effect.Effect<SweepLease | undefined, StoreUnavailable>
    /** Records a complete sweep, unless the fence is old: `stale`. */
    readonly complete: (
      lease: SweepLease,
      sweep: { readonly beganMillis: number; readonly toMillis: number; readonly isLong: boolean },
    ) => Effect.Effect<{ readonly kind: "applied" | "stale" }, StoreUnavailable>
    /** The accounts that were ever swept. */
    readonly accounts: Effect.Effect<ReadonlyArray<string>, StoreUnavailable>
    /**
     * Replaces the unreadable items of the sweep before by those of this one, unless the fence is old. `items` have different
     * digests and are at most `limits.sweepUnreadableReadMax`; `more` counts others. Answers how many of all are open.
     */
    readonly recordUnread: (
      lease: SweepLease,
      met: { readonly items: ReadonlyArray<UnreadItem>; readonly more: number },
    ) => Effect.Effect<
      { readonly kind: "applied"; readonly openCount: number } | { readonly kind: "stale" },
      StoreUnavailable
    >
    readonly unconfirmed: (account: string) => Effect.Effect<ReadonlyArray<UnconfirmedItem>, StoreUnavailable>
    /**
     * Remembers what is unconfirmed after a sweep, at most `limits.sweepUnconfirmedMax`, in place of what was `before` it; what was noted
     * meanwhile stays.
     */
    readonly keepUnconfirmed: (
      account: string,
      items: ReadonlyArray<UnconfirmedItem>,
      before: ReadonlyArray<UnconfirmedItem>,
    ) => Effect.Effect<void, StoreUnavailable>
    /** Notes what the next sweeps must find confirmed by the lists. */
    readonly noteUnconfirmed: (
      account: string,
      entry: UnconfirmedItem,
    ) => Effect.Effect<void, StoreUnavailable>
    readonly unread: (account: string) => Effect.Effect<UnreadItems, StoreUnavailable>
    /**
     * Lets sweeps pass over an open item with this digest, once. `full`: `limits.sweepAcceptedMax` are accepted already; `unknown`: it
     * is not open (any more).
     */
    readonly accept: (
      account: string,
      item: UnreadItem,
      reason: string,
    ) => Effect.Effect<{ readonly kind: "applied" | "full" | "unknown" }, StoreUnavailable>
  }
>()("corrente/actors/SweepStore") {}
