import { Context, type Effect } from "effect"
import type { Feed, Mode } from "../../schema/ids.ts"
import type { Amounts, Movements } from "../values/closing.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"

/** The right to close days, for one process at a time; a later one has a higher fence. */
export interface ClosingLease {
  readonly fence: number
  /** When it was taken or renewed, in ms of Redis' clock, which dates ledger entries too. */
  readonly nowMillis: number
}

/** What moved on a day, and what it left: of a seller, of a partition, or of the platform. */
export interface DayMovements {
  /** `2026-11-21`, in America/Sao_Paulo. */
  readonly day: string
  readonly movements: Movements
  readonly closing: Amounts
}

/** What the acquirer's books say of a day, in centavos (docs/contract/closings.md#partner). */
export interface PartnerDay {
  readonly received: number
  readonly sent: number
  readonly returned: number
  readonly difference: number
  /** The acquirer's balance when the day was closed; null where it tells none, or the day was closed late. */
  readonly balance: number | null
  /** The balance less what our ledgers and open exceptions said was there. */
  readonly balanceDifference: number | null
}

/** The closing of a day and mode, over all sellers. */
export interface StoredClosing extends DayMovements {
  /** Undefined where there are no books to compare with. */
  readonly partner: PartnerDay | undefined
  readonly createdAtMillis: number
}

/** `stale`: another process has the lease now. A write that was made before is `applied` again, and changes nothing. */
export type ClosingWrite = { readonly kind: "applied" | "stale" }

/**
 * Closings of days: written once, seller by seller, then a partition's part, then the whole. Sellers and partitions on
 * which nothing moved are not written; their last closing stands.
 */
export class ClosingStore extends Context.Service<
  ClosingStore,
  {
    /** Takes or renews the lease; undefined while another process holds it. */
    readonly claim: (
      holder: string,
      leaseMillis: number,
    ) => Effect.Effect<ClosingLease | undefined, StoreUnavailable>
    /** Ids of a partition's sellers, oldest first, after `afterId` ("": from the first). */
    readonly sellers: (
      partition: number,
      afterId: string,
      sellersMax: number,
    ) => Effect.Effect<ReadonlyArray<string>, StoreUnavailable>
    readonly closeSeller: (
      lease: ClosingLease,
      feed: Feed,
      movements: DayMovements,
    ) => Effect.Effect<ClosingWrite, StoreUnavailable>
    /** Marks the day as closed in the partition, and writes its sums where something moved. */
    readonly closePart: (
      lease: ClosingLease,
      partition: number,
      mode: Mode,
      movements: DayMovements,
    ) => Effect.Effect<ClosingWrite, StoreUnavailable>
    readonly closeWhole: (
      lease: ClosingLease,
      mode: Mode,
      closing: Omit<StoredClosing, "createdAtMillis">,
    ) => Effect.Effect<ClosingWrite, StoreUnavailable>
    /** A seller's newest closing up to and including `day`; undefined before its first. */
    readonly ofSeller: (feed: Feed, day: string) => Effect.Effect<DayMovements | undefined, StoreUnavailable>
    /** The same of a partition. */
    readonly ofPart: (
      partition: number,
      mode: Mode,
      day: string,
    ) => Effect.Effect<DayMovements | undefined, StoreUnavailable>
    /** The last day that is closed in a partition; undefined before the first. */
    readonly lastOfPart: (
      partition: number,
      mode: Mode,
    ) => Effect.Effect<string | undefined, StoreUnavailable>
    readonly get: (mode: Mode, day: string) => Effect.Effect<StoredClosing | undefined, StoreUnavailable>
    /** Closings, newest first, of days before `beforeDay` (undefined: from the newest). */
    readonly list: (
      mode: Mode,
      beforeDay: string | undefined,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<StoredClosing>, StoreUnavailable>
  }
>()("corrente/actors/ClosingStore") {}
