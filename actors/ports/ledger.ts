import { Context, type Effect } from "effect"
import type { Feed } from "../../schema/ids.ts"
import type { Bucket, LedgerKind, LedgerResourceType } from "../../schema/resources/ledger.ts"
import type { Principal } from "../values/principal.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"

/** What a bucket gains or, below zero, loses, in centavos. */
export interface Posting {
  readonly bucket: Bucket
  readonly amount: number
}

/**
 * A movement of money, written in one step with the transition that causes it (docs/contract/balance-and-ledger.md#entries).
 */
export interface LedgerMovement {
  readonly kind: LedgerKind
  readonly resourceType: LedgerResourceType
  readonly resourceId: string
  /** Sum to zero. */
  readonly postings: ReadonlyArray<Posting>
  /** How it changes the release calendar; absent where it does not move `reserve`. */
  readonly release?: ReleaseChange
}

/** How a movement changes the release calendar, beside its posting of `reserve`. */
export interface ReleaseChange {
  /** The day in America/Sao_Paulo on which the charge's reserve is released. */
  readonly day: string
  /** 1: the charge has money in reserve from now on; -1: it has none any more; else 0. */
  readonly charges: number
}

/** The reserve of charges that becomes available on one day in America/Sao_Paulo. */
export interface ReleaseDay {
  readonly day: string
  /** Centavos. */
  readonly amount: number
  readonly charges: number
}

/** The release calendar. */
export interface Releases {
  /** Centavos in reserve. */
  readonly reserve: number
  /** In order, past days too where a release is late. Undefined: not known ({@link Ledger}'s `releases`). */
  readonly days: ReadonlyArray<ReleaseDay> | undefined
}

/** The seller's own buckets, in centavos. */
export interface SellerBalance {
  readonly available: number
  readonly reserve: number
  readonly pendingWithdraw: number
  /** 0 where no refund has ever been requested. */
  readonly pendingRefund: number
}

/** A movement as stored. */
export interface StoredLedgerEntry extends Omit<LedgerMovement, "release"> {
  /** Redis' `<ms>-<seq>`; the milliseconds say when it was written. */
  readonly entryId: string
  /** How far ahead of that the seller's test clock was, in ms; absent where it was not, and for audits. */
  readonly aheadMillis?: number | undefined
  /** Contiguous from 1. */
  readonly seq: number
  /** The entry of the event appended in the same step; undefined where there was none. */
  readonly eventEntryId: string | undefined
  /** The balance after it. */
  readonly balance: SellerBalance
}

/** A page of a ledger, newest first; both times are included. */
export interface LedgerPage {
  readonly beforeEntryId: string | undefined
  readonly fromMillis: number | undefined
  readonly toMillis: number | undefined
  readonly limit: number
}

/** A stretch of a ledger, oldest first; both times are included. */
export interface LedgerSpan {
  /** Undefined: from the stretch's first entry. */
  readonly afterEntryId: string | undefined
  readonly fromMillis: number
  readonly toMillis: number
  readonly entriesMax: number
}

/** The double-entry ledger of a seller and mode: read here, written by the commits of the other stores. */
export class Ledger extends Context.Service<
  Ledger,
  {
    readonly balance: (
      principal: Principal,
    ) => Effect.Effect<SellerBalance | { readonly kind: "keyInvalid" }, StoreUnavailable>
    /**
     * The release calendar. Its days are unknown while money is held that was reserved before there were calendars: until none of
     * it is left, or a repair.
     */
    readonly releases: (
      principal: Principal,
    ) => Effect.Effect<Releases | { readonly kind: "keyInvalid" }, StoreUnavailable>
    /** What a seller has available in a mode, in centavos; below zero where it owes. For operators and the service itself. */
    readonly available: (feed: Feed) => Effect.Effect<number, StoreUnavailable>
    readonly list: (
      principal: Principal,
      page: LedgerPage,
    ) => Effect.Effect<ReadonlyArray<StoredLedgerEntry> | { readonly kind: "keyInvalid" }, StoreUnavailable>
    /** All entries of these charges, refunds or withdrawals of the principal, newest first; found by their events. */
    readonly ofResources: (
      principal: Principal,
      resourceIds: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyArray<StoredLedgerEntry> | { readonly kind: "keyInvalid" }, StoreUnavailable>
    /** The next entries of a stretch. Its key is checked with each of them, so a statement ends with its credential. */
    readonly readSpan: (
      principal: Principal,
      span: LedgerSpan,
    ) => Effect.Effect<ReadonlyArray<StoredLedgerEntry> | { readonly kind: "keyInvalid" }, StoreUnavailable>
    /** Entries newer than `afterEntryId` ("0": from the first), oldest first; for audits. */
    readonly readAfter: (
      feed: Feed,
      afterEntryId: string,
      entriesMax: number,
    ) => Effect.Effect<ReadonlyArray<StoredLedgerEntry>, StoreUnavailable>
  }
>()("corrente/actors/Ledger") {}
