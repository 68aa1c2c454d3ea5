import { Context, type Effect } from "effect"
import type { Feed } from "../../schema/ids.ts"
import type { Bucket, LedgerKind } from "../../schema/resources/ledger.ts"
import type { Principal } from "./principal.ts"
import type { StoreUnavailable } from "./store.ts"

/** An amount that a bucket gains (or loses, below zero), in centavos. */
export interface Posting {
  readonly bucket: Bucket
  readonly amount: number
}

/** A movement of money, written in the same step as the transition that made it (decisions 3). */
export interface LedgerMovement {
  readonly kind: LedgerKind
  readonly resourceType: "transaction" | "withdrawal"
  readonly resourceId: string
  /** They sum to zero. */
  readonly postings: ReadonlyArray<Posting>
}

/** The buckets that are the seller's, in centavos. */
export interface SellerBalance {
  readonly available: number
  readonly reserve: number
  readonly pendingWithdraw: number
}

/** A movement as it was written. */
export interface StoredLedgerEntry extends LedgerMovement {
  /** Redis' `<ms>-<seq>`; its milliseconds are when it was written. */
  readonly entryId: string
  /** Contiguous from 1. */
  readonly seq: number
  /** The entry of the event that the same step appended; undefined where it appended none. */
  readonly eventEntryId: string | undefined
  /** What it left. */
  readonly balance: SellerBalance
}

/** A window over a ledger, newest first; both times count. */
export interface LedgerPage {
  readonly beforeEntryId: string | undefined
  readonly fromMillis: number | undefined
  readonly toMillis: number | undefined
  readonly limit: number
}

/** The double-entry ledger of a seller and mode (decisions 3): read here, written by the commits of the other stores. */
export class Ledger extends Context.Service<
  Ledger,
  {
    readonly balance: (
      principal: Principal,
    ) => Effect.Effect<SellerBalance | { readonly kind: "keyInvalid" }, StoreUnavailable>
    readonly list: (
      principal: Principal,
      page: LedgerPage,
    ) => Effect.Effect<ReadonlyArray<StoredLedgerEntry> | { readonly kind: "keyInvalid" }, StoreUnavailable>
    /** Entries younger than `afterEntryId` ("0": from the first), oldest first: for audits. */
    readonly readAfter: (
      feed: Feed,
      afterEntryId: string,
      entriesMax: number,
    ) => Effect.Effect<ReadonlyArray<StoredLedgerEntry>, StoreUnavailable>
  }
>()("corrente/actors/Ledger") {}
